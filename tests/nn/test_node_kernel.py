import numpy as np
import pytest

from mhmgnn.nn.node_kernel import NodeInputs, NodeKernel


def nodes(n=9, *, seed=0):
    rng = np.random.default_rng(seed)
    joined = np.triu(rng.random((n, n)) < 0.4, 1)
    dense = (joined | joined.T).astype(float)
    degrees = dense.sum(axis=1).astype(int)
    given, context = rng.normal(size=(n, 2)), rng.normal(size=(n, 3))
    return NodeInputs(
        given, context, degrees, lambda values: dense @ values / np.maximum(degrees, 1)[:, None]
    ), dense


def test_a_row_is_the_mean_over_nodes_of_cosines_hop_by_hop():
    (inputs, dense), others = nodes(), [nodes(seed=seed)[0] for seed in range(1, 4)]
    kernel = NodeKernel.fitted(others, seed=0)
    n = len(dense)
    known = np.hstack([inputs.given, inputs.context])
    values = [np.clip((row - kernel.mean.numpy()) / kernel.spread.numpy(), -3, 3) for row in known]
    wanted = []
    for frequencies, phases in zip(kernel.frequencies.numpy(), kernel.phases.numpy(), strict=True):
        wanted.append(np.mean([np.cos(value @ frequencies + phases) for value in values], axis=0))
        rows = [[values[v] for v in range(n) if dense[u, v]] for u in range(n)]
        values = [np.mean(row, axis=0) if row else np.zeros(5) for row in rows]
    np.testing.assert_allclose(kernel(inputs), np.concatenate(wanted), rtol=1e-4, atol=1e-5)


def test_products_of_rows_are_about_the_mean_of_a_gaussian_kernel(monkeypatch):
    monkeypatch.setattr("mhmgnn.nn.node_kernel.DRAWN", 20_000)
    monkeypatch.setattr("mhmgnn.nn.node_kernel.WIDTHS", (1.0,))
    monkeypatch.setattr("mhmgnn.nn.node_kernel.HOPS", 1)
    monkeypatch.setattr("mhmgnn.nn.node_kernel.CONTEXT_WEIGHT", 1.0)
    some = [nodes(30, seed=seed)[0] for seed in range(2)]
    kernel = NodeKernel.fitted(some, seed=0)
    one, other = ((np.hstack([own.given, own.context]) - kernel.mean.numpy()) for own in some)
    one, other = (np.clip(values / kernel.spread.numpy(), -3, 3) for values in (one, other))
    both = np.concatenate([one, other])
    away = np.linalg.norm(both[:, None] - both, axis=2)
    width = np.median(away[away > 0])
    wanted = np.exp(-((np.linalg.norm(one[:, None] - other, axis=2) / width) ** 2) / 2).mean()
    found = 2 * np.mean(kernel(some[0]) * kernel(some[1]))
    assert found == pytest.approx(wanted, abs=0.03)


def test_nodes_that_are_all_alike_have_a_finite_kernel():
    alike = NodeInputs(np.ones((4, 1)), np.zeros((4, 3)), np.zeros(4, int), lambda values: 0 * values)
    assert np.isfinite(NodeKernel.fitted([alike, alike], seed=0)(alike)).all()
