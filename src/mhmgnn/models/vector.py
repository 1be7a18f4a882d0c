"""k-sets of a graph -> the rows of each part of their vectors, and what is usual in that graph."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cached_property

import numpy as np
import torch
from torch import Tensor

from mhmgnn.context.context import Context, describe, read_sets
from mhmgnn.context.inside import node_units, read_inside
from mhmgnn.graph.sets import Sets
from mhmgnn.models.groups import GroupReader
from mhmgnn.models.motifs import CHUNK, MotifReader
from mhmgnn.nn.pieces import in_pieces
from mhmgnn.nn.vector import Usual, VectorMap
from mhmgnn.subgraphs.random_sets import random_connected_sets

# parts after those of noises
CONTEXT, INSIDE, GROUPS, GIVEN = OTHERS = "context", "inside", "groups", "given"
REFERENCE = 4_000  # random connected k-sets that tell what is usual in a graph


class PartReader:
    """Reads the rows of the parts in one graph. Parts of noises are called as their noises are."""

    def __init__(self, motifs: MotifReader, groups: GroupReader | None) -> None:
        self.motifs, self.groups, self.graph = motifs, groups, motifs.graph

    @cached_property
    def context(self) -> Context:
        """The context of the graph, which is that of the reader of groups if there is one."""
        return describe(self.graph) if self.groups is None else self.groups.context

    @cached_property
    def node_units(self) -> np.ndarray:
        """The context of nodes in units of their spread."""
        return node_units(self.context)

    def rows(self, ksets: np.ndarray, parts: Iterable[str], given: np.ndarray) -> dict[str, np.ndarray]:
        """The rows of these parts for k-sets, (m, raw) float32 each; `given` (n, raw) is projected features.

        Motifs and context are read once, whatever parts ask for them.
        """
        wanted = list(parts)
        found = self.motifs.encoded(ksets, wanted)
        if GROUPS in wanted or CONTEXT in wanted:
            sets = Sets.of_rows(ksets)
            found[CONTEXT] = read_sets(self.context, sets)
            if GROUPS in wanted:
                assert self.groups is not None, "a vector has groups where the model has"
                found[GROUPS] = self.groups.hidden(found[CONTEXT], sets)
        if INSIDE in wanted:
            found[INSIDE] = read_inside(self.context, self.node_units, ksets)
        if GIVEN in wanted:
            found[GIVEN] = given[ksets].sum(axis=1)
        return {name: found[name] for name in wanted}

    def projected(self, projection: np.ndarray) -> np.ndarray:
        """The features of all nodes times a projection, (n, raw) float32."""
        return np.asarray(self.motifs.features @ projection, np.float32)

    def random_ksets(self, k: int) -> np.ndarray:
        """Random connected k-sets of the graph, all of them where they are few."""
        return random_connected_sets(self.graph, k, REFERENCE, np.random.default_rng(0))


class VectorReader:
    """Gives the vectors of k-sets of one graph: parts in units of random k-sets of that graph."""

    def __init__(self, vector: VectorMap | None, reader: PartReader, k: int) -> None:
        assert vector is not None, "vectors of the paper need no reader"
        self.vector, self.reader, self.graph = vector, reader, reader.graph
        self.given = np.empty((0, 0), np.float32)
        if GIVEN in vector.parts:
            self.given = reader.projected(vector.projection.numpy())
        rows = reader.rows(reader.random_ksets(k), vector.parts, self.given)
        self.usual = {name: Usual.of(part) for name, part in rows.items()}

    def run(self, ksets: np.ndarray, parts: Iterable[str]) -> Iterator[tuple[int, np.ndarray]]:
        """The numbers of these parts for the k-sets, chunk by chunk, each with its first row."""
        parts = list(parts)

        def network(*rows: Tensor) -> Tensor:
            found: Tensor = self.vector(dict(zip(parts, rows, strict=True)), self.usual)
            return found

        for low in range(0, len(ksets), CHUNK):
            rows = self.reader.rows(ksets[low : low + CHUNK], parts, self.given)
            yield low, in_pieces(network, [torch.from_numpy(rows[name]) for name in parts])
