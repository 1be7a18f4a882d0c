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

from mhmgnn.baselines.inputs import Inputs
from mhmgnn.baselines.method import METHODS, KSets, Method, ModelMethod, Nodes
from mhmgnn.config import RunConfig, check_whole
from mhmgnn.errors import DataError
from mhmgnn.evaluation.probes.sums import Sums
from mhmgnn.graph import Graph
from mhmgnn.graph.fingerprint import fingerprint
from mhmgnn.io.arrays import is_stored, load_arrays, save_arrays
from mhmgnn.io.toml import read_assignment, read_section
from mhmgnn.models.load import load
from mhmgnn.models.model import Model
from mhmgnn.nn.motifs.batch import Features
from mhmgnn.registry import unknown
from mhmgnn.training.loop import fit

FOLDER = "baseline"


class Baseline:
    """A fitted baseline; `embed` is that of a `Model`."""

    def __init__(self, graph: Graph, k: int, facts: dict[str, Any], learned: Nodes | KSets) -> None:
        self.graph, self.k, self.facts = graph, k, facts
        self._learned = learned
        self._last: tuple[Graph, Features] | None = None

    @property
    def name(self) -> str:
        return str(self.facts["name"])

    def embed(self, ksets: Any, *, graph: Graph | None = None) -> Features:
        """A row for each k-set, (m, d), sparse where the features are: node vectors are summed over it."""
        rows = self.sums(ksets, graph=graph)
        return rows.total() if isinstance(rows, Sums) else rows

    def sums(self, ksets: Any, *, graph: Graph | None = None) -> np.ndarray | Sums:
        """What `embed` gives, with the vectors of nodes not summed yet: probes are faster on these."""
        graph = self.graph if graph is None else graph
        rows = graph.ksets(ksets, k=self.k)
        if isinstance(self._learned, Nodes):
            return Sums.over(rows, self.nodes(graph))
        return self._learned.ksets(self._ready(graph), rows)

    def nodes(self, graph: Graph) -> Features:
        """A vector for each node of a graph, (n, d)."""
        if not isinstance(self._learned, Nodes):
            raise DataError(f"{self.name} looks at k-sets; it has no vectors of nodes")
        if self._last is None or self._last[0] is not graph:
            self._last = graph, self._learned.nodes(self._ready(graph))
        return self._last[1]

    def _ready(self, graph: Graph) -> Graph:
        """The graph with the features that the method reads."""
        if graph is not self.graph and not METHODS.find(self.name).inductive:
            raise DataError(f"{self.name} knows the nodes of its own graph alone; fit it on the other graph")
        return Inputs(self.facts["normalise"], self.facts["degree_features"]).of(graph)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the baseline and its graph to a folder that `load_baseline` reads."""
        folder = Path(path)
        if (folder / "model").exists():
            raise DataError(f"{folder} holds a trained model; choose another folder for the baseline")
        folder.mkdir(parents=True, exist_ok=True)
        self.graph.save(folder / "graph")
        _save_learned(folder / FOLDER, self._learned, self.facts | {"k": self.k})


def fit_baseline(
    name: str,
    graph: Graph,
    k: int = 3,
    *,
    settings: Any = None,
    degree_features: bool = False,
    cache: str | os.PathLike[str] | None = None,
    seed: int = 0,
    quiet: bool = True,
) -> Baseline | Model:
    """Fit the baseline called `name` without labels; `mhmgnn baselines list` tells them.

    `settings` None takes the method's own; else give its dataclass, as `mhmgnn.baselines.dgi.DGISettings` is
    for "dgi". `degree_features` puts bins of the log2 degree beside the features, as
    `ModelConfig.degree_features` does. `cache` is a folder where vectors of nodes are kept, once for all k.
    "random" is an untrained `Model`.
    """
    method = method_for_ksets(name)
    check_whole("k", k, 2)
    settings = chosen_settings(method, settings)
    if isinstance(method, ModelMethod):
        extended = RunConfig().with_settings([f"model.degree_features={str(degree_features).lower()}"])
        return fit(graph, k, config=method.config(extended), seed=seed, quiet=quiet)
    inputs = Inputs(normalise=method.normalise, degree_features=degree_features)
    ready = inputs.of(graph)
    facts = {
        "name": name,
        "seed": seed,
        "data": fingerprint(graph),
        "in_features": max(ready.num_features, 1),
        "settings": {} if settings is None else asdict(settings),
        **asdict(inputs),
    }
    kept = None if cache is None else Path(cache) / _key(method, facts)
    if kept is not None and is_stored(kept):
        return Baseline(graph, k, facts, _load_learned(kept, name)[0])
    learned = method.fit_ksets(ready, k, settings, seed=seed, quiet=quiet)
    if kept is not None and isinstance(learned, Nodes):
        kept.parent.mkdir(parents=True, exist_ok=True)
        _save_learned(kept, learned, facts)
    return Baseline(graph, k, facts, learned)


def method_for_ksets(name: str) -> Method[Any]:
    """The baseline called `name`, if it gives rows for k-sets."""
    if not METHODS.find(name).of_ksets:
        known = [known for known, method in METHODS.items() if method.of_ksets]
        raise unknown("the baseline for k-sets", name, known)
    return METHODS[name]


def chosen_settings(method: Method[Any], settings: Any) -> Any:
    """The settings given, which must be of the method's kind; its own if none are."""
    if settings is not None and type(settings) is not type(method.settings):
        wanted = "none" if method.settings is None else type(method.settings).__name__
        raise DataError(f"settings are {type(settings).__name__}; {method.name} takes {wanted}")
    return method.settings if settings is None else settings


def load_baseline(path: str | os.PathLike[str]) -> Baseline:
    """A saved baseline with its graph."""
    folder = Path(path)
    learned, facts = _load_learned(folder / FOLDER)
    return Baseline(Graph.load(folder / "graph"), facts.pop("k"), facts, learned)


def load_fitted(path: str | os.PathLike[str]) -> Baseline | Model:
    """What `mhmgnn fit` left in a folder: a baseline or a trained model."""
    return load_baseline(path) if (Path(path) / FOLDER).is_dir() else load(path)


def read_settings(name: str, assignments: Iterable[str]) -> tuple[Any, bool]:
    """Settings of a baseline given as "baseline.key=value", and whether "model.degree_features=true" is.

    >>> read_settings("dgi", ["baseline.epochs=20"])[0].epochs
    20
    """
    plain, changed, extended = method_for_ksets(name).settings, {}, False
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


def _key(method: Method[Any], facts: dict[str, Any]) -> str:
    """A name for what these facts lead to; methods that learn the same share it."""
    name = method.learned_as
    told = json.dumps(facts | {"name": name}, sort_keys=True)
    return f"{name}-{facts['seed']}-{hashlib.sha256(told.encode()).hexdigest()[:16]}"


def _save_learned(folder: Path, learned: Nodes | KSets, facts: dict[str, Any]) -> None:
    state = learned.state()
    arrays = {f"array{i}": value for i, value in enumerate(state.values())}  # names of weights have dots
    save_arrays(folder, "baseline", arrays, facts | {"arrays": list(state)})


def _load_learned(folder: Path, name: str | None = None) -> tuple[Nodes | KSets, dict[str, Any]]:
    """What was saved; `name` is that of a method which learns the same, where it is not the one that did."""
    arrays, facts = load_arrays(folder, "baseline")
    try:
        state = dict(zip(facts.pop("arrays"), arrays.values(), strict=True))
        method = METHODS.find(name or facts["name"])
        settings = None if method.settings is None else type(method.settings)(**facts["settings"])
        return method.restore(settings, facts["in_features"], state), facts
    except (KeyError, TypeError, ValueError) as error:
        raise DataError(f"{folder} is damaged: {error}; fit the baseline again") from error
