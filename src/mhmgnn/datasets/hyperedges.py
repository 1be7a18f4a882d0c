"""Sets of nodes that were seen together, the pairs that remain of them, and which k-sets they are."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal, NamedTuple, get_args

import numpy as np
from scipy import sparse

from mhmgnn.errors import DataError
from mhmgnn.graph import Graph

Match = Literal["exact", "contained"]
LISTED = 5  # hyperedges of more nodes are counted together


@dataclass(frozen=True, eq=False)
class Hyperedges:
    """Sets of nodes of any size, end to end: the i-th is `members[offsets[i] : offsets[i + 1]]`, sorted.

    The same set may come more than once.

    >>> carts = Hyperedges.from_padded(np.array([[2, 0, 1], [3, 1, -1]]))
    >>> [carts[i].tolist() for i in range(len(carts))]
    [[0, 1, 2], [1, 3]]
    >>> carts.holds(np.array([[0, 1], [1, 3]])).tolist()
    [False, True]
    >>> carts.holds(np.array([[0, 1], [1, 3]]), "contained").tolist()
    [True, True]
    """

    members: np.ndarray  # (total,) int64
    offsets: np.ndarray  # (m + 1,) int64

    def __post_init__(self) -> None:
        self.members.setflags(write=False)
        self.offsets.setflags(write=False)

    @classmethod
    def from_padded(cls, rows: np.ndarray) -> Hyperedges:
        """One hyperedge a row of `rows`, (m, most) integers; -1 fills a row that is shorter."""
        rows = np.sort(rows.astype(np.int64), axis=1)
        offsets = np.concatenate([[0], np.cumsum((rows >= 0).sum(axis=1))])
        return cls(rows[rows >= 0], offsets.astype(np.int64))

    def __len__(self) -> int:
        return self.offsets.size - 1

    def __getitem__(self, i: int) -> np.ndarray:
        return self.members[self.offsets[i] : self.offsets[i + 1]]

    @property
    def sizes(self) -> np.ndarray:
        """How many nodes each holds, (m,)."""
        return np.diff(self.offsets)

    def counts(self) -> dict[str, int]:
        """How many there are, of each size up to LISTED, and of more, where there are any."""
        sizes = np.bincount(np.minimum(self.sizes, LISTED + 1), minlength=LISTED + 2).tolist()
        names = [f"hyperedges of {size}" for size in range(1, LISTED + 1)]
        names.append(f"hyperedges of more than {LISTED}")
        by_size = {name: count for name, count in zip(names, sizes[1:], strict=True) if count}
        return {"hyperedges": len(self), **by_size}

    def incidence(self, num_nodes: int) -> sparse.csr_array:
        """1 where hyperedge i holds node v, (m, num_nodes) int32."""
        ones = np.ones(self.members.size, dtype=np.int32)
        return sparse.csr_array((ones, self.members, self.offsets), shape=(len(self), num_nodes))

    def holds(self, ksets: np.ndarray, match: Match = "exact") -> np.ndarray:
        """Whether each k-set is a hyperedge ("exact") or part of one ("contained"): (s, k) to (s,) bool."""
        if match not in get_args(Match):
            raise DataError(f"match={match!r} is unknown; it is one of {', '.join(get_args(Match))}")
        num_nodes = 1 + max(self.members.max(initial=-1), ksets.max(initial=-1))
        incidence = self.incidence(num_nodes)
        if match == "exact":  # distinct nodes that all lie in a hyperedge of size k are that hyperedge
            incidence = incidence[np.flatnonzero(self.sizes == ksets.shape[1])]
        of_node = incidence.T.tocsr()
        shared = of_node[ksets[:, 0]]  # (s, m): the hyperedges of the first node, then those of every node
        for column in ksets.T[1:]:
            shared = shared.multiply(of_node[column])
        found: np.ndarray = shared.sum(axis=1) > 0
        return found


class Together(NamedTuple):
    """Pairs of nodes that hyperedges hold, each once and sorted."""

    pairs: np.ndarray  # (e, 2) int64
    times: np.ndarray  # (e,) int64, how many hyperedges hold it


def count_together(hyperedges: Hyperedges, num_nodes: int, *, min_together: int = 1) -> Together:
    """Pairs of nodes that at least `min_together` hyperedges hold, and how many do."""
    incidence = hyperedges.incidence(num_nodes)
    together = sparse.triu(incidence.T @ incidence, k=1).tocoo()
    most = together.data.max(initial=0)
    if min_together > most:
        raise DataError(f"min_together={min_together} leaves no pair; take {most} or less")
    kept = together.data >= min_together
    pairs: np.ndarray = np.column_stack(together.coords).astype(np.int64)[kept]
    order = np.lexsort(pairs.T[::-1])
    return Together(pairs[order], together.data[kept][order].astype(np.int64))


def project(hyperedges: Hyperedges, num_nodes: int, *, min_together: int = 1) -> np.ndarray:
    """Pairs of nodes that at least `min_together` hyperedges hold, (e, 2) int64, each once and sorted."""
    return count_together(hyperedges, num_nodes, min_together=min_together).pairs


def with_counts(graph: Graph, hyperedges: Hyperedges) -> Graph:
    """The graph, with the number of hyperedges that hold each of its pairs as counts.

    For data sets whose graph has pairs alone: `with_counts(data.graph, data.truth)`. A pair that no hyperedge
    holds is an error; in "dblp" some come from papers that are not in the truth, see `coauthors.dblp`.
    """
    incidence = hyperedges.incidence(graph.num_nodes)
    owner = np.repeat(np.arange(graph.num_nodes), graph.degrees)
    times = (incidence.T @ incidence).tocsr()[owner, graph.indices]
    if not times.all():
        first = int(np.argmin(times))
        pair = f"{graph.label(int(owner[first]))!r}, {graph.label(int(graph.indices[first]))!r}"
        raise DataError(f"no hyperedge holds the pair {pair}; take those that the graph is made of")
    return replace(graph, weights=times.astype(np.float32))
