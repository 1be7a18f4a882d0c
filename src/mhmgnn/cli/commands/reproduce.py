"""The command that reproduces the paper's tables."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import typer

from mhmgnn.cli.output import Json, print_json
from mhmgnn.cli.processes import Devices, in_processes
from mhmgnn.errors import DataError
from mhmgnn.runtime import console
from mhmgnn.runtime.distributed import Crew, together

if TYPE_CHECKING:
    from mhmgnn.paper.item import Item
    from mhmgnn.paper.schedule import Failure, Times


class Plan(NamedTuple):
    """What is left to measure."""

    items: "list[Item]"
    old: "list[Item]"  # items whose results have other settings
    times: "Times"
    seconds: float  # estimated total time


def reproduce(
    table: Annotated[
        list[str] | None, typer.Option(help="hyperedge, dag-leaves or whole-graph; may be repeated.")
    ] = None,
    k: Annotated[list[str] | None, typer.Option("-k", help="3, 4, 5 or n; may be repeated.")] = None,
    dataset: Annotated[list[str] | None, typer.Option(help="A data set; may be repeated.")] = None,
    method: Annotated[
        list[str] | None, typer.Option(help="A row of the tables, by its name there; may be repeated.")
    ] = None,
    runs: Annotated[
        int,
        typer.Option(min=0, help="Runs of each method, each with its own seed and split; 0 runs nothing."),
    ] = 5,
    results: Annotated[
        Path | None, typer.Option(help="Folder of result files; by default results, or results-quick.")
    ] = None,
    jobs: Annotated[int, typer.Option(min=1, help="Results measured at once; they share the cores.")] = 2,
    devices: Devices = 1,
    quick: Annotated[
        bool, typer.Option("--quick", help="One run at reduced size, kept apart in results-quick.")
    ] = False,
    one_cut: Annotated[
        int, typer.Option(min=0, help="Also train MHM-GNN this many times on the split of the first run.")
    ] = 0,
    shuffled: Annotated[
        bool,
        typer.Option("--shuffled", help="Also score MHM-GNN with shuffled labels, which should give chance."),
    ] = False,
    settings: Annotated[
        list[str] | None,
        typer.Option("--set", help="A setting of MHM-GNN, such as train.enough=0.3; needs --results."),
    ] = None,
    again: Annotated[bool, typer.Option("--again", help="Also run what has a result.")] = False,
    only_list: Annotated[bool, typer.Option("--list", help="Print what would run, and run nothing.")] = False,
    cache: Annotated[
        Path | None, typer.Option(help="Folder for node vectors that all k share; by default your cache.")
    ] = None,
    page: Annotated[
        Path | None,
        typer.Option(
            help="Write a summary to this Markdown file, and the tables to a folder of the same name."
        ),
    ] = None,
    as_json: Json = False,
) -> None:
    """Measure the paper's tables, cell by cell. What has a result is not run again."""
    from mhmgnn.paper.item import items_of
    from mhmgnn.paper.recipe import choose, recipes

    if settings and results is None:
        raise DataError("--set changes what is measured; name a folder of its own for it with --results")
    in_processes(devices)
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
    with together() as crew:
        plan = _plan(items, folder, jobs=jobs * crew.world, again=again, quiet=not crew.leads)
        failures = [] if only_list else _run(items, plan, folder, cache, jobs=jobs, crew=crew)
    if not crew.leads:
        return
    if only_list and not as_json:
        for item in plan.items:
            print(item)
    if page is not None and not only_list:
        from mhmgnn.paper.pages import write_pages

        pages = write_pages(folder, page)
        console.say(f"{', '.join(map(str, pages))}: the tables of {folder}")
    if as_json:
        failed = [_facts(failure.item, folder) | {"reason": failure.reason} for failure in failures]
        did = {"ran": not only_list, "failed": failed, "page": None if only_list else page}
        print_json({"results": folder, "asked": len(items), **_plan_facts(plan, folder), **did})
    if failures:
        raise typer.Exit(1)


def _plan(items: "list[Item]", folder: Path, *, jobs: int, again: bool, quiet: bool) -> Plan:
    """Find what is left to measure, and print how much it is."""
    from mhmgnn.paper.schedule import clock, known_times, missing, with_other_settings

    to_run = items if again else missing(items, folder)
    old = [] if again else with_other_settings(items, folder)
    if old and not quiet:
        console.say(
            f"{len(old)} results are of other settings than now, such as {old[0]}; --again redoes them"
        )
    times = known_times(items, folder)
    guess = sum(map(times.guess, to_run)) / jobs
    told = f"{len(to_run)} of {len(items)} results are to be measured"
    if not quiet:
        console.say(f"{told}; about {clock(guess)} by times so far")
    return Plan(to_run, old, times, guess)


def _plan_facts(plan: Plan, folder: Path) -> dict[str, Any]:
    return {
        "to_run": [_facts(item, folder) | {"about_seconds": plan.times.guess(item)} for item in plan.items],
        "other_settings": [_facts(item, folder) for item in plan.old],
        "about_seconds": plan.seconds,
    }


def _facts(item: "Item", folder: Path) -> dict[str, Any]:
    cell = item.recipe.cell
    where = {"task": cell.task, "dataset": cell.dataset, "k": cell.k, "method": item.method}
    drawn = {"seed": item.seed, "split_seed": item.split, "shuffled": item.shuffled}
    return {**where, **drawn, "file": item.path(folder)}


def _run(
    items: "list[Item]", plan: Plan, folder: Path, cache: Path | None, *, jobs: int, crew: Crew
) -> "list[Failure]":
    """Measure what is planned, divided among a crew; failures are printed by reason and returned."""
    from mhmgnn.paper.schedule import Failure, missing, run_all, share

    if cache is None:
        from platformdirs import user_cache_path

        cache = user_cache_path("mhmgnn") / "reproduce"
    mine = share(items, plan.items, plan.times, crew)
    failures = run_all(mine, folder, times=plan.times, cache_dir=cache, jobs=jobs) if mine else []
    for reason in dict.fromkeys(failure.reason for failure in failures):
        console.say(f"failed, as {reason}:")
        for failure in failures:
            if failure.reason == reason:
                console.say(f"  {failure.item}")
    crew.wait()
    known = {id(item) for item in mine}
    others = [item for item in plan.items if id(item) not in known]
    return failures + [Failure(item, "another process failed at it") for item in missing(others, folder)]
