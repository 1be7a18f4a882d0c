"""The command that makes the paper's tables."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from mhmgnn import screen
from mhmgnn.errors import DataError

if TYPE_CHECKING:
    from mhmgnn.paper.item import Item


def reproduce(
    table: Annotated[
        list[str] | None, typer.Option(help="hyperedge, dag-leaves or whole-graph; may be repeated.")
    ] = None,
    k: Annotated[list[str] | None, typer.Option("-k", help="3, 4, 5 or n; may be repeated.")] = None,
    dataset: Annotated[list[str] | None, typer.Option(help="A data set; may be repeated.")] = None,
    method: Annotated[
        list[str] | None, typer.Option(help="A row, as the tables call it; may be repeated.")
    ] = None,
    runs: Annotated[
        int, typer.Option(min=0, help="Of each method, each with its own seed and split; 0 runs nothing.")
    ] = 5,
    results: Annotated[
        Path | None, typer.Option(help="Folder of result files; else results, or results-quick.")
    ] = None,
    jobs: Annotated[int, typer.Option(min=1, help="Processes, which share the cores.")] = 2,
    quick: Annotated[
        bool, typer.Option("--quick", help="One run at reduced size, kept apart in results-quick.")
    ] = False,
    one_cut: Annotated[
        int, typer.Option(min=0, help="Train MHM-GNN so many times for the split of run 0 as well.")
    ] = 0,
    shuffled: Annotated[
        bool,
        typer.Option("--shuffled", help="Score MHM-GNN with shuffled labels as well: chance, on average."),
    ] = False,
    settings: Annotated[
        list[str] | None,
        typer.Option("--set", help="A setting of MHM-GNN, such as train.enough=0.3; needs --results."),
    ] = None,
    again: Annotated[bool, typer.Option("--again", help="Run what has a result, too.")] = False,
    only_list: Annotated[bool, typer.Option("--list", help="Print what would run, and run nothing.")] = False,
    cache: Annotated[
        Path | None, typer.Option(help="Folder for vectors of nodes that serve every k; else your cache.")
    ] = None,
    page: Annotated[
        Path | None, typer.Option(help="Write the tables to this Markdown file, such as docs/results.md.")
    ] = None,
) -> None:
    """Measure the paper's tables, cell by cell; what has a result file is not run again."""
    from mhmgnn.paper.item import items_of
    from mhmgnn.paper.recipe import choose, recipes

    if settings and results is None:
        raise DataError("--set changes what is measured; name a folder of its own for it with --results")
    folder = results or Path("results-quick" if quick else "results")
    chosen = choose(recipes(), tasks=table or (), sizes=k or (), datasets=dataset or ())
    items = items_of(
        chosen,
        runs=min(runs, 1) if quick else runs,
        methods=method or (),
        one_cut=one_cut,
        shuffled=shuffled,
        settings=tuple(settings or ()),
        quick=quick,
    )
    failed = _run(items, folder, cache, jobs=jobs, again=again, only_list=only_list)
    if page is not None and not only_list:
        from mhmgnn.paper.tables import write_results

        write_results(folder, page)
        screen.say(f"{page}: the tables of {folder}")
    if failed:
        raise typer.Exit(1)


def _run(
    items: "list[Item]", folder: Path, cache: Path | None, *, jobs: int, again: bool, only_list: bool
) -> bool:
    """Whether some item failed."""
    from mhmgnn.paper.schedule import clock, known_times, missing, run_all, with_other_settings

    to_run = items if again else missing(items, folder)
    times = known_times(items, folder)
    if only_list:
        for item in to_run:
            print(item)
    old = [] if again else with_other_settings(items, folder)
    if old:
        screen.say(
            f"{len(old)} results are of other settings than now, such as {old[0]}; --again redoes them"
        )
    guess = clock(sum(map(times.guess, to_run)) / jobs)
    screen.say(f"{len(to_run)} of {len(items)} results are to be measured; about {guess} by times so far")
    if only_list or not to_run:
        return False
    if cache is None:
        from platformdirs import user_cache_path

        cache = user_cache_path("mhmgnn") / "reproduce"
    failures = run_all(to_run, folder, times=times, cache_dir=cache, jobs=jobs)
    for reason in dict.fromkeys(failure.reason for failure in failures):
        screen.say(f"failed, as {reason}:")
        for failure in failures:
            if failure.reason == reason:
                screen.say(f"  {failure.item}")
    return bool(failures)
