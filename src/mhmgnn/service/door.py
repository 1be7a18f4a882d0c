"""ASGI middleware that checks token and origin, enforces limits of size, load and time, and logs requests."""

from __future__ import annotations

import asyncio
import hmac
import ipaddress
import time
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any
from urllib.parse import SplitResult, urlsplit

from mhmgnn.service.limits import BODY, RETRY, Limits
from mhmgnn.service.log import Log
from mhmgnn.service.metrics import Metrics
from mhmgnn.service.problems import Refusal

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]

NO_ADDRESS = SplitResult("", "", "", "", "")
GUARDED = ("/v1/", "/metrics")  # addresses that need the token; pages and health hold no data of the run
GONE = 499  # status in log and metrics if the client left before the answer
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
HEADERS = {
    "content-security-policy": POLICY,
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "cache-control": "no-store",
}
SECURITY = [(name.encode(), value.encode()) for name, value in HEADERS.items()]


class Visit:
    """One request and the state of its answer."""

    def __init__(self, scope: Scope, send: Send) -> None:
        self._send = send
        self.path, self.method = scope["path"], scope["method"]
        self.headers = {name.decode("latin-1"): value.decode("latin-1") for name, value in scope["headers"]}
        self.began = time.monotonic()
        self.status = 0  # 0 until an answer has begun

    async def send(self, message: Message) -> None:
        """Pass on a message of the app, with our headers added."""
        if message["type"] == "http.response.start":
            self.status = message["status"]
            message = {**message, "headers": [*message.get("headers", []), *SECURITY]}
        await self._send(message)

    async def refuse(self, refusal: Refusal) -> None:
        """Answer with a refusal, unless an answer has begun."""
        if self.status:
            return
        length = str(len(refusal.body))
        said = refusal.headers | {"content-length": length}
        if refusal.status == 413:
            said["connection"] = "close"  # the rest of the body is not read
        headers = [(name.encode(), value.encode()) for name, value in said.items()]
        await self.send({"type": "http.response.start", "status": refusal.status, "headers": headers})
        await self.send({"type": "http.response.body", "body": refusal.body})


class Door:
    """Passes accepted requests on to `app`, each with its whole body."""

    def __init__(self, app: App, limits: Limits, *, token: str | None, log: Log, metrics: Metrics) -> None:
        self._app, self._limits, self._log, self._metrics = app, limits, log, metrics
        self._token = None if token is None else token.encode()
        self.open_to_all = False  # by --no-token; else, without a token, Host must name this machine
        self.paths: frozenset[str] = frozenset()  # paths that metrics count separately
        self.at_once = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle one request (the ASGI interface)."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        visit = Visit(scope, send)
        counted = visit.path.startswith("/v1/")
        body = b""
        try:
            self._check(visit, counted)
            self.at_once += counted
            self._metrics.at_once.set(self.at_once)
            try:
                body = await self._read(visit, receive, BODY if counted else 0)
                await self._answer(scope, visit, body, receive)
            finally:
                self.at_once -= counted
                self._metrics.at_once.set(self.at_once)
        except Refusal as refusal:
            await visit.refuse(refusal)
        finally:
            self._tell(visit, scope, body)

    def _check(self, visit: Visit, counted: bool) -> None:
        """Refuse a request that is not allowed or exceeds the load, before its body is read."""
        host = visit.headers.get("host", "")
        if (
            self._token is None
            and not self.open_to_all
            and not is_loopback(_split(f"//{host}").hostname or "")
        ):
            raise Refusal(
                421, "host", "this service only answers to names of its own machine, such as localhost"
            )
        origin = visit.headers.get("origin")
        if origin is not None and _split(origin).netloc != host:
            raise Refusal(403, "origin", "pages of other addresses may not ask this service")
        if self._token is not None and visit.path.startswith(GUARDED):
            scheme, _, given = visit.headers.get("authorization", "").partition(" ")
            right = hmac.compare_digest(given.encode("latin-1"), self._token)
            if scheme.lower() != "bearer" or not right:
                raise Refusal(401, "token", "send the token of this service: Authorization: Bearer TOKEN")
        if counted and self.at_once >= self._limits.at_once:
            line = f"{self._limits.at_once} requests run or wait already, the limit; ask again soon"
            raise Refusal(429, "busy", line, retry=RETRY)

    async def _read(self, visit: Visit, receive: Receive, most: int) -> bytes:
        """The body of a request, of at most `most` bytes."""
        line = f"the body has more than {most:,} bytes; send fewer sets at a time"
        line = line if most else "this address takes no body"
        length = visit.headers.get("content-length", "0")
        if length.isdecimal() and int(length[:20]) > most:
            raise Refusal(413, "too_large", line)
        parts, size = [], 0
        more = True
        try:
            async with asyncio.timeout(self._limits.seconds):
                while more and size <= most:
                    message = await receive()
                    parts.append(message.get("body", b""))
                    size += len(parts[-1])
                    more = message.get("more_body", False)
        except TimeoutError:
            slow = f"the body did not come within {self._limits.seconds:g} s"
            raise Refusal(408, "time", slow) from None
        if size > most:
            raise Refusal(413, "too_large", line)
        return b"".join(parts)

    async def _answer(self, scope: Scope, visit: Visit, body: bytes, receive: Receive) -> None:
        """Let the app answer; if the client leaves or the time is up first, the work is cancelled."""
        unread = [{"type": "http.request", "body": body, "more_body": False}]
        left = asyncio.Event()

        async def replay() -> Message:
            if unread:
                return unread.pop()
            await left.wait()
            return {"type": "http.disconnect"}

        work = asyncio.ensure_future(self._app(scope, replay, visit.send))
        gone = asyncio.ensure_future(receive())
        done, _ = await asyncio.wait(
            {work, gone}, timeout=self._limits.seconds, return_when=asyncio.FIRST_COMPLETED
        )
        if work in done:
            gone.cancel()
            work.result()
            return
        left.set()
        work.cancel()
        await asyncio.wait({work})
        if gone in done:
            visit.status = visit.status or GONE
            return
        gone.cancel()
        line = f"the answer takes more than {self._limits.seconds:g} s; ask for less at a time"
        raise Refusal(503, "time", line, retry=RETRY)

    def _tell(self, visit: Visit, scope: Scope, body: bytes) -> None:
        seconds = time.monotonic() - visit.began
        path = visit.path if visit.path in self.paths else "other"
        self._metrics.requests.labels(path, str(visit.status)).inc()
        self._metrics.seconds.labels(path).observe(seconds)
        facts: dict[str, object] = {
            "method": visit.method,
            "path": visit.path if path != "other" else visit.path[:100],
            "status": visit.status,
            "ms": round(seconds * 1e3, 2),
        }
        if self._log.contents:
            facts["query"] = scope["query_string"].decode("latin-1")
            facts["body"] = body.decode("utf-8", "replace")
        self._log.write("request", facts)


def is_loopback(host: str) -> bool:
    """Whether an address can only be reached from this machine."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _split(address: str) -> SplitResult:
    """The parts of an address; all empty if it is none."""
    try:
        return urlsplit(address)
    except ValueError:
        return NO_ADDRESS
