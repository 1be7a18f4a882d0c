"""k-sets of a graph -> the rows of each part of their vectors, and what is usual in that graph."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property
from typing import cast

import numpy as np
import torch

from mhmgnn.context.context import Context, describe, read_sets
from mhmgnn.graph import Graph
from mhmgnn.graph.sets import Sets
from mhmgnn.models.groups import GroupReader
from mhmgnn.nn.energy import Energy, KSetModel
from mhmgnn.nn.motifs.batch import Features, gather
from mhmgnn.nn.vector import Usual, VectorMap
from mhmgnn.subgraphs.random_sets import random_connected_sets

GROUPS, CONTEXT, GIVEN = "groups", "context", "given"  # parts besides those of noises
REFERENCE = 4_000  # random connected k-sets that tell what is usual in a graph


class PartReader:
    """Reads the rows of the parts in one graph. Parts of noises are called as their noises are."""

    def __init__(
        self,
        network: KSetModel,
        kinds: tuple[str, ...],
        graph: Graph,
        features: Features,
        groups: GroupReader | None,
    ) -> None:
        self.network, self.kinds, self.graph, self.features, self.groups = (
            *(network, kinds),
            *(graph, features, groups),
        )

    @cached_property
    def context(self) -> Context:
        """The context of the graph, which is that of the reader of groups if there is one."""
        return describe(self.graph) if self.groups is None else self.groups.context

    def rows(self, ksets: np.ndarray, parts: Iterable[str], given: np.ndarray) -> dict[str, np.ndarray]:
        """The rows of these parts for k-sets, (m, raw) float32 each; `given` (n, raw) is projected features.

        Motifs and context are read once, whatever parts ask for them.
        """
        wanted, found = list(parts), {}
        if any(name in self.kinds for name in wanted):
            motifs = gather(self.graph, ksets, features=self.features)
            for name, energy in zip(self.kinds, self.network.energies, strict=True):
                if name in wanted:
                    with torch.no_grad():
                        found[name] = cast(Energy, energy).encoder(motifs).numpy()
        if GROUPS in wanted or CONTEXT in wanted:
            sets = Sets.of_rows(ksets)
            found[CONTEXT] = read_sets(self.context, sets)
            if GROUPS in wanted:
                assert self.groups is not None, "a vector has groups where the model has"
                found[GROUPS] = self.groups.hidden(found[CONTEXT], sets.sizes)
        if GIVEN in wanted:
            found[GIVEN] = given[ksets].sum(axis=1)
        return {name: found[name] for name in wanted}

    def random_ksets(self, k: int) -> np.ndarray:
        """Random connected k-sets of the graph, all of them where they are few."""
        return random_connected_sets(self.graph, k, REFERENCE, np.random.default_rng(0))


class VectorReader:
    """Gives the vectors of k-sets of one graph: parts in units of random k-sets of that graph."""

    def __init__(self, vector: VectorMap, reader: PartReader, k: int) -> None:
        self.vector, self.reader, self.graph = vector, reader, reader.graph
        self.given = np.empty((0, 0), np.float32)
        if GIVEN in vector.parts:
            self.given = np.asarray(reader.features @ vector.projection.numpy(), np.float32)
        rows = reader.rows(reader.random_ksets(k), vector.parts, self.given)
        self.usual = {name: Usual.of(part) for name, part in rows.items()}

    def embed(self, ksets: np.ndarray, parts: Iterable[str]) -> np.ndarray:
        """The numbers of these parts for each k-set, (m, d) float32."""
        rows = self.reader.rows(ksets, parts, self.given)
        vectors: np.ndarray = self.vector(
            {name: torch.from_numpy(part) for name, part in rows.items()}, self.usual
        ).numpy()
        return vectors
