"""The command that compares mhmgnn with simple baselines on a user's groups."""

import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from mhmgnn.cli.output import Json, print_json
from mhmgnn.cli.processes import Devices, in_processes
from mhmgnn.runtime import console
from mhmgnn.runtime.distributed import together

if TYPE_CHECKING:
    from mhmgnn.baselines.comparison.compare import Answers, Comparison


def compare(
    groups: Annotated[
        Path,
        typer.Argument(
            help="Known groups: one per line; or a table with a row for each group and node; or HIF."
        ),
    ],
    page: Annotated[
        Path | None, typer.Option("--report", help="Write a page about it, such as compare.html.")
    ] = None,
    layout: Annotated[
        str,
        typer.Option(help="lines (one group per line), members (a row for each group and node), or auto."),
    ] = "auto",
    largest: Annotated[int | None, typer.Option(help="Leave out groups of more nodes.")] = None,
    weights: Annotated[
        bool,
        typer.Option("--counts/--no-counts", help="Whether methods see how often each pair was together."),
    ] = True,
    seed: Annotated[int, typer.Option(help="Same seed, same figures.")] = 0,
    devices: Devices = 1,
    as_json: Json = False,
) -> None:
    """Compare mhmgnn with simple baselines on known groups. Methods only see the pairs of the groups."""
    from mhmgnn.baselines.comparison.compare import compare as run
    from mhmgnn.io.atomic import check_target

    began = time.monotonic()
    if page is not None:
        check_target(page)
    in_processes(devices)
    with together() as crew:
        quiet = not crew.leads
        found = run(
            groups, layout=layout, largest=largest, weights=weights, seed=seed, crew=crew, quiet=quiet
        )
    if not crew.leads:
        return
    if page is not None:
        from mhmgnn.report.comparison import report_comparison

        report_comparison(found, page)
        console.say(f"{page}: open it in a browser")
    if as_json:
        names = ("sets", "completion", "recovery")
        rows = {name: answer_facts(answers) for name, answers in zip(names, found.answers, strict=True)}
        print_json({**found.facts, **rows, "page": page, "seconds": time.monotonic() - began})
    else:
        print("\n".join(_lines(found)))


def answer_facts(answers: "Answers") -> list[dict[str, object]]:
    """The figures of each method, for JSON."""
    return [{"by": row.by, **row.figures, "absent": row.absent or None} for row in answers.rows]


def _lines(found: "Comparison") -> list[str]:
    told = found.facts
    size = f"{told['groups']:,} groups of 2 to {told['largest']} nodes"
    lines = [f"{size}: {told['nodes']:,} nodes, {told['pairs']:,} pairs"]
    if told["left_out"]:
        lines.append(f"left out: {told['left_out']:,} groups of one node, or too large")
    for answers in found.answers:
        lines += ["", answers.title, *answer_lines(answers)]
    return lines


def answer_lines(answers: "Answers") -> list[str]:
    """A line for each method, with a star at the best figure of a column."""
    best = {key: answers.best(key) for key in answers.columns}
    wide = max(len(row.by) for row in answers.rows)
    lines = ["  ".join([" " * (wide + 2), *(f"{title:>12}" for title in answers.columns.values())])]
    for row in answers.rows:
        cells = []
        for key, title in answers.columns.items():
            figure = row.figures.get(key)
            told = "" if figure is None else f"{figure:.3f}{'*' if figure == best[key] else ' '}"
            cells.append(f"{told:>{max(len(title), 12)}}")
        absent = f"absent: {row.absent}" if row.absent else "  ".join(cells)
        lines.append(f"  {row.by:<{wide}}  {absent}".rstrip())
    return lines
