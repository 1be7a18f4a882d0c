"""What a training step costs: on Cora, and as the graph grows while the subgraphs stay as they are."""

import resource
import sys
import time

import numpy as np
import torch
from graphs import cora, grown

from mhmgnn import Graph, RunConfig, fit
from mhmgnn.nn.energy import new_network
from mhmgnn.training.batches import new_sampler
from mhmgnn.training.objective import objectives

PAPER = ["subgraphs.size=100", "sets.tours=80", "sets.supernode=5000"]  # and the minibatches below


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
