"""The addresses of the service."""

from __future__ import annotations

import asyncio
from dataclasses import asdict
from functools import partial
from typing import Annotated, Any, Literal

from fastapi import FastAPI, Query, Response

from mhmgnn.service import answers, schemas
from mhmgnn.service.holder import Holder
from mhmgnn.service.limits import BODY, LETTERS, NODES, RETRY, SETS, TOP, Limits
from mhmgnn.service.metrics import Metrics
from mhmgnn.service.pool import Pool, Turns
from mhmgnn.service.problems import Refusal

SMALL = 64  # sets of a request that shares its turn
REFUSALS = {
    400: "The body is no JSON.",
    401: "The token is missing or wrong.",
    403: "A page of another address asks.",
    408: "The body comes too slowly.",
    413: "The body is too large.",
    421: "The service is asked by a name that is not its own.",
    422: "The request is not what it should be.",
    429: "Too many requests at once.",
    503: "Not ready, or out of time.",
}
PROBLEMS: dict[int | str, dict[str, Any]] = {
    status: {"model": schemas.Problem, "description": why} for status, why in REFUSALS.items()
}
Top = Annotated[int, Query(ge=1, le=TOP)]
Having = Annotated[
    list[Annotated[str, Query(min_length=1, max_length=LETTERS)]],
    Query(alias="with", max_length=NODES, description="A node in each; may be repeated."),
]
Members = Annotated[
    list[Annotated[str, Query(min_length=1, max_length=LETTERS)]],
    Query(min_length=1, max_length=NODES, description="The k nodes of the set, each by itself."),
]
Sort = Annotated[Literal["probability", "size"], Query(description="What comes first: the most of it.")]


def add_questions(app: FastAPI, holder: Holder, pool: Pool, metrics: Metrics) -> None:
    """What is asked of the model by a body of JSON."""
    turns = Turns(pool)
    metrics.turns.set_function(lambda: float(turns.taken))

    @app.post("/v1/complete", responses=PROBLEMS, summary="Who belongs with some nodes")
    async def complete(asked: schemas.CompleteRequest) -> schemas.CompleteAnswer:
        """Ranked by walks from the nodes, as `Model.complete`."""
        return await pool.run(partial(answers.complete, holder.current, asked))

    @app.post("/v1/energy", responses=PROBLEMS, summary="Energies and probabilities of sets")
    async def energy(asked: schemas.EnergyRequest) -> schemas.EnergyAnswer:
        """Low where a set belongs together, as `Model.energy`; the probability is that of one group."""
        metrics.sets.inc(len(asked.sets))
        question = partial(answers.energy, holder.current, asked)
        return await (turns.ask if len(asked.sets) <= SMALL else pool.run)(question)

    @app.post("/v1/embed", responses=PROBLEMS, summary="Vectors of sets")
    async def embed(asked: schemas.EmbedRequest) -> schemas.EmbedAnswer:
        """As `Model.embed`, for sets of k nodes."""
        metrics.sets.inc(len(asked.sets))
        question = partial(answers.embed, holder.current, asked)
        return await (turns.ask if len(asked.sets) <= SMALL else pool.run)(question)


def add_views(app: FastAPI, holder: Holder, pool: Pool, limits: Limits) -> None:
    """What is looked up by an address alone."""

    @app.get("/v1/groups", responses=PROBLEMS, summary="Groups that the pairs were made of")
    async def groups(having: Having = [], top: Top = 100, sort: Sort = "probability") -> schemas.GroupsAnswer:  # noqa: B006
        """As `Model.groups`, searched once for each model; 503 until they are found."""
        return await pool.run(partial(answers.groups, holder.current, having, top, sort))

    @app.get(
        "/v1/groups.csv",
        responses=PROBLEMS | {200: {"content": {"text/csv": {}}}},
        response_class=Response,
        summary="The same groups, all of them, as a table",
    )
    async def groups_table(having: Having = [], sort: Sort = "probability") -> Response:  # noqa: B006
        """Number, size, probability and members of each group."""
        table = await pool.run(partial(answers.groups_table, holder.current, having, sort))
        headers = {"content-disposition": 'attachment; filename="groups.csv"'}
        return Response(table, media_type="text/csv", headers=headers)

    @app.get("/v1/similar", responses=PROBLEMS, summary="Groups like a set")
    async def similar(node: Members, top: Top = 10) -> schemas.SimilarAnswer:
        """Of the groups of k nodes, those with the nearest vectors, as `Model.similar`."""
        return await pool.run(partial(answers.similar, holder.current, node, top))

    @app.get("/v1/nodes", responses=PROBLEMS, summary="Nodes by the first letters of their names")
    async def nodes(
        prefix: Annotated[str, Query(max_length=LETTERS)] = "", top: Top = 20
    ) -> schemas.NodesAnswer:
        """By alphabet; capitals do not matter."""
        return await pool.run(partial(answers.nodes, holder.current, prefix, top))

    @app.get("/v1/neighbourhood", responses=PROBLEMS, summary="A node with those it was seen with most")
    async def neighbourhood(
        node: Annotated[str, Query(min_length=1, max_length=LETTERS)],
    ) -> schemas.NeighbourhoodAnswer:
        """With places to draw them at."""
        return await pool.run(partial(answers.neighbourhood, holder.current, node))

    @app.get("/v1/model", responses=PROBLEMS, summary="What the model is, and what may be asked")
    async def model() -> schemas.ModelAnswer:
        """Facts of the run, and limits of the service."""
        asked = {"body": BODY, "sets": SETS, "nodes": NODES, "top": TOP}
        return schemas.ModelAnswer(model=holder.current.about, limits=asked | asdict(limits))

    @app.post("/v1/reload", responses=PROBLEMS, summary="Take up a new run under the same path")
    async def reload() -> schemas.ReloadAnswer:
        """A broken run is refused, and the model before goes on."""
        changed = await asyncio.to_thread(holder.reload)
        return schemas.ReloadAnswer(changed=changed, version=holder.current.version)


def add_health(app: FastAPI, holder: Holder, metrics: Metrics) -> None:
    """What a scheduler and a monitor ask for."""

    @app.get("/healthz", summary="Whether the process lives")
    async def healthz() -> dict[str, bool]:
        """Always, if there is an answer."""
        return {"alive": True}

    @app.get("/readyz", summary="Whether the model is warm", responses={503: PROBLEMS[503]})
    async def readyz() -> dict[str, bool]:
        """After the warm-up; the search for groups is not waited for."""
        if not holder.ready:
            raise Refusal(503, "not_ready", "the model is being loaded; ask again soon", retry=RETRY)
        return {"ready": True}

    @app.get(
        "/metrics",
        summary="Counters for Prometheus",
        responses={200: {"content": {"text/plain": {}}}, 401: PROBLEMS[401]},
        response_class=Response,
    )
    async def page() -> Response:
        """Requests, times, what runs, sets scored, the model."""
        if holder.ready:
            metrics.model.info({"version": holder.current.version})
        return Response(metrics.page(), media_type="text/plain; version=0.0.4")
