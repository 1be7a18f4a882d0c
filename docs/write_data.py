"""Write the tables of docs/data.md that set the generated shop beside real data.

`python docs/write_data.py` writes them from results/datasets/shop.json; with `--measure` the file is measured
anew first, which takes a few minutes and the files of Steam, Rent and DBLP.
"""

import json
import re
import sys
from pathlib import Path
from typing import Any

import numpy as np

from mhmgnn import datasets
from mhmgnn.datasets import coauthors
from mhmgnn.datasets.hyperedges import Hyperedges, with_counts
from mhmgnn.graph import Graph
from mhmgnn.models.completion import clustering
from mhmgnn.paper.goal import markdown
from mhmgnn.subgraphs.cliques import list_cliques

DOCS = Path(__file__).parent
PAGE, FIGURES = DOCS / "data.md", DOCS.parent / "results" / "datasets" / "shop.json"
MARKED = re.compile(
    r"(<!-- (statistics|sets|completion|recovery) of the shop -->\n).*?(?=<!-- end -->)", re.S
)
RECOVERERS = ("every pair", "maximal cliques", "greedy cover", "clique percolation")
Figures = dict[str, dict[str, float]]


def statistics(graph: Graph, groups: Hyperedges) -> dict[str, float]:
    """What there is to count of a graph with counts and of the groups it was made of."""
    several = groups.sizes[groups.sizes > 1]
    middle, upper = np.quantile(graph.degrees, (0.5, 0.9))
    assert graph.weights is not None, "counted"
    found = {
        "nodes": graph.num_nodes,
        "pairs": graph.num_edges,
        "groups of two and more": several.size,
        "nodes in a group, mean": several.mean(),
        "the largest group": several.max(),
        "degree, median": middle,
        "degree, nine tenths below": upper,
        "degree, most": graph.degrees.max(),
        "count of a pair, mean": graph.weights.mean(),
        "pairs seen once": (graph.weights == 1).mean(),
        "clustering": clustering(graph),
    }
    for k in (3, 4):
        cliques = list_cliques(graph, k)
        found[f"cliques of {k}"] = len(cliques)
        found[f"cliques of {k} that are a group"] = groups.holds(cliques).mean()
        found[f"cliques of {k} inside one"] = groups.holds(cliques, "contained").mean()
    return {name: round(float(value), 4) for name, value in found.items()}


def shop() -> dict[str, float]:
    """The statistics of the generated shop."""
    market = datasets.load("market")
    return statistics(market.graph, market.truth)


def real() -> Figures:
    """The statistics of real data sets, with counts."""
    found = {}
    for name in ("steam", "rent"):
        data = datasets.load(name)
        found[name] = statistics(with_counts(data.graph, data.truth), data.truth)
    papers = coauthors.dblp(weights=True)
    return found | {"dblp": statistics(papers.graph, papers.truth)}


def scores() -> dict[str, Figures]:
    """What formulas, rivals and ours have on the shop, by question."""
    from mhmgnn.baselines.comparison import questions
    from mhmgnn.baselines.comparison.ours import Ours
    from mhmgnn.baselines.comparison.rows import OURS
    from mhmgnn.evaluation.completion import hold_out

    market = datasets.load("market")
    graph, truth = market.graph, market.truth
    ours = Ours(graph, seed=0)
    asked = questions.ask_all(graph, truth)
    ranked = questions.rank_by_formulas(graph, asked)
    ranked[OURS] = questions.rank_by_energy(ours.reader(graph), asked)
    held = hold_out(truth, graph.num_nodes, seed=0, counts=True)
    methods = {*RECOVERERS, OURS}
    recovered = questions.recover_by_all(graph, truth, ours.groups, seconds=0, seed=0, methods=methods)
    kept = ("f1", "f1 of 3+", "groups")
    return {
        "sets": {by: {name: round(one.auc, 4) for name, one in row.items()} for by, row in ranked.items()},
        "completion": {
            row.by: {name: round(value, 4) for name, value in row.figures.items()}
            for row in questions.complete_by_all(held)
        },
        "recovery": {row.by: {name: round(row.figures[name], 4) for name in kept} for row in recovered},
    }


def shown(value: float) -> str:
    """A whole number as it is, any other with three decimals."""
    return f"{value:,.0f}" if value == round(value) and value > 1 else f"{value:.3f}"


def table(figures: dict[str, Any], kind: str) -> list[str]:
    """One of the tables; in those of scores the best of each column is bold."""
    if kind == "statistics":
        columns = {"market, generated": figures["shop"], **figures["real"]}
        names = list(figures["shop"])
        body = [[name, *(shown(one[name]) for one in columns.values())] for name in names]
        return markdown([["", *columns], *body])
    rows: Figures = figures["scores"][kind]
    names = list(next(iter(rows.values())))
    best = {name: max(row[name] for row in rows.values()) for name in names if name != "groups"}
    body = [
        [by, *(f"**{shown(row[n])}**" if row[n] == best.get(n) else shown(row[n]) for n in names)]
        for by, row in rows.items()
    ]
    return markdown([["by", *names], *body])


def filled(text: str, figures: dict[str, Any]) -> str:
    """A page with its marked tables made anew."""
    return MARKED.sub(lambda found: "\n".join([found[1], *table(figures, found[2]), "", ""]), text)


def read_figures() -> dict[str, Any]:
    """What was measured."""
    return dict(json.loads(FIGURES.read_text(encoding="utf-8")))


if __name__ == "__main__":
    if "--measure" in sys.argv:
        measured = {"shop": shop(), "real": real(), "scores": scores()}
        FIGURES.parent.mkdir(exist_ok=True)
        FIGURES.write_text(json.dumps(measured, indent=1) + "\n", encoding="utf-8")
    PAGE.write_text(filled(PAGE.read_text(encoding="utf-8"), read_figures()), encoding="utf-8")
