"""Graphs of many small groups that overlap, with features that hint at them; the groups are the truth."""

import math

import numpy as np

from mhmgnn.config import check_whole
from mhmgnn.datasets.dataset import Dataset
from mhmgnn.datasets.hyperedges import Hyperedges
from mhmgnn.datasets.synthetic import _kernels
from mhmgnn.datasets.synthetic.degrees import new_stream
from mhmgnn.errors import DataError
from mhmgnn.graph import Graph
from mhmgnn.graph._random_pairs import add_edges, draw_pairs, pick_pairs
from mhmgnn.graph.csr import pairs_in_rows

CHUNK = 2**16  # groups whose centres are in memory at a time


def planted_groups(
    nodes: int,
    groups: int,
    *,
    sizes: tuple[int, int] = (3, 6),
    stray: int = 0,
    features: int = 64,
    hint: float = 1.0,
    seed: int = 0,
) -> Dataset[Hyperedges]:
    r"""A graph in which the nodes of each group are all adjacent; `truth` holds the groups.

    Each group has from `sizes[0]` to `sizes[1]` nodes, all sizes alike, drawn uniformly: so groups overlap,
    and a node is in (groups / nodes) times the mean size of them. `stray` is the number of further edges,
    uniform among the pairs that no group holds.

    `features` is the width of dense features, (nodes, features) float32; 0 leaves them out. Every group has a
    centre, and a node in c groups has the features

    .. math:: x_v = \frac{hint}{\sqrt c} \sum_{g \ni v} centre_g + noise_v

    where centres and noise are standard normal, a number for each feature. A `hint` of 0 tells nothing.

    >>> planted = planted_groups(1000, 500, features=8)
    >>> planted.graph.num_nodes, planted.graph.num_features, len(planted.truth)
    (1000, 8, 500)
    """
    _check(nodes, groups, sizes, stray=stray, features=features, hint=hint, seed=seed)
    for_sizes, for_features = np.random.default_rng(seed).spawn(2)
    offsets = np.zeros(groups + 1, np.int64)
    np.cumsum(for_sizes.integers(sizes[0], sizes[1] + 1, size=groups), out=offsets[1:])
    members, stream = np.empty(offsets[-1], np.int64), new_stream(seed)
    _kernels.draw_groups(nodes, offsets, stream, members)
    truth = Hyperedges(members, offsets)
    rows = _with_stray(_joined(truth, nodes), stray, stream)
    x = _hints(truth, nodes, features, hint, for_features) if features else None
    return Dataset("planted groups", Graph(*rows, x), truth)


def _joined(truth: Hyperedges, nodes: int) -> Graph:
    """The graph of all pairs inside groups."""
    return Graph.from_edges(pairs_in_rows(truth.offsets, truth.members), num_nodes=nodes)


def _with_stray(graph: Graph, stray: int, stream: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The rows of the graph with further edges between nodes that are not adjacent."""
    pairs = graph.num_nodes * (graph.num_nodes - 1) // 2
    missing = pairs - graph.num_edges
    if stray > missing:
        raise DataError(
            f"stray is {stray:,}; the groups leave {missing:,} pairs of nodes apart, take no more"
        )
    if not stray:
        return graph.rows
    codes = np.empty(stray, np.int64)
    if 4 * (missing - stray) >= pairs:  # four draws an edge at most, on average
        draw_pairs(*graph.rows, stream, codes)
    else:
        pick_pairs(*graph.rows, missing, stream, codes)
    indptr, indices = add_edges(*graph.rows, codes)
    return indptr, indices


def _hints(truth: Hyperedges, nodes: int, width: int, hint: float, rng: np.random.Generator) -> np.ndarray:
    """The features of all nodes, (nodes, width) float32."""
    x = rng.standard_normal((nodes, width), np.float32)
    count = np.bincount(truth.members, minlength=nodes)
    scale = (hint / np.sqrt(np.maximum(count, 1))).astype(np.float32)
    for low in range(0, len(truth), CHUNK):
        offsets = truth.offsets[low : low + CHUNK + 1]
        centres = rng.standard_normal((offsets.size - 1, width), np.float32)
        _kernels.add_centres(offsets, truth.members, scale, centres, x)
    return x


def _check(
    nodes: int,
    groups: int,
    sizes: tuple[int, int],
    *,
    stray: int,
    features: int,
    hint: float,
    seed: int,
) -> None:
    for name, given, least in (
        ("nodes", nodes, 2),
        ("groups", groups, 1),
        ("stray", stray, 0),
        ("features", features, 0),
        ("seed", seed, 0),
    ):
        check_whole(name, given, least)
    if not isinstance(sizes, tuple | list) or len(sizes) != 2:
        raise DataError(f"sizes is {sizes!r}; it must be the smallest and the largest size, such as (3, 6)")
    for size in sizes:
        check_whole("a size of groups", size, 2)
    if not sizes[0] <= sizes[1] <= nodes:
        raise DataError(f"sizes is {sizes}; they must rise, and at most be the number of nodes, {nodes}")
    if not 0 <= hint < math.inf:
        raise DataError(f"hint is {hint}; it must be a number of at least 0")
