"""The parts of large.py: what is done with a large graph, each in a process of its own."""

import json
import resource
import time
import urllib.request
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import mhmgnn  # rooms open when they are used: the process that starts all others stays small

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
    """Draw a graph of planted groups, and keep it for the other parts."""
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


def read_counts(folder: Path) -> Took:
    """Read pairs with a column of counts, with names."""
    import pyarrow as pa
    from pyarrow import csv

    graph = mhmgnn.Graph.load(folder / "graph")
    source = np.repeat(np.arange(graph.num_nodes, dtype=np.int32), graph.degrees)
    once = source < graph.indices
    ends = [pa.array(np.char.add("n", nodes.astype(str))) for nodes in (source[once], graph.indices[once])]
    often = np.random.default_rng(0).geometric(0.3, int(once.sum()))
    csv.write_csv(pa.table([*ends, pa.array(often)], ["a", "b", "count"]), folder / "counts.csv")
    found, seconds = timed(lambda: mhmgnn.Graph.read(folder / "counts.csv"))
    assert found.weights is not None, "counts are taken"
    return Took(seconds, f"{found}, {(folder / 'counts.csv').stat().st_size / 1e6:,.1f} MB of text")


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


def count(folder: Path, k: int, precision: float) -> Took:
    """Count the connected k-sets to a relative standard error."""
    graph = mhmgnn.Graph.load(folder / "graph")
    found, seconds = timed(lambda: mhmgnn.estimate_sum(graph, k, precision=precision))
    told = f"{found.method}, error {found.relative_error:.2%}, {found.tours:,} tours, {found.steps:,} steps"
    end = " (BUDGET SPENT)" if found.ended == "budget" else ""
    note = f"{found.value:.4g} sets; {told}, supernode {found.supernode:,}{end}"
    return Took(seconds, note)


def context(folder: Path) -> Took:
    """What lies around every node and pair."""
    from mhmgnn.context.context import describe

    graph = mhmgnn.Graph.load(folder / "graph")
    describe(mhmgnn.generate.planted_groups(100, 100, stray=10).graph)  # compiled
    found, seconds = timed(lambda: describe(graph))
    return Took(
        seconds, f"{found.pairs.nbytes / 1e6:,.0f} MB of pairs, {found.nodes.nbytes / 1e6:,.0f} of nodes"
    )


def fit(folder: Path) -> Took:
    """Train at k = 3 without an early end, groups and all, and keep the model."""
    graph = mhmgnn.Graph.load(folder / "graph")
    settings = ["train.k=3", f"train.steps={STEPS}", "train.enough=0", f"train.patience={STEPS + 1}"]
    config = mhmgnn.RunConfig().with_settings(settings)
    model, seconds = timed(lambda: mhmgnn.fit(graph, config=config))
    model.save(folder / "run")
    learned = "with groups" if model.group_energy is not None else "without groups"
    note = f"{STEPS} steps of {config.train.batch} subgraphs, loss {model.facts['loss']:.3f}; {learned}"
    return Took(seconds, note)


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


def energies(folder: Path) -> Took:
    """Group energies of the same 3-sets."""
    model = mhmgnn.load(folder / "run")
    ksets = wedges(model.graph, EMBEDDED)
    model.energy(ksets[:100])  # what lies around nodes and pairs is measured once
    _, seconds = timed(lambda: model.energy(ksets))
    return Took(seconds, f"{len(ksets):,} 3-sets, {len(ksets) / seconds:,.0f}/s")


def complete(folder: Path) -> Took:
    """Complete pairs of adjacent nodes: the first call, and those after it."""
    model = mhmgnn.load(folder / "run")
    pairs = wedges(model.graph, 51)[:, :2].tolist()
    taken = [timed(lambda pair=pair: model.complete(pair))[1] for pair in pairs]
    median = 1e3 * float(np.median(taken[1:]))
    return Took(
        taken[0], f"the first call; the median of 50 more is {median:.1f} ms", f"then {median:.1f} ms"
    )


def discover(folder: Path) -> Took:
    """The 100 sets of lowest energy."""
    model = mhmgnn.load(folder / "run")
    found, seconds = timed(lambda: model.discover(top=100))
    return Took(seconds, f"{'exact' if found.exact else 'by descent'}, from {found.sets[0].energy:.3f} on")


def groups(folder: Path) -> Took:
    """Find all groups, and write them."""
    from mhmgnn.models.groups_file import Asked, write_groups

    model = mhmgnn.load(folder / "run")
    done, seconds = timed(lambda: write_groups(model, folder / "groups.csv", Asked()))
    looked = "all maximal cliques" if done.complete else "not all maximal cliques"
    return Took(seconds, f"{done.found.sets.num:,} groups; {looked} were looked at")


def update(folder: Path) -> Took:
    """Add one pair for every hundred that there are, and train a little further."""
    graph = mhmgnn.Graph.load(folder / "graph")
    rng = np.random.default_rng(0)
    pairs = rng.integers(graph.num_nodes, size=(graph.num_edges // 100, 2))
    more = mhmgnn.Graph.from_edges(
        pairs[pairs[:, 0] != pairs[:, 1]], num_nodes=graph.num_nodes, weights=False
    )
    done, seconds = timed(lambda: mhmgnn.update(folder / "run", more))
    return Took(seconds, str(done.model.graph))


def serve(folder: Path) -> Took:
    """Start a service of two workers until it is ready, and ask for completions one after another."""
    from serve import serving

    began = time.perf_counter()
    with serving(folder / "run") as served:
        ready = time.perf_counter() - began
        taken = []
        for pair in wedges(mhmgnn.Graph.load(folder / "graph"), 60)[:, :2].tolist():
            body = json.dumps({"nodes": pair}).encode()
            asked = urllib.request.Request(f"http://127.0.0.1:{served.port}/v1/complete", data=body)
            asked.add_header("Content-Type", "application/json")
            _, seconds = timed(lambda asked=asked: urllib.request.urlopen(asked).read())
            taken.append(seconds)
        median, memory = 1e3 * float(np.median(taken[10:])), served.megabytes
    note = f"ready; then a completion takes {median:.1f} ms; {memory:,.0f} MB of its own"
    return Took(ready, note, instead=f"{ready:.1f} s, then {median:.1f} ms; {memory:,.0f} MB")


def generate_hubs(folder: Path) -> Took:
    """Draw a graph of planted groups and of pairs by chance between nodes of very unequal degree."""
    from completing import hubbed

    graph, seconds = timed(lambda: hubbed(int(folder.name)))
    graph.save(folder / "graph")
    return Took(
        seconds, f"{graph}, largest degree {graph.degrees.max():,}", f"degrees to {graph.degrees.max():,}"
    )


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


FIT = f"fit, k = 3, {STEPS} steps"
GENERATE, GENERATE_HUBS = "generate", "generate, with hubs"
COSTS: dict[str, Callable[[Path], Took]] = {
    GENERATE: generate,
    "write edges": write,
    "read edges": read,
    "read counts": read_counts,
    "save": save,
    "load": load,
    **{f"count, k = {k}, to 2%": lambda folder, k=k: count(folder, k, 0.02) for k in (3, 4, 5)},
    "context": context,
    FIT: fit,
    "embed": embed,
    "energies": energies,
    "complete": complete,
    "discover": discover,
    "groups": groups,
    "update": update,
    "serve": serve,
}
HUBS: dict[str, Callable[[Path], Took]] = {
    GENERATE_HUBS: generate_hubs,
    **{name: COSTS[name] for name in ("context", FIT, "energies", "complete", "groups", "update", "serve")},
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
    f"k = {k}": lambda folder, k=k: count(folder, k, 0.01) for k in (6, 7, 8)
}
TABLES = {"whole way": COSTS, "hubs": HUBS, "steps": GROWTH, "k up to 8": FAR}  # of docs/scaling.md
PARTS = COSTS | HUBS | GROWTH | FAR
