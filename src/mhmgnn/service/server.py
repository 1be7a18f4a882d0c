"""Runs the service at an address: token, signals and shutdown."""

from __future__ import annotations

import asyncio
import os
import signal
import socket
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

import uvicorn

from mhmgnn.config import check_whole
from mhmgnn.errors import DataError, MHMError
from mhmgnn.io.atomic import naming
from mhmgnn.runtime import console
from mhmgnn.service.app import Service
from mhmgnn.service.door import is_loopback
from mhmgnn.service.limits import Limits
from mhmgnn.service.log import Log

SECONDS_TO_END = 8  # after SIGTERM, for requests that run
SWITCH = 0.0005  # seconds: work takes the GIL again after each kernel, and must not wait 5 ms each time
LEAST_TOKEN = 16  # letters
BACKLOG = 512  # connections that wait to be taken


class Settings(NamedTuple):
    """What every process of a service is told."""

    run: Path
    token: str | None
    open_to_all: bool
    limits: Limits
    log_contents: bool
    groups: bool


def serve(
    run: Path,
    *,
    host: str = "127.0.0.1",
    port: int = 8000,
    token_file: Path | None = None,
    no_token: bool = False,
    limits: Limits | None = None,
    log_contents: bool = False,
    workers: int = 1,
    groups: bool = True,
) -> None:
    """Answer requests about the run until the process is told to end; SIGHUP takes up a new run.

    With several `workers`, processes answer on the same port, and this one looks after them.
    """
    check_whole("workers", workers, 1)
    token = read_token(host, token_file, no_token=no_token)
    settings = Settings(run, token, no_token, limits or Limits(), log_contents, groups)
    with listen(host, port) as listening:
        if workers == 1:
            answer(settings, listening)
        else:
            from mhmgnn.service.workers import supervise

            supervise(settings, listening, workers)


def listen(host: str, port: int) -> socket.socket:
    """A socket on the address."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with naming(Path(f"{host}:{port}")):
        return socket.create_server((host, port), family=family, backlog=BACKLOG)


def address_of(listening: socket.socket) -> str:
    """Where a socket listens, as a person types it."""
    host, port = listening.getsockname()[:2]
    return f"http://{f'[{host}]' if ':' in host else host}:{port}"


def answer(settings: Settings, listening: socket.socket) -> None:
    """Answer from this process alone; requests that come before the run is open are refused."""
    service = new_service(settings)

    def open_run(server: Server, failures: list[MHMError]) -> None:
        try:
            service.holder.reload()
        except MHMError as error:
            failures.append(error)
            server.should_exit = True
        else:
            service.start()
            console.say(f"{address_of(listening)}: ready; /docs says what may be asked")

    run_until_told(service, listening, open_run)


def new_service(settings: Settings, shared: Path | None = None) -> Service:
    """The service that this process runs."""
    sys.setswitchinterval(SWITCH)
    log = Log(contents=settings.log_contents)
    service = Service(
        settings.run,
        limits=settings.limits,
        token=settings.token,
        log=log,
        shared=shared,
        groups=settings.groups,
    )
    service.app.open_to_all = settings.open_to_all
    return service


def run_until_told(
    service: Service,
    listening: socket.socket,
    first: Callable[[Server, list[MHMError]], None] | None = None,
    *,
    accept: int = BACKLOG,
) -> None:
    """Answer until a signal ends it; `first` runs beside it, and what it fails by is raised in the end.

    At most `accept` connections are taken at a time.
    """
    config = uvicorn.Config(
        service.app,
        lifespan="off",
        access_log=False,
        log_level="warning",
        server_header=False,
        timeout_graceful_shutdown=SECONDS_TO_END,
        backlog=accept,
    )
    failures: list[MHMError] = []
    beside = None if first is None else lambda server: first(server, failures)
    asyncio.run(_serve(service, Server(config), listening, beside))
    service.stop()
    sys.stderr.flush()
    if failures:
        raise failures[0]
    if any(thread.name.startswith(("work", "groups", "watch")) for thread in threading.enumerate()):
        os._exit(0)  # do not wait for threads: their clients have left


class Server(uvicorn.Server):
    """A server that shuts down and returns on SIGTERM and SIGINT; uvicorn would raise the signal again."""

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Let both signals shut the server down."""
        loop = asyncio.get_running_loop()
        for sign in (signal.SIGTERM, signal.SIGINT):
            loop.add_signal_handler(sign, self.handle_exit, sign, None)
        yield

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Let connections wait, however few are taken at a time."""
        await super().startup(sockets)
        for listening in sockets or []:
            listening.listen(BACKLOG)


async def _serve(
    service: Service, server: Server, listening: socket.socket, first: Callable[[Server], None] | None
) -> None:
    def again() -> None:
        threading.Thread(target=_reload, args=(service,), name="watch", daemon=True).start()

    asyncio.get_running_loop().add_signal_handler(signal.SIGHUP, again)
    if first is not None:
        threading.Thread(target=first, args=(server,), name="watch", daemon=True).start()
    await server.serve([listening])


def _reload(service: Service) -> None:
    try:
        service.holder.reload()
    except MHMError:
        return  # it was logged, and the previous model stays in service


def read_token(host: str, file: Path | None, *, no_token: bool) -> str | None:
    """The token that clients must send; an address that others can reach needs one, or `no_token`."""
    if file is None:
        if not no_token and not is_loopback(host):
            raise DataError(
                f"others can reach {host}; give --token-file with a secret for clients, or --no-token to let "
                "everyone in"
            )
        return None
    if no_token:
        raise DataError("--token-file and --no-token contradict each other; give one of them")
    try:
        token = file.read_text(encoding="ascii").strip()
    except (OSError, UnicodeDecodeError) as error:
        raise DataError(
            f"the token cannot be read from {file}: it must be a file of plain letters"
        ) from error
    if len(token) < LEAST_TOKEN or not token.isprintable() or " " in token:
        raise DataError(
            f"the token in {file} must be one word of at least {LEAST_TOKEN} letters; "
            "make one with: openssl rand -hex 32"
        )
    return token
