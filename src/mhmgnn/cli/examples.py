"""An example for the `--help` of every command, and what to do after it."""

import shlex
import sys
from collections.abc import Mapping
from functools import wraps
from pathlib import Path
from typing import Any

from typer.models import CommandInfo

from mhmgnn.runtime import console

EXAMPLES = {
    "demo": "mhmgnn demo --run shop --page shop.html",
    "fit": "mhmgnn fit pairs.csv run --features words.csv -k 3",
    "update": "mhmgnn update run tonight.csv",
    "embed": "mhmgnn embed run sets.csv --out vectors.parquet",
    "energy": "mhmgnn energy run sets.csv --match exact --out energies.csv",
    "complete": "mhmgnn complete run tea kettle --top 3",
    "groups": "mhmgnn groups run --with tea --sizes 3:6 --out groups.csv",
    "discover": "mhmgnn discover run --cliques --require tea --top 5",
    "count": "mhmgnn count pairs.csv -k 4 --by-shape",
    "probe": "mhmgnn probe run labelled.csv --folds 5",
    "compare": "mhmgnn compare carts.csv --report compare.html",
    "reproduce": "mhmgnn reproduce --quick --dataset cora",
    "report": "mhmgnn report run --page run.html",
    "serve": "mhmgnn serve run --port 8000",
    "doctor": "mhmgnn doctor run",
    "data list": "mhmgnn data list",
    "data info": "mhmgnn data info market",
    "data fetch": "mhmgnn data fetch cora",
    "baselines list": "mhmgnn baselines list",
}
NEXT = {  # {run} and other words are what the command was given
    "demo": "mhmgnn fit pairs.csv run learns from pairs of your own",
    "fit": "mhmgnn groups {run} --sizes 3: --top 20 lists groups, mhmgnn report {run} writes a page",
    "update": "mhmgnn serve {run} takes up the new run by itself, {run}/previous is the former one",
    "embed": "mhmgnn probe {run} labelled.csv measures how well the vectors predict your labels",
    "energy": "mhmgnn groups {run} lists the groups of any size",
    "complete": "mhmgnn groups {run} --with {node} lists the groups that hold it",
    "groups": "mhmgnn report {run} writes a page, mhmgnn complete {run} NAME ranks who belongs with a node",
    "discover": "mhmgnn groups {run} lists the groups of any size",
    "count": "mhmgnn fit {graph} run learns which sets belong together",
    "probe": "mhmgnn fit pairs.csv other --baseline NAME gives a method to compare with",
    "compare": "mhmgnn fit pairs.csv run learns from all your pairs",
    "reproduce": "mhmgnn report FOLDER makes a page of the results",
    "report": "open the page in a browser",
    "doctor": "mhmgnn demo shows what it does, mhmgnn fit pairs.csv run learns from your pairs",
    "data list": "mhmgnn data info NAME counts what is in one of them",
    "data info": "mhmgnn.datasets.load('{name}') gives it in Python",
    "data fetch": "mhmgnn data info {name} counts what is in it",
    "baselines list": "mhmgnn fit pairs.csv run --baseline NAME fits one of them",
}


def example(command: str) -> str:
    """The last line of a command's help."""
    return f"Example: {EXAMPLES[command]}"


def follow(command: CommandInfo, before: str) -> None:
    """Let a command that went well end, at a terminal, with a line that says what to do next."""
    run = command.callback
    assert run is not None, "every command calls something"

    line = NEXT.get(before + (command.name or run.__name__))

    @wraps(run)
    def then(**given: Any) -> None:
        run(**given)
        if sys.stderr.isatty() and line is not None:
            console.say(f"next: {line.format_map(_words(given))}")

    command.callback = then


def _words(given: Mapping[str, Any]) -> dict[str, str]:
    """What a command was given, as a shell takes it."""
    nodes = given.get("nodes") or [""]
    held = {**given, "node": nodes[0]}
    return {name: shlex.quote(str(value)) for name, value in held.items() if isinstance(value, str | Path)}
