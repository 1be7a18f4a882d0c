"""Training throughput, k-sets per second: forward and backward, without the optimiser.

Ours builds the motif batch too. The floor is the readout and rho alone on as many rows; PyG's way is one
`Data` object a motif. All three are timed in turns, so that a busy machine slows them alike.

    python benchmarks/training.py
"""

import time
import warnings
from collections.abc import Callable

import numpy as np
import torch
from graphs import cora, some_sets
from record import Record
from torch import nn
from torch.nn.functional import leaky_relu, normalize

from mhmgnn import Graph
from mhmgnn.nn.encoders.build import build
from mhmgnn.nn.encoders.layers import Readout
from mhmgnn.nn.energy import Energy, KSetModel
from mhmgnn.nn.motifs.batch import batch
from mhmgnn.subgraphs.exact import edge_codes

with warnings.catch_warnings():  # PyG 2.8 calls what torch 2.13 deprecates, as it is imported
    warnings.simplefilter("ignore", DeprecationWarning)
    from torch_geometric.data import Batch, Data
    from torch_geometric.nn import SAGEConv, global_add_pool

DIM = 128
KSETS = 30_000  # a batch: half data, half noise with shuffled features on the same k-sets
REPEATS = 8
PYG_REPEATS = 2  # it takes seconds, not milliseconds


def ours(graph: Graph, ksets: np.ndarray) -> Callable[[], None]:
    model = KSetModel(Energy(build("sage", graph.num_features, DIM, 1, 0, ksets.shape[1]), DIM))
    noise = np.random.default_rng(0).permutation(graph.num_nodes)

    def step() -> None:
        model.zero_grad()
        bits = edge_codes(graph.rows, ksets)
        model(batch(graph.x, np.concatenate([ksets, noise[ksets]]), np.tile(bits, 2))).sum().backward()

    return step


def floor(rows: int) -> Callable[[], None]:
    energy = KSetModel(Energy(Readout(DIM), DIM))
    pooled = torch.randn(rows, DIM, requires_grad=True)

    def step() -> None:
        pooled.grad = None
        energy.zero_grad()
        energy(pooled).sum().backward()

    return step


def pyg(graph: Graph, ksets: np.ndarray) -> Callable[[], None]:
    conv = SAGEConv(graph.num_features, DIM)
    network = nn.Sequential(nn.Linear(DIM, DIM), nn.LeakyReLU(), nn.Linear(DIM, DIM))
    rho = nn.Sequential(nn.Linear(DIM, DIM), nn.LeakyReLU(), nn.Linear(DIM, 1, bias=False))
    x = torch.from_numpy(graph.x.toarray())
    neighbours = [set(row.tolist()) for row in np.split(graph.indices, graph.indptr[1:-1])]

    def motif(kset: list[int]) -> Data:
        edges = [(i, j) for i, u in enumerate(kset) for j, v in enumerate(kset) if v in neighbours[u]]
        return Data(x=x[kset], edge_index=torch.tensor(edges).T)

    def step() -> None:
        for module in (conv, network, rho):
            module.zero_grad()
        motifs = Batch.from_data_list([motif(kset) for kset in ksets.tolist()])
        h = global_add_pool(leaky_relu(conv(motifs.x, motifs.edge_index)), motifs.batch)
        rho(normalize(network(h), dim=-1)).sum().backward()

    return step


def rates(steps: dict[str, Callable[[], None]]) -> dict[str, float]:
    """k-sets per second of each step at its best, over rounds in which each takes its turn."""
    times: dict[str, list[float]] = {name: [] for name in steps}
    for turn in range(REPEATS + 1):
        for name, step in steps.items():
            if name == "pyg" and turn > PYG_REPEATS:
                continue
            start = time.perf_counter()
            step()
            if turn > 0:  # compiled and warm
                times[name].append(time.perf_counter() - start)
    return {name: KSETS / min(times[name]) for name in steps}


def main() -> None:
    torch.manual_seed(0)
    graph = cora()
    about = (
        f"k-sets a second, forward and backward: {graph}, {graph.num_features} features, {DIM} dimensions, "
        f"batches of {KSETS:,} k-sets. The floor is the dense layers of readout and rho alone; PyG's way is "
        "one `Data` object a motif. Goals at k = 3: 0.5 of the floor, 40 times PyG."
    )
    record = Record("training", "Training throughput", about)
    for k in (3, 4):
        ksets = some_sets(graph, k, KSETS // 2)
        both = np.concatenate([ksets, ksets])  # data and noise
        found = rates({"ours": ours(graph, ksets), "floor": floor(KSETS), "pyg": pyg(graph, both)})
        of_floor, times_pyg = found["ours"] / found["floor"], found["ours"] / found["pyg"]
        rate = round(found["ours"])
        record.add(
            {"k": k, "k-sets a second": rate, "of the floor's speed": of_floor, "times PyG": times_pyg}
        )
    record.write()


if __name__ == "__main__":
    main()
