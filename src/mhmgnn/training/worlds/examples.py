"""A world -> labelled cliques: which are groups, and which lie inside one."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from mhmgnn.context.context import describe, read_sets
from mhmgnn.context.reference import random_cliques
from mhmgnn.context.scale import Scale
from mhmgnn.graph.sets import Sets
from mhmgnn.training.worlds.world import World, labels

POOL = 8  # random cliques of a size that are drawn and labelled per example wanted


class Examples(NamedTuple):
    """Labelled sets of a world."""

    scaled: np.ndarray  # (s, f) float32, context standardised by random cliques of the world
    plain: np.ndarray  # (s, f) float32, context as it is
    sizes: np.ndarray  # (s,) int64
    answers: np.ndarray  # (s, 2) bool: is a group, lies inside one
    rates: np.ndarray  # (c, 4) for each size: the size, cliques drawn, share of groups, share inside one

    @classmethod
    def join(cls, parts: list[Examples]) -> Examples:
        """The examples of several worlds as one."""
        return cls(*(np.concatenate(columns) for columns in zip(*parts, strict=True)))


def draw_examples(world: World, wanted: int, rng: np.random.Generator) -> Examples:
    """Labelled cliques of a world: random ones, with rare answers oversampled within each size."""
    context = describe(world.graph)
    chosen, answers, rates, random = [], [], [], []
    for k, pool in random_cliques(world.graph, POOL * wanted, rng).items():
        known = labels(world, pool)
        rates.append([k, pool.num, *known.mean(axis=0)])
        random.append(pool.take(np.arange(min(pool.num, wanted))))
        rare = [np.flatnonzero(known[:, 1] == answer)[: wanted // 3] for answer in (True, False)]
        picked = np.unique(np.concatenate([np.arange(min(pool.num, wanted)), *rare]))
        of_size = np.flatnonzero(world.groups.sizes == k)
        planted = world.groups.take(rng.permutation(of_size)[: wanted // 3])
        chosen += [pool.take(picked), planted]
        answers += [known[picked], np.ones((planted.num, 2), bool)]
    sets, others = Sets.join(chosen), Sets.join(random)
    plain, scale = read_sets(context, sets), Scale.of(read_sets(context, others), others.sizes)
    return Examples(
        scale.apply(plain, sets.sizes), plain, sets.sizes, np.concatenate(answers), np.array(rates)
    )
