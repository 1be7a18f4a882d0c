"""Requests to the service, in this process: any bytes as address, headers and body."""

import asyncio
import json
from functools import cache
from pathlib import Path
from tempfile import mkdtemp
from typing import Any, NoReturn
from urllib.parse import quote, unquote

from fuzz.reader import Reader, pick
from service.conftest import Told, train

from mhmgnn.errors import DataError
from mhmgnn.service.app import Service
from mhmgnn.service.found import FoundGroups
from mhmgnn.service.routes import REFUSALS

METHODS = ("POST", "GET", "HEAD", "DELETE")
MEANT = {200, 304, 404, 405, 499, *REFUSALS}


@cache
def service() -> tuple[Service, asyncio.AbstractEventLoop]:
    """A service over a tiny shop whose groups are found."""
    found = Service(train(Path(mkdtemp()) / "shop"), log=Told(contents=True))
    found.holder.reload()
    found.holder.current.groups = FoundGroups.search(found.holder.current.model)
    return found, asyncio.new_event_loop()


async def ask(app: Any, scope: dict[str, Any], body: bytes) -> tuple[int, dict[bytes, bytes], bytes]:
    """The status, the headers and the body of an answer."""
    halves = [body[: len(body) // 2], body[len(body) // 2 :]]
    sent: list[dict[str, Any]] = []
    waits = asyncio.Event()

    async def receive() -> dict[str, Any]:
        if not halves:
            await waits.wait()
        return {"type": "http.request", "body": halves.pop(0), "more_body": bool(halves)}

    async def send(message: dict[str, Any]) -> None:
        sent.append(message)

    await app(scope, receive, send)
    begun, *rest = sent
    assert begun["type"] == "http.response.start", sent
    assert all(message["type"] == "http.response.body" for message in rest), sent
    return begun["status"], dict(begun["headers"]), b"".join(message.get("body", b"") for message in rest)


def read_request(data: bytes, folder: Path) -> None:
    (method,), content = pick(data, METHODS)
    head, _, body = content.partition(b"\n\n")
    target, *lines = head.split(b"\n")
    path, _, query = target.partition(b"?")
    pairs = [line.partition(b":") for line in lines]
    headers = [(name.strip().lower(), value.strip()) for name, _, value in pairs]
    scope = {
        "type": "http",
        "http_version": "1.1",
        "method": method,
        "scheme": "http",
        "path": unquote(path.decode("latin-1")),
        "raw_path": path,
        "query_string": query,
        "headers": headers,
        "server": ("localhost", 80),
        "client": ("127.0.0.1", 1),
    }
    app, loop = service()
    status, told, answer = loop.run_until_complete(ask(app.app, scope, body))
    assert status in MEANT, (status, answer)
    if told.get(b"content-type", b"").startswith(b"application/json") and method != "HEAD":
        found = json.loads(answer, parse_constant=no_number)
        assert status == 200 or {"error", "code"} == found.keys(), found
    if status != 200:
        raise DataError(f"{status}")


def no_number(text: str) -> NoReturn:
    raise AssertionError(f"{text} is no JSON")


def request_seeds() -> list[bytes]:
    names = [str(name) for name in service()[0].holder.current.model.graph.names][:4]
    kset = names[:3]
    bodies = {
        b"complete": {"nodes": kset, "top": 3, "exclude": []},
        b"energy": {"sets": [kset, names[3:]], "match": "exact"},
        b"embed": {"sets": [kset]},
    }
    head = b"\nhost: localhost\ncontent-type: application/json\norigin: http://localhost"
    posts = [b"0/v1/%s%s\n\n%s" % (path, head, json.dumps(body).encode()) for path, body in bodies.items()]
    nodes = [b"node=" + quote(name).encode() for name in names[:3]]
    gets = [
        b"similar?top=3&" + b"&".join(nodes),
        b"groups?top=2&sort=size&with=" + nodes[0][5:],
        *(b"neighbourhood?" + nodes[0], b"nodes?prefix=a&top=5", b"groups.csv", b"map", b"model"),
    ]
    return [*posts, *(b"1/v1/%s%s\n\n" % (path, head) for path in gets)]


READERS = {"requests": Reader(read_request, request_seeds)}
