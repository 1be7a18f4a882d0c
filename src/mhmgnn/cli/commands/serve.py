"""The command that serves a model over HTTP."""

import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated

import typer

from mhmgnn.cli.commands.model import Run
from mhmgnn.errors import DataError

NEEDED = ("fastapi", "uvicorn", "prometheus_client")


def serve(
    run: Run,
    host: Annotated[
        str, typer.Option(help="Address to listen on; one that other machines can reach needs a token.")
    ] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535)] = 8000,
    token_file: Annotated[
        Path | None, typer.Option(help="File with the secret that clients send as a bearer token.")
    ] = None,
    no_token: Annotated[bool, typer.Option("--no-token", help="Serve everyone who can reach HOST.")] = False,
    at_once: Annotated[
        int, typer.Option(min=1, help="Requests of a worker that run or wait; more are refused.")
    ] = 64,
    seconds: Annotated[float, typer.Option(help="Time limit of a request.")] = 10.0,
    workers: Annotated[int, typer.Option(min=1, help="Processes that answer on the same port.")] = 1,
    threads: Annotated[
        int | None, typer.Option(min=1, help="Threads of a worker; all workers have one per core by default.")
    ] = None,
    no_groups: Annotated[
        bool, typer.Option("--no-groups", help="Leave out the search for groups, long on large graphs.")
    ] = False,
    log_sets: Annotated[bool, typer.Option("--log-sets", help="Also log the contents of requests.")] = False,
) -> None:
    """Serve RUN over HTTP, as JSON and as an explorer page. With completions, energies, vectors, groups."""
    if sys.platform == "win32":
        raise DataError(
            "the service needs signals that Windows does not have; run it on Linux, macOS or in WSL"
        )
    if not all(map(find_spec, NEEDED)):
        raise DataError("the service needs more: pip install fastapi uvicorn httptools prometheus-client")
    from mhmgnn.runtime.threads import available
    from mhmgnn.service.limits import Limits
    from mhmgnn.service.server import serve as listen

    limits = Limits(at_once=at_once, seconds=seconds, threads=threads or max(available() // workers, 1))
    listen(
        run,
        host=host,
        port=port,
        token_file=token_file,
        no_token=no_token,
        limits=limits,
        log_contents=log_sets,
        workers=workers,
        groups=not no_groups,
    )
