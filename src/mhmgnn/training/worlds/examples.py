"""A world -> labelled sets: which cliques and other connected sets of it are groups, or lie inside one."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from mhmgnn.context.context import describe, read_sets
from mhmgnn.context.reference import Cliques, random_cliques
from mhmgnn.context.scale import Scale
from mhmgnn.graph.csr import pairs_missing, sets_connected
from mhmgnn.graph.sets import Sets
from mhmgnn.runtime.rng import new_stream
from mhmgnn.subgraphs.loose import loose_sets, near_cliques
from mhmgnn.training.worlds import _kernels
from mhmgnn.training.worlds.world import World, labels

POOL = 8  # random sets of a size that are looked at, for each example wanted
LOOSE = 5  # cliques for each connected set that is no clique, among the examples
UNSEEN = 0.02  # what counts as seen, of sets looked at, where there are examples and none was met by chance


class Examples(NamedTuple):
    """Labelled sets of a world, or of several."""

    scaled: np.ndarray  # (s, f) float32, context standardised by random cliques of the world
    plain: np.ndarray  # (s, f) float32, context as it is
    sizes: np.ndarray  # (s,) int64
    missing: np.ndarray  # (s,) int64, pairs that are not adjacent
    answers: np.ndarray  # (s, 2) bool: is a group, lies inside one
    weights: np.ndarray  # (s,) float64: share of random sets of its size and kind, times its world's belief
    lessons: np.ndarray  # (s, 2) float64: weight of its world for each question

    @classmethod
    def join(cls, parts: list[Examples]) -> Examples:
        """The examples of several worlds as one."""
        return cls(*(np.concatenate(columns) for columns in zip(*parts, strict=True)))


class _Chosen(NamedTuple):
    """Labelled sets of one size and kind, with what they stand for."""

    sets: Sets
    answers: np.ndarray  # (s, 2) bool
    weights: np.ndarray  # (s,) float64, of sum 1


def draw_examples(world: World, wanted: int, rng: np.random.Generator) -> Examples:
    """Cliques and other connected sets of a world: random ones, and more of the answers that are rare."""
    context = describe(world.graph)
    pools = random_cliques(world.graph, POOL * wanted, rng, threads=1)
    usual = Sets.join([Sets.of_rows(pool.ksets[:wanted]) for pool in pools.values()])
    torn = _kernels.missing_pairs(*world.graph.rows, *world.groups)
    chosen = [_cliques(world, k, pool, torn, wanted, rng) for k, pool in pools.items()]
    for k in pools:
        if k > 2:
            chosen += _no_cliques(world, _smaller(pools, k), torn, wanted, rng)
    sets = Sets.join([part.sets for part in chosen])
    plain, scale = read_sets(context, sets), Scale.of(read_sets(context, usual), usual.sizes)
    return Examples(
        scale.apply(plain, sets.sizes),
        plain,
        sets.sizes,
        pairs_missing(*world.graph.rows, *sets),
        np.concatenate([part.answers for part in chosen]),
        world.belief * np.concatenate([part.weights for part in chosen]),
        np.tile(world.lesson, (sets.num, 1)),
    )


def _cliques(
    world: World, k: int, pool: Cliques, torn: np.ndarray, wanted: int, rng: np.random.Generator
) -> _Chosen:
    """Random cliques of k nodes, more of those whose answer is rare, and planted groups that are cliques."""
    random = Sets.of_rows(pool.ksets)
    known = labels(world, random)
    rare = [np.flatnonzero(known[:, 1] == answer)[: wanted // 3] for answer in (True, False)]
    picked = np.unique(np.concatenate([np.arange(min(random.num, wanted)), *rare]))
    whole = world.groups.sizes == k
    whole[torn[:, 0]] = False
    planted = world.groups.take(whole).members.reshape(-1, k)  # groups that repeat come as often
    share = np.array([len(np.unique(planted, axis=0)) / pool.total, known[:, 1].mean()])
    planted = rng.permutation(planted)[: wanted // 3]
    answers = np.concatenate([known[picked], np.ones((len(planted), 2), bool)])
    sets = Sets.join([random.take(picked), Sets.of_rows(planted)])
    return _Chosen(sets, answers, _weights(answers, share, random.num))


def _no_cliques(
    world: World, cliques: np.ndarray, torn: np.ndarray, wanted: int, rng: np.random.Generator
) -> list[_Chosen]:
    """Connected sets with a pair missing and with more: near cliques, anywhere, and inside torn groups."""
    rows, k = world.graph.rows, cliques.shape[1] + 1
    near = near_cliques(world.graph, cliques, rng)
    far = loose_sets(world.graph, k, POOL * wanted if k > 3 else 0, rng)  # of 3 nodes all are near a pair
    large = rng.permutation(torn[world.groups.sizes[torn[:, 0]] >= k])[:wanted]
    inside = np.unique(_kernels.torn_sets(*world.groups, large, k, new_stream(rng)), axis=0)
    drawn = np.concatenate([near, far, inside])
    by_chance = np.arange(len(drawn)) < len(drawn) - len(inside)
    sets = Sets.of_rows(drawn)
    missing = pairs_missing(*rows, *sets)
    connected = sets_connected(*rows, *sets)
    known = labels(world, sets)
    found = []
    for kind in (missing == 1, missing > 1):
        random, torn_ones = (np.flatnonzero(kind & connected & part) for part in (by_chance, ~by_chance))
        if not random.size:
            continue
        share = known[random].mean(axis=0)
        picked = np.concatenate([random[: wanted // LOOSE], torn_ones[: wanted // LOOSE]])
        weights = _weights(known[picked], share, random.size)
        found.append(_Chosen(sets.take(picked), known[picked], weights))
    return found


def _weights(answers: np.ndarray, share: np.ndarray, looked_at: int) -> np.ndarray:
    """What each example stands for, (s,), of sum 1.

    `share` has the shares of groups and of sets inside one among random sets. Sets that are groups, lie
    inside one, or do neither, each have their share, divided among their examples.
    """
    exact, contained = answers.T
    apart = [exact, contained & ~exact, ~contained]
    least = UNSEEN / max(looked_at, 1)
    shares = np.maximum([share[0], share[1] - share[0], 1 - share[1]], least)
    weights = np.zeros(len(answers))
    for mine, part in zip(apart, shares, strict=True):
        weights[mine] = part / max(int(mine.sum()), 1)
    normed: np.ndarray = weights / weights.sum()
    return normed


def _smaller(pools: dict[int, Cliques], k: int) -> np.ndarray:
    """Random cliques of k - 1 nodes; those of k without a node where that size was not drawn."""
    return pools[k - 1].ksets if k - 1 in pools else pools[k].ksets[:, 1:]
