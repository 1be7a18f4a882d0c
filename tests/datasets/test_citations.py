import gzip
from itertools import combinations

import numpy as np
import pytest

from mhmgnn.datasets import load
from mhmgnn.datasets.citations import Citations, citations
from mhmgnn.errors import DataError

CONTENT = ["p9\t1\t0\t1\tRed", "p2\t0\t0\t1\tBlue", "p5\t1\t1\t0\tRed"]
CITES = ["p9\tp2", "p2\tp9", "p9\tp5", "p5\tp5", "q1\tp5", "p9\tp5"]  # cited first, then citing


def write_raw(folder, content=CONTENT, cites=CITES):
    (folder / "cora").mkdir()
    (folder / "cora" / "cora.content.gz").write_bytes(gzip.compress("\n".join(content).encode()))
    (folder / "cora" / "cora.cites").write_text("\n".join(cites) + "\n")
    return folder


def truth_of(pairs, papers) -> Citations:
    pairs = np.unique(np.array(pairs).reshape(-1, 2), axis=0)
    return Citations(pairs[:, 0], pairs[:, 1], np.array([str(i) for i in range(papers)]), len(pairs), 0)


def test_the_second_paper_of_a_line_cites_the_first(tmp_path):
    truth = citations("cora", write_raw(tmp_path)).truth
    cited = {(truth.papers[a], truth.papers[b]) for a, b in zip(truth.citing, truth.cited, strict=True)}
    assert cited == {("p2", "p9"), ("p9", "p2"), ("p5", "p9"), ("p5", "q1")}
    assert (truth.lines, truth.without_words) == (6, 1)


def test_a_paper_keeps_its_words_and_one_without_content_has_none(tmp_path):
    found = citations("cora", write_raw(tmp_path))
    words = dict(zip(found.truth.papers.tolist(), found.graph.x.toarray().tolist(), strict=True))
    assert words == {"p9": [1, 0, 1], "p2": [0, 0, 1], "p5": [1, 1, 0], "q1": [0, 0, 0]}


def test_turning_every_citation_round_gives_the_same_training_view(tmp_path):
    turned = ["\t".join(reversed(line.split("\t"))) for line in CITES]
    one, other = tmp_path / "one", tmp_path / "other"
    one.mkdir(), other.mkdir()
    views = [citations("cora", folder).graph for folder in (write_raw(one), write_raw(other, cites=turned))]
    for name in ("indptr", "indices"):
        np.testing.assert_array_equal(getattr(views[0], name), getattr(views[1], name))
    np.testing.assert_array_equal(views[0].x.toarray(), views[1].x.toarray())
    assert views[0].merged == views[1].merged == (0, 0)  # not even how many cite each other is told
    assert views[0].names is views[0].edge_attr is None


def test_classes_leave_no_trace_in_the_training_view(tmp_path):
    other = [line.replace("Red", "Green").replace("Blue", "Red") for line in CONTENT]
    one, two = tmp_path / "one", tmp_path / "two"
    one.mkdir(), two.mkdir()
    views = [citations("cora", folder).graph for folder in (write_raw(one), write_raw(two, content=other))]
    np.testing.assert_array_equal(views[0].x.toarray(), views[1].x.toarray())
    np.testing.assert_array_equal(views[0].indices, views[1].indices)


@pytest.mark.parametrize("k", [2, 3, 4])
def test_labels_are_those_of_the_definitions(seed, k):
    rng = np.random.default_rng(seed)
    cites = {(a, b) for a, b in rng.integers(7, size=(14, 2)).tolist() if a != b}
    truth = truth_of(sorted(cites), 7)
    ksets = np.array(list(combinations(range(7), k)))
    centred, leaves = truth.has_citing_centre(ksets), truth.leaves(ksets)
    for kset, centre, count in zip(ksets.tolist(), centred, leaves, strict=True):
        assert centre == any(all((a, b) in cites for b in kset if b != a) for a in kset)
        assert count == sum(not any((a, b) in cites for b in kset) for a in kset)


def test_papers_that_cite_in_a_cycle_have_no_leaf():
    assert truth_of([(0, 1), (1, 2), (2, 0)], 3).leaves(np.array([[0, 1, 2]])).tolist() == [0]


def test_without_citations_every_paper_is_a_leaf():
    assert truth_of([], 3).leaves(np.array([[0, 1, 2]])).tolist() == [3]


COUNTS = {  # nodes, lines, citations of others, undirected edges, features, papers without words
    "cora": (2708, 5429, 5429, 5278, 1433, 0),
    "citeseer": (3327, 4732, 4608, 4552, 3703, 15),
    "pubmed": (19717, 44338, 44335, 44324, 500, 0),
}


@pytest.mark.parametrize("name", COUNTS)
def test_counts_are_those_of_the_raw_files(data_dir, name):
    found = load(name, data_dir=data_dir)
    graph, truth = found.graph, found.truth
    assert COUNTS[name] == (
        graph.num_nodes,
        truth.lines,
        truth.citing.size,
        graph.num_edges,
        graph.num_features,
        truth.without_words,
    )


@pytest.mark.parametrize("name", COUNTS)
def test_the_order_of_nodes_does_not_tell_who_cites(data_dir, name):
    truth = load(name, data_dir=data_dir).truth
    rng = np.random.default_rng(0)
    orders = (rng.permutation(truth.papers.size) for _ in range(100))
    spread = np.std([(order[truth.citing] > order[truth.cited]).mean() for order in orders])
    assert abs((truth.citing > truth.cited).mean() - 0.5) < 4 * spread


def test_a_citing_pubmed_paper_is_mostly_the_newer_one(data_dir):
    truth = load("pubmed", data_dir=data_dir).truth
    ids = truth.papers.astype(np.int64)
    assert (ids[truth.citing] > ids[truth.cited]).sum() == 39719


def test_citing_sets_of_cora_are_the_hyperedges_of_hypergcn(data_dir):
    truth = load("cora", data_dir=data_dir).truth
    rows = gzip.decompress((data_dir / "hypergcn/cocitation-cora/hyperedges.tsv.gz").read_bytes()).decode()
    content = gzip.decompress((data_dir / "cora/cora.content.gz").read_bytes()).decode().splitlines()
    papers = [line.partition("\t")[0] for line in content]
    theirs = {
        frozenset(papers[int(i)] for i in line.split("\t")[1].split(" ")) for line in rows.strip().split("\n")
    }
    starts = np.flatnonzero(np.diff(truth.citing, prepend=-1))
    ours = {frozenset(truth.papers[part].tolist()) for part in np.split(truth.cited, starts[1:])}
    assert theirs == {cited for cited in ours if len(cited) > 1}


@pytest.mark.parametrize(
    ("content", "cites", "message"),
    [
        (["p9\t1\t0\tRed", "p2\t1\tBlue"], CITES, "cora.content.gz is damaged: its lines are not ids"),
        (["p9\t1\t7\tRed", "p2\t1\t0\tBlue"], CITES, "cora.content.gz is damaged"),
        (CONTENT, ["p9 p2 p5"], "cora.cites is damaged: a line does not name two papers"),
        (CONTENT, [""], "cora.cites is damaged"),
    ],
)
def test_a_damaged_file_is_named(tmp_path, content, cites, message):
    with pytest.raises(DataError, match=message):
        citations("cora", write_raw(tmp_path, content, cites))


def test_a_missing_file_is_named_with_the_command_that_gets_it(tmp_path):
    with pytest.raises(DataError, match=r"cora needs cora/cora.content.gz.*mhmgnn data fetch cora"):
        load("cora", data_dir=tmp_path)


def test_an_unknown_name_is_refused_with_the_known_ones():
    with pytest.raises(DataError, match="data set is 'corra'; it must be one of cora, citeseer"):
        load("corra")


@pytest.mark.parametrize(
    "content, cites",
    [
        ([*CONTENT, CONTENT[0]], CITES),
        (["p9\té\t0\t1\tRed", *CONTENT[1:]], CITES),
        (CONTENT, [*CITES, "p9\t" + "x" * 101]),
    ],
    ids=["twice", "not ascii", "long"],
)
def test_papers_that_do_not_fit_their_words_are_refused(tmp_path, content, cites):
    with pytest.raises(DataError, match="damaged"):
        citations("cora", write_raw(tmp_path, content, cites))


@pytest.mark.parametrize(
    "change",
    [
        {"indices": [0, 2**31 - 1]},
        {"indptr": [0, 1, -6]},
        {"paper_id": [7]},
        {"data": ["a", "b"]},
        {"shape": [2]},
    ],
)
def test_words_of_pubmed_that_point_outside_are_refused(tmp_path, change):
    (tmp_path / "pubmed").mkdir()
    text = "DIRECTED\nNO_FEATURES\n1\tpaper:7\t|\tpaper:8\n"
    (tmp_path / "pubmed" / "Pubmed-Diabetes.DIRECTED.cites.tab").write_text(text)
    arrays = {"data": [1.0, 1.0], "indices": [0, 1], "indptr": [0, 1, 2], "shape": [2, 2], "paper_id": [7, 8]}
    np.savez(tmp_path / "pubmed" / "pubmed.features.npz", **arrays)
    assert citations("pubmed", tmp_path).graph.num_edges == 1
    np.savez(tmp_path / "pubmed" / "pubmed.features.npz", **(arrays | change))
    with pytest.raises(DataError, match=r"pubmed.* is damaged"):
        citations("pubmed", tmp_path)
