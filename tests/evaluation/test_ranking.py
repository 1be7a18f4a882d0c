import gzip

import numpy as np
import pytest

from mhmgnn import Graph
from mhmgnn.baselines.formulas import formulas
from mhmgnn.config import GroupsConfig
from mhmgnn.datasets.files import data_folder
from mhmgnn.datasets.hyperedges import Hyperedges, project
from mhmgnn.evaluation import ranking
from mhmgnn.evaluation.ranking import Question, ask, rank
from mhmgnn.graph.sets import Sets
from mhmgnn.models.groups import GroupReader
from mhmgnn.runtime.distributed import ALONE
from mhmgnn.training.groups import fit_groups
from mhmgnn.training.worlds.store import WorldStore


def hidden(seed=0) -> tuple[Graph, Hyperedges]:
    rng = np.random.default_rng(seed)
    groups = [np.sort(rng.choice(30, rng.integers(2, 6), replace=False)) for _ in range(60)]
    offsets = np.cumsum([0, *(group.size for group in groups)])
    truth = Hyperedges(np.concatenate(groups), offsets)
    return Graph.from_edges(project(truth, 30), num_nodes=30), truth


def test_the_truth_ranks_best_and_its_opposite_worst():
    graph, truth = hidden()
    question = ask(graph, truth, 3, "contained")
    assert rank(question, question.labels.astype(float)) == pytest.approx((1.0, 1.0))
    assert rank(question, -question.labels.astype(float)).auc == 0.0


def test_ties_are_chance():
    graph, truth = hidden()
    question = ask(graph, truth, 3, "contained")
    ranked = rank(question, np.zeros(len(question.labels)))
    assert ranked.auc == 0.5
    assert ranked.precision == pytest.approx(question.labels.mean())


@pytest.mark.parametrize("match", ["exact", "contained"])
def test_drawn_cliques_stand_for_all_of_them(match, monkeypatch):
    graph, truth = hidden(1)
    everything = ask(graph, truth, 3, match)
    monkeypatch.setattr(ranking, "MOST", len(everything.labels) // 2)
    part = ask(graph, truth, 3, match)
    assert part.weights.sum() == pytest.approx(len(everything.labels), rel=0.1)
    if match == "exact":
        assert part.labels.sum() == everything.labels.sum()
    assert (truth.holds(part.ksets, match) == part.labels).all()


def test_nothing_can_be_ranked_where_all_are_groups():
    assert rank(Question(np.array([[0, 1, 2]]), np.array([True]), np.ones(1)), np.ones(1)) is None


def test_energies_find_real_groups_better_than_every_formula():
    file = data_folder() / "hypergraphs/crime/test.txt.gz"
    if not file.is_file():
        pytest.skip("needs hypergraphs/crime in MHMGNN_DATA")
    lines = gzip.decompress(file.read_bytes()).decode().splitlines()
    groups = [np.unique(np.array(line.split(), np.int64)) for line in lines]
    groups = [group for group in groups if group.size > 1]
    truth = Hyperedges(np.concatenate(groups), np.cumsum([0, *(group.size for group in groups)]))
    graph = Graph.from_edges(project(truth, int(truth.members.max()) + 1), weights=False)
    config = GroupsConfig(worlds=10, laws=16)
    fitted = fit_groups(graph, config, 100, crew=ALONE, store=WorldStore(None, ""))
    reader = GroupReader(fitted.energy, graph, at_home=True)
    for k in (3, 4):
        question = ask(graph, truth, k, "exact")
        ours = rank(question, -reader.energies(Sets.of_rows(question.ksets))[:, 0]).auc
        best = max(rank(question, score).auc for score in formulas(graph, question.ksets).values())
        assert ours > 0.95 > best
