"""Baselines against what is known of them: accuracy on the usual node and graph classes, and the time to fit.

python benchmarks/baselines.py [METHOD ...]   with MHMGNN_DATA naming the raw data; all methods by default

Nodes: Cora and Pubmed with the split of Planetoid (20 labels a class, 1,000 test nodes), logistic regression
on standardised vectors with C = 0.01 throughout, three seeds on Cora and one on Pubmed. Graphs: PROTEINS and
IMDB-BINARY, ten folds, C = 0.1. Accuracy, not balanced.
"""

import os
import sys
import time
from pathlib import Path

import numpy as np
from scipy import sparse
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from mhmgnn import Graph, datasets, fit_baseline
from mhmgnn.baselines.graph2vec import graph2vec
from mhmgnn.baselines.infograph import fit_infograph
from mhmgnn.baselines.netlsd import netlsd

DATA = Path(os.environ.get("MHMGNN_DATA", "."))
OF_NODES = ("raw", "sage-mean", "sage-max", "sage-lstm", "dgi", "deepwalk", "node2vec")
OF_GRAPHS = {
    "netlsd": lambda graphs, seed: netlsd(graphs),
    "graph2vec": lambda graphs, seed: graph2vec(graphs, seed=seed),
    "infograph": lambda graphs, seed: fit_infograph(graphs, seed=seed).graphs(graphs),
}


def planetoid(name: str) -> tuple[Graph, np.ndarray, np.ndarray, np.ndarray]:
    with np.load(DATA / "planetoid" / f"{name}.npz") as file:
        parts = (file["feat_data"], file["feat_indices"], file["feat_indptr"])
        words = sparse.csr_array(parts, shape=tuple(file["feat_shape"])).astype(np.float32)
        edges = np.stack([file["adj_src"], file["adj_dst"]], axis=1)
        graph = Graph.from_edges(edges, features=words)
        return graph, file["labels"], file["train_index"], file["test_index"]


def nodes(method: str, name: str, seeds: int) -> None:
    graph, labels, train, test = planetoid(name)
    accuracy, seconds = [], []
    for seed in range(seeds):
        start = time.perf_counter()
        vectors = fit_baseline(method, graph, seed=seed).nodes(graph)
        seconds.append(time.perf_counter() - start)
        scale = StandardScaler(with_mean=isinstance(vectors, np.ndarray))
        linear = make_pipeline(scale, LogisticRegression(C=0.01, max_iter=3000))
        accuracy.append(linear.fit(vectors[train], labels[train]).score(vectors[test], labels[test]))
    shown = ", ".join(f"{value:.3f}" for value in accuracy)
    print(f"{method:<10} {name:<12} accuracy {shown}   {np.mean(seconds):7.1f} s", flush=True)


def graphs(method: str, name: str) -> None:
    loaded = datasets.load(name)
    start = time.perf_counter()
    vectors = OF_GRAPHS[method](loaded.graphs, 0)
    seconds = time.perf_counter() - start
    folds = StratifiedKFold(10, shuffle=True, random_state=0)
    linear = make_pipeline(StandardScaler(), LogisticRegression(C=0.1, max_iter=3000))
    found = cross_val_score(linear, vectors, loaded.labels, cv=folds)
    print(
        f"{method:<10} {name:<12} accuracy {found.mean():.3f} ± {found.std() / 3:.3f}   {seconds:7.1f} s",
        flush=True,
    )


def main() -> None:
    chosen = sys.argv[1:] or [*OF_NODES, *OF_GRAPHS]
    for method in chosen:
        if method in OF_GRAPHS:
            graphs(method, "proteins")
            graphs(method, "imdb-binary")
        else:
            nodes(method, "cora", 3)
            nodes(method, "pubmed", 1)


if __name__ == "__main__":
    main()
