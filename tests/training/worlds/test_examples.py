"""Examples of worlds: right labels, and as frequent as they are among random sets."""

from itertools import combinations

import naive
import numpy as np

from mhmgnn import Graph
from mhmgnn.graph.sets import Sets
from mhmgnn.runtime.rng import new_stream
from mhmgnn.training.worlds import _kernels
from mhmgnn.training.worlds.examples import Examples, draw_examples
from mhmgnn.training.worlds.world import World


def torn_world(seed: int, dropped: float = 0.1) -> World:
    """Groups of two to five of forty nodes, and their pairs without a few."""
    rng = np.random.default_rng(seed)
    groups = [np.sort(rng.choice(40, rng.integers(2, 6), replace=False)) for _ in range(150)]
    pairs = np.unique([pair for group in groups for pair in combinations(group.tolist(), 2)], axis=0)
    graph = Graph.from_edges(pairs[rng.random(len(pairs)) >= dropped], num_nodes=40, weights=False)
    return World(graph, Sets(np.concatenate(groups), np.cumsum([0, *map(len, groups)])))


def share(examples: Examples, size: int, missing: np.ndarray, question: int) -> float:
    mine = (examples.sizes == size) & missing
    return float(np.average(examples.answers[mine, question], weights=examples.weights[mine]))


def test_missing_pairs_of_groups_are_found_and_torn_sets_hold_them(seed):
    world = torn_world(seed)
    near, (members, offsets) = naive.adjacency(world.graph), world.groups
    found = _kernels.missing_pairs(*world.graph.rows, *world.groups)
    expected = {
        (g, a, b)
        for g in range(world.groups.num)
        for a, b in combinations(range(offsets[g + 1] - offsets[g]), 2)
        if members[offsets[g] + b] not in near[members[offsets[g] + a]]
    }
    assert set(map(tuple, found.tolist())) == expected
    large = found[world.groups.sizes[found[:, 0]] >= 3]
    for (g, a, b), row in zip(
        large,
        _kernels.torn_sets(*world.groups, large, 3, new_stream(np.random.default_rng(seed))),
        strict=True,
    ):
        group = members[offsets[g] : offsets[g + 1]].tolist()
        assert {group[a], group[b]} <= set(row.tolist()) <= set(group)
        assert row.tolist() == sorted(set(row.tolist()))


def test_examples_have_the_pairs_missing_that_they_say_and_are_connected(seed):
    examples = draw_examples(torn_world(seed), 60, np.random.default_rng(seed))
    assert examples.weights.min() > 0
    assert set(examples.missing[examples.sizes == 2].tolist()) == {0}
    assert set(examples.missing[examples.sizes == 3].tolist()) == {0, 1}
    assert examples.missing.max() > 1


def test_weighted_examples_have_the_shares_of_all_triangles_and_of_all_paths():
    world = torn_world(1)
    near = naive.adjacency(world.graph)
    bounds = zip(world.groups.offsets, world.groups.offsets[1:], strict=False)
    groups = [frozenset(world.groups.members[low:high].tolist()) for low, high in bounds]
    asked = {True: [], False: []}
    for kset in naive.connected_sets(world.graph, 3):
        whole = all(v in near[u] for u, v in combinations(kset, 2))
        asked[whole].append([kset in groups, any(kset <= group for group in groups)])
    examples = draw_examples(world, 600, np.random.default_rng(0))
    for whole, answers in asked.items():
        for question in (0, 1):
            expected = np.mean(answers, axis=0)[question]
            spread = 4 * np.sqrt(expected * (1 - expected) / 4_800) + 0.01
            assert abs(share(examples, 3, (examples.missing == 0) == whole, question) - expected) < spread
