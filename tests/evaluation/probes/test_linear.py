import numpy as np
import pytest
import torch
from scipy import sparse

from mhmgnn import DataError, probe
from mhmgnn.evaluation.probes.linear import _folds, _paper, accuracy_inside


def both(train_x, train_y, test_x, test_y, regions=None):
    """The balanced accuracies of the two probes."""
    score = probe(train_x, train_y, test_x, test_y, regions=regions)
    return score.paper, score.converged


def blobs(rng, rows, *, gap, share=0.5, columns=4):
    """Normal rows, the two classes `gap` apart along the first column."""
    y = (np.arange(rows) < share * rows).astype(np.int64)
    x = rng.standard_normal((rows, columns))
    x[:, 0] += gap * (y - 0.5)
    return x, y


def test_classes_that_a_plane_separates_are_all_told_apart(seed):
    rng = np.random.default_rng(seed)
    assert both(*blobs(rng, 200, gap=20), *blobs(rng, 200, gap=20)) == (1, 1)


def test_labels_may_be_words_and_more_than_two():
    names = np.array(["beans", "grinder", "machine"])
    y = np.arange(90) % 3
    x = 10 * np.eye(3)[y] + np.random.default_rng(0).standard_normal((90, 3))
    assert both(x, names[y], x, names[y]) == (1, 1)
    assert both(x, names[y], x, names[(y + 1) % 3]) == (0, 0)


def test_labels_that_x_knows_nothing_of_are_guessed(seed):
    rng = np.random.default_rng(seed)
    scores = both(*blobs(rng, 400, gap=0), *blobs(rng, 4000, gap=0))
    spread = 0.5 / np.sqrt(2000) / np.sqrt(2)  # of the mean of two recalls, each from 2000 draws
    for score in scores:
        assert abs(score - 0.5) < 5 * spread


def test_a_rare_class_counts_as_much_as_a_common_one(seed):
    rng = np.random.default_rng(seed)
    scores = both(*blobs(rng, 2000, gap=2, share=0.05), *blobs(rng, 20_000, gap=2, share=0.05))
    best = 0.8413  # normal distribution function at half the gap: the recall of both classes
    for score in scores:
        assert abs(score - best) < 0.05  # accuracy would be 0.95, and balanced accuracy then 0.6 or so


def test_the_converged_probe_does_not_see_the_scale_of_columns(seed):
    rng = np.random.default_rng(seed)
    (x, y), (other, truth) = blobs(rng, 200, gap=1), blobs(rng, 1000, gap=1)
    scale = 2.0 ** np.array([-8, 6, 0, 9])
    rescaled = probe(scale * x, y, scale * other, truth)
    assert rescaled.converged == probe(x, y, other, truth).converged
    assert 0.6 < rescaled.converged < 0.8


def test_standardised_columns_let_the_paper_s_probe_see_small_and_large_ones_alike(seed):
    rng = np.random.default_rng(seed)
    (train_x, train_y), (test_x, test_y) = blobs(rng, 200, gap=6), blobs(rng, 200, gap=6)
    scale = np.array([1e-4, 1, 1, 1e4])
    plain, scaled = (
        probe(train_x * scale, train_y, test_x * scale, test_y, standardise=standardise)
        for standardise in (False, True)
    )
    assert plain.paper < 0.7 < 0.95 < scaled.paper
    assert plain.converged == scaled.converged


def test_folds_share_no_region_and_leave_out_those_with_one_class():
    _, y = blobs(np.random.default_rng(0), 120, gap=1)
    region = np.arange(120) % 10
    y[region == 9] = 0
    folds = _folds(y, region)
    tested = [set(region[test]) for _, test in folds]
    assert all(
        set(region[train]).isdisjoint(regions) for (train, _), regions in zip(folds, tested, strict=True)
    )
    assert set().union(*tested) == set(range(10))
    folds = _folds(y, np.maximum(region - 7, 0))  # 0 to 7, 8, and 9, which has one class alone
    assert sorted(sorted(set(region[test])) for _, test in folds) == [list(range(8)), [8]]


def test_the_paper_s_probe_takes_the_steps_that_autograd_would(seed):
    rng = np.random.default_rng(seed)
    (x, y), (other, _) = blobs(rng, 90, gap=1, share=0.2), blobs(rng, 500, gap=1)
    torch.manual_seed(0)
    linear = torch.nn.Linear(4, 2)
    adam = torch.optim.Adam(linear.parameters(), lr=0.01)
    weight = torch.tensor([90 / (2 * (y == c).sum()) for c in (0, 1)], dtype=torch.float32)
    for _ in range(100):
        adam.zero_grad()
        logits = linear(torch.tensor(x, dtype=torch.float32))
        torch.nn.functional.cross_entropy(logits, torch.tensor(y), weight=weight).backward()
        adam.step()
    guess = linear(torch.tensor(other, dtype=torch.float32)).argmax(dim=1).numpy()
    assert (_paper(x, y, other) == guess).mean() > 0.995  # rounding may turn a row on the border


def test_regions_of_one_class_each_leave_no_folds_and_still_a_probe(seed):
    (x, y), test = (blobs(np.random.default_rng(seed), 100, gap=20) for _ in range(2))
    assert both(x, y, *test, regions=y) == (1, 1)
    assert both(x, y, *test, regions=np.zeros(100, int)) == (1, 1)


def test_a_class_with_a_single_row_leaves_no_folds_and_still_a_probe():
    x, y = blobs(np.random.default_rng(0), 100, gap=50)
    keep = [*np.flatnonzero(y == 0).tolist(), 0]
    assert probe(x[keep], y[keep], x, y).converged == 1


def test_accuracy_inside_one_side_tells_rows_that_know_the_labels_from_others(seed):
    rng = np.random.default_rng(seed)
    (x, y), (blind, _) = blobs(rng, 300, gap=3), blobs(rng, 300, gap=0)
    assert accuracy_inside(x, y) > 0.88 > 0.65 > accuracy_inside(blind, y)
    assert accuracy_inside(x, y, regions=np.zeros(300, int)) == 0  # one region leaves no folds


def test_a_fold_may_lack_a_class_that_the_probe_guesses(seed):
    x = np.random.default_rng(seed).standard_normal((90, 3))
    y = np.arange(90) % 3
    regions = np.where(y == 2, 0, 1 + np.arange(90) // 30)  # all of class 2 in a region of its own
    assert 0.1 < accuracy_inside(x, y, regions=regions) < 0.9


def test_the_same_data_gives_the_same_score():
    rng = np.random.default_rng(0)
    data = (*blobs(rng, 100, gap=1), *blobs(rng, 100, gap=1))
    assert both(*data) == both(*data)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"train_y": np.zeros(4)}, "one class alone"),
        ({"train_y": np.arange(3)}, "the training side has 4 rows and 3 labels"),
        ({"test_x": np.zeros((0, 2)), "test_y": np.zeros(0)}, "the test side has 0 rows"),
        ({"test_x": np.zeros((4, 3))}, "2 columns and the test side 3"),
        ({"train_x": np.array([[0, 1], [0, 1], [np.nan, 0], [0, 0]])}, "row 2 of the training side"),
        ({"regions": np.arange(5)}, "5 regions are given for 4 training rows"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_what_cannot_be_probed_is_refused(change, message):
    sides = {"train_x": np.eye(4)[:, :2], "test_x": np.eye(4)[:, :2]}
    sides |= {"train_y": np.array([0, 1, 0, 1]), "test_y": np.array([0, 1, 0, 1])}
    with pytest.raises(DataError, match=message):
        probe(**(sides | change))


@pytest.mark.parametrize("share", [0.1, 0.7])
def test_sparse_rows_score_as_dense_ones_do(share, seed):
    rng = np.random.default_rng(seed)
    (x, y), (other, truth) = blobs(rng, 2000, gap=2), blobs(rng, 4000, gap=2)
    x, other = x * (rng.random(x.shape) < share), other * (rng.random(other.shape) < share)
    dense, thin = both(x, y, other, truth), both(sparse.csr_array(x), y, sparse.csr_array(other), truth)
    np.testing.assert_allclose(thin, dense, atol=0.01)  # the intercept takes up the means of columns


def test_a_number_that_is_not_finite_is_found_in_sparse_rows():
    x = sparse.csr_array(np.array([[0.0, 1], [2, 0], [0, np.inf], [0, 0]]))
    with pytest.raises(DataError, match="row 2 of the training side"):
        probe(x, np.array([0, 1, 0, 1]), x, np.array([0, 1, 0, 1]))
