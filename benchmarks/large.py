"""What large graphs cost: reading, counting, training, embedding, completing, discovering, as graphs grow.

    python benchmarks/large.py [--limit SECONDS] [EDGES ...]

Without EDGES it is 10^4, 10^5, 10^6 and 10^7. The graph has a tenth as many nodes: planted groups with stray
edges and 64 features. Each row comes from a process of its own, so that the peak memory is its own; `load`
states resident memory too. A row that takes more than --limit seconds is stopped and says so, and is not
tried on larger graphs. Rows are Markdown and are printed as they come; at the end all sizes stand side by
side. On a new machine the first size compiles: run a small one before.
"""

import argparse
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import mhmgnn  # rooms open when they are used: this process stays small, as others inherit its peak

SIZES = [10**4, 10**5, 10**6, 10**7]
FEATURES = 64
STEPS = 100  # of training
EMBEDDED = 10**6  # k-sets
WALKED = 2 * 10**6  # steps
HUB = 10**5  # degree, where the graph has nodes enough


class Took(NamedTuple):
    """What a part took, and what else is to be said of it."""

    seconds: float
    note: str


def timed(work: Callable[[], Any]) -> tuple[Any, float]:
    """What the work gives, and its seconds by the clock."""
    began = time.perf_counter()
    result = work()
    return result, time.perf_counter() - began


def generate(folder: Path) -> Took:
    """Draw the graph, and keep it for the other parts."""
    edges = int(folder.name)
    nodes, stray = edges // 10, edges * 3 // 20  # groups of 3 to 6 nodes have 8.5 pairs on average
    mhmgnn.generate.planted_groups(100, 100, stray=10)  # compiled
    found, seconds = timed(
        lambda: mhmgnn.generate.planted_groups(nodes, nodes, stray=stray, features=FEATURES)
    )
    found.graph.save(folder / "graph")
    return Took(seconds, str(found.graph))


def write(folder: Path) -> Took:
    """Write the edges as text and the features as an array."""
    import pyarrow as pa
    from pyarrow import csv

    graph = mhmgnn.Graph.load(folder / "graph")
    source = np.repeat(np.arange(graph.num_nodes, dtype=np.int32), graph.degrees)
    once = source < graph.indices
    table = pa.table({"source": source[once], "target": graph.indices[once]})
    _, seconds = timed(lambda: csv.write_csv(table, folder / "edges.csv"))
    np.save(folder / "features.npy", graph.x)
    return Took(seconds, f"{(folder / 'edges.csv').stat().st_size / 1e6:,.1f} MB of text, by pyarrow")


def read(folder: Path) -> Took:
    """Read what `write` wrote."""
    graph, seconds = timed(
        lambda: mhmgnn.Graph.read(folder / "edges.csv", features=folder / "features.npy", features_by="row")
    )
    return Took(seconds, str(graph))


def save(folder: Path) -> Took:
    """Save a graph whose arrays are mapped."""
    graph = mhmgnn.Graph.load(folder / "graph")
    _, seconds = timed(lambda: graph.save(folder / "again"))
    size = sum(file.stat().st_size for file in (folder / "again").iterdir())
    return Took(seconds, f"{size / 1e6:,.1f} MB, synced")


def load(folder: Path) -> Took:
    """Load the saved graph, memory-mapped."""
    kind = mhmgnn.Graph  # the imports are not timed
    before = resident()
    graph, seconds = timed(lambda: kind.load(folder / "graph"))
    met = "met" if seconds < 1 and resident() < 200 else "MISSED"
    note = f"{resident():.0f} MB resident, {before:.0f} before; goal 1 s and 200 MB: {met}; {graph}"
    return Took(seconds, note)


def resident() -> float:
    """Memory of this process now, in MB."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * resource.getpagesize() / 1e6


def count(folder: Path, k: int, precision: float, **how: Any) -> Took:
    """Count the connected k-sets to a relative standard error."""
    graph = mhmgnn.Graph.load(folder / "graph")
    found, seconds = timed(lambda: mhmgnn.estimate_sum(graph, k, precision=precision, **how))
    told = f"{found.method}, error {found.relative_error:.2%}, {found.tours:,} tours, {found.steps:,} steps"
    end = " (BUDGET SPENT)" if found.ended == "budget" else ""
    return Took(seconds, f"{found.value:.4g} sets; {told}, supernode {found.supernode:,}{end}")


def fit(folder: Path) -> Took:
    """Train at k = 3 without an early end, and keep the model."""
    graph = mhmgnn.Graph.load(folder / "graph")
    settings = ["train.k=3", f"train.steps={STEPS}", "train.enough=0", f"train.patience={STEPS + 1}"]
    config = mhmgnn.RunConfig().with_settings(settings)
    model, seconds = timed(lambda: mhmgnn.fit(graph, config=config))
    model.save(folder / "run")
    return Took(seconds, f"{STEPS} steps of {config.train.batch} subgraphs, loss {model.facts['loss']:.3f}")


def embed(folder: Path) -> Took:
    """Vectors of connected 3-sets: an edge drawn uniformly, and a neighbour of one end."""
    model = mhmgnn.load(folder / "run")
    ksets = wedges(model.graph, EMBEDDED)
    vectors, seconds = timed(lambda: model.embed(ksets))
    note = f"{len(vectors):,} 3-sets, {len(vectors) / seconds:,.0f}/s, {vectors.nbytes / 1e6:,.0f} MB of them"
    return Took(seconds, note)


def wedges(graph: Any, wanted: int) -> np.ndarray:
    """Connected 3-sets, (wanted, 3), rows sorted; repeats may occur."""
    rng = np.random.default_rng(0)
    entry = rng.integers(graph.indices.size, size=2 * wanted)
    end = graph.indices[entry].astype(np.int64)
    start = np.searchsorted(graph.indptr, entry, side="right") - 1
    other = graph.indices[graph.indptr[end] + rng.integers(graph.degrees[end])]
    return np.sort(np.column_stack([start, end, other])[other != start][:wanted], axis=1)


def complete(folder: Path) -> Took:
    """Complete pairs of adjacent nodes: the first call, and those after it."""
    model = mhmgnn.load(folder / "run")
    pairs = wedges(model.graph, 51)[:, :2].tolist()
    taken = [timed(lambda pair=pair: model.complete(pair))[1] for pair in pairs]
    return Took(taken[0], f"the first call; the median of 50 more is {1e3 * np.median(taken[1:]):.1f} ms")


def discover(folder: Path) -> Took:
    """The 100 sets of lowest energy."""
    model = mhmgnn.load(folder / "run")
    found, seconds = timed(lambda: model.discover(top=100))
    return Took(seconds, f"{'exact' if found.exact else 'by descent'}, from {found.sets[0].energy:.3f} on")


def train_step(folder: Path) -> Took:
    """The median training step, its parts one after the other."""
    from fit import PAPER, step_times

    graph = mhmgnn.Graph.load(folder / "graph")
    times = step_times(graph, mhmgnn.RunConfig().with_settings([*PAPER, "train.batch=25"]), 30)
    ksets = times.pop("ksets")
    parts = ", ".join(f"{name} {1e3 * seconds:.1f}" for name, seconds in times.items())
    total = sum(times.values())
    return Took(total, f"ms: {parts}; {ksets:,.0f} 3-sets, {1e6 * total / ksets:.2f} µs each")


def walk(folder: Path, pairs: bool, hubs: bool) -> Took:
    """Steps of tours on a graph with the same mean degree, with and without hubs; one thread."""
    from mhmgnn.errors import TourError
    from mhmgnn.subgraphs.exact import check_k
    from mhmgnn.subgraphs.walk import LANES, Runner, start_walk

    nodes, rng = int(folder.name) // 10, np.random.default_rng(0)
    degrees = np.full(nodes, 20.0)
    if hubs:  # asked for a third more than wanted: hubs miss edges among themselves
        degrees = mhmgnn.generate.power_law_degrees(nodes, 20, largest=min(4 * HUB // 3, nodes // 2))
    graph = mhmgnn.generate.chung_lu(rng.permutation(degrees))
    component, checked = timed(lambda: check_k(graph, 4))
    start, grown = timed(lambda: start_walk(graph, component, 4, pairs=pairs, supernode=1_000, rng=rng))
    for steps in (10**5, WALKED):  # the first ones compile
        runner = Runner(start, steps, 1)
        began = time.perf_counter()
        with suppress(TourError):  # the budget is spent, as it is meant to be
            runner.totals(LANES)
        seconds = time.perf_counter() - began
    each = f"{1e6 * seconds / runner.spent.steps:.2f} µs a step of {runner.spent.steps:,}"
    trials = f"{runner.spent.work / runner.spent.steps:.1f} trials each"
    hub = f"largest degree {graph.degrees.max():,}; components {checked:.2f} s, supernode {grown:.2f} s"
    return Took(seconds, f"{each}, {trials}; {hub}")


COSTS: dict[str, Callable[[Path], Took]] = {
    "generate": generate,
    "write edges": write,
    "read edges": read,
    "save": save,
    "load": load,
    **{f"count, k = {k}, to 2%": lambda folder, k=k: count(folder, k, 0.02) for k in (3, 4, 5)},
    f"fit, k = 3, {STEPS} steps": fit,
    "embed": embed,
    "complete": complete,
    "discover": discover,
}
STEP = "one training step"
GROWTH: dict[str, Callable[[Path], Took]] = {
    STEP: train_step,
    "pair-walk, k = 4, no hubs": lambda folder: walk(folder, True, False),
    "pair-walk, k = 4, hubs": lambda folder: walk(folder, True, True),
    "k-walk, k = 4, no hubs": lambda folder: walk(folder, False, False),
    "k-walk, k = 4, hubs": lambda folder: walk(folder, False, True),
    **{
        f"pair-walk, k = {k}, to 5%": lambda folder, k=k: count(
            folder, k, 0.05, method="pair-walk", tours=300
        )
        for k in (6, 7, 8)
    },
}


class Cell(NamedTuple):
    """What a part took on a graph, or why there is nothing to say of it."""

    seconds: float  # infinite if it did not come to an end
    said: str


NOT_TRIED = Cell(np.inf, "not tried")


def row(part: str, folder: Path, limit: float) -> Cell:
    """Run a part in a process of its own and print its row."""
    command = [sys.executable, __file__, "--part", part, str(folder)]
    taken = np.inf
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=limit)
    except subprocess.TimeoutExpired:
        columns = ["", "", f"stopped after {limit:,.0f} s"]
    else:
        columns = ["", "", (done.stderr.strip().splitlines() or ["failed"])[-1]]
        if done.returncode == 0:
            columns = done.stdout.strip().split(" | ")
            taken = float(columns[0].replace(",", ""))
    print(f"| {int(folder.name):,} | {part} | {' | '.join(columns)} |", flush=True)
    return Cell(taken, f"{columns[0]} s, {columns[1]} MB" if taken < np.inf else columns[2])


def side_by_side(sizes: list[str], cells: dict[str, list[Cell]]) -> str:
    """A row for each part, a column for each size: seconds and peak memory."""
    head = ["| |" + "".join(f" {int(edges):,} edges |" for edges in sizes), "|---" * (len(sizes) + 1) + "|"]
    rows = [f"| {part} |" + "".join(f" {cell.said} |" for cell in taken) for part, taken in cells.items()]
    return "\n".join(["", *head, *rows])


def verdict(steps: list[float]) -> str:
    """How much longer the longest training step is than that on the first graph."""
    if not np.isfinite(steps).all():
        return "\nNot every training step was measured."
    times = max(steps) / steps[0]
    met = "met" if times < 1.5 else "MISSED"
    return f"\nThe longest training step takes {times:.2f} times as long as the first; goal 1.5: {met}"


def main() -> None:
    """Both tables, or one part of them in this process."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("edges", nargs="*", help="sizes of the graphs")
    parser.add_argument("--limit", type=float, default=600, help="seconds for a row")
    parser.add_argument("--part", choices=[*COSTS, *GROWTH], help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.part:
        took = (COSTS | GROWTH)[given.part](Path(given.edges[0]))
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / 1e6
        print(f"{took.seconds:,.3f} | {peak:,.0f} | {took.note}")
        return
    with tempfile.TemporaryDirectory() as temporary:
        sizes = given.edges or [str(edges) for edges in SIZES]
        folders = [Path(temporary) / edges for edges in sizes]
        cells: dict[str, list[Cell]] = {part: [] for part in COSTS | GROWTH}  # by size
        for parts in (COSTS, GROWTH):
            print("\n| edges | what | seconds | peak MB | |\n|---|---|---|---|---|", flush=True)
            for folder in folders:
                folder.mkdir(exist_ok=True)
                for part in parts:
                    stopped = any(cell.seconds == np.inf for cell in cells[part])
                    cells[part].append(NOT_TRIED if stopped else row(part, folder, given.limit))
        print(side_by_side(sizes, cells))
        print(verdict([cell.seconds for cell in cells[STEP]]))


if __name__ == "__main__":
    main()
