"""How fast the context of k-sets is read, beside `Model.embed` in turns: python benchmarks/context.py.

On Cora, and on a graph with hubs of degree 100,000 that lie in every k-set: one hub, or two. The goal is half
the speed of `embed`.
"""

import time

import numpy as np
from graphs import cora, some_sets
from record import Record
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


def compare(record: Record, name: str, graph: Graph, ksets: np.ndarray) -> None:
    """k-sets a second of `read_sets` and `embed`, the best of a few rounds in turns."""
    model = fit(graph, config=RunConfig().with_settings([f"train.k={K}", "train.steps=0", "groups.worlds=0"]))
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
    record.add(
        {
            "sets": name,
            "columns": len(context.set_columns),
            "read, sets/s": round(len(ksets) / best["context"]),
            "of random nodes, sets/s": round(len(ksets) / best["of random nodes"]),
            "embed, sets/s": round(len(ksets) / best["embed"]),
            f"of embed's speed (goal {GOAL})": best["embed"] / best["context"],
            "nodes and pairs described, s": described,
        }
    )


if __name__ == "__main__":
    about = f"The context of {SETS:,} {K}-sets, in turns with `embed`; hubs lie in every set."
    found = Record("context", "The context of sets", about)
    citations = cora()
    compare(found, "Cora, connected sets", citations, some_sets(citations, K, SETS))
    for hubs in (1, 2):
        graph = with_hubs(hubs)
        compare(found, f"{hubs} of {K} a hub of degree {DEGREE:,}", graph, sets_with_hubs(graph, hubs))
    found.write()
