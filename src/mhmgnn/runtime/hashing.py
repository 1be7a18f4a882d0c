"""The mixing of 64-bit words that random streams and hashes share (splitmix64); without numba."""

import numpy as np

GOLDEN = np.uint64(0x9E3779B97F4A7C15)  # added to a word before it is mixed
FIRST, SECOND = np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB)


def mix_words(words: np.ndarray) -> np.ndarray:
    """Each word with all its bits mixed, (m,) uint64."""
    words = (words ^ (words >> np.uint64(30))) * FIRST
    words = (words ^ (words >> np.uint64(27))) * SECOND
    mixed: np.ndarray = words ^ (words >> np.uint64(31))
    return mixed
