"""How fast sums over connected k-sets come, against the goals that were set, in one run.

One thread, in CPU seconds, so that a busy machine does not spoil the ratios; where two threads meet one it is
the clock. What is compared takes turns, and the best turn counts. Compiled code is warm. Cora is read from
the folder `MHMGNN_DATA`; without it a random graph of about its size stands in.

    python benchmarks/engine.py
"""

import os
import random
import resource
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import igraph
import numpy as np
from record import Record

from mhmgnn import Graph, connected_sets, estimate_sum
from mhmgnn.subgraphs import _ksets
from mhmgnn.subgraphs.exact import check_k, count_roots
from mhmgnn.subgraphs.walk import Runner, Walk, start_walk

MEMORY_STEPS = 10**8
FASTER = "times faster"
ABOUT = "BA is a Barabási-Albert graph. One thread, CPU seconds, but where two threads meet one."
RECORD = Record("engine", "Sums over connected k-sets", ABOUT)


def show(what: str, value: float, unit: str, *, goal: str = "", met: bool = True, note: str = "") -> None:
    """Keep one row: what was measured, the value, the goal and whether it is met."""
    row = {"what": what, "value": value, "unit": unit, "goal": goal}
    RECORD.add(row | {"met": ("yes" if met else "NO") if goal else "", "note": note})


def best(turns: int, clock: Callable[[], float], *work: Callable[[], object]) -> list[float]:
    """The least seconds of each piece of work, over turns that they take one after the other."""
    taken = [np.inf] * len(work)
    for _ in range(turns):
        for i, piece in enumerate(work):
            before = clock()
            piece()
            taken[i] = min(taken[i], clock() - before)
    return taken


def barabasi(n: int, m: int) -> igraph.Graph:
    """A Barabasi-Albert graph, always the same."""
    igraph.set_random_number_generator(random.Random(0))
    return igraph.Graph.Barabasi(n, m)


def ours(source: igraph.Graph) -> Graph:
    """The same graph as one of ours."""
    return Graph.from_edges(source.get_edgelist(), num_nodes=source.vcount())


def cora() -> tuple[str, igraph.Graph]:
    """Cora as igraph holds it, or a graph of like size, with its name."""
    file = Path(os.environ.get("MHMGNN_DATA", "")) / "cora" / "cora.cites"
    if not file.is_file():
        return "BA 2,708 m 2", barabasi(2708, 2)
    graph = Graph.read(file)
    source = np.repeat(np.arange(graph.num_nodes), graph.degrees)
    edges = np.column_stack([source, graph.indices])[source < graph.indices]
    return "Cora", igraph.Graph(n=graph.num_nodes, edges=edges.tolist())


def a_walk(graph: Graph, k: int, *, pairs: bool, supernode: int) -> Walk:
    """A walk with its supernode, always the same."""
    rng = np.random.default_rng(0)
    return start_walk(graph, check_k(graph, k), k, pairs=pairs, supernode=supernode, rng=rng)


def rejection_against_counting() -> None:
    """The k-walk's steps a second, with |N(C)| from the trials of the step and with |N(C)| counted."""
    walk = a_walk(ours(barabasi(5000, 30)), 4, pairs=False, supernode=1000)
    met = next(Runner(walk, 10**9, 1).steps(64)).ksets
    rows, some = _ksets.Rows(*walk.graph.rows), met[:5_000]
    stepping, counting = best(
        3,
        time.process_time,
        lambda: next(Runner(walk, 10**9, 1).steps(64)),
        lambda: _ksets.neighbour_counts(rows, some),
    )
    step, count = stepping / len(met), counting / len(some)
    show("k-walk k 4, BA 5,000 m 30: steps by rejection", 1 / step, "a second")
    show("k-walk k 4, BA 5,000 m 30: steps that count neighbours", 1 / (step + count), "a second")
    times = (step + count) / step
    show("rejection against counting neighbours", times, FASTER, goal="5", met=times >= 5)


def pairs_against_ksets() -> None:
    """Time to the same standard error: seconds times squared error, k-walk over pair-walk."""
    graph, found = ours(barabasi(2708, 2)), {}
    for method, tours in (("pair-walk", 8000), ("k-walk", 800)):
        before = time.process_time()
        estimate = estimate_sum(graph, 5, method=method, tours=tours, supernode=1000, threads=1)
        seconds = time.process_time() - before
        found[method] = seconds * estimate.relative_error**2
        note = f"to a {estimate.relative_error:.1%} error, {estimate.steps:,} steps"
        show(f"{method} k 5, BA 2,708 m 2, supernode 1,000", seconds, "s", note=note)
    times = found["k-walk"] / found["pair-walk"]
    show("pair-walk against k-walk, to the same error", times, FASTER, goal="8", met=times >= 8)


def enumeration_against_igraph() -> None:
    """Every connected k-set written out, and every shape counted, against `motifs_randesu`.

    The list of 5-sets is so long that handing fresh memory to the process can take longer than filling it:
    the first turn is told apart from the next, which come right after it.
    """
    name, source = cora()
    graph = ours(source)
    for k in (4, 5):
        estimate_sum(graph, k, f="shape", method="exact", threads=1)
        turns = [
            best(1, time.process_time, lambda k=k: connected_sets(graph, k, limit=10**9, threads=1))[0]
            for _ in range(4)
        ]
        listed = min(turns)
        shaped, theirs = best(
            2,
            time.process_time,
            lambda k=k: estimate_sum(graph, k, f="shape", method="exact", threads=1),
            lambda k=k: source.motifs_randesu(size=k),
        )
        times = theirs / listed
        note = f"{listed:.2f} s ({turns[0]:.2f} s at first) against {theirs:.2f} s"
        what = f"{name}: all connected {k}-sets listed, against igraph"
        show(what, times, FASTER, goal="2", met=times >= 2, note=note)
        what = f"{name}: {k}-node shapes counted, against igraph"
        show(what, theirs / shaped, FASTER, note=f"{shaped:.3f} s")


def time_to_two_percent(source: igraph.Graph) -> None:
    """The count of a graph whose k-sets are too many to list."""
    graph = ours(source)
    before = time.process_time()
    truth = source.motifs_randesu_no(size=5)
    theirs = time.process_time() - before
    before = time.process_time()
    found = estimate_sum(graph, 5, method="pair-walk", precision=0.02, threads=1)
    seconds = time.process_time() - before
    z = (found.value - truth) / found.stderr
    note = f"{found.tours:,} tours, {found.steps:,} steps, supernode {found.supernode:,}"
    show("BA 20,000 m 3, k 5: 2% standard error", seconds, "s", note=note)
    note = f"{found.value:.5g} against {truth:.5g} by motifs_randesu_no ({theirs:.1f} s)"
    show("its distance from the exact count", z, "standard errors", goal="below 4", met=abs(z) < 4, note=note)


def two_threads_against_one(source: igraph.Graph) -> None:
    """The same numbers from two threads, by the clock."""
    graph = ours(source)
    walk = a_walk(graph, 5, pairs=True, supernode=10_000)
    seconds = best(
        3,
        time.perf_counter,
        *(lambda threads=threads: Runner(walk, 10**9, threads).totals(1000) for threads in (1, 2)),
    )
    show("two threads against one: tours", seconds[0] / seconds[1], FASTER)
    seconds = best(
        3,
        time.perf_counter,
        *(lambda threads=threads: count_roots(graph, 5, limit=10**12, threads=threads) for threads in (1, 2)),
    )
    show("two threads against one: enumeration", seconds[0] / seconds[1], FASTER)


def memory() -> None:
    """Peak memory of many steps that hand their k-sets to a Python function, in a process of its own."""
    command = [sys.executable, __file__, "memory", str(MEMORY_STEPS)]
    found = subprocess.run(command, check=True, capture_output=True, text=True).stdout.split()
    peak, seconds, steps = float(found[0]), float(found[1]), int(found[2])
    what = f"peak memory of {steps:,} steps, f in Python, all cores"
    met = peak < 1000 and steps > 0.9 * MEMORY_STEPS
    show(what, peak, "MB", goal="1,000", met=met, note=f"{seconds:.0f} s")


def walk_within_memory(max_steps: int) -> None:
    """Walk until the budget is spent; print the peak in MB, the seconds and the steps."""
    found = estimate_sum(
        ours(barabasi(20_000, 3)),
        5,
        lambda ksets: np.ones(len(ksets)),
        method="pair-walk",
        tours=100,
        supernode=10_000,
        precision=1e-9,
        max_steps=max_steps,
    )
    assert found.ended == "budget"
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(peak, found.seconds, found.steps)


def main() -> None:
    """Every measurement in turn. Memory first: a process inherits the peak of the one that starts it."""
    memory()
    rejection_against_counting()
    pairs_against_ksets()
    enumeration_against_igraph()
    large = barabasi(20_000, 3)
    time_to_two_percent(large)
    two_threads_against_one(large)
    RECORD.write()


if __name__ == "__main__":
    if sys.argv[1:2] == ["memory"]:
        walk_within_memory(int(sys.argv[2]))
    else:
        main()
