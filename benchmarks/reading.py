"""How long a graph takes to come in, and how much memory: Parquet, gzipped text, a saved folder.

Each line is measured in a process of its own, started by one that has used little memory itself (a process
inherits the peak of the one that starts it). Run it as `python benchmarks/reading.py [EDGES]`; the default is
10 million.
"""

import gzip
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from mhmgnn import Graph

NODES_PER_EDGE = 0.1


def make_files(folder: Path, edges: int) -> None:
    """Random edges as integers, as texts, and a tenth of them as gzipped text."""
    nodes = max(2, int(edges * NODES_PER_EDGE))
    ends = np.random.default_rng(0).integers(nodes, size=(2, edges))
    pq.write_table(pa.table({"source": ends[0], "target": ends[1]}), folder / "integers.parquet")
    names = pa.array([f"product-{i}" for i in range(nodes)])
    texts = [names.take(pa.array(column)) for column in ends]
    pq.write_table(pa.table({"source": texts[0], "target": texts[1]}), folder / "texts.parquet")
    with gzip.open(folder / "tenth.csv.gz", "wb", compresslevel=1) as file:
        np.savetxt(
            file, ends[:, : edges // 10].T, fmt="%d", delimiter=",", header="source,target", comments=""
        )


def measure(task: str, folder: Path) -> str:
    """Run one task in this process and say what it took."""
    verb, _, rest = task.partition(" ")
    if verb == "make":
        make_files(folder, int(rest))
        return f"{rest} random edges, a tenth as many nodes"
    file = folder / rest
    if verb == "save":
        graph = Graph.read(folder / "texts.parquet")
    before, worked = time.perf_counter(), time.process_time()
    if verb == "read":
        graph = Graph.read(file)
    elif verb == "save":
        graph.save(file)
    else:
        graph = Graph.load(file)
    seconds = time.perf_counter() - before
    worked = time.process_time() - worked
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return f"{task:22} {seconds:6.2f} s  {worked:6.2f} s of CPU  {peak:7.0f} MB peak  {graph}"


def main(edges: int) -> None:
    """Make the files and measure each task in a fresh process."""
    with tempfile.TemporaryDirectory() as folder:
        tasks = [
            "read integers.parquet",
            "read texts.parquet",
            "read tenth.csv.gz",
            "save saved",
            "load saved",
        ]
        for task in [f"make {edges}", *tasks]:
            subprocess.run([sys.executable, __file__, task, folder], check=True)


if __name__ == "__main__":
    if len(sys.argv) == 3:
        print(measure(sys.argv[1], Path(sys.argv[2])), flush=True)
    else:
        main(int(sys.argv[1]) if len(sys.argv) == 2 else 10_000_000)
