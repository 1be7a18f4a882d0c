"""Real groups that benchmarks hide: Steam, Rent and DBLP, and hypergraphs of the folder in MHMGNN_DATA."""

import gzip
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import mhmgnn
from mhmgnn.datasets.coauthors import dblp, dblp_whole
from mhmgnn.datasets.files import data_folder
from mhmgnn.datasets.hyperedges import Hyperedges, project, with_counts
from mhmgnn.graph import Graph
from mhmgnn.io.jsonl import put_row, read_lines

HYPERGRAPHS = ("crime", "directors", "enron", "foursquare", "hosts", "school", "school2", "dblp")
SETS = ("Steam", "Rent", "DBLP", *HYPERGRAPHS)
HYPERGCN = {  # those of the folder hypergcn, by its names
    "Cora authors": "coauthorship-cora",
    "Cora references": "cocitation-cora",
    "Citeseer references": "cocitation-citeseer",
}
SEEDS = (1, 2, 3)
TRIAL = 100  # the seed of a trial, whose rows are printed and not kept
BALL = 12_000  # nodes of dblp
KEY = ("set", "counts", "by", "seed")


class Case(NamedTuple):
    """A graph to learn from, a graph to ask about, with counts, and the hidden groups of the latter."""

    learn: Graph
    test: Graph
    truth: Hyperedges


def load(name: str, *, whole: bool = False) -> Case:
    """The case called `name`; of dblp a ball of 12,000 nodes, unless the `whole` is asked for."""
    if name == "DBLP":
        data, counted = mhmgnn.datasets.load("dblp"), dblp(weights=True).graph
        return Case(counted, counted, _cut_papers(data.graph))
    if name in ("Steam", "Rent"):
        data = mhmgnn.datasets.load(name.lower())
        assert data.later is not None, "the next year is there"
        return Case(*(with_counts(one.graph, one.truth) for one in (data, data.later)), data.later.truth)
    if name in HYPERGCN:
        truth = read_groups(data_folder() / "hypergcn" / HYPERGCN[name] / "hyperedges.tsv.gz", titled=True)
    else:
        truth = read_groups(data_folder() / "hypergraphs" / name / "test.txt.gz")
    if name == "dblp" and not whole:
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


def read_groups(path: Path, *, titled: bool = False) -> Hyperedges:
    """Every line's distinct node ids, renumbered; lines of one node are left out.

    Where groups are `titled`, ids follow the first tab of a line.
    """
    with gzip.open(path, "rt") as lines:
        written = [line.split("\t")[1] if titled else line for line in lines]
    return _renumbered([np.unique(np.array(ids.split(), dtype=np.int64)) for ids in written])


def ball(groups: Hyperedges, most: int) -> Hyperedges:
    """The groups inside a breadth-first ball around a random node; from another where a component ends."""
    rng = np.random.default_rng(3)
    of_node = groups.incidence(int(groups.members.max()) + 1).tocsc()
    met: dict[int, None] = {}
    queue: list[int] = []
    for start in rng.permutation(of_node.shape[1]).tolist():
        if start not in met and not queue:
            met[start] = None
            queue.append(start)
        while queue and len(met) < most:
            node = queue.pop(0)
            for group in of_node.indices[of_node.indptr[node] : of_node.indptr[node + 1]]:
                fresh = [other for other in groups[group].tolist() if other not in met]
                met.update(dict.fromkeys(fresh))
                queue += fresh
        if len(met) >= most:
            break
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


class Kept:
    """Rows of one table, a line each in a file; a trial prints them alone. What was absent is tried again."""

    def __init__(self, path: Path, *, trial: bool) -> None:
        self.path, self.trial = path, trial
        rows = [] if trial else map(json.loads, read_lines(path))
        self.done = {_key(row) for row in rows if "absent" not in row}

    def has(self, name: str, counted: bool, by: str, seed: int | None) -> bool:
        """Whether a row is there."""
        return (name, counted, by, seed) in self.done

    def add(self, rows: Iterator[dict[str, Any]]) -> None:
        """Print rows as they come, and keep them in the place of earlier ones."""
        for row in rows:
            print(json.dumps(row), flush=True)
            if not self.trial:
                put_row(self.path, row, lambda line, row=row: _key(json.loads(line)) == _key(row))


def _key(row: dict[str, Any]) -> tuple[Any, ...]:
    return tuple(row[name] for name in KEY)


def chosen(args: list[str], sets: tuple[str, ...]) -> tuple[list[str], tuple[int, ...]]:
    """The sets that arguments name, or all, and the seeds."""
    named = [arg for arg in args if not arg.startswith("--")]
    if unknown := set(named) - set(sets):
        raise SystemExit(f"{', '.join(sorted(unknown))}: no such set; there are {', '.join(sets)}")
    return named or list(sets), (TRIAL,) if "--trial" in args else SEEDS
