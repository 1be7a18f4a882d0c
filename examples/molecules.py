"""Molecules as many graphs: is a protein an enzyme? A vector for each whole graph.

python examples/molecules.py     # needs PROTEINS: `mhmgnn data fetch proteins`, or MHMGNN_DATA
"""

import sys
from functools import partial

import numpy as np

import mhmgnn

try:
    proteins = mhmgnn.datasets.load("proteins")
except mhmgnn.DataError as missing:
    sys.exit(str(missing))

task = mhmgnn.tasks.whole_graphs(proteins)
print(task.describe())

# Few steps: this shows the way, not how far it leads.
config = mhmgnn.RunConfig().with_settings(["train.batch=10", "train.steps=30"])
model = mhmgnn.fit(task.unlabelled, k=3, config=config, seed=0)  # many graphs in place of one; no labels
untrained = mhmgnn.fit(task.unlabelled, k=3, config=config.with_settings(["train.steps=0"]), seed=0)

methods = {
    "mean of node features": lambda graphs: np.stack([graph.x.mean(axis=0) for graph in graphs]),
    "k-sets, random weights": partial(untrained.embed_graphs, pool="mean"),
    "k-sets, trained": partial(model.embed_graphs, pool="mean"),
    "k-sets and nodes": model.embed_graphs,
}
print("\nbalanced accuracy on graphs that neither the model nor the probe has seen; a coin has 0.5")
for name, embed in methods.items():
    print(f"  {name:<24} {task.score(embed).paper:.3f}")

print("\nThree graphs of the test side, and their energies (sums over all connected 3-sets):")
for graph in task.test.graphs[:3]:
    print(f"  {graph}: {model.graph_energy(graph).value:10.1f}")
