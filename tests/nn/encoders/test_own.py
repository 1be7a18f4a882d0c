"""Encoders that a user adds."""

import numpy as np
import pytest
import torch
from torch import nn

import mhmgnn
from mhmgnn.nn.encoders.build import build
from mhmgnn.nn.encoders.layers import times, unit_length
from mhmgnn.registry import ENCODER_NAMES, ENCODERS


class Widest(nn.Module):
    """Each slot adds what its neighbours send; the largest over the slots."""

    def __init__(self, in_features: int, dim: int, **_) -> None:
        super().__init__()
        self.first, self.last = nn.Linear(in_features, dim), nn.Linear(dim, dim)

    def forward(self, batch):
        h = times(batch.x, self.first.weight, self.first.bias)[batch.rows]
        h = torch.relu(h + batch.adjacency.to(h.dtype) @ h)
        return unit_length(self.last(self.pool(h)))

    def pool(self, h):
        return h.amax(dim=1)


class First(Widest):
    def pool(self, h):
        return h[:, 0]


class Slots(Widest):
    def pool(self, h):
        return h


@pytest.fixture(autouse=True)
def _names_of_the_package(monkeypatch):
    for name in set(ENCODER_NAMES) - set(ENCODERS):
        monkeypatch.delitem(ENCODER_NAMES, name)
    yield
    _forget_own()


def _forget_own():
    for name in set(ENCODER_NAMES) - set(ENCODERS):
        del ENCODER_NAMES[name]


@pytest.fixture
def config() -> mhmgnn.RunConfig:
    settings = ["model.encoder=widest", "model.dim=16", "train.steps=2", "train.batch=2", "train.k=3"]
    mhmgnn.register_encoder("widest", Widest)
    return mhmgnn.RunConfig().with_settings(settings)


def test_an_encoder_of_ones_own_is_trained_saved_and_loaded(config, tmp_path, make_graph):
    graph = make_graph()
    model = mhmgnn.fit(graph, config=config)
    ksets = mhmgnn.connected_sets(graph, 3)
    assert [type(energy.encoder) for energy in model.network.energies] == [Widest, Widest]
    model.save(tmp_path / "run")
    np.testing.assert_array_equal(mhmgnn.load(tmp_path / "run").embed(ksets), model.embed(ksets))


def test_a_model_whose_encoder_is_not_registered_is_refused_with_what_to_do(config, tmp_path, make_graph):
    mhmgnn.fit(make_graph(), config=config).save(tmp_path / "run")
    _forget_own()
    with pytest.raises(mhmgnn.DataError, match=r"encoder is 'widest'.*after mhmgnn\.register_encoder"):
        mhmgnn.load(tmp_path / "run")


def test_a_name_of_ones_own_may_get_a_new_meaning(config):
    mhmgnn.register_encoder("widest", lambda in_features, dim, **_: Widest(in_features, dim))
    assert isinstance(build("widest", 5, 16, 1, 0, 3), Widest)


@pytest.mark.parametrize("edge_features", [0, 2])
def test_it_is_told_all_that_a_run_sets(edge_features):
    told = {}

    def make(**given):
        told.update(given)
        return build("gin", given["in_features"], given["dim"], given["layers"], given["edge_features"], 4)

    mhmgnn.register_encoder("spy", make)
    assert build("spy", 5, 16, 2, edge_features, 4).training
    assert told == {"in_features": 5, "dim": 16, "layers": 2, "edge_features": edge_features, "k": 4}


@pytest.mark.parametrize(
    "make, told",
    [
        (First, r"other vectors when the nodes of a motif change places"),
        (Slots, r"makes \(2, 3, 16\) of 2 motifs; it must make vectors, \(2, 16\)"),
        (lambda **_: "a text", r"is a str; it must be a torch module"),
    ],
)
def test_what_is_no_encoder_of_sets_is_refused_before_training(make, told):
    mhmgnn.register_encoder("odd", make)
    with pytest.raises(mhmgnn.DataError, match=told):
        build("odd", 5, 16, 1, 0, 3)


@pytest.mark.parametrize(
    "name, make, told",
    [
        ("sage", Widest, "the encoder 'sage' exists already"),
        ("my encoder", Widest, "cannot be called 'my encoder'"),
        (3, Widest, "cannot be called 3"),
        ("mine", 3, "3 cannot build an encoder"),
    ],
)
def test_a_name_or_maker_that_cannot_be_is_refused(name, make, told):
    with pytest.raises(mhmgnn.DataError, match=told):
        mhmgnn.register_encoder(name, make)
    assert set(ENCODER_NAMES) == set(ENCODERS)
