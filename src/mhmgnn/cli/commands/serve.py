"""The command that answers over HTTP."""

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
        str, typer.Option(help="Address to listen on; others than this machine's need a token.")
    ] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535)] = 8000,
    token_file: Annotated[
        Path | None, typer.Option(help="File with the secret that clients send as a bearer token.")
    ] = None,
    no_token: Annotated[bool, typer.Option("--no-token", help="Let everybody in who reaches HOST.")] = False,
    at_once: Annotated[
        int, typer.Option(min=1, help="Requests of a worker that run or wait; more are refused.")
    ] = 64,
    seconds: Annotated[float, typer.Option(help="Time of a request, at most.")] = 10.0,
    workers: Annotated[int, typer.Option(min=1, help="Processes that answer on the same port.")] = 1,
    threads: Annotated[
        int | None, typer.Option(min=1, help="Of a worker, that work on requests; else one a core.")
    ] = None,
    no_groups: Annotated[
        bool,
        typer.Option("--no-groups", help="Do not search for the groups, which takes long on large graphs."),
    ] = False,
    log_sets: Annotated[bool, typer.Option("--log-sets", help="Log what is asked, too.")] = False,
) -> None:
    """Answer over HTTP: completions, energies, vectors and groups of RUN, and a page to look around."""
    if not all(map(find_spec, NEEDED)):
        raise DataError(
            "the service needs FastAPI, uvicorn and more; get them by: pip install 'mhmgnn[serve]'"
        )
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
