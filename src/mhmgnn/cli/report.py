"""The command that makes a page for a person to look at."""

from pathlib import Path
from typing import Annotated

import typer

from mhmgnn import screen


def report(
    run: Annotated[Path, typer.Argument(help="Folder of a run, or of results as `reproduce` leaves them.")],
    page: Annotated[
        Path | None, typer.Option("--page", "-o", help="Where it goes; else report.html, in a run's folder.")
    ] = None,
    cliques: Annotated[
        bool, typer.Option("--cliques", help="Show the best sets whose nodes are all adjacent.")
    ] = False,
) -> None:
    """Write one HTML page that needs no network: a run with its energies and best sets, or the tables."""
    if (run / "model").is_dir():
        from mhmgnn.report.report import report as write

        screen.say(f"{write(run, page=page, cliques=cliques)}: the page of {run}")
    else:
        from mhmgnn.report.results import report_results

        screen.say(f"{report_results(run, page or Path('report.html'))}: the tables of {run}")
