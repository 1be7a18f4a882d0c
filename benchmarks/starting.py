"""What a person waits for at the start of a process: seconds of the processor and on the clock, best of some.

The module alone, the help, and a first completion from a trained run: of the generated shop, and of a million
edges between named nodes. Kernels are compiled before.
"""

import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
from record import Record

import mhmgnn
from mhmgnn import Graph, RunConfig, fit, generate

TURNS = 7
NODES = 100_000
COMMAND = [sys.executable, "-m", "mhmgnn"]


def seconds_of(command: list[str]) -> tuple[float, float]:
    """Of the processor and on the clock, each the least of some turns after one that compiles."""
    taken = []
    for _ in range(TURNS + 1):
        began, before = time.perf_counter(), resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run(command, check=True, capture_output=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        busy = after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime
        taken.append((busy, time.perf_counter() - began))
    processor, clock = zip(*taken[1:], strict=True)
    return min(processor), min(clock)


def large_graph() -> Graph:
    """Planted groups and stray edges between named nodes, a million edges in all."""
    graph = generate.planted_groups(NODES, NODES, stray=3 * NODES // 2, features=0).graph
    owner = np.repeat(np.arange(graph.num_nodes), graph.degrees)
    pairs = np.column_stack([owner, graph.indices])[owner < graph.indices]
    return Graph.from_edges(np.char.add("node ", pairs.astype(str)))


def trained(graph: Graph, folder: Path) -> str:
    """A run on a graph, with groups and hardly any training of vectors, which completion does not read."""
    fit(graph, 3, config=RunConfig().with_settings(["train.steps=1"]), seed=0, run=folder)
    return str(folder)


def main() -> None:
    record = Record("starting", "From a command to its answer", " ".join((__doc__ or "").split()))

    def add(what: str, bar: float, command: list[str]) -> None:
        processor, clock = seconds_of(command)
        record.add({"what": what, "processor, s": processor, "clock, s": clock, "bar, s": bar})

    add("import mhmgnn", 0.3, [sys.executable, "-c", "import mhmgnn"])
    add("mhmgnn --help", 0.3, [*COMMAND, "--help"])
    with tempfile.TemporaryDirectory() as scratch:
        shop = trained(mhmgnn.datasets.load("market").graph, Path(scratch) / "shop")
        add(
            "mhmgnn complete, the shop", 1.5, [*COMMAND, "complete", shop, "espresso machine", "coffee beans"]
        )
        large = trained(large_graph(), Path(scratch) / "large")
        add("mhmgnn complete, a million edges", 1.5, [*COMMAND, "complete", large, "node 0", "node 1"])
    record.write()


if __name__ == "__main__":
    main()
