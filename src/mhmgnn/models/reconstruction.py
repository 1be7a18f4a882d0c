"""A group energy in one graph -> the groups that its pairs were made of."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.special import expit

from mhmgnn.graph.sets import Sets
from mhmgnn.models.groups import MATCHES, GroupReader
from mhmgnn.subgraphs.maximal import maximal_cliques


class Groups(NamedTuple):
    """Groups that explain the pairs of a graph, most probable first."""

    sets: Sets  # members sorted in each
    probabilities: np.ndarray  # (m,) float64
    complete: bool  # whether every clique that could be a group was looked at


def reconstruct(reader: GroupReader, *, sizes: tuple[int, int] | None = None) -> Groups:
    """The groups that the pairs of the reader's graph were made of; `sizes`: only those from least to most."""
    found = maximal_cliques(reader.graph)
    chance = expit(-reader.energies(found.sets)[:, MATCHES.index("exact")].astype(np.float64))
    kept = np.argsort(-chance, kind="stable")
    if sizes is not None:
        low, high = sizes
        kept = kept[(found.sets.sizes[kept] >= low) & (found.sets.sizes[kept] <= high)]
    return Groups(found.sets.take(kept), chance[kept], found.complete)
