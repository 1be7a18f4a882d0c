"""How many planted groups does `groups` find as graphs grow? python benchmarks/planted.py [EDGES ...]

Graphs of `generate.planted_groups`, as in large.py: a tenth as many nodes as edges, groups of three to six
nodes, and stray pairs. A model learns from the pairs, in a process of its own; then `write_groups` finds the
groups and writes them, in another, whose peak memory is told. Groups of three nodes and more are compared
with the planted ones: only equal groups count. Without EDGES it is 10^4 to 10^7; sizes whose rows are in
results/benchmarks/planted.json are not run again.
"""

import json
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
from record import Record

SIZES = [10**4, 10**5, 10**6, 10**7]
LEAST = 3  # nodes of a group: stray pairs are groups of two
QUICK = ["train.steps=1", "train.batch=2", "model.dim=16"]  # the energies of noises are not asked for


def learn(folder: Path, edges: int) -> dict[str, object]:
    """Draw the graph, learn its groups, and keep model and truth."""
    import mhmgnn

    nodes, stray = edges // 10, edges * 3 // 20
    planted = mhmgnn.generate.planted_groups(nodes, nodes, stray=stray, features=0)
    began = time.process_time()
    model = mhmgnn.fit(planted.graph, config=mhmgnn.RunConfig().with_settings(QUICK))
    spent = time.process_time() - began
    model.save(folder / "run")
    np.savez(folder / "truth.npz", members=planted.truth.members, offsets=planted.truth.offsets)
    return {"edges": planted.graph.num_edges, "learned, processor s": spent}


def find(folder: Path) -> dict[str, object]:
    """Write the groups, and compare them with those planted."""
    import mhmgnn
    from mhmgnn.datasets.hyperedges import Hyperedges
    from mhmgnn.evaluation.recovery import match_groups
    from mhmgnn.models.groups_file import Asked, write_groups

    model = mhmgnn.load(folder / "run")
    began, clock = time.process_time(), time.perf_counter()
    found = write_groups(model, folder / "groups.csv", Asked())
    spent, waited = time.process_time() - began, time.perf_counter() - clock
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / 1e6
    kept = np.load(folder / "truth.npz")
    match = match_groups(found.found.sets, Hyperedges(kept["members"], kept["offsets"]), least=LEAST)
    return {
        "planted": match.true,
        "found": match.found,
        "precision": match.both / match.found,
        "recall": match.both / match.true,
        "F1": 2 * match.both / (match.found + match.true),
        "complete": found.complete,
        "groups, processor s": spent,
        "groups, s": waited,
        "peak, MB": round(peak),
    }


def measure(edges: int) -> dict[str, object]:
    """A row, its parts in processes of their own."""
    row: dict[str, object] = {}
    with tempfile.TemporaryDirectory() as folder:
        for part in ("learn", "find"):
            command = [sys.executable, __file__, "--part", part, folder, str(edges)]
            done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
            row |= json.loads(done.stdout)
    return row


def main() -> None:
    """Measure what is missing, or one part in this process."""
    if sys.argv[1:2] == ["--part"]:
        part, folder, edges = sys.argv[2:]
        told = learn(Path(folder), int(edges)) if part == "learn" else find(Path(folder))
        print(json.dumps(told))
        return
    about = "Groups of three nodes and more that are found exactly; processes of their own, both cores."
    record = Record("planted", "Planted groups that are found", about, by=("edges, about",))
    for edges in map(int, sys.argv[1:] or SIZES):
        if not record.has(edges):
            record.add({"edges, about": edges, **measure(edges)})
            record.write()


if __name__ == "__main__":
    main()
