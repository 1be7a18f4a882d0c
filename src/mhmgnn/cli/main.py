"""The command `mhmgnn`: its commands, and what becomes of errors."""

import sys
from importlib.metadata import version
from typing import Annotated

import typer

from mhmgnn import screen
from mhmgnn.cli import baselines, count, data, demo, model, probe, reproduce
from mhmgnn.errors import MHMError

app = typer.Typer(
    help="Vectors and energies for sets of k nodes of a graph, learned without labels; and sums over its "
    "connected k-node subgraphs, with error bars.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)
COMMANDS = (
    demo.demo,
    model.fit,
    model.embed,
    model.energy,
    model.complete,
    model.discover,
    count.count,
    probe.probe,
    reproduce.reproduce,
)
for command in COMMANDS:
    app.command()(command)
app.add_typer(data.data, name="data")
app.add_typer(baselines.baselines, name="baselines")


def main() -> None:
    """Run the command line; what goes wrong on purpose is one line on stderr and exit code 2."""
    try:
        app()
    except MHMError as error:
        screen.say(f"error: {error}")
        sys.exit(2)


def _version(wanted: bool) -> None:
    if wanted:
        print(f"mhmgnn {version('mhmgnn')}")
        raise typer.Exit


@app.callback()
def options(
    show: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version and leave.")
    ] = False,
) -> None:
    """Hold the options that come before a command."""
