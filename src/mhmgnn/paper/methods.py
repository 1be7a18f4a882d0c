"""Every row of a table by its name: how it is fitted, and which cells have it."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import mhmgnn.baselines
from mhmgnn.baselines.baseline import fit_baseline
from mhmgnn.baselines.degrees import shape
from mhmgnn.baselines.dgi import DGISettings
from mhmgnn.baselines.graphsage import SageSettings
from mhmgnn.baselines.method import METHODS, Settings
from mhmgnn.baselines.pooling import Pooled, fit_pooled
from mhmgnn.baselines.skipgram import WalkSettings
from mhmgnn.config import RunConfig
from mhmgnn.graph import Graph
from mhmgnn.models.model import POOLED, POOLS, Model
from mhmgnn.models.predict import Embeds
from mhmgnn.paper.recipe import Recipe
from mhmgnn.subgraphs.sample import sample_sets
from mhmgnn.subgraphs.shapes import motif_shapes
from mhmgnn.training.loop import fit

OURS, RANDOM = "MHM-GNN", "MHM-GNN (Rnd)"
EXTENDED = " + degrees"  # a row with degree bins beside the features
QUICK_RUN = ("train.steps=40",)  # of the model, where a run is to be quick
OF_GRAPHS = {
    "Raw Features": "raw",
    "GS-mean": "sage-mean",
    "GS-max": "sage-max",
    "GS-lstm": "sage-lstm",
    "DGI (Nodes)": "dgi",
    "DGI (Joint)": "dgi",
    "NetLSD": "netlsd",
    "graph2vec": "graph2vec",
    "InfoGraph": "infograph",
    "Degrees": "degrees",
    "Motif shape": "shape",
    RANDOM: "random",
    OURS: "mhm",
}
SETTINGS: dict[str, Settings] = {  # in the tables, where they are not those of `METHODS`
    "sage-lstm": SageSettings(aggregator="lstm", steps=100)  # as good as 400 in trials
}
OF_DGI = {"DGI (Nodes)": ("mean", "sum"), "DGI (Joint)": ("summary",)}  # two rows of one training


class Way(NamedTuple):
    """How a row is had."""

    name: str  # of the baseline; "mhm" and "random" are the model itself
    degrees: bool  # whether degree bins stand beside the features
    seeded: bool  # whether the seed matters
    pools: tuple[str, ...] = ()  # which of its ways to pool are the row's; all of them without any

    @property
    def fitted(self) -> Way:
        """What is fitted for the row, and may serve others."""
        return self._replace(pools=())


def ways() -> dict[str, Way]:
    """Every row that a table of k-sets can have."""
    plain = {method.title: name for name, method in METHODS.items()} | {OURS: "mhm"}
    extended = ("raw", "sage-mean", "sage-max", "sage-lstm", "dgi", "random", "mhm")
    return _ways(plain, extended, fixed=("raw", "degrees", "shape"))


def graph_ways() -> dict[str, Way]:
    """Every row that a table of whole graphs can have."""
    extended = ("raw", "sage-mean", "sage-max", "sage-lstm", "dgi", "infograph", "random", "mhm")
    rows = _ways(OF_GRAPHS, extended, fixed=("raw", "degrees", "shape", "netlsd"))
    return {
        title: way._replace(pools=OF_DGI.get(title.removesuffix(EXTENDED), ())) for title, way in rows.items()
    }


def way_of(recipe: Recipe, method: str) -> Way:
    """How the row called `method` is had in a cell."""
    return (graph_ways() if recipe.cell.whole_graphs else ways())[method]


def methods_of(recipe: Recipe) -> list[str]:
    """The rows of a cell: those of the paper, what needs no learning, and degree bins beside the features."""
    rows, cell = list(recipe.published), recipe.cell
    if not cell.whole_graphs:
        return [*rows, *(title for title, way in ways().items() if title not in rows and _is_ours(way))]
    if cell.k is not None:
        shapes = ["Motif shape"] if cell.k != "n" else []
        return [*rows, *shapes, RANDOM + EXTENDED, OURS + EXTENDED]
    extended = [title + EXTENDED for title in rows if title + EXTENDED in graph_ways()]
    return [*rows, "Degrees", *extended]


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
    if way.name in ("mhm", "random"):
        model, asked = _model(way, graph, config, seed)
        return model, asked
    settings = _reduced(METHODS[way.name].settings) if quick else SETTINGS.get(way.name)
    kept = None if cache_dir is None else cache_dir / code_of_baselines()
    fitted = fit_baseline(
        way.name, graph, config.train.k, settings=settings, degree_features=way.degrees, cache=kept, seed=seed
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
    if way.name == "shape":
        return {"mean": lambda others: _shape_shares(others, config.train.k)}, {}, None
    if way.name == "degrees":
        bare = fit_pooled("raw", [_bare(graph) for graph in graphs], degree_features=True)
        return {name: _on_bare(embed) for name, embed in bare.items()}, {}, None
    if way.name not in ("mhm", "random"):
        settings = SETTINGS.get(way.name)
        pooled = fit_pooled(way.name, graphs, settings=settings, degree_features=way.degrees, seed=seed)
        asked = {} if settings is None else {"settings": asdict(settings)}
        return pooled, {**asked, "degree_features": way.degrees}, None
    ones = graphs[0].x is None and not way.degrees
    model, asked = _model(way, [with_ones(graph) for graph in graphs] if ones else list(graphs), config, seed)
    if config.model.encoder == "whole":
        return {"whole": _embedding(model, "mean", ones)}, asked, model
    return {pool: _embedding(model, pool, ones) for pool in POOLS}, asked, model


def with_ones(graph: Graph) -> Graph:
    """The graph with a column of ones for features."""
    return Graph(*graph.rows, np.ones((graph.num_nodes, 1), np.float32))


@cache
def code_of_baselines() -> str:
    """A few digits that change with the code of the baselines: vectors kept from other code are not used."""
    folder = Path(mhmgnn.baselines.__file__).parent
    text = b"".join(path.read_bytes() for path in sorted(folder.glob("*.py")))
    return hashlib.sha256(text).hexdigest()[:12]


def _ways(plain: Mapping[str, str], extended: Sequence[str], *, fixed: Sequence[str]) -> dict[str, Way]:
    rows = {title: Way(name, False, name not in fixed) for title, name in plain.items()}
    wider = {
        title + EXTENDED: Way(name, True, name not in fixed)
        for title, name in plain.items()
        if name in extended
    }
    return rows | wider


def _is_ours(way: Way) -> bool:
    return way.degrees or way.name in ("degrees", "shape")


def _model(
    way: Way, graphs: Graph | list[Graph], config: RunConfig, seed: int
) -> tuple[Model, dict[str, Any]]:
    model = replace(config.model, degree_features=config.model.degree_features or way.degrees)
    steps = 0 if way.name == "random" else config.train.steps
    config = replace(config, model=model, train=replace(config.train, steps=steps))
    return fit(graphs, config=config, seed=seed), asdict(config)


def _embedding(model: Model, pool: str, ones: bool) -> Pooled:
    def embed(graphs: Sequence[Graph]) -> np.ndarray:
        return model.embed_graphs([with_ones(graph) for graph in graphs] if ones else graphs, pool=pool)

    return embed


def _on_bare(embed: Pooled) -> Pooled:
    return lambda graphs: embed([_bare(graph) for graph in graphs])


def _bare(graph: Graph) -> Graph:
    return Graph(*graph.rows)


def _shape_shares(graphs: Sequence[Graph], k: int) -> np.ndarray:
    """The share of each shape among the connected k-sets of each graph, (graphs, shapes) float32."""
    rows = np.zeros((len(graphs), len(motif_shapes(k).shapes)), np.float32)
    for row, graph in zip(rows, graphs, strict=True):
        sampled = sample_sets(graph, k, POOLED, np.random.default_rng(0))
        if sampled.sample.weights.size:
            row += (
                sampled.sample.weights.astype(np.float32) @ shape(graph, sampled.sample.ksets) / sampled.size
            )
    return rows


def _reduced(settings: Settings | None) -> Settings | None:
    """The same settings with less training."""
    if isinstance(settings, SageSettings):
        return replace(settings, steps=100)
    if isinstance(settings, DGISettings):
        return replace(settings, epochs=50)
    return replace(settings, walks=2) if isinstance(settings, WalkSettings) else settings
