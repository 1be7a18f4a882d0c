"""The command that lists other methods."""

from typing import Any

import typer

from mhmgnn.cli.examples import example
from mhmgnn.cli.output import Json, print_json

baselines = typer.Typer(help="Other methods, for `mhmgnn fit --baseline NAME`.", no_args_is_help=True)


@baselines.callback()
def about() -> None:
    """The commands under `baselines`."""


@baselines.command("list", epilog=example("baselines list"))
def names(as_json: Json = False) -> None:
    """Print the name, description and settings of each baseline; `--set baseline.KEY=VALUE` changes one."""
    from dataclasses import asdict

    from mhmgnn.baselines.method import METHODS

    rows: list[dict[str, Any]] = [
        {
            "name": name,
            "about": method.about,
            "any_graph": method.inductive,
            "settings": {} if method.settings is None else asdict(method.settings),
        }
        for name, method in METHODS.items()
        if method.of_ksets
    ]
    if as_json:
        print_json(rows)
        return
    for row in rows:
        kind = "any graph" if row["any_graph"] else "its own graph"
        print(f"{row['name']:<18} {kind:<14} {row['about']}")
        if row["settings"]:
            print(f"{'':<18} " + ", ".join(f"{key}={value}" for key, value in row["settings"].items()))
