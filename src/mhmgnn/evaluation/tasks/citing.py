"""k-sets of a paper and others that it cites, all of them."""

from itertools import combinations
from math import comb

import numpy as np

from mhmgnn.datasets.citations import Citations

CENSUS = 10**6  # k-sets that are all listed


def citing_sets(truth: Citations, nodes: np.ndarray, k: int) -> np.ndarray | None:
    """Every k-set inside `nodes` of a paper and k - 1 that it cites, (m, k); None if too many to list."""
    inside = np.isin(truth.citing, nodes) & np.isin(truth.cited, nodes)
    papers, first, counts = np.unique(truth.citing[inside], return_index=True, return_counts=True)
    if sum(comb(int(count), k - 1) for count in counts) > CENSUS:
        return None
    cited, found = truth.cited[inside], [np.empty((0, k), np.int64)]
    for count in np.unique(counts[counts >= k - 1]).tolist():
        chosen = np.array(list(combinations(range(count), k - 1)))
        same = counts == count
        others = cited[first[same, None, None] + chosen]  # (papers, choices, k - 1)
        centre = np.broadcast_to(papers[same, None, None], (*others.shape[:2], 1))
        found.append(np.concatenate([centre, others], axis=2).reshape(-1, k))
    return np.unique(np.sort(np.concatenate(found), axis=1), axis=0)
