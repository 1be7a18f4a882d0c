import json
from typing import get_args

import numpy as np
import pytest

from mhmgnn import Graph, datasets
from mhmgnn.datasets import Citations, Dataset, GraphDataset, Hyperedges
from mhmgnn.datasets.fetch import fetch
from mhmgnn.datasets.info import Count, info, tally
from mhmgnn.datasets.sources import SOURCES


def shop(name: str, later: Dataset[Hyperedges] | None = None, nodes: int = 9) -> Dataset[Hyperedges]:
    """Carts of 2, 2, 3, 6 and 7 products."""
    sizes = [2, 2, 3, 6, 7]
    offsets = np.concatenate([[0], np.cumsum(sizes)])
    members = np.concatenate([np.arange(size) for size in sizes])
    graph = Graph.from_edges([(0, 1), (1, 2)], num_nodes=nodes, features=np.ones((nodes, 4)))
    return Dataset(name, graph, Hyperedges(members, offsets), later)


def ours(counted: datasets.Dataset | GraphDataset) -> dict[tuple[str, str], int]:
    return {(count.part, count.what): count.ours for count in tally(counted).counts}


def papers(name: str, *, lines: int, without_words: int = 0) -> Dataset[Citations]:
    citing, cited = np.array([0, 1, 2]), np.array([1, 0, 0])
    graph = Graph.from_edges([(0, 1), (0, 2)], features=np.eye(3))
    return Dataset(name, graph, Citations(citing, cited, np.array(["a", "b", "c"]), lines, without_words))


def test_hyperedges_are_counted_by_size_and_large_ones_together():
    assert ours(shop("carts")) == {
        ("", "nodes"): 9,
        ("", "edges"): 2,
        ("", "features"): 4,
        ("", "hyperedges"): 5,
        ("", "hyperedges of 2"): 2,
        ("", "hyperedges of 3"): 1,
        ("", "hyperedges of more than 5"): 2,
    }


def test_both_years_of_a_shop_stand_beside_the_paper_s_two_rows():
    counts = tally(shop("rent", later=shop("whatever", nodes=12))).counts
    nodes = [count for count in counts if count.what == "nodes"]
    note = SOURCES["rent"].notes["nodes"]
    assert nodes == [Count("", "nodes", 9, 2985, note), Count("next year", "nodes", 12, 5003, note)]


def test_citations_are_lines_of_the_file_and_edges_are_pairs():
    counted = ours(papers("cora", lines=4, without_words=1))
    assert counted["", "citations"] == 4
    assert counted["", "edges"] == 2
    assert counted["", "nodes without features"] == 1


def test_a_collection_counts_graphs_classes_and_all_nodes():
    small = Graph.from_edges([(0, 1), (1, 2)])
    assert ours(GraphDataset("imdb-binary", (small, small, small), np.array([0, 4, 4]))) == {
        ("", "graphs"): 3,
        ("", "features"): 0,
        ("", "classes"): 2,
        ("", "nodes"): 9,
        ("", "edges"): 6,
    }


def test_a_count_that_is_the_paper_s_needs_no_note():
    (citations,) = (c for c in tally(papers("cora", lines=5429)).counts if c.what == "citations")
    assert citations == Count("", "citations", 5429, 5429, "")


def test_a_note_is_printed_once_below_the_counts_that_it_explains():
    said = str(tally(shop("rent", later=shop("rent")))).splitlines()
    notes = [line for line in said if SOURCES["rent"].notes["nodes"] in line]
    assert notes == [f"nodes; edges; nodes, next year; edges, next year: {SOURCES['rent'].notes['nodes']}"]
    assert ["nodes", "9", "2,985"] in [line.split() for line in said]


def test_json_holds_every_count():
    found = tally(shop("carts"))
    facts = json.loads(json.dumps(found.facts()))
    assert [Count(**count) for count in facts["counts"]] == list(found.counts)
    assert facts["table"] is None


def test_every_figure_of_the_paper_belongs_to_a_data_set():
    assert {name for name, source in SOURCES.items() if source.published} == set(SOURCES) - {"market"}
    assert {name for name, source in SOURCES.items() if source.table} == set(SOURCES) - {"market"}
    assert {name for name, source in SOURCES.items() if source.later} == {"steam", "rent"}


@pytest.mark.parametrize("name", SOURCES)
def test_where_a_real_count_is_not_the_paper_s_a_note_says_why(name, data_dir):
    counts = info(name, data_dir).counts
    figures = len(SOURCES[name].published) + len(SOURCES[name].later)
    assert sum(count.paper is not None for count in counts) == figures
    assert [count for count in counts if count.paper not in (None, count.ours) and not count.note] == []


def test_every_data_set_has_a_source():
    assert set(SOURCES) == {
        *get_args(datasets.Cited),
        *get_args(datasets.Grouped),
        *get_args(datasets.Collected),
    }


@pytest.mark.parametrize("name", SOURCES)
def test_the_raw_files_are_those_that_are_known(name, data_dir):
    assert len(fetch(name, data_dir=data_dir)) == len(SOURCES[name].files)


@pytest.mark.parametrize("file", [file for source in SOURCES.values() for file in source.files])
def test_a_file_is_either_published_or_explained(file):
    assert bool(file.urls) != bool(file.origin)
    assert len({url.rpartition("/")[2] for url in file.urls}) == len(file.urls)
