"""Do energies find real groups? python benchmarks/groups.py [SET ...]: ours beside every formula.

Steam, Rent and DBLP, and the hypergraphs of the folder in MHMGNN_DATA (test halves; dblp: a ball of 12,000
nodes). Cliques of 3 and 4 nodes are ranked by -energy: which are exactly a group, which lie inside one. With
counts on pairs and from pairs alone, three seeds. Labels are read for scoring alone. A row is kept in
results/groups/energy.jsonl as soon as it is there; rows that are there are not run again.
"""

import gzip
import json
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch
from record import RESULTS

import mhmgnn
from mhmgnn.baselines.formulas import formulas
from mhmgnn.config import GroupsConfig
from mhmgnn.datasets.coauthors import dblp, dblp_whole
from mhmgnn.datasets.files import data_folder
from mhmgnn.datasets.hyperedges import Hyperedges, project, with_counts
from mhmgnn.evaluation.ranking import ask, rank
from mhmgnn.graph import Graph
from mhmgnn.graph.sets import Sets
from mhmgnn.io.jsonl import put_row, read_lines
from mhmgnn.models.groups import MATCHES, GroupReader
from mhmgnn.runtime.distributed import ALONE
from mhmgnn.training.groups import fit_groups
from mhmgnn.training.worlds.store import WorldStore
from mhmgnn.training.worlds.world import rewired

HYPERGRAPHS = ("crime", "directors", "enron", "foursquare", "hosts", "school", "school2", "dblp")
SETS = ("Steam", "Rent", "DBLP", *HYPERGRAPHS)
SEEDS = (1, 2, 3)
BALL = 12_000  # nodes of dblp
Score = Callable[[int, str], np.ndarray]  # of a question, by k and match
KEPT = RESULTS / "groups" / "energy.jsonl"


class Case(NamedTuple):
    """A graph to learn from, a graph to ask about, with counts, and the hidden groups of the latter."""

    learn: Graph
    test: Graph
    truth: Hyperedges


def load(name: str) -> Case:
    """The case called `name`."""
    if name == "DBLP":
        data, counted = mhmgnn.datasets.load("dblp"), dblp(weights=True).graph
        return Case(counted, counted, _cut_papers(data.graph))
    if name in ("Steam", "Rent"):
        data = mhmgnn.datasets.load(name.lower())
        assert data.later is not None, "the next year is there"
        return Case(*(with_counts(one.graph, one.truth) for one in (data, data.later)), data.later.truth)
    truth = read_groups(data_folder() / "hypergraphs" / name / "test.txt.gz")
    if name == "dblp":
        truth = ball(truth, BALL)
    graph = Graph.from_edges(project(truth, int(truth.members.max()) + 1))
    graph = with_counts(graph, truth)
    return Case(graph, graph, truth)


def _cut_papers(graph: Graph) -> Hyperedges:
    """Papers of all of DBLP without their authors outside the sample; those of one author are left out."""
    everything = dblp_whole()
    assert graph.names is not None, "authors have names"
    place = {name: i for i, name in enumerate(graph.names.array.to_pylist())}
    names = everything.graph.names
    assert names is not None, "authors have names"
    inside = np.array([place.get(name, -1) for name in names.array.to_pylist()])
    papers = [inside[everything.truth[i]] for i in range(len(everything.truth))]
    return _end_to_end([np.sort(paper[paper >= 0]) for paper in papers])


def read_groups(path: Path) -> Hyperedges:
    """Every line's distinct node ids, renumbered; lines of one node are left out."""
    with gzip.open(path, "rt") as lines:
        return _renumbered([np.unique(np.array(line.split(), dtype=np.int64)) for line in lines])


def ball(groups: Hyperedges, most: int) -> Hyperedges:
    """The groups inside a breadth-first ball around a random node."""
    rng = np.random.default_rng(3)
    of_node = groups.incidence(int(groups.members.max()) + 1).tocsc()
    met = {int(rng.integers(of_node.shape[1])): None}
    queue = list(met)
    while queue and len(met) < most:
        node = queue.pop(0)
        for group in of_node.indices[of_node.indptr[node] : of_node.indptr[node + 1]]:
            fresh = [other for other in groups[group].tolist() if other not in met]
            met.update(dict.fromkeys(fresh))
            queue += fresh
    return _renumbered([groups[i] for i in range(len(groups)) if all(v in met for v in groups[i].tolist())])


def _renumbered(groups: list[np.ndarray]) -> Hyperedges:
    """The groups of two and more nodes, over nodes 0, 1, ... in the order of their ids."""
    found = _end_to_end(groups)
    return Hyperedges(np.unique(found.members, return_inverse=True)[1].astype(np.int64), found.offsets)


def _end_to_end(groups: list[np.ndarray]) -> Hyperedges:
    """The groups of two and more nodes."""
    groups = [group for group in groups if group.size > 1]
    offsets = np.cumsum([0, *(group.size for group in groups)])
    return Hyperedges(np.concatenate(groups).astype(np.int64), offsets.astype(np.int64))


def rows(name: str, counted: bool, seeds: tuple[int, ...]) -> Iterator[dict[str, Any]]:
    """Scores of each question by the formulas, and by the energy of each seed."""
    case = load(name)
    learn, test = (graph if counted else replace(graph, weights=None) for graph in case[:2])
    questions = {(k, match): ask(test, case.truth, k, match) for k in (3, 4) for match in MATCHES}

    def told(
        by: str, seed: int | None, score: Callable[[int, str], np.ndarray], **more: Any
    ) -> dict[str, Any]:
        found: dict[str, Any] = {"set": name, "counts": counted, "by": by, "seed": seed, **more}
        for (k, match), question in questions.items():
            if (ranked := rank(question, score(k, match))) is not None:
                found[f"{k} {match}"] = [round(ranked.auc, 4), round(ranked.precision, 4)]
        return found

    values = {key: formulas(test, question.ksets) for key, question in questions.items()}
    for formula in values[3, "exact"]:
        yield told(formula, None, lambda k, match, formula=formula: values[k, match][formula])
    for seed in seeds:
        began = time.perf_counter()
        fitted = fit_groups(learn, GroupsConfig(), seed, crew=ALONE, store=WorldStore(None, ""))
        assert fitted is not None, "there are triangles"
        seconds = time.perf_counter() - began
        reader = GroupReader(fitted.energy, test, at_home=learn is test)
        energies = {key: reader.energies(Sets.of_rows(one.ksets)) for key, one in questions.items()}
        chance = chance_groups(fitted.energy, test, seed)
        yield told(
            "mhmgnn",
            seed,
            lambda k, match, energies=energies: -energies[k, match][:, MATCHES.index(match)],
            seconds=round(seconds, 1),
            chance=round(chance, 4),
        )


def chance_groups(energy: Any, graph: Graph, seed: int) -> float:
    """The share of triangles taken for groups, or inside one, in the graph rewired with degrees kept."""
    from mhmgnn.subgraphs.cliques import draw_cliques

    rng = np.random.default_rng(seed)
    other = rewired(graph, rng)
    ksets, _ = draw_cliques(other, 3, 5_000, rng)
    if not len(ksets):
        return 0.0
    energies = GroupReader(energy, other, at_home=False).energies(Sets.of_rows(ksets))
    return float((energies < 0).mean(axis=0).max())


def main() -> None:
    """Run what is missing of the sets named, or of all."""
    torch.set_num_threads(1)
    chosen = [arg for arg in sys.argv[1:] if not arg.startswith("--")] or list(SETS)
    seeds = (100,) if "--trial" in sys.argv else SEEDS
    done = {_key(json.loads(line)) for line in read_lines(KEPT)} if KEPT.exists() else set()
    for counted in (False, True):
        for name in chosen:
            missing = tuple(seed for seed in seeds if (name, counted, "mhmgnn", seed) not in done)
            for row in rows(name, counted, missing) if missing else ():
                print(json.dumps(row), flush=True)
                if "--trial" not in sys.argv:
                    put_row(KEPT, row, lambda line, row=row: _key(json.loads(line)) == _key(row))


def _key(row: dict[str, Any]) -> tuple[Any, ...]:
    return row["set"], row["counts"], row["by"], row["seed"]


if __name__ == "__main__":
    main()
