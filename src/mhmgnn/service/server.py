"""The service on an address: signals, the token, and the end."""

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

SECONDS_TO_END = 8  # after SIGTERM, for requests that run
SWITCH = 0.0005  # seconds: work takes the GIL again after each kernel, and must not wait 5 ms each time
LEAST_TOKEN = 16  # letters


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
    """Answer requests about the run until the process is told to end; SIGHUP takes up a new run."""
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
        os._exit(0)  # what still runs was asked by nobody who waits


class Server(uvicorn.Server):
    """A server that ends in order on SIGTERM and SIGINT; uvicorn itself dies of the signal at the end."""

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Have both signals end the server."""
        loop = asyncio.get_running_loop()
        for sign in (signal.SIGTERM, signal.SIGINT):
            loop.add_signal_handler(sign, self.handle_exit, sign, None)
        yield


async def _serve(service: Service, server: Server) -> list[MHMError]:
    """Listen while the run is opened in a thread; why it ended, if the run could not be opened."""
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
            console.say(f"{told}: ready; /docs says what may be asked")

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
        return  # it stands in the log, and the model before goes on


def read_token(host: str, file: Path | None, *, no_token: bool) -> str | None:
    """The token that clients must send; an address that others reach needs one, or --no-token said aloud."""
    if file is None:
        if not no_token and not is_loopback(host):
            raise DataError(
                f"others can reach {host}; give --token-file with a secret of the clients, or say --no-token"
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
    """Whether only this machine reaches an address."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
