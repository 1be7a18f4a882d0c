"""Random streams for compiled code: one for each tour or subgraph, found from a key and a number alone."""

import numpy as np

from mhmgnn.runtime.hashing import FIRST, GOLDEN, SECOND
from mhmgnn.runtime.jit import njit


@njit(cache=True, nogil=True, inline="always")
def mix(z):
    """The finaliser of splitmix64: a 64-bit word with all its bits mixed."""
    z = (z ^ (z >> np.uint64(30))) * FIRST
    z = (z ^ (z >> np.uint64(27))) * SECOND
    return z ^ (z >> np.uint64(31))


@njit(cache=True, nogil=True)
def seed_streams(streams, key, numbers):
    """Start the random stream of each number, (numbers, 2) uint64, from the key of the run."""
    for i in range(numbers.size):
        base = np.uint64(key) + np.uint64(2) * np.uint64(numbers[i]) * GOLDEN
        streams[i, 0] = mix(base + GOLDEN)
        streams[i, 1] = mix(base + GOLDEN + GOLDEN)


@njit(cache=True, nogil=True, inline="always")
def draw(stream, n):
    """A whole number below n, uniform to within n / 2^53 (xoroshiro128++)."""
    a, b = stream[0], stream[1]
    word = a + b
    word = ((word << np.uint64(17)) | (word >> np.uint64(47))) + a
    b ^= a
    stream[0] = ((a << np.uint64(49)) | (a >> np.uint64(15))) ^ b ^ (b << np.uint64(21))
    stream[1] = (b << np.uint64(28)) | (b >> np.uint64(36))
    return np.int64(np.float64(word >> np.uint64(11)) * (1.0 / 9007199254740992.0) * n)


@njit(cache=True, nogil=True)
def uniform(stream):
    """A number in [0, 1)."""
    return draw(stream, 1 << 53) * (1.0 / 9007199254740992.0)
