"""How often do the pairs of real groups repeat? python benchmarks/repeats.py: what pairs alone tell of it.

Rank correlation of formulas over pairs with how many groups hold each pair, over all pairs of the graph, on
Steam, Rent, DBLP, the hypergraphs of the folder in MHMGNN_DATA and those of hypergcn.
"""

import numpy as np
from cases import HYPERGCN, SETS, load
from record import Record
from scipy.stats import spearmanr

from mhmgnn.context.pairs import OVERLAP, pair_overlap
from mhmgnn.graph.csr import sources


def row(name: str) -> dict[str, object]:
    """Correlations on one set."""
    graph = load(name).learn
    source = sources(graph.indptr)
    forth = source < graph.indices
    overlap = dict(zip(OVERLAP, pair_overlap(graph)[forth].T.astype(np.float64), strict=True))
    ends = graph.degrees[source[forth]], graph.degrees[graph.indices[forth]]
    either = sum(ends) - overlap["common"] - 2
    by = {
        "degrees": ends[0] * ends[1],
        "Jaccard": (overlap["common"] + 0.5) / (either + 1),
        "common neighbours": overlap["common"],
        "Adamic-Adar": overlap["adamic-adar"],
        "resource allocation": overlap["resource"],
    }
    assert graph.weights is not None, "groups are counted"
    times = graph.weights[forth]
    found = {formula: float(spearmanr(values, times).statistic) for formula, values in by.items()}
    return {"set": name, "pairs": int(forth.sum()), "groups of a pair": float(times.mean()), **found}


def main() -> None:
    """Measure all sets."""
    record = Record("repeats", "Repeated pairs", " ".join((__doc__ or "").split("\n\n")[1].split()))
    for name in (*SETS, *HYPERGCN):
        record.add(row(name))
    record.write()


if __name__ == "__main__":
    main()
