import gzip
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from scipy import sparse

from mhmgnn.datasets import Dataset, Hyperedges
from mhmgnn.datasets.coauthors import FOLDER, among, dblp, dblp_whole
from mhmgnn.datasets.hyperedges import with_counts
from mhmgnn.errors import DataError
from mhmgnn.graph import Graph
from mhmgnn.subgraphs.fire import forest_fire

AUTHORS = {"zoe": [0, 2, 3], "ann": [0, 1], " bo ": [2, 0], "cy": [2, 4], "di": [5, 6], "élan": [3, 6]}
WORDS = np.array([[1, 0, 1], [0, 1, 0], [1, 1, 1], [0, 0, 1], [1, 0, 0], [0, 0, 0], [0, 1, 1]])


@pytest.fixture(scope="module")
def whole(data_dir) -> Dataset[Hyperedges]:
    return dblp_whole(data_dir)


def write_raw(folder: Path, authors: dict[str, list[int]], words: np.ndarray) -> Path:
    """A data folder in HyperGCN's layout."""
    (folder / FOLDER).mkdir(parents=True)
    lines = "".join(f"{author}\t{' '.join(map(str, papers))}\n" for author, papers in authors.items())
    with gzip.open(folder / FOLDER / "hyperedges.tsv.gz", "wb") as file:
        file.write(lines.encode())
    x = sparse.csr_array(words)
    parts = {"data": x.data, "indices": x.indices, "indptr": x.indptr, "shape": np.array(x.shape)}
    np.savez_compressed(folder / FOLDER / "features.npz", **parts)
    return folder


def papers_by_name(dataset: Dataset[Hyperedges]) -> list[frozenset[str]]:
    label = dataset.graph.label
    return [frozenset(map(label, dataset.truth[i])) for i in range(len(dataset.truth))]


def edges_by_name(graph: Graph) -> set[frozenset[str]]:
    first, second = graph.to_scipy().nonzero()
    return {frozenset((graph.label(u), graph.label(v))) for u, v in zip(first, second, strict=True)}


def assert_same_graph(one: Graph, other: Graph) -> None:
    """Nothing that training sees differs."""
    assert np.array_equal(one.indptr, other.indptr)
    assert np.array_equal(one.indices, other.indices)
    assert np.array_equal(one.x.toarray(), other.x.toarray())
    assert list(one.names) == list(other.names)
    assert (one.merged, one.edge_attr) == (other.merged, other.edge_attr)


def test_authors_are_the_nodes_and_papers_the_hyperedges(tmp_path):
    found = dblp_whole(write_raw(tmp_path, AUTHORS, WORDS))
    authors = {name.strip(): papers for name, papers in AUTHORS.items()}
    lists = [frozenset(name for name in authors if paper in authors[name]) for paper in range(len(WORDS))]
    assert papers_by_name(found) == lists
    assert edges_by_name(found.graph) == {frozenset(two) for one in lists for two in combinations(one, 2)}


def test_an_author_has_the_words_of_every_paper_of_the_author(tmp_path):
    graph = dblp_whole(write_raw(tmp_path, AUTHORS, WORDS)).graph
    for name, papers in AUTHORS.items():
        node = int(graph.names.find([name.strip()])[0])
        assert graph.x.toarray()[node].tolist() == WORDS[papers].sum(axis=0).tolist()
    assert (graph.x.dtype, graph.x.format) == (np.float32, "csr")


def test_counts_are_those_of_all_papers_also_of_papers_with_authors_outside(data_dir, whole):
    plain, counted = dblp(data_dir), dblp(data_dir, weights=True)
    assert_same_graph(plain.graph, counted.graph)
    assert (plain.graph.weights, whole.graph.weights) == (None, None)
    everyone = with_counts(whole.graph, whole.truth).to_scipy(counts=True)
    nodes = whole.graph.names.find(counted.graph.names.array)
    owner = np.repeat(nodes, counted.graph.degrees)
    assert np.array_equal(counted.graph.weights, everyone[owner, nodes[counted.graph.indices]])


def test_the_order_of_the_raw_lines_does_not_reach_the_graph(tmp_path):
    backwards = dict(reversed(AUTHORS.items()))
    graphs = [
        dblp_whole(write_raw(tmp_path / str(i), authors, WORDS)).graph
        for i, authors in enumerate((AUTHORS, backwards))
    ]
    assert_same_graph(*graphs)
    assert list(graphs[0].names) == ["ann", "bo", "cy", "di", "zoe", "élan"]


def test_three_pairs_and_one_paper_of_three_look_alike_to_training(tmp_path):
    one_word = np.ones((4, 1))
    pairs = {"a": [0, 1], "b": [1, 2], "c": [2, 0]}
    together = {"a": [0, 1], "b": [0, 2], "c": [0, 3]}
    by_pairs, by_three = (
        dblp_whole(write_raw(tmp_path / str(i), authors, one_word[: 3 + i]))
        for i, authors in enumerate((pairs, together))
    )
    assert_same_graph(by_pairs.graph, by_three.graph)
    assert by_pairs.truth.sizes.tolist() == [2, 2, 2]
    assert by_three.truth.sizes.tolist() == [3, 1, 1, 1]


def test_a_subgraph_keeps_the_papers_that_have_no_author_outside(tmp_path, seed):
    found = dblp_whole(write_raw(tmp_path, AUTHORS, WORDS))
    for size in (2, 4, 6):
        (fire,) = forest_fire(found.graph, size, np.array([seed]), key=1)
        part = among(found, fire, "part")
        names = set(part.graph.names)
        assert papers_by_name(part) == [paper for paper in papers_by_name(found) if paper <= names]
        assert edges_by_name(part.graph) == {edge for edge in edges_by_name(found.graph) if edge <= names}
        rows = found.graph.names.find(list(part.graph.names))
        assert np.array_equal(part.graph.x.toarray(), found.graph.x.toarray()[rows])


def test_the_whole_has_the_counts_of_its_publication(whole):
    assert (whole.graph.num_nodes, len(whole.truth), whole.graph.num_features) == (22363, 41302, 1425)
    assert whole.truth.members.size == 99561
    assert np.bincount(whole.truth.sizes)[1:6].tolist() == [8998, 16724, 9249, 3945, 1430]
    assert list(whole.graph.names) == sorted(set(whole.graph.names))


def test_a_fire_has_the_size_of_the_paper_and_whole_author_lists(whole, data_dir):
    burned = dblp(data_dir)
    names = set(burned.graph.names)
    assert (burned.graph.num_nodes, burned.graph.num_features) == (4309, 1425)
    assert 0.9 < burned.graph.num_edges / 12863 < 1.1
    assert papers_by_name(burned) == [paper for paper in papers_by_name(whole) if paper <= names]
    assert list(burned.graph.names) == sorted(names)


def test_a_seed_fixes_the_fire(data_dir):
    one, same, other = (dblp(data_dir, seed) for seed in (3, 3, 4))
    assert_same_graph(one.graph, same.graph)
    assert list(one.graph.names) != list(other.graph.names)
    with pytest.raises(DataError, match="seed is -1; it must be a whole number of at least 0"):
        dblp(data_dir, -1)


def cut_short(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-40])


@pytest.mark.parametrize("file", ["hyperedges.tsv.gz", "features.npz"])
def test_a_file_that_is_missing_or_cut_short_is_named(tmp_path, file):
    path = write_raw(tmp_path, AUTHORS, WORDS) / FOLDER / file
    cut_short(path)
    with pytest.raises(DataError, match=rf"{file} is damaged"):
        dblp_whole(tmp_path)
    path.unlink()
    with pytest.raises(DataError, match=rf"dblp needs {FOLDER}/{file}, which is not in .* fetch dblp"):
        dblp_whole(tmp_path)


@pytest.mark.parametrize(
    "authors, message",
    [
        ({"a": [0, 1], "b": ["x", 1]}, "line 2: 'x' is no number of a paper"),
        ({"a": [0, 1], "b": [-1]}, "line 2: '-1' is no number of a paper"),
        ({"a": [0, 1], "b": [7]}, r"names paper 7; features.npz beside it holds 0\.\.6"),
        ({"a": [0, 1], "a ": [2]}, "the name 'a' is given to 2 authors"),
        ({"a\t0": [0, 1], "b\t1": [0, 2]}, "has 3 columns; it must hold an author and papers"),
    ],
)
def test_a_faulty_line_is_refused(tmp_path, authors, message):
    with pytest.raises(DataError, match=message):
        dblp_whole(write_raw(tmp_path, authors, WORDS))


def test_words_that_do_not_fit_their_shape_are_refused(tmp_path):
    path = write_raw(tmp_path, AUTHORS, WORDS) / FOLDER / "features.npz"
    with np.load(path) as parts:
        broken = dict(parts) | {"indices": parts["indices"] + 1000}
    np.savez_compressed(path, **broken)
    with pytest.raises(DataError, match=r"features\.npz is damaged"):
        dblp_whole(tmp_path)


@pytest.mark.parametrize(
    "change", [{"indptr": [0, 1, 2, -6]}, {"shape": [3, 2**31 - 1]}, {"indices": [0, 1, 9]}]
)
def test_words_that_point_outside_are_refused(tmp_path, change):
    folder = write_raw(tmp_path, {"ann": [0, 1], "bo": [0, 2]}, np.eye(3))
    x = sparse.csr_array(np.eye(3))
    parts = {"data": x.data, "indices": x.indices, "indptr": x.indptr, "shape": np.array(x.shape)}
    np.savez(folder / FOLDER / "features.npz", **(parts | change))
    with pytest.raises(DataError, match=r"features\.npz is damaged"):
        dblp_whole(folder)
