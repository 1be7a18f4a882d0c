"""Do publishers' bundles have low energy? python benchmarks/bundles.py: a truth that nobody projected.

The bundles of steam/bundle_data.json.gz are what publishers sell together. The games that one user reviewed,
in any year, make the groups, their pairs with counts the graph; no user has to do with a bundle. Cliques of
2, 3 and 4 games are ranked by -energy and by the formulas: which lie inside a bundle? Area under the ROC
curve, 0.5 by chance, and how many of the cliques that were drawn do. Rows go to results/groups/bundles.jsonl.
"""

import ast
import gzip
import json
import sys
from collections.abc import Iterator
from typing import Any

import numpy as np
import torch
from cases import Kept, chosen
from record import RESULTS

from mhmgnn.baselines.comparison.ours import Ours
from mhmgnn.baselines.comparison.questions import Asked, rank_by_energy, rank_by_formulas
from mhmgnn.baselines.comparison.rows import OURS
from mhmgnn.datasets.files import data_folder
from mhmgnn.datasets.groups import hypergraph
from mhmgnn.datasets.hyperedges import Hyperedges
from mhmgnn.evaluation.ranking import ask
from mhmgnn.graph import Graph

KEPT = RESULTS / "groups" / "bundles.jsonl"
SIZES = (2, 3, 4)


def reviewed() -> Graph:
    """Games that the same users reviewed, with counts."""
    users: dict[str, set[str]] = {}
    path = data_folder() / "steam" / "australian_user_reviews.flat.jsonl.gz"
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        for line in lines:
            review = json.loads(line)
            users.setdefault(review["user_id"], set()).add(review["item_id"])
    return hypergraph([sorted(games) for games in users.values() if len(games) > 1]).graph


def bundles(graph: Graph) -> Hyperedges:
    """The games of each bundle that are in the graph, of two and more."""
    with gzip.open(data_folder() / "steam" / "bundle_data.json.gz", "rt", encoding="utf-8") as lines:
        sold = [{item["item_id"] for item in ast.literal_eval(line)["items"]} for line in lines]
    assert graph.names is not None, "games have names"
    place = {name: i for i, name in enumerate(graph.names.array.to_pylist())}
    known = [sorted(place[game] for game in games if game in place) for games in sold]
    several = [games for games in known if len(games) > 1]
    members = np.concatenate([np.array(games, np.int64) for games in several])
    return Hyperedges(members, np.cumsum([0, *map(len, several)], dtype=np.int64))


def rows(seeds: tuple[int, ...]) -> Iterator[dict[str, Any]]:
    """The area under the ROC curve for each size, by formula and by energy."""
    graph = reviewed()
    truth = bundles(graph)
    asked: Asked = {(k, "contained"): ask(graph, truth, k, "contained") for k in SIZES}
    facts: dict[str, Any] = {"set": "Steam bundles", "counts": True, "bundles": len(truth)}
    facts |= {f"{k} inside": int(question.labels.sum()) for (k, _), question in asked.items()}

    for formula, found in rank_by_formulas(graph, asked).items():
        yield {**facts, "by": formula, "seed": None, **{key: round(one.auc, 4) for key, one in found.items()}}
    for seed in seeds:
        found = rank_by_energy(Ours(graph, seed=seed).reader(graph), asked)
        yield {**facts, "by": OURS, "seed": seed, **{key: round(one.auc, 4) for key, one in found.items()}}


def main() -> None:
    """Run it all."""
    torch.set_num_threads(1)
    _, seeds = chosen(sys.argv[1:], ())
    Kept(KEPT, trial="--trial" in sys.argv).add(rows(seeds))


if __name__ == "__main__":
    main()
