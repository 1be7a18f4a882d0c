"""The command that writes an HTML report."""

from pathlib import Path
from typing import Annotated

import typer

from mhmgnn.cli.output import Json, print_json
from mhmgnn.runtime import console


def report(
    run: Annotated[Path, typer.Argument(help="Folder of a run, or of results as `reproduce` leaves them.")],
    page: Annotated[
        Path | None,
        typer.Option("--page", "-o", help="File to write; by default report.html, in a run's folder."),
    ] = None,
    cliques: Annotated[
        bool, typer.Option("--cliques", help="Show the best sets whose nodes are all adjacent.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Write a run, or a folder of results, as one HTML page. The page needs no network."""
    if (run / "model").is_dir():
        from mhmgnn.report.report import report as write

        written, what = write(run, page=page, cliques=cliques), "page"
    else:
        from mhmgnn.report.results import report_results

        written, what = report_results(run, page or Path("report.html")), "tables"
    if as_json:
        print_json({"page": written, "bytes": written.stat().st_size, "what": what, "of": run})
    else:
        console.say(f"{written}: the {what} of {run}")
