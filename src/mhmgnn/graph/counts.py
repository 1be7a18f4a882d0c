"""How often each pair was seen: counts are checked, and added up over the listings of a pair."""

from __future__ import annotations

from typing import Any, NamedTuple, NoReturn

import numpy as np

from mhmgnn.errors import DataError

COUNT_TITLES = frozenset(
    ["count", "counts", "weight", "weights", "n", "times", "freq", "frequency", "number"]
)
ALLOWED = "a count must be above 0 and finite, as float32 holds it"
NAME_COUNTS = "if one of them says how often a pair was seen, name it with weights (--weights)"
PAIRS_ALONE = "weights=False (--weights none) takes the pairs alone"


class Counted(NamedTuple):
    """The pairs of a list, each once."""

    keys: np.ndarray  # (e,) int64, low * n + high, rising
    counts: np.ndarray | None  # (e,) float32; None where the list does not tell
    repeated: int  # listings beyond the first of a pair, see `Merged`


def as_counts(values: Any, size: int, what: str) -> np.ndarray:
    """One count for each of `size` listings, float64; what is no count is an error with its place."""
    try:
        array = np.asarray(values)
    except ValueError as error:  # lists of several lengths
        raise DataError(f"{what}: {error}; it must be one count for each edge") from None
    if array.ndim == 2 and array.shape[1] == 1:
        array = array[:, 0]
    if array.shape != (size,):
        raise DataError(f"{what}: the shape is {array.shape}; it must be ({size},), one count for each edge")
    given = array.tolist() if array.dtype.kind not in "biuf" else array
    counts = np.array([_number(value) for value in given]) if given is not array else array
    counts = counts.astype(np.float64)
    fault = first_fault(counts)
    if fault is not None:
        refuse_count(f"{what}, entry {fault}", given[fault])
    return counts


def first_fault(counts: np.ndarray) -> int | None:
    """The place of the first of the values, (m,) float64, that is no count."""
    with np.errstate(over="ignore", under="ignore"):
        held = counts.astype(np.float32)
    broken = ~((held > 0) & (held < np.inf))
    return int(np.argmax(broken)) if broken.any() else None


def refuse_count(where: str, value: object) -> NoReturn:
    """Say that what was given in this place is no count."""
    plain = value.item() if isinstance(value, np.generic) else value
    shown = "nothing" if plain is None else repr(plain)
    raise DataError(f"{where}: {shown} given; {ALLOWED}; {PAIRS_ALONE}")


def count_pairs(
    source: np.ndarray, target: np.ndarray, num_nodes: int, values: np.ndarray | None, *, mirrored: bool
) -> Counted:
    """The pairs of a list without self-loops, with how often each was seen.

    Each listing adds its value, or one; (a, b) and (b, a) are the same pair. But a list that holds every pair
    once in each direction, with the same value, is an undirected list written both ways: a value is then the
    count itself, and without values nothing is known. Where both directions are the custom (`mirrored`),
    listings of the same direction add up first; without values, and if none repeats, nothing is known.
    """
    listed, given = source.size, values is not None
    if mirrored:
        entries, values = _add_up(source.astype(np.int64, copy=False) * num_nodes + target, values)
        source, target = np.divmod(entries, num_nodes)
    pairs, counts = _add_up(_pair_keys(source, target, num_nodes), values)
    repeated = listed - (source.size if mirrored else pairs.size)
    if mirrored and not given and not repeated:
        counts = None
    elif 2 * pairs.size == source.size:
        upper = source < target
        one, other = (
            _add_up(
                _pair_keys(source[side], target[side], num_nodes), None if values is None else values[side]
            )
            for side in (upper, ~upper)
        )
        if one[0].size == other[0].size == pairs.size and _equal(one[1], other[1]):
            counts = one[1]
    return Counted(pairs, None if counts is None else _held(counts, pairs, num_nodes), repeated)


def described(weights: np.ndarray) -> str:
    """The range and the mean of counts, in a few words."""
    found = (weights.min(), weights.max(), weights.mean(dtype=np.float64))
    least, most, mean = (_short(float(value)) for value in found)
    return f"all {least}" if found[0] == found[1] else f"{least} to {most}, mean {mean}"


def _pair_keys(source: np.ndarray, target: np.ndarray, num_nodes: int) -> np.ndarray:
    keys: np.ndarray = np.minimum(source, target).astype(np.int64, copy=False) * num_nodes
    keys += np.maximum(source, target)
    return keys


def _add_up(keys: np.ndarray, values: np.ndarray | None) -> tuple[np.ndarray, np.ndarray | None]:
    """Distinct keys in order, each with the sum of its values; `keys` is sorted in place.

    Without values, with how often it comes, or None if no key comes twice. A sum does not depend on the order
    of the list: where values are not whole, they are added in rising order.
    """
    if values is None or not keys.size:
        keys.sort()
        starts = _starts(keys)
        if starts.all():
            return keys, None
        return keys[starts], np.diff(np.flatnonzero(starts), append=keys.size).astype(np.float64)
    keys, values = _by_key(keys, values)
    starts = np.flatnonzero(_starts(keys))
    if starts.size == keys.size:
        return keys, values
    with np.errstate(over="ignore"):
        return keys[starts], np.add.reduceat(values, starts)


def _by_key(keys: np.ndarray, values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Both sorted by keys, and where a key repeats by values.

    Whole numbers that fit into one with their keys are sorted as such, several times as fast.
    """
    base = int(values.max()) + 1 if values.max() < 2**62 else 2**62
    if int(keys.max()) < 2**63 // base - 1 and (values == np.floor(values)).all():
        keys *= base
        keys += values.astype(np.int64)
        keys.sort()
        sorted_keys, sorted_values = np.divmod(keys, base)
        return sorted_keys, sorted_values.astype(np.float64)
    order = np.lexsort((values, keys))
    return keys[order], values[order]


def _starts(keys: np.ndarray) -> np.ndarray:
    """True where a sorted key differs from the one before it."""
    starts = np.ones(keys.size, bool)
    np.not_equal(keys[1:], keys[:-1], out=starts[1:])
    return starts


def _equal(one: np.ndarray | None, other: np.ndarray | None) -> bool:
    if one is None or other is None:
        return one is other
    return bool(np.array_equal(one, other))


def _held(counts: np.ndarray, pairs: np.ndarray, num_nodes: int) -> np.ndarray:
    """The counts as float32; a sum that it does not hold is an error."""
    with np.errstate(over="ignore"):
        held = counts.astype(np.float32)
    if np.isinf(held).any():
        low, high = divmod(int(pairs[np.argmax(held)]), num_nodes)
        raise DataError(f"the counts of the pair ({low}, {high}) add up to more than float32 holds")
    return held


def _number(value: object) -> float:
    """The value of a cell; no number at all becomes nan."""
    try:
        return float(value)  # type: ignore[arg-type]
    except (TypeError, ValueError, OverflowError):
        return float("nan")


def _short(value: float) -> str:
    return f"{value:,.0f}" if value.is_integer() or value >= 1000 else f"{value:.3g}"
