"""Compiled: sets of slots 0..d-1 as bit masks of 64-bit words, for clique searches root by root."""

import numpy as np

from mhmgnn.runtime.jit import njit


@njit(cache=True, nogil=True, inline="always")
def ones(word):
    """The number of set bits of a word; LLVM recognises this form and makes it one instruction."""
    word = word - ((word >> np.uint64(1)) & np.uint64(0x5555555555555555))
    word = (word & np.uint64(0x3333333333333333)) + ((word >> np.uint64(2)) & np.uint64(0x3333333333333333))
    word = (word + (word >> np.uint64(4))) & np.uint64(0x0F0F0F0F0F0F0F0F)
    return np.int64((word * np.uint64(0x0101010101010101)) >> np.uint64(56))


@njit(cache=True, nogil=True, inline="always")
def lowest(word):
    """The index of the lowest set bit of a word that is not 0."""
    return ones((word & (~word + np.uint64(1))) - np.uint64(1))


@njit(cache=True, nogil=True, inline="always")
def bit_of(slot):
    """The word with the bit of a slot set; it is word `slot >> 6` of a mask."""
    return np.uint64(1) << np.uint64(slot & 63)


@njit(cache=True, nogil=True)
def fill(mask, slots):
    """Set the first `slots` bits of a mask."""
    words = (slots + 63) >> 6
    mask[:words] = ~np.uint64(0)
    if slots & 63:
        mask[words - 1] = bit_of(slots) - np.uint64(1)


@njit(cache=True, nogil=True, inline="always")
def first_slot(masks, level, words):
    """The first slot of the mask `masks[level]`; -1 if it is empty."""
    w = 0
    while w < words and masks[level, w] == 0:
        w += 1
    return (w << 6) + lowest(masks[level, w]) if w < words else np.int64(-1)


@njit(cache=True, nogil=True)
def list_slots(mask, words, slots):
    """Write the slots of a mask, in ascending order."""
    found = 0
    for w in range(words):
        rest = mask[w]
        while rest:
            slots[found] = (w << 6) + lowest(rest)
            found += 1
            rest &= rest - np.uint64(1)


@njit(cache=True, nogil=True)
def best_pivot(near, left, also, words, enough):
    """The slot of `left` or `also` with the most neighbours in `left`; the first with `enough` of them."""
    best, most = np.int64(-1), np.int64(-1)
    for w in range(words):
        rest = left[w] | also[w]
        while rest:
            slot = (w << 6) + lowest(rest)
            rest &= rest - np.uint64(1)
            found = np.int64(0)
            for x in range(words):
                found += ones(left[x] & near[slot, x])
            if found > most:
                best, most = slot, found
                if most == enough:
                    return best
    return best


@njit(cache=True, nogil=True)
def load(start, later, root, slot, near):
    """Write the adjacency among the later neighbours of the root as masks `near`, one for each slot.

    `later[start[v] : start[v + 1]]` are the later neighbours of v; those of the root are the slots. `slot`,
    (n,), is a scratch array that holds -1 before and after.
    """
    nodes = later[start[root] : start[root + 1]]
    for i in range(nodes.size):
        slot[nodes[i]] = i
        near[i, : (nodes.size + 63) >> 6] = 0
    for i in range(nodes.size):
        for u in later[start[nodes[i]] : start[nodes[i] + 1]]:
            j = slot[u]
            if j >= 0:
                near[i, j >> 6] |= bit_of(j)
                near[j, i >> 6] |= bit_of(i)
    for node in nodes:
        slot[node] = -1
