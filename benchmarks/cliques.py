"""How fast k-cliques are counted, listed and drawn on graphs of products, against igraph and networkx.

One thread, in CPU seconds; what is compared takes turns in one run, and the best turn counts. Compiled code
is warm. The graph is that of products rented by the same user in 2016, from the folder `MHMGNN_DATA`, once
for users of at most 20 products and once for all; without the folder, baskets of like sizes stand in.

    python benchmarks/cliques.py
"""

import os
import time
from collections.abc import Callable
from pathlib import Path

import igraph
import networkx as nx
import numpy as np
from pyarrow import compute, csv
from record import Record

from mhmgnn import Graph
from mhmgnn.datasets.hyperedges import Hyperedges, project
from mhmgnn.subgraphs.cliques import count_cliques, draw_cliques, list_cliques

LISTED = 3 * 10**6  # cliques that igraph is made to list; networkx a tenth of them
DRAWN = 10**5


def best(turns: int, *work: Callable[[], object]) -> list[float]:
    """The least CPU seconds of each piece of work, over turns that they take one after the other."""
    taken = [np.inf] * len(work)
    for _ in range(turns):
        for i, piece in enumerate(work):
            before = time.process_time()
            piece()
            taken[i] = min(taken[i], time.process_time() - before)
    return taken


def baskets() -> tuple[str, list[np.ndarray]]:
    """The products of each user, with the name of the source."""
    file = Path(os.environ.get("MHMGNN_DATA", "")) / "renttherunway" / "renttherunway.transactions.csv.gz"
    if not file.is_file():
        rng = np.random.default_rng(0)
        sizes = np.minimum(2 + rng.pareto(1.5, size=8_000), 150).astype(int)
        return "made up", [np.unique((3_000 * rng.random(size) ** 2).astype(int)) for size in sizes]
    table = csv.read_csv(
        file, convert_options=csv.ConvertOptions(include_columns=["user_id", "item_id", "review_date"])
    )
    table = table.filter(compute.equal(compute.year(table["review_date"]), 2016))
    pairs = np.column_stack([table["user_id"].to_numpy(), table["item_id"].to_numpy()])
    pairs = np.unique(pairs, axis=0)
    products = np.unique(pairs[:, 1], return_inverse=True)[1]
    return "Rent 2016", np.split(products, np.flatnonzero(np.diff(pairs[:, 0])) + 1)


def products(sets: list[np.ndarray], most: int) -> Graph:
    """Products adjacent when a user with at most so many has both."""
    kept = [nodes for nodes in sets if 2 <= nodes.size <= most]
    offsets = np.concatenate([[0], np.cumsum([nodes.size for nodes in kept])])
    nodes, members = np.unique(np.concatenate(kept), return_inverse=True)
    return Graph.from_edges(project(Hyperedges(members.astype(np.int64), offsets), nodes.size))


def edges_of(graph: Graph) -> list[list[int]]:
    """Every edge once."""
    source = np.repeat(np.arange(graph.num_nodes), graph.degrees)
    edges: list[list[int]] = np.column_stack([source, graph.indices])[source < graph.indices].tolist()
    return edges


def against_others(name: str, graph: Graph, record: Record) -> None:
    """Count, list and draw; the others list what they can within reason."""
    edges = edges_of(graph)
    theirs, nxs = igraph.Graph(n=graph.num_nodes, edges=edges), nx.Graph(edges)
    for k in (3, 4, 5):
        total = count_cliques(graph, k, threads=1)
        drawn = best(3, lambda k=k: draw_cliques(graph, k, DRAWN, np.random.default_rng(0), threads=1))[0]
        counted = best(3, lambda k=k: count_cliques(graph, k, threads=1))[0]
        row = {"graph": f"{name}, {len(edges):,} edges", "k": k, "cliques": total, "counted, s": counted}
        row |= {"listed, s": None, f"{DRAWN:,} drawn, s": drawn}
        if total > LISTED:
            record.add(row)
            continue
        ours, listed = best(
            2,
            lambda k=k: list_cliques(graph, k, threads=1),
            lambda k=k: theirs.cliques(k, k),
        )
        assert len(theirs.cliques(k, k)) == total
        row |= {"listed, s": ours, "listed, times igraph": listed / ours}
        row |= {"counted, times igraph's list": listed / counted}
        if total <= LISTED // 10:
            row["listed, times networkx"] = best(1, lambda k=k: count_by_networkx(nxs, k))[0] / ours
        record.add(row)


def count_by_networkx(graph: nx.Graph, k: int) -> int:
    """How many k-cliques networkx lists; it goes by size, so that it can end after k."""
    found = 0
    for clique in nx.enumerate_all_cliques(graph):
        if len(clique) > k:
            break
        found += len(clique) == k
    return found


def two_threads_against_one(graph: Graph) -> float:
    """How many times faster two threads give the same count, by the clock."""
    seconds = []
    for threads in (1, 2):
        before = time.perf_counter()
        for _ in range(5):
            count_cliques(graph, 5, threads=threads)
        seconds.append(time.perf_counter() - before)
    return seconds[0] / seconds[1]


def main() -> None:
    """Every measurement in turn."""
    source, sets = baskets()
    small = Graph.from_edges([[0, 1], [1, 2], [2, 0]])
    list_cliques(small, 3)
    draw_cliques(small, 3, 1, np.random.default_rng(0))
    about = (
        "Products bought or rented by the same users, one thread, the best of a few turns, against igraph's "
    )
    record = Record(
        "cliques", "Cliques", about + "`cliques`, which lists them. Counts equal igraph's where it ran."
    )
    for most in (20, 10**6):
        graph = products(sets, most)
        users = f"users of {most} at most" if most < 10**6 else "all users"
        against_others(f"{source}, {users}", graph, record)
    times = two_threads_against_one(graph)
    record.write([f"Two threads count k = 5 on all users {times:.1f} times as fast as one."])


if __name__ == "__main__":
    main()
