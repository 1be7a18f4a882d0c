"""How fast is `complete`? python benchmarks/completing.py: graphs of 10^6 and 10^7 edges, hubs included.

Pairs inside planted groups and pairs by chance between nodes of very unequal degree, hubs among them. A fit
of one step gives the model; then 100 queries of one to six nodes, a hub in every third, ten first to warm up.
Also the same without the energies of the completed sets.
"""

import time
from collections.abc import Callable, Iterator

import numpy as np
from record import Record

from mhmgnn import Graph, RunConfig, fit
from mhmgnn.datasets.synthetic.degrees import chung_lu, power_law_degrees
from mhmgnn.datasets.synthetic.groups import planted_groups
from mhmgnn.models.completion import Completer

SIZES = (10**6, 10**7)  # edges, about
HUB = 100_000  # neighbours of the largest hub at 10^7 edges
ASKED, WARM = 100, 10
QUICK = ["train.steps=1", "train.batch=2", "model.dim=16"]


def hubbed(edges: int) -> Graph:
    """Half of the edges in groups of three to six nodes, half by chance between nodes of unequal degree."""
    nodes = edges // 5
    groups = planted_groups(nodes, edges // 17, features=0).graph
    chance = chung_lu(power_law_degrees(nodes, edges / nodes, exponent=2.1, largest=HUB * edges / 10**7))
    rows = (
        np.column_stack([np.repeat(np.arange(nodes), one.degrees), one.indices]) for one in (groups, chance)
    )
    return Graph.from_edges(np.concatenate(list(rows)), weights=False, num_nodes=nodes)


def queries(graph: Graph) -> list[np.ndarray]:
    """A node, two of its neighbours, up to two others; a hub in every third."""
    rng = np.random.default_rng(1)
    hubs = np.argsort(-graph.degrees)[:20]
    some = np.flatnonzero(graph.degrees)
    found = []
    for number in range(WARM + ASKED):
        start = int(rng.choice(some))
        near = graph.indices[graph.indptr[start] : graph.indptr[start + 1]]
        given = {start, *rng.choice(near, 2).tolist(), *rng.choice(some, number % 3).tolist()}
        found.append(np.array(sorted(given | ({int(rng.choice(hubs))} if number % 3 == 0 else set()))))
    return found


def times(ask: Callable[[np.ndarray], object], asked: list[np.ndarray]) -> np.ndarray:
    """Milliseconds of each query but the first ones, rising."""
    spent = []
    for given in asked:
        began = time.perf_counter()
        ask(given)
        spent.append(1e3 * (time.perf_counter() - began))
    return np.sort(spent[WARM:])


def measure(edges: int) -> Iterator[dict[str, object]]:
    """Rows of one graph."""
    graph = hubbed(edges)
    model, completer = fit(graph, config=RunConfig().with_settings(QUICK)), Completer(graph)
    none = np.empty(0, np.int64)
    asked = queries(graph)
    for what, ask in (
        ("model.complete(top=10)", lambda given: model.complete(given.tolist())),
        ("without energies", lambda given: completer.best(given, 10, none)),
    ):
        spent = times(ask, asked)
        size = {"edges": f"{graph.num_edges:,}", "largest degree": f"{graph.degrees.max():,}", "what": what}
        yield {**size, "median, ms": float(np.median(spent)), "99th of 100, ms": float(spent[-2])}


def main() -> None:
    """Write the table."""
    record = Record("completing", "Completions", "Milliseconds a query, warm, in one process.")
    for edges in SIZES:
        for row in measure(edges):
            record.add(row)
    record.write()


if __name__ == "__main__":
    main()
