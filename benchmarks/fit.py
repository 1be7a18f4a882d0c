"""What a fit costs on Cora, and a training step there and as the graph grows while subgraphs do not.

python benchmarks/fit.py
"""

import json
import resource
import subprocess
import sys
import time

import numpy as np
import torch
from graphs import cora, grown
from record import Record

from mhmgnn import Graph, RunConfig, fit
from mhmgnn.nn.energy import new_network
from mhmgnn.training.batches import new_sampler
from mhmgnn.training.objective import objectives

PAPER = ["subgraphs.size=100", "sets.tours=80", "sets.supernode=5000"]
BATCHES = {3: 50, 4: 25}  # subgraphs in the paper's minibatches, by k


def step_times(graph: Graph, config: RunConfig, steps: int) -> dict[str, float]:
    """Median seconds of sampling, forward and backward of a step, one after the other."""
    config = config.with_settings(["subgraphs.noise=both"])
    sampler = new_sampler([graph], config, 0)
    taught = objectives(new_network(config, graph.num_features, 0, seed=0), 1)
    adam = torch.optim.Adam(taught.parameters())
    spent: dict[str, list[float]] = {"sampling": [], "forward": [], "backward": []}
    ksets = 0
    for step in range(steps + 2):
        times = [time.perf_counter()]
        batch = sampler.batch(step)
        times.append(time.perf_counter())
        loss = sum(taught[kind](part) for kind, part in batch.items())
        times.append(time.perf_counter())
        adam.zero_grad()
        loss.backward()
        adam.step()
        times.append(time.perf_counter())
        if step >= 2:  # the first ones compile
            ksets += sum(part.weights.numel() for part in batch.values())
            for name, seconds in zip(spent, np.diff(times), strict=True):
                spent[name].append(float(seconds))
    return {name: float(np.median(seconds)) for name, seconds in spent.items()} | {"ksets": ksets / steps}


def shares(name: str, times: dict[str, float]) -> dict[str, object]:
    """The row of a graph: the time of a step, and the share of each part."""
    parts = ("sampling", "forward", "backward")
    total = sum(times[part] for part in parts)
    row = {"graph": name, "ms a step": round(1e3 * total), "k-sets a step": round(times["ksets"])}
    return row | {part: f"{times[part] / total:.0%}" for part in parts}


def whole_fit(k: int, batch: int) -> dict[str, object]:
    """One fit, in a process of its own for its peak memory."""
    config = RunConfig().with_settings([*PAPER, f"train.k={k}", f"train.batch={batch}"])
    graph = cora()
    began = time.perf_counter()
    facts = fit(graph, config=config, seed=0).facts
    seconds = time.perf_counter() - began
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3
    row = {"k": k, "subgraphs a step": batch, "steps": facts["steps"], "loss": facts["loss"]}
    return row | {"seconds": seconds, "peak MB": round(peak)}


def main() -> None:
    about = "Cora with the paper's subgraphs (100 nodes) and minibatches, until the loss has settled."
    fits = Record("fit", "A whole fit", about + " Each fit in a process of its own.")
    for k, batch in BATCHES.items():
        command = [sys.executable, __file__, str(k), str(batch)]
        done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
        fits.add(json.loads(done.stdout.splitlines()[-1]))
    fits.write()
    about = (
        "The parts of a step one after the other, where a fit draws ahead in another thread; on Cora, and as "
    )
    about += "a graph grows while subgraphs stay as they are: the time goes with the k-sets in them."
    steps = Record("steps", "A training step", about)
    for k, batch in BATCHES.items():
        config = RunConfig().with_settings([*PAPER, f"train.k={k}", f"train.batch={batch}"])
        steps.add(shares(f"Cora, k = {k}", step_times(cora(), config, 5)))
    config = RunConfig().with_settings([*PAPER, "train.batch=25"])
    for nodes in (10**4, 10**5, 10**6):
        times = step_times(grown(nodes, degree=6, features=64), config, 10)
        steps.add(shares(f"{nodes:,} nodes, k = 3", times))
    steps.write()


if __name__ == "__main__":
    if len(sys.argv) == 3:
        print(json.dumps(whole_fit(*map(int, sys.argv[1:]))))
    else:
        main()
