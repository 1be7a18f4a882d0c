"""The command `mhmgnn`: its commands, and what becomes of errors."""

import errno
import os
import platform
import sys
import time
from collections.abc import Callable
from importlib.metadata import version
from typing import Annotated

import typer

from mhmgnn.cli.commands import baselines, count, data, demo, doctor, model, probe, report, reproduce, sets
from mhmgnn.cli.faults import sentence
from mhmgnn.cli.processes import let_others_speak
from mhmgnn.errors import MHMError
from mhmgnn.runtime import console, memory
from mhmgnn.runtime.distributed import started

app = typer.Typer(
    help="Vectors and energies for sets of k nodes of a graph, learned without labels; and sums over its "
    "connected k-node subgraphs, with error bars.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
)
COMMANDS = (
    demo.demo,
    model.fit,
    sets.embed,
    sets.energy,
    model.complete,
    model.discover,
    count.count,
    probe.probe,
    reproduce.reproduce,
    report.report,
    doctor.doctor,
)
for command in COMMANDS:
    app.command()(command)
app.add_typer(data.data, name="data")
app.add_typer(baselines.baselines, name="baselines")


def main() -> None:
    """Run the command line; what a person can mend is one line on stderr and exit code 2."""
    try:
        _run()
    except (MHMError, OSError, MemoryError, RuntimeError) as error:
        if isinstance(error, OSError) and error.errno == errno.EPIPE:  # who read the output has left
            sys.exit(1)
        line = sentence(error)
        if line is None:
            raise
        let_others_speak(error)
        console.complain(error, line)
        sys.exit(2)


def _run() -> None:
    try:
        app()
    finally:
        try:
            sys.stdout.flush()
        except OSError:
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # else tried again at the end
            raise


def _version(wanted: bool) -> None:
    if wanted:
        print(f"mhmgnn {version('mhmgnn')}")
        raise typer.Exit


@app.callback()
def options(
    context: typer.Context,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Print results and errors alone.")] = False,
    verbose: Annotated[
        bool, typer.Option("--verbose", "-v", help="Tell versions, time and memory; trace errors.")
    ] = False,
    show: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version and leave.")
    ] = False,
) -> None:
    """Hold the options that come before a command."""
    console.tune(quiet=quiet or not started().leads, verbose=verbose)
    if verbose:
        context.call_on_close(_costs())


def _costs() -> Callable[[], None]:
    """Tell what is at work; what is handed out tells what it took."""
    began = time.monotonic()
    console.say(f"mhmgnn {version('mhmgnn')}, torch {version('torch')}, Python {platform.python_version()}")

    def tell() -> None:
        console.say(f"{time.monotonic() - began:.1f} s, {memory.peak() / 1e9:.2f} GB at most")

    return tell
