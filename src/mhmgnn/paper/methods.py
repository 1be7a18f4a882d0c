"""Every row of a table by its name: how it is fitted, and which cells have it."""

from __future__ import annotations

import hashlib
import inspect
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, replace
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import mhmgnn.baselines
from mhmgnn.baselines.baseline import fit_baseline
from mhmgnn.baselines.method import METHODS, Method, ModelMethod
from mhmgnn.baselines.pooling import fit_pooled
from mhmgnn.baselines.random_weights import RandomWeights
from mhmgnn.config import RunConfig, check_one_of
from mhmgnn.evaluation.tasks.graphs import Pooled
from mhmgnn.graph import Graph
from mhmgnn.models.graph_vector import POOLS
from mhmgnn.models.model import Model
from mhmgnn.models.predict import Embeds
from mhmgnn.paper.recipe import Recipe
from mhmgnn.training.loop import fit

OURS, RANDOM = "MHM-GNN", RandomWeights.title
PRODUCT = "mhmgnn"  # what `fit` gives by default: groups, and vectors in parts
EXTENDED = " + degrees"  # a row with degree bins beside the features
BESIDE = " + context"  # a row with the context of the k-set beside its own
QUICK_RUN = ("train.steps=40",)  # of the model, where a run is to be quick


class TrainedModel(ModelMethod):
    """MHM-GNN as the recipe has it: the method that all others stand beside."""

    name, title = "mhm", OURS
    about = "MHM-GNN, trained"
    in_paper = True

    def config(self, config: RunConfig) -> RunConfig:
        """The recipe's settings."""
        return config.as_in_paper()


class Product(ModelMethod):
    """The library's default: the recipe's settings, groups, and vectors in parts."""

    name, title = "product", PRODUCT
    about = "what `fit` gives by default"
    with_degrees = False

    def config(self, config: RunConfig) -> RunConfig:
        """The recipe's settings, and the defaults of what the paper does not have."""
        return config


TRAINED, OFFERED = TrainedModel(), Product()


class Way(NamedTuple):
    """How the values of a row are computed."""

    method: Method[Any]
    degrees: bool  # whether degree bins stand beside the features
    pools: tuple[str, ...] = ()  # which of its ways to pool are the row's; all of them without any
    context: bool = False  # whether the context of k-sets stands beside its rows

    @property
    def is_ours(self) -> bool:
        """Whether it is a row of MHM-GNN, trained."""
        return self.method is TRAINED

    @property
    def fitted(self) -> Way:
        """What is fitted for the row, and may serve others."""
        return self._replace(pools=(), context=False)


def ways() -> dict[str, Way]:
    """Every row that a table of k-sets can have."""
    methods = [method for method in METHODS.values() if method.of_ksets]
    plain = {method.title: Way(method, False) for method in (*methods, TRAINED, OFFERED)}
    beside = {
        title + BESIDE: way._replace(context=True) for title, way in plain.items() if way.method.with_context
    }
    return _with_degrees(plain.items()) | beside


def graph_ways() -> dict[str, Way]:
    """Every row that a table of whole graphs can have."""
    methods = [method for method in METHODS.values() if method.of_graphs or isinstance(method, ModelMethod)]
    return _with_degrees(
        (title, Way(method, False, pools))
        for method in (*methods, TRAINED, OFFERED)
        for title, pools in method.graph_rows.items()
    )


def way_of(recipe: Recipe, method: str) -> Way:
    """How the row called `method` is computed in a cell."""
    known = graph_ways() if recipe.cell.whole_graphs else ways()
    check_one_of("method", method, list(known))
    return known[method]


def methods_of(recipe: Recipe) -> list[str]:
    """The rows of a cell: those of the paper, those that it lacks, and degree bins beside the features.

    A table of whole graphs has a part for what does not depend on k. At k = n there are no k-sets to count.
    """
    rows, cell = list(recipe.published), recipe.cell
    if not cell.whole_graphs:
        added = [t for t, way in ways().items() if way.degrees or way.context or not way.method.in_paper]
        return [*rows, *(title for title in added if title not in rows)]
    plain = {title: way.method for title, way in graph_ways().items() if not way.degrees}
    added = [
        title
        for title, method in plain.items()
        if not method.in_paper
        and method.per_k == (cell.k is not None)
        and (cell.k != "n" or isinstance(method, ModelMethod))
    ]
    rows += [title for title in added if title not in rows]
    return [*rows, *(title + EXTENDED for title in rows if title + EXTENDED in graph_ways())]


def fit_ksets(
    way: Way,
    graph: Graph,
    config: RunConfig,
    *,
    seed: int,
    cache_dir: Path | None = None,
    quick: bool = False,
) -> tuple[Embeds, dict[str, Any]]:
    """A fitted row for k-sets of `config.train.k` nodes, and the settings it was asked to take."""
    if isinstance(way.method, ModelMethod):
        return _model(way.method, graph, config, degrees=way.degrees, seed=seed)
    settings = way.method.quick() if quick else way.method.in_tables()
    kept = None if cache_dir is None else cache_dir / code_of(type(way.method))
    fitted = fit_baseline(
        way.method.name,
        graph,
        config.train.k,
        settings=settings,
        degree_features=way.degrees,
        cache=kept,
        seed=seed,
    )
    assert not isinstance(fitted, Model), "models are fitted above"
    return fitted, {key: fitted.facts[key] for key in ("settings", "normalise", "degree_features")}


def fit_graphs(
    way: Way, graphs: Sequence[Graph], config: RunConfig, *, seed: int
) -> tuple[Mapping[str, Pooled], dict[str, Any], Model | None]:
    """Ways to a row for each whole graph, by their pooling; the settings asked for; the model, if it is one.

    Graphs without features have nothing that tells nodes apart: a column of ones. With degree bins they have
    those.
    """
    if not isinstance(way.method, ModelMethod):
        settings = way.method.in_tables()
        pooled = fit_pooled(
            way.method.name,
            graphs,
            k=config.train.k,
            settings=settings,
            degree_features=way.degrees,
            seed=seed,
        )
        asked = {} if settings is None else {"settings": asdict(settings)}
        return pooled, {**asked, "degree_features": way.degrees}, None
    ones = graphs[0].x is None and not way.degrees
    seen = [with_ones(graph) for graph in graphs] if ones else list(graphs)
    model, asked = _model(way.method, seen, config, degrees=way.degrees, seed=seed)
    if model.graph_vector is not None or config.model.reads_graphs:
        return {"graph": _embedding(model, ones)}, asked, model
    return {pool: _embedding(model, ones, pool=pool) for pool in POOLS}, asked, model


def with_ones(graph: Graph) -> Graph:
    """The graph with a column of ones for features."""
    return Graph(*graph.rows, np.ones((graph.num_nodes, 1), np.float32))


@cache
def code_of(method: type[Method[Any]]) -> str:
    """A few digits that change with the code of a baseline: vectors kept from other code are not used."""
    files = {*Path(mhmgnn.baselines.__file__).parent.glob("*.py")}
    own = inspect.getsourcefile(method) if hasattr(inspect.getmodule(method), "__file__") else None
    files |= set() if own is None else {Path(own)}
    return hashlib.sha256(b"".join(path.read_bytes() for path in sorted(files))).hexdigest()[:12]


def _with_degrees(rows: Iterable[tuple[str, Way]]) -> dict[str, Way]:
    """The rows, and below them those that have degree bins beside the features."""
    plain = dict(rows)
    wider = {
        title + EXTENDED: way._replace(degrees=True)
        for title, way in plain.items()
        if way.method.with_degrees
    }
    return plain | wider


def _model(
    method: ModelMethod, graphs: Graph | list[Graph], config: RunConfig, *, degrees: bool, seed: int
) -> tuple[Model, dict[str, Any]]:
    model = replace(config.model, degree_features=config.model.degree_features or degrees)
    config = method.config(replace(config, model=model))
    return fit(graphs, config=config, seed=seed), settings_of(config)


def settings_of(config: RunConfig) -> dict[str, Any]:
    """What result files say of the settings of a model: of groups and parts only where it has them."""
    settings = asdict(config)
    if config == config.as_in_paper():
        del settings["groups"], settings["vector"]
    return settings


def _embedding(model: Model, ones: bool, **asked: Any) -> Pooled:
    def embed(graphs: Sequence[Graph]) -> np.ndarray:
        return model.embed_graphs([with_ones(graph) for graph in graphs] if ones else graphs, **asked)

    return embed
