from itertools import combinations

import numpy as np
import pytest
from conftest import random_graph

from mhmgnn import Graph
from mhmgnn.baselines.formulas import COUNTED, PLAIN, formulas
from mhmgnn.subgraphs.cliques import list_cliques


def counted(seed: int) -> Graph:
    rng = np.random.default_rng(seed)
    return Graph.from_edges(rng.integers(14, size=(90, 2)), num_nodes=14, weights=rng.integers(1, 9, size=90))


@pytest.mark.parametrize("k", [3, 4])
def test_formulas_are_their_definitions(k, seed):
    graph = counted(seed)
    near = {v: set(graph.indices[graph.indptr[v] : graph.indptr[v + 1]].tolist()) for v in range(14)}
    count = graph.to_scipy(counts=True).toarray().astype(float)
    strength = count.sum(axis=1)
    ksets = list_cliques(graph, k)
    assert len(ksets) > 3
    found = formulas(graph, ksets)
    assert tuple(found) == (*PLAIN, *COUNTED)
    for row, kset in enumerate(ksets.tolist()):
        pairs = list(combinations(kset, 2))
        shared = [near[u] & near[v] for u, v in pairs]
        w = np.array([count[u, v] for u, v in pairs])
        expected = {
            "degrees": sum(len(near[v]) for v in kset),
            "common neighbours": len(set.intersection(*(near[v] for v in kset))),
            "Jaccard": np.mean(
                [len(s) / len(near[u] | near[v]) for s, (u, v) in zip(shared, pairs, strict=True)]
            ),
            "Adamic-Adar": np.mean([sum(1 / np.log(len(near[z])) for z in s) for s in shared]),
            "geometric mean": w.prod() ** (1 / len(w)),
            "harmonic mean": len(w) / (1 / w).sum(),
            "least count": w.min(),
            "lift": np.log(w).sum() - (k - 1) * np.log(strength[kset]).sum(),
        }
        for name, value in expected.items():
            assert found[name][row] == pytest.approx(value, rel=1e-5), name


def test_without_counts_there_are_no_formulas_of_counts():
    graph = Graph(*random_graph(1, nodes=12, edges=50).rows)
    assert tuple(formulas(graph, list_cliques(graph, 3))) == PLAIN
