"""What large graphs cost: reading, counting, training, embedding, completing, discovering, as graphs grow.

    python benchmarks/large.py [--limit SECONDS] [EDGES ...]

Without EDGES it is 10^4, 10^5, 10^6 and 10^7. The graph has a tenth as many nodes: planted groups with stray
edges and 64 features. Each row comes from a process of its own, so that the peak memory is its own; `load`
states resident memory too. A row that takes more than --limit seconds is stopped and says so, and is not
tried on larger graphs. Rows are printed as they come and go to results/benchmarks/scaling.json at the end. On
a new machine the first size compiles: run a small one before.
"""

import argparse
import json
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
from record import Record

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
    beside: str = ""  # on the page, between seconds and memory
    instead: str = ""  # on the page, in place of both


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
    note = f"{found.value:.4g} sets; {told}, supernode {found.supernode:,}{end}"
    return Took(seconds, note, f"{found.steps / 1e6:.1f} million steps" if how else "")


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
    note = f"ms: {parts}; {ksets:,.0f} 3-sets, {1e6 * total / ksets:.2f} µs each"
    return Took(total, note, instead=f"{1e3 * total:.0f} ms, {ksets:,.0f} 3-sets")


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
    each = f"{1e6 * seconds / runner.spent.steps:.2f} µs"
    trials = f"{runner.spent.work / runner.spent.steps:.1f} trials each"
    hub = f"largest degree {graph.degrees.max():,}; components {checked:.2f} s, supernode {grown:.2f} s"
    shown = f"{each}, largest degree {graph.degrees.max():,}" if hubs else each
    return Took(seconds, f"{each} a step of {runner.spent.steps:,}, {trials}; {hub}", instead=shown)


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
}
FAR: dict[str, Callable[[Path], Took]] = {
    f"k = {k}": lambda folder, k=k: count(folder, k, 0.05, method="pair-walk", tours=300) for k in (6, 7, 8)
}
GROUPS = {"whole way": COSTS, "steps": GROWTH, "k up to 8": FAR}  # tables of docs/scaling.md
PARTS = COSTS | GROWTH | FAR


def row(part: str, folder: Path, limit: float) -> dict[str, Any]:
    """Run a part in a process of its own; what it took, or why there is nothing to tell."""
    command = [sys.executable, __file__, "--part", part, str(folder)]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=limit)
    except subprocess.TimeoutExpired:
        return {"shown": f"stopped after {limit:,.0f} s"}
    if done.returncode:
        return {"shown": (done.stderr.strip().splitlines() or ["failed"])[-1]}
    return dict(json.loads(done.stdout))


def told(took: Took) -> dict[str, Any]:
    """What a part took in this process, and how the page shows it."""
    peak, seconds = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / 1e6, took.seconds
    digits = 3 if seconds < 0.1 else 2 if seconds < 10 else 1 if seconds < 100 else 0
    parts = [f"{seconds:.{digits}f} s", took.beside, f"{peak:,.0f} MB"]
    shown = took.instead or ", ".join(part for part in parts if part)
    return {"shown": shown, "seconds": seconds, "peak MB": round(peak), "note": took.note}


def verdict(steps: list[float]) -> str:
    """How much longer the longest training step is than that on the first graph."""
    if not np.isfinite(steps).all():
        return "\nNot every training step was measured."
    times = max(steps) / steps[0]
    met = "met" if times < 1.5 else "MISSED"
    return f"\nThe longest training step takes {times:.2f} times as long as the first; goal 1.5: {met}"


def main() -> None:
    """All tables, or one part of them in this process."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("edges", nargs="*", help="sizes of the graphs")
    parser.add_argument("--limit", type=float, default=600, help="seconds for a row")
    parser.add_argument("--part", choices=PARTS, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.part:
        print(json.dumps(told(PARTS[given.part](Path(given.edges[0])))))
        return
    record = Record("scaling", "Large graphs", "Planted groups; each part in a process of its own.")
    ended: set[str] = set()  # parts that did not come to an end
    steps = []
    with tempfile.TemporaryDirectory() as temporary:
        for group, parts in GROUPS.items():
            for edges in given.edges or map(str, SIZES):
                folder = Path(temporary) / edges
                folder.mkdir(exist_ok=True)
                for part in parts:
                    took = {"shown": "not tried"} if part in ended else row(part, folder, given.limit)
                    if "seconds" not in took:
                        ended.add(part)
                    if part == STEP:
                        steps.append(took.get("seconds", np.inf))
                    record.add({"group": group, "part": part, "edges": int(edges), **took})
    print(verdict(steps))
    record.write()


if __name__ == "__main__":
    main()
