"""A run that is loaded and ready to answer requests."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from mhmgnn.errors import DataError
from mhmgnn.graph import Graph
from mhmgnn.graph.fingerprint import fingerprint
from mhmgnn.models.checkpoint import PROVENANCE
from mhmgnn.models.load import load
from mhmgnn.models.model import Model
from mhmgnn.service.found import FoundGroups
from mhmgnn.service.names import NameIndex, Node


class Served:
    """A model with its graph and names; a request uses one from start to end."""

    def __init__(self, model: Model, graph: Graph, version: str) -> None:
        self.model, self.graph, self.version = model, graph, version
        self.names = NameIndex(graph)
        self.since = time.time()
        self.groups: FoundGroups | None = None  # until they are found
        self.no_groups: str | None = None  # why there will be none

    @property
    def about(self) -> dict[str, Any]:
        """Facts about the model and what it was trained on."""
        facts = self.model.facts
        return {
            "version": self.version,
            "k": self.model.k,
            "dim": self.model.config.model.dim,
            "nodes": self.graph.num_nodes,
            "pairs": self.graph.num_edges,
            "features": self.graph.num_features,
            "counts": self.graph.weights is not None,
            "named": self.names.named,
            "knows_groups": self.model.group_energy is not None,
            "seed": facts["seed"],
            "data": str(facts["data"]),
            "steps": facts.get("steps"),
            "loss": facts.get("loss"),
            "encoder": self.model.config.model.encoder,
            "noise": self.model.config.subgraphs.noise,
            "worlds": (facts.get("groups") or {}).get("worlds", 0),
            "updates": len(facts.get("updates", [])),
            "since": self.since,
        }

    def indices(self, nodes: Sequence[Node]) -> list[Node]:
        """The nodes by index where they are known, and else as given, for the library to refuse."""
        return [self.names.known(node) for node in nodes]

    def index(self, node: Node) -> int:
        """The index of one node; one that is unknown is an error."""
        return int(self.graph.ksets([[self.names.known(node)]], k=1)[0, 0])


def stamp(run: Path) -> tuple[tuple[int, int], ...]:
    """Inode and time of the parts of a run, (0, 0) if missing; they differ once a run is replaced."""
    found = []
    for part in (run / "model" / PROVENANCE, run / "model", run / "graph"):
        try:
            status = part.stat()
        except OSError:
            found.append((0, 0))
        else:
            found.append((status.st_ino, status.st_mtime_ns))
    return tuple(found)


def open_run(run: Path) -> Served:
    """The run, loaded, checked and warmed up."""
    version = version_of(run)
    model = load(run)
    graph = model.graph
    if graph is None or model.config.model.reads_graphs:
        raise DataError(f"{run} holds a model of many graphs; a service needs one of sets in one graph")
    if fingerprint(graph) != model.facts["data"]:
        raise DataError(
            f"the graph in {run} is not the one that its model was trained on; if it is being written, wait"
        )
    if version_of(run) != version:
        raise DataError(f"{run} was replaced while it was read; try again")
    served = Served(model, graph, version)
    warm_up(served)
    return served


def version_of(run: Path) -> str:
    """The version of a run: the start of the checksum of its provenance, which holds those of its files."""
    try:
        return hashlib.sha256((run / "model" / PROVENANCE).read_bytes()).hexdigest()[:12]
    except OSError as error:
        raise DataError(f"{run} is no run: {run / 'model' / PROVENANCE} cannot be read") from error


def warm_up(served: Served) -> None:
    """Ask each question once, so that no client waits for compilation."""
    model, graph = served.model, served.graph
    if not graph.num_nodes:
        return
    busiest = int(np.argmax(graph.degrees))
    model.complete([busiest], top=10)
    if graph.num_nodes >= model.k:
        kset = [list(range(model.k))]
        model.embed(kset)
        model.energy(kset)
        if model.group_energy is not None:
            pair = [busiest, int(graph.indices[graph.indptr[busiest]])] if graph.num_edges else [busiest]
            model.energy([pair, [busiest]], match="exact")
