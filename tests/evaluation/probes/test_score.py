import numpy as np
import pytest
from sklearn.metrics import balanced_accuracy_score, confusion_matrix

from mhmgnn import DataError, Score
from mhmgnn.evaluation.probes.score import tell


def drawn(seed, labels=("bag", "cup", "tea")):
    return np.random.default_rng(seed).choice(np.array(labels), size=(3, 60))


def test_accuracy_and_confusion_are_those_of_scikit_learn(seed):
    truth, paper, converged = drawn(seed)
    score = tell(truth, paper, converged)
    assert score.paper == pytest.approx(balanced_accuracy_score(truth, paper))
    assert score.converged == pytest.approx(balanced_accuracy_score(truth, converged))
    np.testing.assert_array_equal(score.confusion.paper, confusion_matrix(truth, paper))
    np.testing.assert_array_equal(score.confusion.converged, confusion_matrix(truth, converged))
    assert score.confusion.classes == ("bag", "cup", "tea")


def test_a_class_that_the_test_side_lacks_has_no_recall():
    score = tell(np.array([0, 0, 1, 1]), np.array([0, 2, 1, 1]), np.array([0, 0, 1, 0]))
    assert (score.paper, score.converged) == (0.75, 0.75)


def test_runs_have_a_mean_a_spread_and_one_confusion(seed):
    runs = [tell(*drawn([seed, i])) for i in range(5)]
    score = Score.over(runs)
    assert score.paper == pytest.approx(np.mean([run.paper for run in runs]))
    assert score.converged_std == pytest.approx(np.std([run.converged for run in runs], ddof=1))
    assert score.runs == 5
    assert score.confusion.paper.sum() == 5 * 60


def test_runs_that_met_other_classes_are_put_together_by_name():
    one, other = tell(*3 * [np.array([1, 2])]), tell(*3 * [np.array([10, 2])])
    score = Score.over([one, other])
    assert score.confusion.classes == ("1", "2", "10")
    np.testing.assert_array_equal(score.confusion.paper, np.diag([1, 2, 1]))


def test_one_run_has_no_spread():
    assert Score.over([tell(*drawn(0))]).paper_std is None
    with pytest.raises(DataError, match="no score"):
        Score.over([])


def test_a_score_and_its_confusion_can_be_read():
    truth, guess = np.array([0, 0, 1, 1]), np.array([0, 1, 1, 1])
    score = tell(truth, guess, truth)
    assert str(score) == "balanced accuracy: paper's probe 0.750, converged 1.000"
    assert str(Score.over([score, score])).endswith("converged 1.000 ± 0.000, over 2 runs")
    assert str(score.confusion).splitlines()[:4] == [
        "paper's probe",
        "truth \\ guess       0      1",
        "0                   1      1",
        "1                   0      2",
    ]
