"""The command that makes a page for a person to look at."""

from pathlib import Path
from typing import Annotated

import typer

from mhmgnn.cli.output import Json, print_json
from mhmgnn.runtime import console


def report(
    run: Annotated[Path, typer.Argument(help="Folder of a run, or of results as `reproduce` leaves them.")],
    page: Annotated[
        Path | None, typer.Option("--page", "-o", help="Where it goes; else report.html, in a run's folder.")
    ] = None,
    cliques: Annotated[
        bool, typer.Option("--cliques", help="Show the best sets whose nodes are all adjacent.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Write one HTML page that needs no network: a run with its energies and best sets, or the tables."""
    results = any(run.glob("*/*.jsonl")) or any(run.glob("*/*/*.json"))
    if (run / "model").is_dir() or not results:
        from mhmgnn.report.report import report as write

        written, what = write(run, page=page, cliques=cliques), "page"
    else:
        from mhmgnn.report.results import report_results

        written, what = report_results(run, page or Path("report.html")), "tables"
    if as_json:
        print_json({"page": written, "bytes": written.stat().st_size, "what": what, "of": run})
    else:
        console.say(f"{written}: the {what} of {run}")
