"""The routes of the service."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from dataclasses import asdict
from functools import partial
from typing import Annotated, Any, Literal, get_type_hints

from fastapi import APIRouter, FastAPI, Query, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.routing import APIRoute
from pydantic import ValidationError

from mhmgnn.service import answers, schemas
from mhmgnn.service.holder import Holder
from mhmgnn.service.limits import BODY, LETTERS, NODES, RETRY, SETS, TOP, Limits
from mhmgnn.service.metrics import Metrics
from mhmgnn.service.pool import Pool, Turns
from mhmgnn.service.problems import Refusal

SMALL = 64  # requests of at most so many sets are micro-batched
REFUSALS = {
    400: "The body is no JSON.",
    401: "The token is missing or wrong.",
    403: "The request comes from a page of another origin.",
    408: "The body comes too slowly.",
    413: "The body is too large.",
    421: "The Host header does not name this machine.",
    422: "The request does not have the right form.",
    429: "Too many requests at once.",
    503: "Not ready, or over the time limit.",
}
PROBLEMS: dict[int | str, dict[str, Any]] = {
    status: {"model": schemas.Problem, "description": why} for status, why in REFUSALS.items()
}
Top = Annotated[int, Query(ge=1, le=TOP)]
Having = Annotated[
    list[Annotated[str, Query(min_length=1, max_length=LETTERS)]],
    Query(alias="with", max_length=NODES, description="A node that each group must hold; may be repeated."),
]
Containing = Annotated[
    str, Query(max_length=LETTERS, description="Letters that some member's name must have, ignoring case.")
]
Members = Annotated[
    list[Annotated[str, Query(min_length=1, max_length=LETTERS)]],
    Query(
        min_length=1, max_length=NODES, description="The k nodes of the set; repeat the parameter for each."
    ),
]
Sort = Annotated[Literal["probability", "size"], Query(description="Sort by this, largest first.")]


class BodyRoute(APIRoute):
    """A route with one pydantic model as its body and one as its answer, parsed and serialised directly.

    This skips FastAPI's handling of parameters of other kinds, which costs more than these requests.
    """

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """The function that answers a request."""
        (asks,) = (kind for name, kind in get_type_hints(self.endpoint).items() if name != "return")

        async def handle(request: Request) -> Response:
            kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
            if kind != "application/json":
                raise Refusal(422, "request", "body: send JSON, with Content-Type: application/json")
            try:
                asked = asks.model_validate_json(await request.body())
            except ValidationError as error:
                raise _not_valid(error) from None
            answer = await self.endpoint(asked)
            return Response(answer.model_dump_json(), media_type="application/json")

        return handle


def _not_valid(error: ValidationError) -> Exception:
    found = error.errors(include_url=False, include_context=False, include_input=False)
    if found[0]["type"] == "json_invalid":
        return Refusal(400, "http", "the body is no JSON")
    return RequestValidationError([{**one, "loc": ("body", *one["loc"])} for one in found])


def add_questions(app: FastAPI, holder: Holder, pool: Pool, metrics: Metrics) -> None:
    """Add the POST routes, which take JSON."""
    turns = Turns(pool, metrics.turns.inc)
    questions = APIRouter(route_class=BodyRoute)

    @questions.post("/v1/complete", responses=PROBLEMS, summary="Nodes that belong with given ones")
    async def complete(asked: schemas.CompleteRequest) -> schemas.CompleteAnswer:
        """Ranked by random walks from the given nodes; see `Model.complete`."""
        return await pool.run(partial(answers.complete, holder.current, asked))

    @questions.post("/v1/energy", responses=PROBLEMS, summary="Energies and probabilities of sets")
    async def energy(asked: schemas.EnergyRequest) -> schemas.EnergyAnswer:
        """Energies are low for sets that belong together; see `Model.energy`."""
        metrics.sets.inc(len(asked.sets))
        question = partial(answers.energy, holder.current, asked)
        return await (turns.ask if len(asked.sets) <= SMALL else pool.run)(question)

    @questions.post("/v1/embed", responses=PROBLEMS, summary="Vectors of sets")
    async def embed(asked: schemas.EmbedRequest) -> schemas.EmbedAnswer:
        """For sets of k nodes; see `Model.embed`."""
        metrics.sets.inc(len(asked.sets))
        question = partial(answers.embed, holder.current, asked)
        return await (turns.ask if len(asked.sets) <= SMALL else pool.run)(question)

    app.include_router(questions)


def add_views(app: FastAPI, holder: Holder, pool: Pool, limits: Limits) -> None:
    """Add the GET routes, and reload."""

    @app.get("/v1/groups", responses=PROBLEMS, summary="Groups that the pairs were made of")
    async def groups(
        having: Having = [],  # noqa: B006
        containing: Containing = "",
        top: Top = 100,
        sort: Sort = "probability",
    ) -> schemas.GroupsAnswer:
        """Searched once for each model, 503 until they are found; see `Model.groups`."""
        return await pool.run(partial(answers.groups, holder.current, having, containing, top, sort))

    @app.get(
        "/v1/groups.csv",
        responses=PROBLEMS | {200: {"content": {"text/csv": {}}}},
        response_class=Response,
        summary="All these groups as CSV",
    )
    async def groups_table(
        having: Having = [],  # noqa: B006
        containing: Containing = "",
        sort: Sort = "probability",
    ) -> Response:
        """Number, size, probability and members of each group."""
        table = await pool.run(partial(answers.groups_table, holder.current, having, containing, sort))
        headers = {"content-disposition": 'attachment; filename="groups.csv"'}
        return Response(table, media_type="text/csv", headers=headers)

    @app.get("/v1/similar", responses=PROBLEMS, summary="Groups like a set")
    async def similar(node: Members, top: Top = 10) -> schemas.SimilarAnswer:
        """The groups of k nodes with the nearest vectors; see `Model.similar`."""
        return await pool.run(partial(answers.similar, holder.current, node, top))

    @app.get("/v1/map", responses=PROBLEMS, summary="A map of groups")
    async def map_of_groups() -> schemas.MapAnswer:
        """The most probable groups of k nodes and more, near each other where vectors are alike."""
        return await pool.run(partial(answers.map_of_groups, holder.current))

    @app.get("/v1/nodes", responses=PROBLEMS, summary="Nodes whose names begin with a prefix")
    async def nodes(
        prefix: Annotated[str, Query(max_length=LETTERS)] = "", top: Top = 20
    ) -> schemas.NodesAnswer:
        """In alphabetical order, ignoring case."""
        return await pool.run(partial(answers.nodes, holder.current, prefix, top))

    @app.get(
        "/v1/neighbourhood", responses=PROBLEMS, summary="A node and the neighbours it was seen with most"
    )
    async def neighbourhood(
        node: Annotated[str, Query(min_length=1, max_length=LETTERS)],
    ) -> schemas.NeighbourhoodAnswer:
        """With coordinates to draw them at."""
        return await pool.run(partial(answers.neighbourhood, holder.current, node))

    @app.get("/v1/model", responses=PROBLEMS, summary="The model, and the limits of requests")
    async def model() -> schemas.ModelAnswer:
        """What the model was trained on, and what a request may ask for."""
        asked = {"body": BODY, "sets": SETS, "nodes": NODES, "top": TOP}
        return schemas.ModelAnswer(model=holder.current.about, limits=asked | asdict(limits))

    @app.post("/v1/reload", responses=PROBLEMS, summary="Load a new run from the same path")
    async def reload() -> schemas.ReloadAnswer:
        """A broken run is refused, and the previous model stays in service. Other workers follow soon."""
        changed = await asyncio.to_thread(holder.reload)
        if changed:
            holder.tell_others()
        return schemas.ReloadAnswer(changed=changed, version=holder.current.version)


def add_health(app: FastAPI, holder: Holder, metrics: Metrics) -> None:
    """Add the routes for health checks and monitoring."""

    @app.get("/healthz", summary="Whether the process is alive")
    async def healthz() -> dict[str, bool]:
        """Always 200 while the process answers."""
        return {"alive": True}

    @app.get("/readyz", summary="Whether the service is ready", responses={503: PROBLEMS[503]})
    async def readyz() -> dict[str, bool]:
        """200 once the model is loaded and warm; the search for groups may still run."""
        if not holder.ready:
            raise Refusal(503, "not_ready", "the model is being loaded; ask again soon", retry=RETRY)
        return {"ready": True}

    @app.get(
        "/metrics",
        summary="Metrics for Prometheus",
        responses={200: {"content": {"text/plain": {}}}, 401: PROBLEMS[401]},
        response_class=Response,
    )
    async def page() -> Response:
        """Requests, their times, load, sets scored, the model."""
        return Response(metrics.page(), media_type="text/plain; version=0.0.4")
