import numpy as np
import pytest

from mhmgnn import DataError, Graph
from mhmgnn.evaluation.probes import cross
from mhmgnn.evaluation.probes.cross import cross_validate


@pytest.fixture
def ring() -> Graph:
    """A cycle of forty nodes: cut anywhere, every piece looks alike."""
    return Graph.from_edges([(i, (i + 1) % 40) for i in range(40)])


def triples() -> np.ndarray:
    return np.sort((np.arange(40)[:, None] + np.arange(3)) % 40, axis=1)


def test_every_row_is_tested_once_by_a_probe_that_has_not_seen_it(monkeypatch):
    sides = []
    monkeypatch.setattr(cross, "probe", lambda x, y, z, w: sides.append((x, z)) or _any_score(w))
    found = cross_validate(np.arange(40.0)[:, None], np.arange(40) % 2, folds=4)
    assert (found.tested, found.left_out, found.score.runs) == (40, 0, 4)
    assert sorted(np.concatenate([test for _, test in sides]).ravel()) == list(range(40))
    for train, test in sides:
        assert set(train.ravel()).isdisjoint(test.ravel())


def test_folds_that_are_apart_share_no_node(monkeypatch, ring):
    ksets, sides = triples(), []
    monkeypatch.setattr(cross, "probe", lambda x, y, z, w: sides.append((x, z)) or _any_score(w))
    found = cross_validate(ksets.astype(float), np.arange(40) % 2, folds=4, apart=(ring, ksets))
    for train, test in sides:
        assert set(train.ravel()).isdisjoint(test.ravel())
    assert found.tested + found.left_out == 40
    assert 4 <= found.left_out <= 12  # a cut of a cycle crosses two triples at each of its ends


@pytest.mark.usefixtures("one_penalty")
def test_what_rows_know_of_the_labels_is_found(seed):
    rng = np.random.default_rng(seed)
    y = np.arange(200) % 2
    known = cross_validate(rng.standard_normal((200, 3)) + 6 * y[:, None], y).score
    unknown = cross_validate(rng.standard_normal((200, 3)), y).score
    assert known.converged > 0.95
    assert abs(unknown.converged - 0.5) < 0.2


@pytest.mark.parametrize(
    ("labels", "message"),
    [(np.zeros(6), "1 classes"), (np.array([0, 0, 0, 0, 0, 1]), "class 1 has 1"), (np.arange(5), "6 rows")],
)
def test_labels_that_cannot_be_cross_validated_are_refused(labels, message):
    with pytest.raises(DataError, match=message):
        cross_validate(np.eye(6), labels)


def test_folds_of_one_class_each_are_refused(ring):
    ksets = triples()
    labels = (ksets.max(axis=1) < 20).astype(int)
    with pytest.raises(DataError, match="no fold has two classes on both sides"):
        cross_validate(np.eye(40), labels, folds=40, apart=(ring, ksets))


def _any_score(labels):
    return cross.Score.over([_tell(labels)])


def _tell(labels):
    from mhmgnn.evaluation.probes.score import tell

    return tell(labels, labels, labels)
