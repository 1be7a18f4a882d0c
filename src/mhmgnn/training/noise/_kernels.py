"""Compiled permutations, and the random stream of each noise graph."""

import numpy as np

from mhmgnn.runtime.hashing import GOLDEN
from mhmgnn.runtime.jit import njit
from mhmgnn.runtime.rng import draw, mix, seed_streams


@njit(cache=True, nogil=True)
def seed_noise(streams, key, numbers, noise):
    """Seed the random streams, (numbers, 2), of noise graph `noise` of each training graph in `numbers`."""
    seed_streams(streams, mix(np.uint64(key) + (np.uint64(noise) + np.uint64(1)) * GOLDEN), numbers)


@njit(cache=True, nogil=True)
def shuffle(bounds, streams, order):
    """Write a uniform permutation of 0, 1, ... into each `order[bounds[i] : bounds[i + 1]]`."""
    for i in range(bounds.size - 1):
        part = order[bounds[i] : bounds[i + 1]]
        for j in range(part.size):  # the inside-out shuffle of Fisher and Yates
            swap = draw(streams[i], j + 1)
            part[j] = part[swap]
            part[swap] = j
