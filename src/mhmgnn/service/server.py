"""Runs the service at an address: token, signals and shutdown."""

from __future__ import annotations

import asyncio
import ipaddress
import os
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import uvicorn

from mhmgnn.errors import DataError, MHMError
from mhmgnn.runtime import console
from mhmgnn.service.app import Service
from mhmgnn.service.limits import Limits
from mhmgnn.service.log import Log

SECONDS_TO_END = 8  # that running requests have after SIGTERM
SWITCH = (
    0.0005  # seconds that a thread waits for the GIL, which it does after each kernel; Python's 5 ms is long
)
LEAST_TOKEN = 16  # letters of a token, at least


def serve(
    run: Path,
    *,
    host: str = "127.0.0.1",
    port: int = 8000,
    token_file: Path | None = None,
    no_token: bool = False,
    limits: Limits | None = None,
    log_contents: bool = False,
) -> None:
    """Serve the run until SIGTERM or SIGINT; SIGHUP reloads it."""
    token = read_token(host, token_file, no_token=no_token)
    sys.setswitchinterval(SWITCH)
    service = Service(run, limits=limits, token=token, log=Log(contents=log_contents))
    service.app.open_to_all = no_token
    config = uvicorn.Config(
        service.app,
        host=host,
        port=port,
        lifespan="off",
        access_log=False,
        log_level="warning",
        server_header=False,
        timeout_graceful_shutdown=SECONDS_TO_END,
        backlog=512,
    )
    failures = asyncio.run(_serve(service, Server(config)))
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


async def _serve(service: Service, server: Server) -> list[MHMError]:
    """Listen while a thread opens the run; returns the error if the run could not be opened."""
    failures: list[MHMError] = []

    def open_first() -> None:
        try:
            service.holder.reload()
        except MHMError as error:
            failures.append(error)
            server.should_exit = True
        else:
            service.start()
            told = f"http://{server.config.host}:{server.config.port}"
            console.say(f"{told}: ready; /docs describes the requests")

    def again() -> None:
        threading.Thread(target=_reload, args=(service,), name="watch", daemon=True).start()

    asyncio.get_running_loop().add_signal_handler(signal.SIGHUP, again)
    threading.Thread(target=open_first, name="watch", daemon=True).start()
    await server.serve()
    return failures


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


def is_loopback(host: str) -> bool:
    """Whether an address can only be reached from this machine."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
