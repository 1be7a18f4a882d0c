"""Comparisons inside a k-set, against the definition, and what they tell of citations."""

from itertools import combinations

import naive
import numpy as np
import pytest
from conftest import random_graph

from mhmgnn import Graph
from mhmgnn.context.context import describe
from mhmgnn.context.inside import COMPARED, inside_columns, node_units, read_inside
from mhmgnn.subgraphs.exact import connected_sets


def compared(near: dict[int, set[int]], kset: list[int], value: dict[int, float]) -> list[float]:
    """The columns `COMPARED` of one feature, by loops."""
    inner = {u: near[u] & set(kset) for u in kset}
    above = [u for u in kset if all(value[u] >= value[v] for v in inner[u])]
    below = [u for u in kset if all(value[u] <= value[v] for v in inner[u])]
    centres = {u for u in kset if len(inner[u]) == len(kset) - 1}

    def soft(sign: int) -> float:
        return sum(
            float(np.prod([1 / (1 + np.exp(-2 * sign * (value[u] - value[v]))) for v in inner[u]]))
            for u in kset
        )

    steps = [abs(value[u] - value[v]) for u, v in combinations(kset, 2) if v in inner[u]]
    mean = np.mean([len(inner[u]) for u in kset])
    slope = np.mean([value[u] * (len(inner[u]) - mean) for u in kset])
    kinds = len(above), len(below), bool(centres & {*above}), bool(centres & {*below})
    return [*kinds, soft(1), soft(-1), sum(steps) / max(len(steps), 1), slope]


@pytest.mark.parametrize("k", [2, 3, 4])
@pytest.mark.parametrize("counts", [True, False])
def test_comparisons_match_the_definition(k, counts, seed):
    plain = random_graph(seed, nodes=14)
    weights = np.random.default_rng(seed).integers(1, 9, plain.num_edges) if counts else False
    edges = np.column_stack([np.repeat(np.arange(14), plain.degrees), plain.indices])
    graph = Graph.from_edges(edges[edges[:, 0] < edges[:, 1]], num_nodes=14, weights=weights)
    context, near = describe(graph), naive.adjacency(graph)
    units = node_units(context)
    ksets = np.concatenate([connected_sets(graph, k), [range(k)]])  # the last one need not be connected
    found = read_inside(context, units, ksets)
    assert found.shape == (len(ksets), len(inside_columns(context, k)))
    for kset, row in zip(ksets.tolist(), found, strict=True):
        degrees = [len(near[u] & set(kset)) for u in kset]
        triangles = sum(b in near[a] and c in near[a] and c in near[b] for a, b, c in combinations(kset, 3))
        expected = [float(degrees.count(d)) for d in range(1, k)] + [triangles]
        for f in range(units.shape[1]):
            expected += compared(near, kset, dict(enumerate(units[:, f].tolist())))
        np.testing.assert_allclose(row, expected, atol=1e-5)


def test_columns_come_in_the_order_of_their_names():
    star = Graph.from_edges([[0, i] for i in range(1, 6)])
    context = describe(star)
    row = read_inside(context, node_units(context), np.array([[0, 1, 2]]))[0]
    by_name = dict(zip(inside_columns(context, 3), row.tolist(), strict=True))
    assert by_name["nodes of degree 1 inside"] == 2
    assert by_name["nodes of degree 2 inside"] == 1
    assert by_name["a centre above all, log degree"] == 1
    assert by_name["a centre below all, log degree"] == 0
    assert by_name["nodes below all neighbours, log degree"] == 2
    assert len(COMPARED) * len(context.node_columns) + 3 == row.size


def test_an_order_of_nodes_that_pooling_forgets_is_seen():
    # two paths of three nodes with the degrees 1, 3 and 6; 6 is that of the middle, then that of an end
    first = [(0, 1), (1, 2), *((1, 10 + i) for i in range(4)), *((2, 20 + i) for i in range(2))]
    second = [(3, 4), (4, 5), *((3, 30 + i) for i in range(5)), (4, 40)]
    graph = Graph.from_edges(first + second, weights=False)
    assert sorted(graph.degrees[:3].tolist()) == sorted(graph.degrees[3:6].tolist())
    context = describe(graph)
    rows = read_inside(context, node_units(context), np.array([[0, 1, 2], [3, 4, 5]]))
    name = inside_columns(context, 3).index("a centre above all, log degree")
    assert rows[:, name].tolist() == [1.0, 0.0]
