"""Embedding throughput: in memory against its dense layers, and from Parquet to Parquet with peak memory.

python benchmarks/embedding.py [SETS]
"""

import json
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import torch
from graphs import cora, some_sets
from record import Record

from mhmgnn import RunConfig, fit, load
from mhmgnn.models import predict
from mhmgnn.nn.encoders.layers import Readout

SETS = 1_000_000
COLUMNS = {"energies": predict.energies, "vectors": predict.vectors}


def in_memory(k: int) -> dict[str, object]:
    """Vectors of k-sets against the readout alone on as many rows."""
    graph = cora()
    model = fit(graph, config=RunConfig().with_settings([f"train.k={k}", "train.steps=0"]))
    ksets = some_sets(graph, k, 100_000)
    readout, rows = Readout(128), torch.randn(len(ksets), 128)
    seconds = {"ours": float("inf"), "readout alone": float("inf")}
    for _ in range(5):
        for name in seconds:
            began = time.perf_counter()
            if name == "ours":
                model.embed(ksets)
            else:
                with torch.no_grad():
                    readout(rows)
            seconds[name] = min(seconds[name], time.perf_counter() - began)
    share = seconds["readout alone"] / seconds["ours"]
    rate = len(ksets) / seconds["ours"]
    return {"what": f"k = {k}, in memory", "k-sets a second": round(rate), "of the readout's speed": share}


def on_disk(folder: Path, count: int, record: Record) -> None:
    """Rates from Parquet to Parquet, each in a process of its own."""
    graph = cora()
    fit(graph, config=RunConfig().with_settings(["train.steps=0"]), run=folder / "run")
    ksets = some_sets(graph, 3, count)
    names = pa.array([graph.label(node) for node in range(graph.num_nodes)])
    columns = {f"node{i}": names.take(pa.array(ksets[:, i])) for i in range(3)}
    pq.write_table(pa.table(columns), folder / "sets.parquet")
    for what in COLUMNS:
        command = [sys.executable, __file__, str(folder), what]
        done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
        record.add(json.loads(done.stdout.splitlines()[-1]))


def write(folder: Path, what: str) -> dict[str, object]:
    model = load(folder / "run")
    began = time.perf_counter()
    job = predict.Job(COLUMNS[what], folder / "sets.parquet", folder / f"{what}.parquet")
    count = predict.write(lambda: model, job)
    rate = count / (time.perf_counter() - began)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3
    told = f"{count:,} named 3-sets, Parquet to Parquet, {what}"
    return {"what": told, "k-sets a second": round(rate), "peak MB": round(peak)}


if __name__ == "__main__":
    if len(sys.argv) == 3:
        print(json.dumps(write(Path(sys.argv[1]), sys.argv[2])))
    else:
        about = "On Cora; from Parquet to Parquet each in a process of its own."
        found = Record("embedding", "Embedding", about)
        for k in (3, 4):
            found.add(in_memory(k))
        with tempfile.TemporaryDirectory() as temporary:
            on_disk(Path(temporary), int(sys.argv[1]) if len(sys.argv) > 1 else SETS, found)
        found.write()
