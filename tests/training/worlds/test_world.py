from collections import Counter
from itertools import combinations

import numpy as np
import pytest
from conftest import random_graph

from mhmgnn import Graph
from mhmgnn.config import GroupsConfig
from mhmgnn.graph.sets import Sets
from mhmgnn.subgraphs import _fire
from mhmgnn.subgraphs.excerpt import excerpt
from mhmgnn.subgraphs.rewire import rewire
from mhmgnn.training.worlds.families import Family
from mhmgnn.training.worlds.sizes import Blocks, SizeLaw, imagine, infer_sizes, stop_by_pair
from mhmgnn.training.worlds.world import DROPPED, Ground, World, labels, null_world, plant_world

CONFIG = GroupsConfig(largest=6, cover=0.95)
LAW = SizeLaw(0.3, 0.4, 0.3, np.ones(CONFIG.largest + 1), 1.0)
ONCE = Family(1.0)


def dense(seed=0, *, counts=True) -> Graph:
    """Forty nodes that meet in groups of up to five."""
    rng = np.random.default_rng(seed)
    groups = [rng.choice(40, rng.integers(2, 6), replace=False) for _ in range(120)]
    pairs = [pair for group in groups for pair in combinations(group.tolist(), 2)]
    return Graph.from_edges(pairs, num_nodes=40, weights=None if counts else False)


def pairs_of(graph: Graph) -> dict[tuple[int, int], float]:
    """The count of each pair u < v, 1 without counts."""
    weights = np.ones(graph.indices.size) if graph.weights is None else graph.weights
    owner = np.repeat(np.arange(graph.num_nodes), graph.degrees)
    both = zip(owner.tolist(), graph.indices.tolist(), weights.tolist(), strict=True)
    return {(u, v): w for u, v, w in both if u < v}


def groups_of(sets: Sets) -> list[tuple[int, ...]]:
    bounds = zip(sets.offsets, sets.offsets[1:], strict=False)
    return [tuple(sets.members[low:high].tolist()) for low, high in bounds]


@pytest.mark.parametrize("counts", [True, False])
def test_a_world_is_the_projection_of_its_groups_but_for_a_few_pairs(counts, seed):
    graph = dense(seed, counts=counts)
    world = plant_world(Ground.of(graph), [LAW], ONCE, CONFIG, np.random.default_rng(seed))
    together = Counter(pair for group in groups_of(world.groups) for pair in combinations(group, 2))
    kept = pairs_of(world.graph)
    assert set(kept) <= set(together) <= set(pairs_of(graph))
    assert len(together) - len(kept) <= max(3, 3 * DROPPED * len(together))
    if counts:
        assert all(kept[pair] == together[pair] for pair in kept)
    else:
        assert world.graph.weights is None


@pytest.mark.parametrize("counts", [True, False])
def test_a_world_explains_as_much_as_it_is_asked_to(counts):
    graph = dense(1, counts=counts)
    world = plant_world(Ground.of(graph), [LAW], ONCE, CONFIG, np.random.default_rng(1))
    together = Counter(pair for group in groups_of(world.groups) for pair in combinations(group, 2))
    explained = sum(min(together[pair], count) for pair, count in pairs_of(graph).items())
    assert explained >= CONFIG.cover * sum(pairs_of(graph).values())


@pytest.mark.parametrize("counts", [True, False])
def test_pairs_that_have_enough_groups_are_planted_less_with_more_slack(counts):
    ground = Ground.of(dense(4, counts=counts))
    planted = []
    for family in (ONCE._replace(slack=0.0), ONCE._replace(slack=30.0)):
        worlds = [plant_world(ground, [LAW], family, CONFIG, np.random.default_rng(i)) for i in range(20)]
        planted.append(sum(len(list(combinations(g, 2))) for w in worlds for g in groups_of(w.groups)))
    assert planted[1] < 0.95 * planted[0]


def test_groups_are_smaller_by_the_law_than_by_pair():
    ground = Ground.of(dense(5))
    by_law = ONCE._replace(by_pair=False)
    sizes = [
        np.mean(
            [
                plant_world(ground, [LAW], one, CONFIG, np.random.default_rng(i)).groups.sizes.mean()
                for i in range(10)
            ]
        )
        for one in (by_law, ONCE)
    ]
    assert sizes[0] < 0.9 * sizes[1]


def test_groups_are_cliques_of_the_graph_and_no_larger_than_asked():
    graph = dense(2)
    near = pairs_of(graph)
    world = plant_world(Ground.of(graph), [LAW], ONCE, CONFIG, np.random.default_rng(2))
    groups = groups_of(world.groups)
    assert {len(group) for group in groups} <= set(range(2, CONFIG.largest + 1))
    assert max(map(len, groups)) > 2
    assert all(pair in near for group in groups for pair in combinations(group, 2))


def test_labels_say_which_sets_are_groups_and_which_lie_inside_one():
    groups = [(0, 1, 2), (1, 2, 3, 4), (5, 6)]
    joined = Sets(np.concatenate(groups), np.array([0, 3, 7, 9]))
    world = World(random_graph(0, nodes=8), joined)
    asked = [(0, 1), (0, 1, 2), (1, 2, 3), (1, 2, 3, 4), (5, 6), (4, 5), (0, 1, 3)]
    sets = Sets(np.concatenate(asked), np.cumsum([0, *map(len, asked)]))
    expected = [
        [any(set(one) == set(group) for group in groups), any(set(one) <= set(group) for group in groups)]
        for one in asked
    ]
    assert labels(world, sets).tolist() == expected


@pytest.mark.parametrize("counts", [True, False])
def test_a_rewired_graph_keeps_degrees_and_counts_and_loses_its_triangles(counts, seed):
    triangles = [(i, i + 1) for i in range(0, 300, 3)] + [(i, i + 2) for i in range(0, 300, 3)]
    triangles += [(i + 1, i + 2) for i in range(0, 300, 3)]
    weights = np.arange(1, len(triangles) + 1) if counts else False
    graph = Graph.from_edges(triangles, weights=weights)
    other = rewire(graph, np.random.default_rng(seed))
    assert other.degrees.tolist() == graph.degrees.tolist()
    assert sorted(pairs_of(other).values()) == sorted(pairs_of(graph).values())
    owner = np.repeat(np.arange(other.num_nodes), other.degrees)
    assert (owner != other.indices).all()
    assert all((np.diff(row) > 0).all() for row in np.split(other.indices, other.indptr[1:-1]))
    near = set(pairs_of(other))
    left = sum({(i, i + 1), (i, i + 2), (i + 1, i + 2)} <= near for i in range(0, 300, 3))
    assert left < 5


@pytest.mark.parametrize("counts", [True, False])
@pytest.mark.parametrize("thinned", [True, False])
def test_a_null_world_has_no_group_above_two(thinned, counts):
    graph = dense(3, counts=counts)
    world = null_world(Ground.of(graph), np.random.default_rng(3), thinned=thinned)
    assert set(world.groups.sizes.tolist()) == {2}
    assert world.groups.num == world.graph.num_edges
    assert (world.graph.num_edges < graph.num_edges) == thinned
    assert (world.graph.weights is not None) == counts
    assert not Counter(pairs_of(world.graph).values()) - Counter(pairs_of(graph).values())


def test_without_counts_groups_start_sooner_at_pairs_with_a_large_overlap():
    weak = [(i, 30 + i) for i in range(30)]  # no common neighbours
    strong = list(combinations(range(10), 2))
    ground = Ground.of(Graph.from_edges(weak + strong, weights=False))
    pairs_only = LAW._replace(two=10.0)
    early = []
    for seed in range(40):
        world = plant_world(ground, [pairs_only], ONCE, CONFIG, np.random.default_rng(seed))
        first = groups_of(world.groups)[:20]
        early.append(np.mean([max(group) < 10 for group in first]))
    assert np.mean(early) > len(strong) / (len(weak) + len(strong))


def test_popular_nodes_start_and_join_more_groups_in_worlds_of_theirs():
    popular, rng = range(6), np.random.default_rng(0)
    circles = [[*rng.choice(6, 3, replace=False).tolist(), *range(6 + 4 * i, 10 + 4 * i)] for i in range(30)]
    pairs = {pair for circle in circles for pair in combinations(sorted(circle), 2)}
    ground = Ground.of(Graph.from_edges(sorted(pairs), weights=False))
    again = Family(1.0, repeats=True, slack=0.0, sooner=(0.5, 1.5))
    share = []
    for family in (again, again._replace(popular=True)):
        worlds = [plant_world(ground, [LAW], family, CONFIG, np.random.default_rng(i)) for i in range(20)]
        groups = [group for world in worlds for group in groups_of(world.groups)]
        share.append(np.mean([len(set(group) & set(popular)) >= 2 for group in groups]))
    assert share[1] > 1.2 * share[0]


def test_null_worlds_have_many_densities():
    ground = Ground.of(dense(3))
    drawn = [null_world(ground, np.random.default_rng(seed), thinned=True) for seed in range(20)]
    shares = np.array([world.graph.num_edges / ground.graph.num_edges for world in drawn])
    assert shares.min() < 0.45
    assert shares.max() > 0.8


def test_the_group_of_a_random_pair_is_larger_than_a_random_group():
    stop, by_pair = LAW.stop(CONFIG.largest), stop_by_pair(LAW, CONFIG.largest)
    alive, share = 1.0, {}
    for size in range(2, CONFIG.largest + 1):
        ends = 1.0 if size == CONFIG.largest else stop[size]
        share[size] = alive * ends
        alive *= 1 - ends
    pairs = {size: chance * size * (size - 1) for size, chance in share.items()}
    for size in range(2, CONFIG.largest + 1):
        beyond = sum(pairs[other] for other in pairs if other >= size)
        assert by_pair[size] == pytest.approx(pairs[size] / beyond)


def test_groups_that_nobody_could_join_need_no_decision():
    closed = LAW._replace(can_grow=np.zeros(CONFIG.largest + 1))
    assert not stop_by_pair(closed, CONFIG.largest)[2:].any()


def test_an_imagined_graph_has_the_pairs_of_its_groups_and_about_as_many_as_asked():
    graph = dense(4)
    rng = np.random.default_rng(4)
    imagined, groups = imagine(graph, Blocks.of(graph, rng), LAW, CONFIG.largest, rng)
    together = {pair for group in groups_of(groups) for pair in combinations(group, 2)}
    assert set(pairs_of(imagined)) == together
    assert graph.num_edges <= len(together) <= graph.num_edges + 15
    assert all(len(set(group)) == len(group) for group in groups_of(groups))


def grown(law: SizeLaw, seed: int) -> Graph:
    """Two hundred nodes that meet in groups of sizes by a law."""
    rng = np.random.default_rng(seed)
    stop, pairs = law.stop(12), []
    for _ in range(150):
        size = 2
        while size < 12 and rng.random() >= stop[size]:
            size += 1
        pairs += combinations(rng.choice(200, size, replace=False).tolist(), 2)
    return Graph.from_edges(pairs, num_nodes=200, weights=False)


def test_the_sizes_that_are_inferred_tell_pairs_from_large_groups():
    small = grown(SizeLaw(0.85, 0.9, 0.0, np.ones(13), 1.0), 0)
    large = grown(SizeLaw(0.05, 0.1, 0.0, np.ones(13), 1.0), 0)
    config = GroupsConfig(largest=12, laws=40)
    mean = []
    for graph in (small, large):
        laws = infer_sizes(graph, config, np.random.default_rng(0))
        stops = np.mean([law.stop(12) for law in laws], axis=0)
        mean.append(2 + np.cumprod(1 - stops[2:]).sum())
    assert mean[0] + 1 < mean[1]


@pytest.mark.parametrize("counts", [True, False])
def test_a_part_of_a_large_graph_has_its_edges_and_counts(counts):
    graph = random_graph(5, nodes=400, edges=3000)
    weights = np.random.default_rng(0).integers(1, 9, size=3000) if counts else False
    graph = Graph.from_edges(
        np.random.default_rng(5).integers(400, size=(3000, 2)), num_nodes=400, weights=weights
    )
    part = excerpt(graph, 500, np.random.default_rng(0))
    assert 100 < part.num_edges < 1500
    assert (part.weights is None) == (not counts)
    assert excerpt(graph, 10**6, np.random.default_rng(0)) is graph
    everything = Counter(pairs_of(graph).values())
    assert not Counter(pairs_of(part).values()) - everything


def test_entries_of_a_part_are_those_of_the_graph():
    graph = random_graph(6, nodes=30, edges=80)
    nodes = np.array([2, 3, 5, 8, 13, 21, 22, 23, 29])
    part = graph.to_scipy()[nodes][:, nodes].tocsr()
    part.sort_indices()
    found = _fire.entries_of(*graph.rows, nodes, part.indptr.astype(np.int64), part.indices.astype(np.int32))
    owner = np.repeat(np.arange(30), graph.degrees)
    rows = np.repeat(np.arange(nodes.size), np.diff(part.indptr))
    assert owner[found].tolist() == nodes[rows].tolist()
    assert graph.indices[found].tolist() == nodes[part.indices].tolist()
