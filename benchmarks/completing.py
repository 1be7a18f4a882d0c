"""How fast is `complete`? python benchmarks/completing.py: graphs of 10^6 and 10^7 edges, hubs included.

Pairs inside planted groups and pairs by chance between nodes of very unequal degree, hubs among them; pairs
have counts, as one that is in both was seen twice: that takes a walk more than pairs alone. A fit of one step
gives the model; then 100 queries of one to six nodes, a hub in every third, ten first to warm up. Also the
same without the energies of the completed sets. Beside the clock stands processor time, which other work on
the machine changes less.
"""

import time
from collections.abc import Callable, Iterator

import numpy as np
from record import Record

from mhmgnn import Graph, RunConfig, fit
from mhmgnn.datasets.synthetic.degrees import chung_lu, power_law_degrees
from mhmgnn.datasets.synthetic.groups import planted_groups
from mhmgnn.models.completion import Completer, Tuning

SIZES = (10**6, 10**7)  # edges, about
HUB = 100_000  # neighbours of the largest hub at 10^7 edges
ASKED, WARM = 100, 10
QUICK = ["train.steps=1", "train.batch=2", "model.dim=16"]  # how much was learned does not change times
QUICK += ["groups.worlds=6", "groups.held_back=1", "groups.laws=6", "groups.examples=60", "groups.epochs=4"]


def hubbed(edges: int) -> Graph:
    """Half of the edges in groups of three to six nodes, half by chance between nodes of unequal degree."""
    nodes = edges // 5
    groups = planted_groups(nodes, edges // 17, features=0).graph
    chance = chung_lu(power_law_degrees(nodes, edges / nodes, exponent=2.1, largest=HUB * edges / 10**7))
    rows = (
        np.column_stack([np.repeat(np.arange(nodes), one.degrees), one.indices]) for one in (groups, chance)
    )
    pairs = np.concatenate([rows_of[rows_of[:, 0] < rows_of[:, 1]] for rows_of in rows])
    return Graph.from_edges(pairs, weights=np.ones(len(pairs)), num_nodes=nodes)


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
    """Milliseconds of each query but the first ones, by clock and by processor, (2, ASKED), each rising."""
    spent = []
    for given in asked:
        clock, processor = time.perf_counter(), time.process_time()
        ask(given)
        spent.append((1e3 * (time.perf_counter() - clock), 1e3 * (time.process_time() - processor)))
    return np.sort(np.array(spent[WARM:]).T)


def measure(edges: int) -> Iterator[dict[str, object]]:
    """Rows of one graph."""
    graph = hubbed(edges)
    model = fit(graph, config=RunConfig().with_settings(QUICK))
    completer = Completer(graph, Tuning(**model.facts["completion"]))
    none = np.empty(0, np.int64)
    asked = queries(graph)
    for what, ask in (
        ("model.complete(top=10)", lambda given: model.complete(given.tolist())),
        ("without energies", lambda given: completer.best(given, 10, none)),
    ):
        clock, processor = times(ask, asked)
        size = {"edges": f"{graph.num_edges:,}", "largest degree": f"{graph.degrees.max():,}", "what": what}
        yield {
            **size,
            "median, ms": float(np.median(clock)),
            "99th of 100, ms": float(clock[-2]),
            "median, processor ms": float(np.median(processor)),
            "99th, processor ms": float(processor[-2]),
        }


def main() -> None:
    """Write the table."""
    record = Record("completing", "Completions", "Milliseconds a query, warm, in one process.")
    for edges in SIZES:
        for row in measure(edges):
            record.add(row)
    record.write()


if __name__ == "__main__":
    main()
