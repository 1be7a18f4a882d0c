"""How fast the context of k-sets is read, beside `Model.embed` in turns: python benchmarks/context.py.

On Cora, and on a graph with hubs of degree 100,000 that lie in every k-set: one hub, or two. The goal is half
the speed of `embed`.
"""

import resource
import time

import numpy as np
from graphs import cora, some_sets
from scipy import sparse

from mhmgnn import Graph, RunConfig, fit
from mhmgnn.context import describe, read_sets
from mhmgnn.graph.sets import Sets

K = 3
SETS = 100_000
ROUNDS = 5
DEGREE = 100_000  # of each hub
GOAL = 0.5


def with_hubs(hubs: int) -> Graph:
    """`hubs` nodes adjacent to half of the others, which have 18 features and 6 random neighbours each."""
    rng = np.random.default_rng(0)
    n = 2 * DEGREE + hubs
    spokes = [
        np.column_stack([np.full(DEGREE, h), rng.permutation(np.arange(hubs, n))[:DEGREE]])
        for h in range(hubs)
    ]
    ends = np.concatenate([*spokes, rng.integers(hubs, n, (3 * n, 2)), np.array([[0, hubs - 1]])])
    x = sparse.random_array((n, 500), density=18 / 500, rng=rng, dtype=np.float32, format="csr")
    return Graph.from_edges(ends, weights=rng.integers(1, 9, len(ends)), features=x, num_nodes=n)


def sets_with_hubs(graph: Graph, hubs: int) -> np.ndarray:
    """The hubs, and neighbours of the first, (SETS, K)."""
    rng = np.random.default_rng(1)
    spokes = graph.indices[graph.indptr[0] : graph.indptr[1]]
    spokes = spokes[spokes >= hubs]
    rest = spokes[rng.integers(spokes.size, size=(2 * SETS, K - hubs))]
    rest = rest[[len({*row}) == K - hubs for row in rest.tolist()]][:SETS]
    return np.sort(np.column_stack([np.tile(np.arange(hubs), (len(rest), 1)), rest]), axis=1)


def some_nodes(graph: Graph, count: int) -> np.ndarray:
    """Sets of random nodes, hardly ever with a hub, (count, K)."""
    drawn = np.random.default_rng(2).integers(graph.num_nodes // K, size=(count, K))
    return drawn + np.arange(K) * (graph.num_nodes // K)


def compare(name: str, graph: Graph, ksets: np.ndarray) -> None:
    """k-sets a second of `read_sets` and `embed`, the best of a few rounds in turns."""
    model = fit(graph, config=RunConfig().with_settings([f"train.k={K}", "train.steps=0"]))
    describe(Graph.from_edges([[0, 1]]))  # compiles
    began = time.perf_counter()
    context = describe(graph)
    described = time.perf_counter() - began
    sets = Sets.of_rows(ksets)
    others = Sets.of_rows(some_nodes(graph, len(ksets)))
    ways = {
        "context": lambda: read_sets(context, sets),
        "of random nodes": lambda: read_sets(context, others),
        "embed": lambda: model.embed(ksets),
    }
    best = dict.fromkeys(ways, float("inf"))
    for _ in range(ROUNDS):
        for way, call in ways.items():
            began = time.perf_counter()
            call()
            best[way] = min(best[way], time.perf_counter() - began)
    rates = ", ".join(f"{way} {len(ksets) / seconds:,.0f}/s" for way, seconds in best.items())
    ratio = best["embed"] / best["context"]
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3
    print(
        f"{name}, {len(context.set_columns)} columns: {rates}; {ratio:.2f} of embed's speed (goal {GOAL}); "
        f"nodes and pairs described in {described:.2f} s; {peak:,.0f} MB peak",
        flush=True,
    )


if __name__ == "__main__":
    citations = cora()
    compare("Cora", citations, some_sets(citations, K, SETS))
    for hubs in (1, 2):
        graph = with_hubs(hubs)
        compare(f"{hubs} of {K} a hub of degree {DEGREE:,}", graph, sets_with_hubs(graph, hubs))
