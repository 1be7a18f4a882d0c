"""Embedding throughput: in memory against its dense layers, and from Parquet to Parquet with peak memory.

python benchmarks/embedding.py [SETS]
"""

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

from mhmgnn import RunConfig, fit, load
from mhmgnn.models import predict
from mhmgnn.nn.encoders.layers import Readout

SETS = 1_000_000
COLUMNS = {"energies": predict.energies, "vectors": predict.vectors}


def in_memory(k: int) -> None:
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
    print(
        f"k = {k}: {rate:,.0f} k-sets/s embedded, {share:.2f} of the speed of the readout alone", flush=True
    )


def on_disk(folder: Path, count: int) -> None:
    """Rates from Parquet to Parquet, each in a process of its own."""
    graph = cora()
    fit(graph, config=RunConfig().with_settings(["train.steps=0"]), run=folder / "run")
    ksets = some_sets(graph, 3, count)
    names = pa.array([graph.label(node) for node in range(graph.num_nodes)])
    columns = {f"node{i}": names.take(pa.array(ksets[:, i])) for i in range(3)}
    pq.write_table(pa.table(columns), folder / "sets.parquet")
    for what in COLUMNS:
        subprocess.run([sys.executable, __file__, str(folder), what], check=True)


def write(folder: Path, what: str) -> None:
    model = load(folder / "run")
    began = time.perf_counter()
    job = predict.Job(COLUMNS[what], folder / "sets.parquet", folder / f"{what}.parquet")
    count = predict.write(lambda: model, job)
    rate = count / (time.perf_counter() - began)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3
    print(
        f"{count:,} named 3-sets, Parquet to Parquet, {what}: {rate:,.0f}/s, {peak:,.0f} MB peak", flush=True
    )


if __name__ == "__main__":
    if len(sys.argv) == 3:
        write(Path(sys.argv[1]), sys.argv[2])
    else:
        for k in (3, 4):
            in_memory(k)
        with tempfile.TemporaryDirectory() as temporary:
            on_disk(Path(temporary), int(sys.argv[1]) if len(sys.argv) > 1 else SETS)
