"""What a training step costs: on Cora, and as the graph grows while the subgraphs stay as they are."""

import gzip
import os
import resource
import sys
import time
from pathlib import Path

import numpy as np
import torch
from scipy import sparse

from mhmgnn import Graph, RunConfig, fit
from mhmgnn.model import new_network
from mhmgnn.train.batches import Sampler
from mhmgnn.train.objective import Objective

PAPER = ["subgraphs.size=100", "sets.tours=80", "sets.supernode=5000"]  # and the minibatches below


def cora() -> Graph:
    """Cora from its raw files, or a graph of its size where there are none."""
    folder = os.environ.get("MHMGNN_DATA")
    if folder is None:
        print("MHMGNN_DATA is not set: a graph of Cora's size stands in")
        return grown(2_708, degree=4, features=1_433)
    with gzip.open(Path(folder) / "cora" / "cora.content.gz", "rt") as lines:
        rows = [line.split() for line in lines]
    features = sparse.csr_array(np.array([row[1:-1] for row in rows], np.float32))
    pairs = [line.split() for line in (Path(folder) / "cora" / "cora.cites").read_text().splitlines()]
    return Graph.from_edges(pairs, features=features, names=[row[0] for row in rows])


def grown(nodes: int, *, degree: int, features: int) -> Graph:
    """A graph in which new nodes take to ends of old edges, so that hubs grow."""
    rng = np.random.default_rng(0)
    half = degree // 2
    ends = np.empty((nodes * half, 2), np.int64)
    ends[:, 0] = np.repeat(np.arange(nodes), half)
    ends[:half, 1] = 0
    earlier = (rng.random(nodes * half - half) * np.repeat(np.arange(1, nodes), half) * half).astype(np.int64)
    side = rng.integers(2, size=earlier.size)
    for low in range(0, earlier.size, half):  # an end of an earlier edge: degree decides
        part = slice(low, low + half)
        ends[half + low : 2 * half + low, 1] = ends[earlier[part], side[part]]
    x = sparse.random_array((nodes, features), density=18 / features, rng=rng, dtype=np.float32, format="csr")
    return Graph.from_edges(ends, features=x, num_nodes=nodes)


def step_times(graph: Graph, config: RunConfig, steps: int) -> dict[str, float]:
    """Median seconds of sampling, forward and backward of a step, one after the other."""
    sampler = Sampler([graph], config, seed=0)
    objective = Objective(new_network(config, graph.num_features, 0, seed=0), 1)
    adam = torch.optim.Adam(objective.parameters())
    spent: dict[str, list[float]] = {"sampling": [], "forward": [], "backward": []}
    ksets = 0
    for step in range(steps + 2):
        times = [time.perf_counter()]
        batch = sampler.batch(step)
        times.append(time.perf_counter())
        loss = objective(batch)
        times.append(time.perf_counter())
        adam.zero_grad()
        loss.backward()
        adam.step()
        times.append(time.perf_counter())
        if step >= 2:  # the first ones compile
            ksets += batch.weights.numel()
            for name, seconds in zip(spent, np.diff(times), strict=True):
                spent[name].append(float(seconds))
    return {name: float(np.median(seconds)) for name, seconds in spent.items()} | {"ksets": ksets / steps}


def tell(name: str, times: dict[str, float]) -> None:
    total = sum(times[part] for part in ("sampling", "forward", "backward"))
    shares = ", ".join(f"{part} {times[part] / total:.0%}" for part in ("sampling", "forward", "backward"))
    print(f"{name:<28} {1e3 * total:7.0f} ms a step  {times['ksets']:9,.0f} k-sets  {shares}", flush=True)


def main() -> None:
    graph = cora()
    if len(sys.argv) > 1:  # one whole fit, in a process of its own for its peak memory
        k, batch = map(int, sys.argv[1:])
        config = RunConfig().with_settings([*PAPER, f"train.k={k}", f"train.batch={batch}"])
        began = time.perf_counter()
        model = fit(graph, config=config, seed=0)
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3
        seconds = time.perf_counter() - began
        print(
            f"fit on Cora, k = {k}: {model.facts['steps']} steps of {batch} subgraphs, "
            f"loss {model.facts['loss']:.3f}, {seconds:.0f} s, {peak:,.0f} MB peak"
        )
        return
    for k, batch in ((3, 50), (4, 25)):
        config = RunConfig().with_settings([*PAPER, f"train.k={k}", f"train.batch={batch}"])
        tell(f"Cora, k = {k}", step_times(graph, config, 5))
    config = RunConfig().with_settings([*PAPER, "train.batch=25"])
    for nodes in (10**4, 10**5, 10**6):
        tell(f"{nodes:,} nodes, k = 3", step_times(grown(nodes, degree=6, features=64), config, 10))


if __name__ == "__main__":
    main()
