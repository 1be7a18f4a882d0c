"""k-sets of a graph -> the rows of each part of their vectors, and what is usual in that graph."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cached_property

import numpy as np
import torch
from torch import Tensor

from mhmgnn.config import check_one_of
from mhmgnn.context.context import Context, describe, read_sets
from mhmgnn.context.inside import node_units, read_inside
from mhmgnn.errors import DataError
from mhmgnn.graph.sets import Sets
from mhmgnn.models.groups import GroupReader
from mhmgnn.models.motifs import CHUNK, MotifReader
from mhmgnn.nn.pieces import in_pieces
from mhmgnn.nn.vector import Usual, VectorMap
from mhmgnn.subgraphs.cliques import LARGEST_K, some_cliques
from mhmgnn.subgraphs.random_sets import random_connected_sets

# parts after those of noises
CONTEXT, INSIDE, GROUPS, GIVEN = OTHERS = "context", "inside", "groups", "given"
REFERENCE = 4_000  # random connected k-sets, and as many k-cliques, that tell what is usual in a graph


def chosen_parts(known: Iterable[str], asked: Iterable[str] | None) -> list[str]:
    """The parts asked for, each once, or all of them; refuses unknown ones."""
    names = list(known)
    chosen = names if asked is None else list(dict.fromkeys(asked))
    if not chosen:
        raise DataError(f"parts is empty; name some of {', '.join(names)}, or leave it out")
    for name in chosen:
        check_one_of("a part", name, names)
    return chosen


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

    def reference(self, k: int) -> np.ndarray:
        """Random connected k-sets of the graph, and beside them random k-cliques, all where they are few.

        Most connected sets are no cliques. Where cliques are asked about, units of both kinds shift less from
        graph to graph.
        """
        for_sets, for_cliques = np.random.default_rng(0).spawn(2)
        sets = random_connected_sets(self.graph, k, REFERENCE, for_sets)
        if k > LARGEST_K:
            return sets
        return np.concatenate([sets, some_cliques(self.graph, k, REFERENCE, for_cliques)[0]])

    def reference_rows(self, k: int, parts: Iterable[str], projection: np.ndarray) -> dict[str, np.ndarray]:
        """The rows of the reference sets; `projection` is that of node features, for "given"."""
        names = list(parts)
        given = self.projected(projection) if GIVEN in names else projection
        return self.rows(self.reference(k), names, given)


class VectorReader:
    """Gives the vectors of k-sets of one graph: parts in units of random k-sets of that graph."""

    def __init__(self, vector: VectorMap | None, reader: PartReader, k: int, *, at_home: bool) -> None:
        assert vector is not None, "vectors of the paper need no reader"
        self.vector, self.reader, self.graph = vector, reader, reader.graph
        projection = vector.projection.numpy()
        self.given = reader.projected(projection) if GIVEN in vector.parts else projection
        self.usual = vector.usual
        if not at_home:
            rows = reader.reference_rows(k, vector.parts, projection)
            self.usual = {name: Usual.of(part) for name, part in rows.items()}

    def run(self, ksets: np.ndarray, parts: Iterable[str]) -> Iterator[tuple[int, np.ndarray]]:
        """What these parts of the k-sets add up to, chunk by chunk, each with its first row."""
        parts = list(parts)

        def network(*rows: Tensor) -> Tensor:
            found: Tensor = self.vector(dict(zip(parts, rows, strict=True)), self.usual)
            return found

        for low in range(0, len(ksets), CHUNK):
            rows = self.reader.rows(ksets[low : low + CHUNK], parts, self.given)
            yield low, in_pieces(network, [torch.from_numpy(rows[name]) for name in parts])
