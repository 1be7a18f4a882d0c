from collections import Counter
from itertools import combinations, permutations

import naive
import numpy as np
import pytest

from mhmgnn import DataError, Graph
from mhmgnn.datasets.synthetic import barabasi_albert, chung_lu, planted_groups, power_law_degrees

MANY = 3_000  # graphs drawn, where frequencies meet chances


def planted(seed: int) -> Graph:
    return planted_groups(60, 30, stray=20, features=4, seed=seed).graph


DRAWN = {
    "barabasi-albert": lambda seed: barabasi_albert(50, 3, seed=seed),
    "chung-lu": lambda seed: chung_lu(power_law_degrees(50, 5, largest=30), seed=seed),
    "planted groups": planted,
}


@pytest.fixture(params=DRAWN, name="drawn")
def each_way_to_draw(request):
    return DRAWN[request.param]


def chances(weights: np.ndarray) -> np.ndarray:
    """The chance of each pair by the definition of Chung and Lu, (n, n), 0 on the diagonal."""
    chance = np.minimum(1, np.outer(weights, weights) / weights.sum())
    np.fill_diagonal(chance, 0)
    return chance


def edges(graph: Graph) -> set[tuple[int, int]]:
    return {(u, v) for u, near in naive.adjacency(graph).items() for v in near if u < v}


def test_rows_are_sorted_symmetric_and_without_loops_or_repeats(drawn, seed):
    graph = drawn(seed)
    near = naive.adjacency(graph)
    for node in range(graph.num_nodes):
        row = graph.indices[graph.indptr[node] : graph.indptr[node + 1]].tolist()
        assert row == sorted(near[node])
        assert all(node in near[other] and node != other for other in row)


def test_a_seed_gives_one_graph_and_another_seed_another(drawn):
    one, same, other = drawn(5), drawn(5), drawn(6)
    assert edges(one) == edges(same) != edges(other)
    if one.x is not None:
        assert np.array_equal(one.x, same.x)
        assert not np.array_equal(one.x, other.x)


@pytest.mark.parametrize("m", [1, 2, 7])
def test_a_new_node_has_m_edges_to_older_ones(m):
    graph = barabasi_albert(200, m)
    older = [sum(other < node for other in near) for node, near in naive.adjacency(graph).items()]
    assert older == [min(node, m) for node in range(200)]
    assert graph.num_edges == m * (m + 1) // 2 + m * (200 - m - 1)
    assert graph.degrees.min() == m


def test_the_smallest_grown_graph_is_a_clique():
    assert edges(barabasi_albert(4, 3)) == set(combinations(range(4), 2))


def test_nodes_join_with_the_chances_of_preferential_attachment(seed):
    """Five nodes, m = 2: node 3 leaves one of the first three alone, node 4 goes by the degrees then."""
    expected: Counter[tuple[int, ...]] = Counter()
    for alone in range(3):
        degrees = [3, 3, 3, 2]
        degrees[alone] = 2
        for first, second in permutations(range(4), 2):
            chance = degrees[first] / 10 * degrees[second] / (10 - degrees[first]) / 3
            expected[(alone, *sorted((first, second)))] += chance
    found: Counter[tuple[int, ...]] = Counter()
    for number in range(MANY):
        near = naive.adjacency(barabasi_albert(5, 2, seed=MANY * seed + number))
        found[(min({0, 1, 2} - near[3]), *sorted(near[4]))] += 1
    assert sum(expected.values()) == pytest.approx(1)
    for outcome, chance in expected.items():
        assert abs(found[outcome] - MANY * chance) < 5 * np.sqrt(MANY * chance * (1 - chance)), outcome


def test_grown_degrees_have_a_tail_of_exponent_three(seed):
    """In the limit a share m (m + 1) / (d (d + 1)) of the nodes has degree d or more."""
    degrees = barabasi_albert(30_000, 3, seed=seed).degrees
    for d in (4, 6, 12, 24, 48):
        share = 12 / (d * (d + 1))
        assert abs((degrees >= d).sum() - 30_000 * share) < 5 * np.sqrt(30_000 * share), d


def test_each_pair_comes_with_its_own_chance(seed):
    weights = np.array([1.0, 6.0, 0.0, 2.5, 4.0, 1.0, 0.5, 6.0])  # in no order, with chances cut off at 1
    chance, found = chances(weights), np.zeros((8, 8))
    for number in range(MANY):
        found += chung_lu(weights, seed=MANY * seed + number).to_scipy().toarray()
    assert (chance == 1).any()
    assert (found[chance == 1] == MANY).all()
    assert (found[chance == 0] == 0).all()
    spread = np.sqrt(MANY * chance * (1 - chance))
    assert (np.abs(found - MANY * chance) <= 5 * spread).all()


def test_degrees_are_as_expected_within_their_own_spread(seed):
    weights = np.random.default_rng(0).permutation(power_law_degrees(2_000, 8, largest=600))
    chance = chances(weights)
    spread = np.sqrt((chance * (1 - chance)).sum(axis=1))
    graph = chung_lu(weights, seed=seed)
    z = (graph.degrees - chance.sum(axis=1)) / spread
    assert np.abs(z).max() < 6  # low degrees are Poisson, with a longer tail than a bell
    assert np.mean(z**2) == pytest.approx(1, abs=0.2)
    z_edges = (graph.num_edges - chance.sum() / 2) / np.sqrt((chance * (1 - chance)).sum() / 2)
    assert abs(z_edges) < 4


def test_a_hub_can_be_joined_to_most_nodes_of_a_sparse_graph(seed):
    weights = power_law_degrees(20_000, 10, largest=19_000)
    chance = np.minimum(1, weights[0] * weights[1:] / weights.sum())
    degrees = chung_lu(weights, seed=seed).degrees
    assert abs(degrees[0] - chance.sum()) < 4 * np.sqrt((chance * (1 - chance)).sum())
    assert degrees[0] > 10_000
    assert degrees.mean() < 10


@pytest.mark.parametrize(("exponent", "largest"), [(2.2, None), (2.5, 400), (3.5, None), (3.5, 40)])
def test_a_power_law_has_the_mean_the_largest_and_the_tail_asked_for(exponent, largest):
    degrees = power_law_degrees(5_000, 6, exponent=exponent, largest=largest)
    assert degrees.mean() == pytest.approx(6)
    assert (np.diff(degrees) < 0).all()
    if largest is None:
        assert degrees[0] <= np.sqrt(degrees.sum()) * (1 + 1e-9)
    else:
        assert degrees[0] == pytest.approx(largest)
    above = np.log([(degrees > w).sum() for w in (degrees[200], degrees[3_000])])
    slope = np.diff(above) / np.log(degrees[3_000] / degrees[200])
    assert slope == pytest.approx(1 - exponent, rel=0.25)  # the shift bends it a little


def test_a_group_is_a_clique_and_every_edge_lies_in_one():
    found = planted_groups(100, 60, sizes=(2, 5), features=0)
    near = naive.adjacency(found.graph)
    inside = {pair for i in range(60) for pair in combinations(found.truth[i].tolist(), 2)}
    assert inside == edges(found.graph)
    assert all(v in near[u] for u, v in inside)
    assert found.graph.x is None
    assert set(found.truth.sizes.tolist()) == {2, 3, 4, 5}
    assert all(len(set(found.truth[i].tolist())) == found.truth.sizes[i] for i in range(60))


def test_members_of_groups_are_uniform(seed):
    members = planted_groups(20, 5_000, sizes=(3, 3), features=0, seed=seed).truth.members
    expected = 5_000 * 3 / 20
    assert (np.abs(np.bincount(members, minlength=20) - expected) < 5 * np.sqrt(expected)).all()


@pytest.mark.parametrize("share", [0.01, 0.3, 1])
def test_stray_edges_are_as_many_as_asked_for_and_the_groups_stay(share):
    plain = planted_groups(20, 4, features=0).graph
    stray = round(share * (20 * 19 / 2 - plain.num_edges))
    more = planted_groups(20, 4, features=0, stray=stray).graph
    assert edges(plain) < edges(more)
    assert len(edges(more)) == more.num_edges == plain.num_edges + stray


def test_features_of_nodes_that_share_a_group_are_alike_by_what_the_hint_says(seed):
    """Two nodes in one group each and the same have a mean product of hint^2 a feature, others of 0."""
    found = planted_groups(3_000, 300, sizes=(3, 3), features=50, hint=0.7, seed=seed)
    x, times = found.graph.x, np.bincount(found.truth.members, minlength=3_000)
    groups = found.truth.members.reshape(-1, 3)
    alone = groups[(times[groups] == 1).all(axis=1)]
    together = (x[alone[:, 0]] * x[alone[:, 1]]).ravel()
    apart = (x[alone[:, 0]] * x[np.roll(alone[:, 1], 1)]).ravel()
    assert alone.shape[0] > 80
    assert abs(together.mean() - 0.49) < 5 * together.std() / np.sqrt(together.size)
    assert abs(apart.mean()) < 5 * apart.std() / np.sqrt(apart.size)
    for nodes, variance in ((times == 0, 1), (times == 1, 1.49), (times > 1, 1.49)):
        assert x[nodes].var() == pytest.approx(variance, rel=0.1)


def test_features_do_not_change_the_graph_nor_stray_edges_the_features():
    one, other = planted_groups(50, 20, features=3, stray=9), planted_groups(50, 20, features=3)
    assert np.array_equal(one.graph.x, other.graph.x)
    assert one.graph.x.dtype == np.float32
    assert edges(planted_groups(50, 20, features=0).graph) == edges(other.graph)


def test_centres_in_many_pieces_are_centres_in_one(monkeypatch):
    whole = planted_groups(50, 40, features=3).graph.x
    monkeypatch.setattr("mhmgnn.datasets.synthetic.groups.CHUNK", 7)
    assert np.allclose(planted_groups(50, 40, features=3).graph.x, whole)


@pytest.mark.parametrize(
    ("draw", "message"),
    [
        (lambda: barabasi_albert(10, 0), "edges_per_node is 0"),
        (lambda: barabasi_albert(3, 3), "above edges_per_node, 3"),
        (lambda: barabasi_albert(10.0, 3), "nodes is 10.0"),
        (lambda: barabasi_albert(10, 3, seed=-1), "seed is -1"),
        (lambda: chung_lu([1.0]), "shape \\(1,\\)"),
        (lambda: chung_lu([[1.0, 2.0]]), "shape \\(1, 2\\)"),
        (lambda: chung_lu(["one", "two"]), "does not hold numbers"),
        (lambda: chung_lu([1.0, np.nan, 1.0]), "node 1 is nan"),
        (lambda: chung_lu([1.0, 1.0, -1.0]), "node 2 is -1"),
        (lambda: chung_lu([1.0, 3.0, 1.0]), "node 1 is 3; among 3 nodes"),
        (lambda: chung_lu([0.0, 0.0]), "no edge came about"),
        (lambda: power_law_degrees(1, 2), "nodes is 1"),
        (lambda: power_law_degrees(100, 0), "mean is 0"),
        (lambda: power_law_degrees(100, 26), "a quarter of the 100 nodes"),
        (lambda: power_law_degrees(100, 5, exponent=2), "exponent is 2"),
        (lambda: power_law_degrees(100, 5, largest=5), "above the mean, 5"),
        (lambda: power_law_degrees(100, 5, largest=100), "at most 99"),
        (lambda: power_law_degrees(10_000, 5, exponent=30, largest=9_000), "at most 26.3"),
        (lambda: planted_groups(0, 1), "nodes is 0"),
        (lambda: planted_groups(9, 0), "groups is 0"),
        (lambda: planted_groups(9, 1, sizes=(5, 3)), "must rise"),
        (lambda: planted_groups(9, 1, sizes=(3, 10)), "the number of nodes, 9"),
        (lambda: planted_groups(9, 1, sizes=(1, 3)), "size of groups is 1"),
        (lambda: planted_groups(9, 1, sizes=3), "such as \\(3, 6\\)"),
        (lambda: planted_groups(9, 1, sizes=(3, 3), stray=34), "33 pairs"),
        (lambda: planted_groups(9, 1, features=-1), "features is -1"),
        (lambda: planted_groups(9, 1, hint=-0.1), "hint is -0.1"),
    ],
)
def test_what_cannot_be_drawn_is_refused_with_what_was_given(draw, message):
    with pytest.raises(DataError, match=message):
        draw()
