"""Nearest vectors by an index: how many of the true ten does it find, how fast? python benchmarks/similar.py

Vectors of 128 numbers around 2,000 centres; the ten nearest to a
thousand of them. Up to a million vectors all are looked at, unless an index is forced, as here.
"""

import sys
import time

import numpy as np
from record import Record

from mhmgnn.models.similar import SetIndex

DIM, CENTRES, ASKED, TOP = 128, 2_000, 1_000, 10
SIZES = (100_000, 1_200_000)


def vectors(count: int) -> np.ndarray:
    """Vectors of one length around random centres, (count, DIM) float32."""
    rng = np.random.default_rng(0)
    centres = rng.normal(size=(CENTRES, DIM)).astype(np.float32)
    found = centres[rng.integers(CENTRES, size=count)]
    found += 0.5 * rng.normal(size=(count, DIM)).astype(np.float32)
    return np.asarray(found / np.linalg.norm(found, axis=1, keepdims=True), np.float32)


def row(count: int) -> dict[str, object]:
    """Build an index and ask both ways."""
    given, ksets = vectors(count), np.arange(3 * count).reshape(-1, 3)
    began = time.perf_counter()
    index = SetIndex(ksets, given, exact=0)
    built = time.perf_counter() - began
    asked = given[np.random.default_rng(1).choice(count, ASKED, replace=False)]
    began = time.perf_counter()
    by_index = [index.nearest(vector, TOP)[0] for vector in asked]
    quick = time.perf_counter() - began
    exact = SetIndex(ksets, given, exact=count)
    began = time.perf_counter()
    truth = [exact.nearest(vector, TOP)[0] for vector in asked[:100]]
    slow = time.perf_counter() - began
    shared = sum(np.intersect1d(*both).size for both in zip(by_index, truth, strict=False))
    return {
        "vectors": count,
        "index built in s": built,
        "ms a question, index": quick / ASKED * 1e3,
        "ms a question, all": slow / len(truth) * 1e3,
        "recall of ten": shared / (TOP * len(truth)),
    }


if __name__ == "__main__":
    record = Record("similar", "Similar sets", " ".join((__doc__ or "").split("\n\n")[1].split()))
    for size in [int(word) for word in sys.argv[1:]] or SIZES:
        record.add(row(size))
    record.write()
