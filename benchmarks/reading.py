"""How long a graph takes to come in, and how much memory: Parquet, gzipped text, a saved folder.

Each line is measured in a process of its own, started by one that has used little memory itself (a process
inherits the peak of the one that starts it). Run it as `python benchmarks/reading.py [EDGES]`; the default is
10 million.
"""

import gzip
import json
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from record import Record

from mhmgnn import Graph

NODES_PER_EDGE = 0.1
WHAT = {
    "read integers.parquet": "Parquet, integer ids",
    "read texts.parquet": "Parquet, text ids",
    "read tenth.csv.gz": "a tenth of the edges, gzipped CSV",
    "save saved": "graph with text ids, saved",
    "load saved": "saved graph, loaded memory-mapped",
}


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


def measure(task: str, folder: Path) -> dict[str, object]:
    """Run one task in this process; what it took."""
    verb, _, rest = task.partition(" ")
    if verb == "make":
        make_files(folder, int(rest))
        return {}
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
    return {"what": WHAT[task], "seconds": seconds, "CPU seconds": worked, "peak MB": round(peak)}


def main(edges: int) -> None:
    """Make the files and measure each task in a fresh process."""
    with tempfile.TemporaryDirectory() as folder:
        about = f"{edges:,} random edges among a tenth as many nodes."
        record = Record("reading", "Reading a graph", about)
        for task in [f"make {edges}", *WHAT]:
            command = [sys.executable, __file__, task, folder]
            done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
            if row := json.loads(done.stdout):
                record.add(row)
        record.write()


if __name__ == "__main__":
    if len(sys.argv) == 3:
        print(json.dumps(measure(sys.argv[1], Path(sys.argv[2]))))
    else:
        main(int(sys.argv[1]) if len(sys.argv) == 2 else 10_000_000)
