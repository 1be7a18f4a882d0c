import json
import os
import signal
import subprocess
import sys
import time

import networkx as nx
import numpy as np
import pytest
import torch

from mhmgnn import DataError, Graph, fit, load
from mhmgnn.config import ModelConfig, RunConfig, SubgraphConfig, TrainConfig
from mhmgnn.models.checkpoint import save_step
from mhmgnn.training.loop import Training, settled_after
from mhmgnn.training.objective import objectives

CONFIG = RunConfig(
    model=ModelConfig(dim=8),
    subgraphs=SubgraphConfig(size=15),
    train=TrainConfig(batch=4, steps=40, checkpoint_every=2, patience=1000, enough=0.0),
)
SETTLING = CONFIG.with_settings(["train.enough=0.6918"])  # shuffled features reach it, added edges do not


def two_kinds(seed=0) -> Graph:
    """Two groups with features of their own, dense inside: shuffled features are easily told apart."""
    rng = np.random.default_rng(seed)
    pairs = list(nx.planted_partition_graph(2, 40, 0.15, 0.01, seed=seed).edges())
    x = np.repeat(np.eye(2), 40, axis=0) + 0.1 * rng.normal(size=(80, 2))
    return Graph.from_edges(pairs, features=x, num_nodes=80)


def pairs_and_a_path(pairs: int, nodes: int) -> Graph:
    """So many lone edges beside a path of so many nodes, each node with its own feature."""
    path = [[at, at + 1] for at in range(nodes - 1)]
    lone = [[nodes + 2 * at, nodes + 2 * at + 1] for at in range(pairs)]
    n = nodes + 2 * pairs
    return Graph.from_edges(path + lone, num_nodes=n, features=np.arange(n, dtype=np.float32)[:, None])


def leave_run(folder, config: RunConfig) -> None:
    """Save a graph and the settings, and train undisturbed in `folder / "whole"`."""
    two_kinds().save(folder / "graph")
    config.save(folder / "config.toml")
    fit(Graph.load(folder / "graph"), config=config, seed=1, run=folder / "whole")


@pytest.fixture(scope="module")
def on_disk(tmp_path_factory):
    """A saved graph, the settings as a file, and the weights of a run that nothing disturbed."""
    folder = tmp_path_factory.mktemp("runs")
    leave_run(folder, SETTLING)
    return folder


def weights(run) -> dict[str, torch.Tensor]:
    return load(run).network.state_dict()


def command(folder, run, *more: str) -> list[str]:
    arguments = [
        "fit",
        str(folder / "graph"),
        str(run),
        "--config",
        str(folder / "config.toml"),
        "--seed",
        "1",
        "-q",
    ]
    return [sys.executable, "-m", "mhmgnn", *arguments, *more]


def test_training_tells_data_from_noise():
    quick = ["train.learning_rate=0.01", "subgraphs.size=40", "model.dim=32", "train.steps=40"]
    model = fit(two_kinds(), config=CONFIG.with_settings(quick), seed=0)
    assert model.facts["loss"] < 0.5 < np.log(2)


def test_a_seed_gives_the_same_model_and_leaves_the_global_generator_alone():
    short = CONFIG.with_settings(["train.steps=3"])
    before = torch.random.get_rng_state()
    a, b, other = (fit(two_kinds(), config=short, seed=seed).network.state_dict() for seed in (1, 1, 2))
    assert torch.equal(before, torch.random.get_rng_state())
    assert all(torch.equal(a[name], b[name]) for name in a)
    assert not all(torch.equal(a[name], other[name]) for name in a)


def test_a_run_killed_again_and_again_ends_with_the_weights_of_one_that_was_not(on_disk):
    run = on_disk / "killed"
    kills = 0
    while kills < 3:
        process = subprocess.Popen(command(on_disk, run, "--resume"), stderr=subprocess.PIPE)
        seen = len(list((run / "steps").glob("step-*"))) and max((run / "steps").glob("step-*"))
        while process.poll() is None:
            newest = max((run / "steps").glob("step-*"), default=0)
            if newest != seen:
                os.kill(process.pid, signal.SIGKILL)
                kills += 1
                break
            time.sleep(0.002)
        process.communicate()
        if process.returncode == 0:
            break
    assert kills
    subprocess.run(command(on_disk, run, "--resume"), check=True)
    whole, resumed = weights(on_disk / "whole"), weights(run)
    assert all(torch.equal(whole[name], resumed[name]) for name in whole)
    lines = (run / "log.csv").read_text().splitlines()
    assert [line.split(",")[0] for line in lines] == ["step", *map(str, range(40))]


def losses(run) -> np.ndarray:
    return np.loadtxt(run / "log.csv", delimiter=",", skiprows=1, usecols=1)


@pytest.mark.parametrize("how", ["devices", pytest.param("torchrun", marks=pytest.mark.slow)])
def test_two_processes_have_the_losses_of_one(on_disk, how):
    run = on_disk / how
    if how == "devices":
        arguments = command(on_disk, run, "--devices", "2")
    else:
        started = ["-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "2"]
        arguments = [sys.executable, *started, *command(on_disk, run)[1:]]
    subprocess.run(arguments, check=True, capture_output=True)
    np.testing.assert_allclose(losses(run), losses(on_disk / "whole"), atol=1e-5)


def test_a_run_that_was_begun_is_not_begun_again(on_disk):
    graph = two_kinds()
    with pytest.raises(DataError, match="holds a run that was begun"):
        fit(graph, config=CONFIG, seed=1, run=on_disk / "whole")
    with pytest.raises(DataError, match="other data, with other settings or from another seed"):
        fit(graph, config=CONFIG, seed=2, run=on_disk / "whole", resume=True)
    with pytest.raises(DataError, match="nothing to resume"):
        fit(graph, config=CONFIG, resume=True)


def test_more_steps_go_on_where_a_finished_run_ended(on_disk):
    short = SETTLING.with_settings(["train.steps=20"])
    run = on_disk / "longer"
    fit(two_kinds(), config=short, seed=1, run=run)
    fit(two_kinds(), config=SETTLING, seed=1, run=run, resume=True)
    whole, longer = weights(on_disk / "whole"), weights(run)
    assert all(torch.equal(whole[name], longer[name]) for name in whole)


def test_a_kind_of_noise_whose_loss_has_settled_teaches_no_more(on_disk):
    log = np.loadtxt(on_disk / "whole" / "log.csv", delimiter=",", skiprows=1)
    features, edges = log[:, 2], log[:, 3]
    end = int((features != features[-1]).sum())  # from here on it keeps its loss
    assert 5 < end < 35
    assert len(set(edges)) > 35
    ksets = log[:, 4]
    assert ksets[end + 1 :].mean() < 0.7 * ksets[:end].mean()
    assert load(on_disk / "whole").facts["taught"] == {"features": end + 1, "edges": 40}
    short = CONFIG.with_settings([f"train.steps={end + 1}"])
    shorter, whole = fit(two_kinds(), config=short, seed=1).network, load(on_disk / "whole").network
    kept, gone_on = (
        [
            torch.equal(*pair)
            for pair in zip(one.encoder.parameters(), other.encoder.parameters(), strict=True)
        ]
        for one, other in zip(shorter.energies, whole.energies, strict=True)
    )
    assert all(kept)
    assert not any(gone_on)


def test_provenance_says_where_a_model_comes_from(on_disk):
    facts = load(on_disk / "whole").facts
    assert facts["seed"] == 1
    assert facts["steps"] == 40
    assert facts["graph_features"] == 2
    assert json.dumps(facts)


def test_training_ends_when_the_loss_has_settled_or_is_low_enough():
    config = RunConfig(train=TrainConfig(patience=5, tolerance=0.01, enough=0.2))
    assert settled_after(np.linspace(0.7, 0.3, 50).tolist(), config) is None
    assert settled_after([0.5] * 9, config) == 6
    assert settled_after([0.69] * 99, config) is None  # nothing has been learned, and may be yet
    assert settled_after([0.69] * 20 + [0.5] * 40, config) is not None
    assert settled_after([0.5] * 5, config) is None
    assert settled_after([0.1, 0.9], config) == 1


@pytest.mark.parametrize(
    ("graphs", "message"),
    [
        ([], "no graph"),
        ([two_kinds(), Graph.from_edges([[0, 1], [1, 2]])], "all or none"),
        (Graph.from_edges([[0, 1], [2, 3]]), "largest connected component has 2 nodes"),
        ([pairs_and_a_path(4, 0), pairs_and_a_path(0, 2)], "largest connected component has 2 nodes"),
    ],
    ids=["none", "mixed", "small", "all small"],
)
def test_graphs_that_cannot_be_trained_on_are_refused(graphs, message):
    with pytest.raises(DataError, match=message):
        fit(graphs, config=CONFIG)


def test_graphs_without_k_sets_do_not_stand_in_the_way_of_the_others():
    empty = Graph(np.zeros(1, np.int64), np.empty(0, np.int32), np.empty((0, 1), np.float32))
    graphs = [empty, pairs_and_a_path(9, 0)] + [pairs_and_a_path(0, 6)] * 4
    config = CONFIG.with_settings(["train.k=4", "train.steps=2", "subgraphs.size=100"])
    assert fit(graphs, config=config).facts["steps"] == 2


def test_sets_larger_than_a_model_can_embed_are_refused_before_training():
    config = CONFIG.with_settings(["train.k=12"])
    with pytest.raises(DataError, match="k is 12; a model takes sets of up to 11 nodes"):
        fit(two_kinds(), config=config)


@pytest.mark.parametrize("encoder", ["sage", "gin", "gcn", "gat", "kgnn", "relational", "whole"])
def test_edge_attributes_enter_every_encoder(encoder):
    graph = two_kinds()
    source = np.repeat(np.arange(graph.num_nodes), graph.degrees)
    pairs = np.column_stack([source, graph.indices])[source < graph.indices]
    values = np.random.default_rng(0).normal(size=(2, len(pairs), 3))
    one, other = (Graph.from_edges(pairs, features=graph.x, edge_attr=attr) for attr in values)
    settings = [f"model.encoder={encoder}", "train.steps=1", "sets.exact=50"]
    model = fit(one, config=CONFIG.with_settings(settings))
    if encoder == "whole":
        vectors = model.embed_graphs([one, other])
    else:
        vectors = [model.embed([[*pairs[0].tolist(), 79]], graph=each) for each in (one, other)]
    assert np.abs(vectors[0] - vectors[1]).max() > 1e-4
    many = fit([one, other], config=CONFIG.with_settings(settings))
    assert np.isfinite(many.facts["loss"])


@pytest.mark.parametrize("change", ["facts", "steps", "loss", "kinds", "tensor", "shape"])
def test_a_checkpoint_that_is_no_step_of_the_run_is_refused(tmp_path, change):
    training = Training([two_kinds()], CONFIG, 1, tmp_path, quiet=True)
    taught = objectives(training.network, 1)
    tensors = dict(taught.state_dict())
    facts = {"origin": training._origin(), "steps": [[[0.5, 0.6], 3, 0.1, 0.1]]}
    match change:
        case "facts":
            facts.clear()
        case "steps":
            facts["steps"] = [[0.5]]
        case "loss":
            facts["steps"] = [[["low", 0.6], 3, 0.1, 0.1]]
        case "kinds":
            facts["steps"] = [[[0.5], 3, 0.1, 0.1]]
        case "tensor":
            tensors.popitem()
        case "shape":
            tensors |= {name: torch.zeros(7) for name in list(tensors)[:1]}
    save_step(tmp_path / "steps", 1, tensors, facts)
    with pytest.raises(DataError, match=r"holds no step of this run|holds a run on other data"):
        training._restore(taught, torch.optim.Adam(taught.parameters()))
