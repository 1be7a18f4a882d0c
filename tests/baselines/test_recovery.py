import os
import sys
from itertools import combinations
from types import SimpleNamespace

import naive
import numpy as np
import pytest
from conftest import islands, lollipop, random_graph

from mhmgnn import DataError, Graph
from mhmgnn.baselines.recovery import Recovered
from mhmgnn.baselines.recovery.bayesian import PYTHON, bayesian, check_graph_tool
from mhmgnn.baselines.recovery.cliques import every_pair, maximal_cliques
from mhmgnn.baselines.recovery.cover import greedy_cover
from mhmgnn.baselines.recovery.percolation import percolation

KSet = frozenset[int]


def graphs() -> dict[str, Graph]:
    dense = {f"random {seed}": random_graph(seed, nodes=12, edges=50) for seed in range(4)}
    return {"lollipop": lollipop(), "islands": islands(), **dense}


def groups(found: Recovered) -> list[KSet]:
    members = np.split(found.sets.members, found.sets.offsets[1:-1])
    assert all((np.diff(one) > 0).all() for one in members)
    return [frozenset(one.tolist()) for one in members if one.size]


def cliques(graph: Graph) -> set[KSet]:
    near = naive.adjacency(graph)
    found: set[KSet] = set()
    for size in range(2, 8):
        found |= {
            frozenset(nodes)
            for nodes in combinations(range(graph.num_nodes), size)
            if all(v in near[u] for u, v in combinations(nodes, 2))
        }
    return found


def communities(graph: Graph) -> set[KSet]:
    """Triangles joined while two of them share a pair."""
    left = [(kset, {kset}) for kset in cliques(graph) if len(kset) == 3]
    done: set[KSet] = set()
    while left:
        nodes, own = left.pop()
        touching = [one for one in left if any(len(a & b) == 2 for a in own for b in one[1])]
        if not touching:
            done.add(nodes)
        else:
            left = [one for one in left if one not in touching]
            left.append(
                (nodes.union(*(one[0] for one in touching)), own.union(*(one[1] for one in touching)))
            )
    return done


@pytest.mark.parametrize("graph", graphs().values(), ids=graphs())
def test_maximal_cliques_are_those_in_no_other(graph):
    every = cliques(graph)
    found = maximal_cliques(graph)
    assert found.complete
    assert sorted(map(sorted, groups(found))) == sorted(
        sorted(one) for one in every if not any(one < other for other in every)
    )


@pytest.mark.parametrize("graph", graphs().values(), ids=graphs())
def test_percolation_joins_triangles_that_share_a_pair(graph):
    found = groups(percolation(graph))
    assert len(found) == len(set(found))
    assert set(found) == communities(graph)


@pytest.mark.parametrize("graph", graphs().values(), ids=graphs())
def test_a_cover_holds_every_pair_and_each_of_its_cliques_was_needed_when_it_came(graph):
    found = groups(greedy_cover(graph))
    maximal = set(groups(maximal_cliques(graph)))
    held: set[KSet] = set()
    for clique in found:
        own = {frozenset(pair) for pair in combinations(clique, 2)}
        assert clique in maximal
        assert own - held
        held |= own
    assert held == set(groups(every_pair(graph)))


def test_the_node_that_joins_a_cover_brings_most_new_pairs():
    # after {0, 1, 2}, the pair (1, 3) grows by 4, with two new pairs, and not by 2, with one
    graph = Graph.from_edges([(0, 1), (0, 2), (1, 2), (1, 3), (2, 3), (1, 4), (3, 4)])
    assert groups(greedy_cover(graph)) == [{0, 1, 2}, {1, 3, 4}, {2, 3, 1}]


def test_a_list_of_maximal_cliques_that_is_cut_short_says_so(monkeypatch):
    graph = random_graph(0, nodes=40, edges=600)
    whole = maximal_cliques(graph)
    monkeypatch.setattr("mhmgnn.subgraphs.maximal.STEPS", (64, 0))
    found = maximal_cliques(graph)
    assert not found.complete
    assert set(groups(found)) < set(groups(whole))


def test_a_graph_without_triangles_has_no_communities():
    assert percolation(Graph.from_edges([(0, 1), (1, 2), (2, 3)])).sets.num == 0


class TestBayesian:
    """The child process: what goes in, what comes out, and what can go wrong."""

    @pytest.fixture(autouse=True)
    def graph_tool(self, monkeypatch):
        """Taken for installed: the Python of the tests runs scripts of its own in its place."""
        monkeypatch.setattr("mhmgnn.baselines.recovery.bayesian.check_graph_tool", lambda python: None)

    def run(self, tmp_path, code, *, seconds=1.0, grace=20.0):
        script = tmp_path / "child.py"
        script.write_text(code)
        return bayesian(
            lollipop(), python=sys.executable, script=script, seconds=seconds, seed=7, grace=grace
        )

    def test_pairs_go_in_and_groups_come_out(self, tmp_path):
        found = self.run(tmp_path, "import sys\nprint(sys.stdin.read(), end='')")
        assert set(groups(found)) == set(groups(every_pair(lollipop())))
        assert not found.complete

    def test_it_is_told_the_seconds_and_the_seed(self, tmp_path):
        found = self.run(tmp_path, "import sys\nprint(int(float(sys.argv[1])), sys.argv[2])")
        assert groups(found) == [{1, 7}]

    def test_one_that_does_not_end_is_stopped(self, tmp_path):
        with pytest.raises(DataError, match="did not end within 2 s"):
            self.run(tmp_path, "while True: pass", seconds=0.1, grace=0.2)

    def test_one_that_fails_is_an_error_with_its_last_line(self, tmp_path):
        with pytest.raises(DataError, match="failed with code 1: ValueError: no such graph"):
            self.run(tmp_path, "raise ValueError('no such graph')")


def test_a_python_without_graph_tool_is_refused_with_what_to_do():
    for python, told in ((sys.executable, "is not installed for"), ("/no/such/python", "cannot be run")):
        with pytest.raises(DataError, match=rf"{told}.*apt-get install python3-graph-tool"):
            check_graph_tool(python)


def test_graph_tool_finds_the_cliques_of_a_lollipop():
    try:
        check_graph_tool()
    except DataError as error:
        pytest.skip(str(error))
    assert os.access(PYTHON, os.X_OK)
    assert sorted(map(sorted, groups(bayesian(lollipop(), seconds=2.0)))) == [
        [0, 1, 2, 3, 4],
        [4, 5],
        [5, 6],
        [6, 7],
        [7, 8],
    ]


def test_the_state_of_least_description_length_is_written(monkeypatch, capsys):
    """graph-tool's entropy may be a view of memory that the next sweep writes to."""
    from mhmgnn.baselines.recovery import _graph_tool

    length = np.array(np.inf)

    class Chain:
        """A chain that is best after its second round; a clique each, the number of the round in it."""

        round, is_fac, x = 0, {0: False}, {0: 1}

        def __init__(self, graph):
            self.f = SimpleNamespace(vertices=lambda: [0])

        def mcmc_sweep(self, niter):
            self.round += 1
            self.c = {0: [self.round, 100]}

        def entropy(self):
            length[...] = [9.0, 1.0, 5.0, 7.0][self.round - 1]
            return length

    clock = iter([0.0, 0.0, 1.0, 1.0, 2.0, 2.0, 3.0, 3.0, 4.0])
    graph = SimpleNamespace(add_edge_list=lambda pairs: None)
    parts = SimpleNamespace(seed_rng=lambda seed: None, Graph=lambda directed: graph)
    monkeypatch.setitem(sys.modules, "graph_tool", parts)
    monkeypatch.setitem(sys.modules, "graph_tool.inference", SimpleNamespace(CliqueState=Chain))
    monkeypatch.setattr(_graph_tool.time, "process_time", lambda: next(clock))
    monkeypatch.setattr(sys, "argv", ["_graph_tool.py", "4.5", "0"])
    monkeypatch.setattr(sys, "stdin", ["0 1\n"])
    _graph_tool.main()
    assert capsys.readouterr().out == "2 100\n"
