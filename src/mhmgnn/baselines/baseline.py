"""A baseline that a user holds: fitted on a graph, saved and loaded, with a row for each k-set."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterable
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np

from mhmgnn.baselines.method import OF_SETS, Inputs, Nodes, Settings, fit_nodes, method_of, restore_nodes
from mhmgnn.config import RunConfig, check_whole
from mhmgnn.errors import DataError
from mhmgnn.evaluation.probes.sums import Sums
from mhmgnn.graph import Graph
from mhmgnn.io.store import is_stored, load_arrays, save_arrays
from mhmgnn.io.toml import read_assignment, read_section
from mhmgnn.models.checkpoint import fingerprint
from mhmgnn.models.model import Model, load
from mhmgnn.nn.motifs.batch import Features
from mhmgnn.training.loop import fit

FOLDER = "baseline"


class Baseline:
    """A fitted baseline; `embed` is that of a `Model`."""

    def __init__(self, graph: Graph, k: int, facts: dict[str, Any], nodes: Nodes | None) -> None:
        self.graph, self.k, self.facts = graph, k, facts
        self._nodes = nodes
        self._last: tuple[Graph, Features] | None = None

    @property
    def name(self) -> str:
        return str(self.facts["name"])

    def embed(self, ksets: Any, *, graph: Graph | None = None) -> Features:
        """A row for each k-set, (m, d), sparse where the features are: node vectors are summed over it."""
        rows = self.sums(ksets, graph=graph)
        return rows.total() if isinstance(rows, Sums) else rows

    def sums(self, ksets: Any, *, graph: Graph | None = None) -> np.ndarray | Sums:
        """What `embed` gives, with vectors of nodes not added up yet, which a probe is quicker with."""
        graph = self.graph if graph is None else graph
        rows = graph.ksets(ksets, k=self.k)
        return OF_SETS[self.name](graph, rows) if self._nodes is None else Sums.over(rows, self.nodes(graph))

    def nodes(self, graph: Graph) -> Features:
        """A vector for each node of a graph, (n, d)."""
        if self._nodes is None:
            raise DataError(f"{self.name} looks at k-sets; it has no vectors of nodes")
        if graph is not self.graph and not method_of(self.name).inductive:
            raise DataError(f"{self.name} knows the nodes of its own graph alone; fit it on the other graph")
        if self._last is None or self._last[0] is not graph:
            inputs = Inputs(self.facts["normalise"], self.facts["degree_features"])
            self._last = graph, self._nodes.nodes(inputs.of(graph))
        return self._last[1]

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the baseline and its graph to a folder that `load_baseline` reads."""
        folder = Path(path)
        if (folder / "model").exists():
            raise DataError(f"{folder} holds a trained model; choose another folder for the baseline")
        folder.mkdir(parents=True, exist_ok=True)
        self.graph.save(folder / "graph")
        _save_nodes(folder / FOLDER, self._nodes, self.facts | {"k": self.k})


def fit_baseline(
    name: str,
    graph: Graph,
    k: int = 3,
    *,
    settings: Settings | None = None,
    degree_features: bool = False,
    cache: str | os.PathLike[str] | None = None,
    seed: int = 0,
    quiet: bool = True,
) -> Baseline | Model:
    """Fit the baseline called `name` without labels; `mhmgnn baselines list` tells them.

    `settings` None takes those of `METHODS`. `degree_features` puts bins of the log2 degree beside the
    features, as `ModelConfig.degree_features` does. `cache` is a folder where vectors of nodes are kept, once
    for all k. "random" is an untrained `Model`.
    """
    method = method_of(name)
    check_whole("k", k, 2)
    if settings is not None and type(settings) is not type(method.settings):
        wanted = "none" if method.settings is None else type(method.settings).__name__
        raise DataError(f"settings are {type(settings).__name__}; {name} takes {wanted}")
    if name == "random":
        extended = f"model.degree_features={str(degree_features).lower()}"
        return fit(graph, k, config=RunConfig().with_settings(["train.steps=0", extended]), seed=seed)
    inputs = Inputs(normalise=name == "dgi", degree_features=degree_features)  # as DGI's authors do
    ready, chosen = inputs.of(graph), settings or method.settings
    facts = {
        "name": name,
        "seed": seed,
        "data": fingerprint(graph),
        "in_features": max(ready.num_features, 1),
        "settings": {} if chosen is None else asdict(chosen),
        **asdict(inputs),
    }
    if name in OF_SETS:
        return Baseline(graph, k, facts, None)
    kept = None if cache is None else Path(cache) / _key(facts)
    if kept is not None and is_stored(kept):
        return Baseline(graph, k, facts, _load_nodes(kept, name)[0])
    nodes = fit_nodes(name, ready, settings, seed=seed, quiet=quiet)
    if kept is not None:
        kept.parent.mkdir(parents=True, exist_ok=True)
        _save_nodes(kept, nodes, facts)
    return Baseline(graph, k, facts, nodes)


def load_baseline(path: str | os.PathLike[str]) -> Baseline:
    """A saved baseline with its graph."""
    folder = Path(path)
    nodes, facts = _load_nodes(folder / FOLDER)
    return Baseline(Graph.load(folder / "graph"), facts.pop("k"), facts, nodes)


def load_fitted(path: str | os.PathLike[str]) -> Baseline | Model:
    """What `mhmgnn fit` left in a folder: a baseline or a trained model."""
    return load_baseline(path) if (Path(path) / FOLDER).is_dir() else load(path)


def read_settings(name: str, assignments: Iterable[str]) -> tuple[Settings | None, bool]:
    """Settings of a baseline given as "baseline.key=value", and whether "model.degree_features=true" is.

    >>> read_settings("dgi", ["baseline.epochs=20"])[0].epochs
    20
    """
    plain, changed, extended = method_of(name).settings, {}, False
    for assignment in assignments:
        section, key, value = read_assignment(assignment)
        if section == "baseline" and plain is not None:
            changed[key] = value
        elif (section, key) == ("model", "degree_features") and isinstance(value, bool):
            extended = value
        else:
            may = "model.degree_features" + ("" if plain is None else " and those of [baseline]")
            raise DataError(f"{assignment} sets nothing of the baseline {name}; it has {may}")
    if plain is None or not changed:
        return None, extended
    return read_section("baseline", type(plain), asdict(plain) | changed), extended


def _key(facts: dict[str, Any]) -> str:
    """A name for the vectors of nodes that these facts lead to; features beside them come later."""
    name = facts["name"].removesuffix("+features")
    told = json.dumps(facts | {"name": name}, sort_keys=True)
    return f"{name}-{facts['seed']}-{hashlib.sha256(told.encode()).hexdigest()[:16]}"


def _save_nodes(folder: Path, nodes: Nodes | None, facts: dict[str, Any]) -> None:
    state = {} if nodes is None else nodes.state()
    arrays = {f"array{i}": value for i, value in enumerate(state.values())}  # names of weights have dots
    save_arrays(folder, "baseline", arrays, facts | {"arrays": list(state)})


def _load_nodes(folder: Path, name: str | None = None) -> tuple[Nodes | None, dict[str, Any]]:
    """What was saved; `name` adds features to walks that were saved without, or leaves them out."""
    arrays, facts = load_arrays(folder, "baseline")
    try:
        state = dict(zip(facts.pop("arrays"), arrays.values(), strict=True))
        name = name or facts["name"]
        if name in OF_SETS:
            return None, facts
        return restore_nodes(name, facts["settings"], facts["in_features"], state), facts
    except (KeyError, TypeError, ValueError) as error:
        raise DataError(f"{folder} is damaged: {error}; fit the baseline again") from error
