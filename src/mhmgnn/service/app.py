"""The service as an ASGI application."""

from __future__ import annotations

import hashlib
from importlib.metadata import version
from importlib.resources import files
from pathlib import Path

from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.routing import Route

from mhmgnn.errors import MHMError
from mhmgnn.service import routes
from mhmgnn.service.door import Door
from mhmgnn.service.holder import Holder
from mhmgnn.service.limits import Limits
from mhmgnn.service.log import Log
from mhmgnn.service.manual import manual
from mhmgnn.service.metrics import Metrics
from mhmgnn.service.pool import Pool
from mhmgnn.service.problems import Refusal

KINDS = {".html": "text/html; charset=utf-8", ".js": "text/javascript", ".css": "text/css"}
PAGES = {"/": "explorer.html", "/static/explorer.js": "explorer.js", "/static/explorer.css": "explorer.css"}


class Service:
    """A run served over HTTP; `app` is the ASGI application, served between `start` and `stop`."""

    def __init__(
        self,
        run: Path,
        *,
        limits: Limits | None = None,
        token: str | None = None,
        log: Log | None = None,
        shared: Path | None = None,
        groups: bool = True,
    ) -> None:
        limits, self.log, self.metrics = limits or Limits(), log or Log(), Metrics()
        self.holder = Holder(Path(run), self._tell, shared=shared, groups=groups)
        self.pool = Pool(limits.threads)
        inside = FastAPI(
            title="mhmgnn",
            version=version("mhmgnn"),
            docs_url=None,
            redoc_url=None,
            redirect_slashes=False,  # it would read the query as text, and fail where it is none
            summary="Sets of a graph",
        )
        _answer_errors(inside)
        routes.add_questions(inside, self.holder, self.pool, self.metrics)
        routes.add_views(inside, self.holder, self.pool, limits)
        routes.add_health(inside, self.holder, self.metrics)
        _add_pages(inside)
        self.inside = inside
        self.app = Door(inside, limits, token=token, log=self.log, metrics=self.metrics)
        pages = (route.path for route in inside.routes if isinstance(route, Route))
        self.app.paths = frozenset([*inside.openapi()["paths"], *pages])

    def start(self, *, watch: bool = True) -> None:
        """Start the background threads; `holder.reload` then opens the run."""
        self.holder.start(watch=watch)

    def stop(self, *, wait: float = 0.0) -> None:
        """End the background threads, waiting up to `wait` seconds for each."""
        self.holder.stop(wait=wait)
        self.pool.stop()

    def _tell(self, event: str, facts: dict[str, object]) -> None:
        if event == "reload":
            self.metrics.reloads.labels(facts["result"]).inc()
            if "version" in facts:
                self.metrics.answers_with(str(facts["version"]))
        self.log.write(event, facts)


def _answer_errors(app: FastAPI) -> None:
    """Answer every error with one line of JSON: a message and a code."""

    def answer(refusal: Refusal) -> Response:
        return Response(refusal.body, refusal.status, refusal.headers)

    @app.exception_handler(MHMError)
    async def refuse(request: Request, error: MHMError) -> Response:
        return answer(error if isinstance(error, Refusal) else Refusal(422, "data", str(error)))

    @app.exception_handler(RequestValidationError)
    async def explain(request: Request, error: RequestValidationError) -> Response:
        first = error.errors()[0]
        where = ".".join(map(str, first["loc"]))
        return answer(Refusal(422, "request", f"{where}: {first['msg']}; see /docs for what is allowed"))

    @app.exception_handler(HTTPException)
    async def pass_on(request: Request, error: HTTPException) -> Response:
        line = {404: "there is nothing at this address; see /docs for a list"}.get(error.status_code)
        found = Refusal(error.status_code, "http", line or str(error.detail))
        return Response(found.body, found.status, found.headers | dict(error.headers or {}))

    @app.exception_handler(500)
    async def own_up(request: Request, error: Exception) -> Response:
        return answer(Refusal(500, "internal", "the service failed; its log says why"))


def _add_pages(app: FastAPI) -> None:
    """Serve the explorer and the manual, which are static files and hold no data of the run."""
    contents = {path: _read(name) for path, name in PAGES.items()}
    contents["/docs"] = manual(app.openapi()).encode(), KINDS[".html"]
    for path, (content, kind) in contents.items():
        app.add_route(path, _page(content, kind), methods=["GET"], include_in_schema=False)


def _page(content: bytes, kind: str):  # type: ignore[no-untyped-def]
    tag = f'"{hashlib.sha256(content).hexdigest()[:16]}"'

    async def page(request: Request) -> Response:
        return Response(content, media_type=kind, headers={"etag": tag})

    return page


def _read(name: str) -> tuple[bytes, str]:
    file = files("mhmgnn.service") / "static" / name
    return file.read_bytes(), KINDS[Path(name).suffix]
