"""The command `mhmgnn`: its subcommands and the reporting of errors."""

import atexit
import errno
import gc
import os
import platform
import sys
import time
import warnings
from collections.abc import Callable
from typing import Annotated

import typer

from mhmgnn.cli.commands import (
    baselines,
    compare,
    count,
    data,
    demo,
    doctor,
    groups,
    model,
    probe,
    report,
    reproduce,
    serve,
    sets,
    update,
)
from mhmgnn.cli.examples import example, follow
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
    rich_markup_mode=None,  # rich takes as long to import as all the rest
    context_settings={"max_content_width": 110},
)
COMMANDS = (  # in the order in which people meet them
    demo.demo,
    model.fit,
    groups.groups,
    model.complete,
    sets.energy,
    report.report,
    serve.serve,
    update.update,
    model.discover,
    sets.embed,
    probe.probe,
    count.count,
    compare.compare,
    reproduce.reproduce,
    doctor.doctor,
)
for command in COMMANDS:
    app.command(epilog=example(command.__name__))(command)
app.add_typer(data.data, name="data")
app.add_typer(baselines.baselines, name="baselines")
for group, before in ((app, ""), (data.data, "data "), (baselines.baselines, "baselines ")):
    for info in group.registered_commands:
        follow(info, before)


GARBAGE = 50_000  # objects between two searches for garbage; with Python's 700 imports take a third longer


def main() -> None:
    """Run the command line; an error that the user can fix is one line on stderr and exit code 2."""
    gc.set_threshold(GARBAGE, 10, 10)
    atexit.register(gc.freeze)  # no search for garbage in what ends with the process
    warnings.filterwarnings("ignore", "`torch.jit.script` is deprecated")  # PyG's own use, on import
    try:
        _run()
    except (MHMError, OSError, MemoryError, RuntimeError) as error:
        if isinstance(error, OSError) and error.errno == errno.EPIPE:  # the reader has closed the output
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
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # else it is flushed again at exit
            raise


def _version(wanted: bool) -> None:
    if wanted:
        from importlib.metadata import version

        print(f"mhmgnn {version('mhmgnn')}")
        raise typer.Exit


@app.callback()
def options(
    context: typer.Context,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Print only results and errors.")] = False,
    verbose: Annotated[
        bool,
        typer.Option("--verbose", "-v", help="Print versions, time and memory, and tracebacks of errors."),
    ] = False,
    show: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version and exit.")
    ] = False,
) -> None:
    """The options that come before a command."""
    console.tune(quiet=quiet or not started().leads, verbose=verbose)
    if verbose:
        context.call_on_close(_costs())


def _costs() -> Callable[[], None]:
    """Print the versions; returns a function that prints time and memory."""
    from importlib.metadata import version

    began = time.monotonic()
    console.say(f"mhmgnn {version('mhmgnn')}, torch {version('torch')}, Python {platform.python_version()}")

    def tell() -> None:
        console.say(f"{time.monotonic() - began:.1f} s, {memory.peak() / 1e9:.2f} GB at most")

    return tell
