import csv
import gzip
import json

import numpy as np
import pytest

from mhmgnn import DataError, Graph
from mhmgnn.datasets.groups import read_groups
from mhmgnn.graph.sets import Sets
from mhmgnn.io.tables import read_table
from mhmgnn.models.group_list import GroupList, choose
from mhmgnn.models.reconstruction import Groups

NAMES = ["ann", "bo, jr.", 'the "cy"', "dée", "e e", "0"]
FOUND = Groups(
    Sets(np.array([0, 1, 2, 1, 3, 2, 3, 4, 5]), np.array([0, 3, 5, 9])), np.array([0.9, 0.5, 0.25]), True
)
MEMBERS = [NAMES[:3], [NAMES[1], NAMES[3]], NAMES[2:]]


def graph() -> Graph:
    pairs = [(0, 1), (0, 2), (1, 2), (1, 3), (2, 3), (2, 4), (2, 5), (3, 4), (3, 5), (4, 5)]
    return Graph.from_edges(pairs, names=NAMES)


def found(*, top=None, with_nodes=()) -> GroupList:
    return choose(FOUND, graph(), top=top, with_nodes=with_nodes)


def test_groups_have_names_nodes_and_probabilities():
    listed = found()
    assert [list(group.names) for group in listed.groups] == MEMBERS
    assert [group.nodes for group in listed.groups] == [(0, 1, 2), (1, 3), (2, 3, 4, 5)]
    assert [group.probability for group in listed.groups] == [0.9, 0.5, 0.25]
    assert listed.complete


def test_only_groups_asked_for_are_listed():
    def chances(**asked):
        return [group.probability for group in found(**asked).groups]

    assert chances(top=2) == [0.9, 0.5]
    assert chances(with_nodes=[2]) == [0.9, 0.25]
    assert chances(with_nodes=[2, 3]) == [0.25]
    assert chances(with_nodes=[3], top=1) == [0.5]
    assert chances(with_nodes=[0, 5]) == []


@pytest.mark.parametrize("name", ["groups.csv", "groups.tsv", "groups.csv.gz"])
def test_a_table_gives_back_every_name_whatever_is_in_it(tmp_path, name):
    path = found().write(tmp_path / name)
    text = gzip.decompress(path.read_bytes()) if name.endswith(".gz") else path.read_bytes()
    mark = "\t" if ".tsv" in name else ","
    head, *rows = csv.reader(text.decode().splitlines(), delimiter=mark)
    assert head == ["group", "size", "probability", "members"]
    assert [row[:2] for row in rows] == [["0", "3"], ["1", "2"], ["2", "4"]]
    assert [float(row[2]) for row in rows] == [0.9, 0.5, 0.25]
    assert [next(csv.reader([row[3]])) for row in rows] == MEMBERS


@pytest.mark.parametrize("name", ["long.csv", "long.tsv.gz", "long.parquet", "hif.json", "hif.json.gz"])
def test_groups_read_back_are_those_that_were_written(tmp_path, name):
    path = found().write(tmp_path / name, long=name.startswith("long.c") or name.startswith("long.t"))
    back = read_groups(path)
    sets = [back.hyperedges[i] for i in range(len(back.hyperedges))]
    assert [sorted(back.names[int(node)] for node in nodes) for nodes in sets] == list(map(sorted, MEMBERS))


def test_xgi_reads_the_hypergraph_with_its_probabilities(tmp_path):
    xgi = pytest.importorskip("xgi")
    hypergraph = xgi.read_hif(found().write(tmp_path / "groups.json"))
    assert hypergraph.edges.members(dtype=dict) == {i: set(group) for i, group in enumerate(MEMBERS)}
    assert hypergraph.edges.attrs("probability").asdict() == {0: 0.9, 1: 0.5, 2: 0.25}


def test_no_group_is_a_file_without_rows(tmp_path):
    none = found(with_nodes=[0, 5])
    assert none.write(tmp_path / "none.csv").read_text().strip() == '"group","size","probability","members"'
    assert read_table(none.write(tmp_path / "none.parquet")).num_rows == 0
    assert json.loads(none.write(tmp_path / "none.json").read_text())["incidences"] == []


def test_a_file_that_cannot_be_written_is_refused(tmp_path):
    for path, long, told in (
        (tmp_path / "groups.txt", False, "the ending must be one of .csv"),
        (tmp_path / "groups.json", True, "HIF, which has no long form"),
        (tmp_path / "nowhere" / "groups.csv", False, "there is no folder"),
    ):
        with pytest.raises(DataError, match=told):
            found().write(path, long=long)
    assert list(tmp_path.iterdir()) == []
