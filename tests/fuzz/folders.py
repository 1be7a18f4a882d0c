"""Readers of what this package writes itself: settings, recipes, models, graphs, steps, results, logs."""

import json
import tempfile
from collections.abc import Callable
from functools import cache
from pathlib import Path
from unittest.mock import patch

import numpy as np
import torch
from fuzz.reader import Reader, check_graph, packed, pick, put, unpacked
from scipy import sparse

from mhmgnn import connected_sets
from mhmgnn.baselines.baseline import _load_learned, _save_learned
from mhmgnn.baselines.skipgram import Walked
from mhmgnn.config import RunConfig
from mhmgnn.graph import Graph
from mhmgnn.models.checkpoint import last_step, save_step
from mhmgnn.models.load import load
from mhmgnn.models.model import Model
from mhmgnn.nn.energy import new_network
from mhmgnn.paper.checks import about, checks
from mhmgnn.paper.goal import in_short, shortfalls, standings
from mhmgnn.paper.item import read_result
from mhmgnn.paper.recipe import RECIPES, recipes
from mhmgnn.paper.results import Results
from mhmgnn.paper.tables import layout, tables
from mhmgnn.report.run import _read_log
from mhmgnn.training.loop import Training
from mhmgnn.training.objective import objectives

SMALL = [
    "model.dim=4",
    "subgraphs.size=3",
    "train.steps=1",
    "train.batch=1",
    "sets.tours=2",
    "sets.supernode=1",
]
CONFIG = RunConfig().with_settings(SMALL)
EDGES = [(0, 1), (1, 2), (2, 0), (2, 3)]
FACTS = {"seed": 0, "data": "", "graph_features": 2, "in_features": 2, "edge_features": 0}


class Right(str):
    """A checksum that is the right one, whatever is expected."""

    __hash__ = str.__hash__

    def __eq__(self, other: object) -> bool:
        return True

    def __ne__(self, other: object) -> bool:
        return False


def files_of(save: Callable[[Path], object]) -> bytes:
    """The files that `save` writes into a new folder."""
    with tempfile.TemporaryDirectory() as scratch:
        save(Path(scratch) / "saved")
        paths = sorted(path for path in Path(scratch).rglob("*") if path.is_file())
        return packed({path.name: path.read_bytes() for path in paths})


def read_config(data: bytes, folder: Path) -> None:
    (folder / "config.toml").write_bytes(data)
    config = RunConfig.read(folder / "config.toml")
    assert RunConfig.from_toml(config.to_toml()) == config


def read_settings(data: bytes, folder: Path) -> None:
    config = RunConfig().with_settings(data.decode("utf-8", "surrogateescape").split("\n"))
    assert RunConfig.from_toml(config.to_toml()) == config


def config_seeds() -> list[bytes]:
    return [RunConfig().to_toml().encode(), b"[train]\nk = 4\nlearning_rate = 1e-2 # slow\n[model]\n"]


def setting_seeds() -> list[bytes]:
    return [
        b"train.k=4\nmodel.encoder=gin",
        b'sets.tours=none\nsubgraphs.noise="edges"\nmodel.normalise=true',
    ]


def read_recipe(data: bytes, folder: Path) -> None:
    (folder / "a.toml").write_bytes(data)
    for table in tables(recipes(folder)):
        layout(table, Results([]))


def recipe_seeds() -> list[bytes]:
    names = ("hyperedge-cora-3.toml", "dag-leaves-cora-3.toml")
    found = [RECIPES / name for name in names if (RECIPES / name).is_file()]
    return [path.read_bytes() for path in found or sorted(RECIPES.glob("*.toml"))[:2]]


def read_model(data: bytes, folder: Path) -> None:
    (forged,), content = pick(data, (True, False))
    put(folder / "model", unpacked(content))
    if not forged:
        load(folder)
        return
    with patch("mhmgnn.models.checkpoint.sha256", return_value=Right()):
        load(folder)


def model_seeds() -> list[bytes]:
    found = []
    for encoder in ("sage", "relational"):
        config = CONFIG.with_settings([f"model.encoder={encoder}"])
        model = Model(new_network(config, 2, 0, 0), config, FACTS, None)
        found += [b"0" + files_of(model.save)]
    return [*found, b"1" + found[0][1:]]


def read_graph(data: bytes, folder: Path) -> None:
    put(folder / "g", unpacked(data))
    graph = Graph.load(folder / "g")
    check_graph(graph)
    connected_sets(graph, 2)


def graph_seeds() -> list[bytes]:
    x = np.array([[1, 0], [0, 2], [0, 0], [3, 0]], np.float32)
    plain = Graph.from_edges(EDGES, edge_attr=[1, 2, 3, 4])
    named = Graph.from_edges(EDGES, features=sparse.csr_array(x), names=["a", "b", "ü", "d"])
    counted = Graph.from_edges(EDGES, weights=[1, 2.5, 310, 7])
    graphs = (plain, named, Graph.from_edges(EDGES, features=x), counted)
    return [files_of(graph.save) for graph in graphs]


@cache
def training() -> Training:
    """A run of a model so small that its steps are small inputs."""
    return Training([Graph.from_edges(EDGES, features=np.eye(4)[:, :2])], CONFIG, 0, None, quiet=True)


def read_step(data: bytes, folder: Path) -> None:
    (forged,), content = pick(data, (True, False))
    put(folder / "steps", unpacked(content))
    with patch("mhmgnn.models.checkpoint.say"), patch.object(training(), "folder", folder):
        if not forged:
            last_step(folder / "steps")
            return
        taught = objectives(training().network, 1)
        with patch("mhmgnn.models.checkpoint._sum_tensors", return_value=Right()):
            training()._restore(taught, torch.optim.Adam(taught.parameters()))


def step_seeds() -> list[bytes]:
    run = training()
    facts = {"origin": run._origin(), "steps": [[[0.5] * len(run.sampler.kinds), 3, 0.1, 0.1]]}
    whole = files_of(lambda folder: save_step(folder, 1, objectives(run.network, 1).state_dict(), facts))
    return [b"0" + whole, b"1" + whole]


@cache
def of_cora() -> list:
    return [recipe for recipe in recipes() if recipe.cell.place == "hyperedge/cora-3"]


def read_results(data: bytes, folder: Path) -> None:
    (folder / "hyperedge").mkdir(parents=True)
    (folder / "hyperedge" / "cora-3.jsonl").write_bytes(data + b"\n")
    read_result(data)
    found = Results.read(folder)
    stand = standings(of_cora(), found)
    lines = [*about(found, folder), *checks(of_cora(), found), *in_short(stand), *shortfalls(stand)]
    for table in tables(of_cora()):
        lines += layout(table, found)
    "\n".join(lines).encode()


def result_seeds() -> list[bytes]:
    side = {
        "candidates": 9.0,
        "exact": True,
        "by_label": {"0": 8.0},
        "counted": True,
        "kept": {"0": 7, "1": 2},
    }
    result = {
        "task": "hyperedge",
        "dataset": "cora",
        "k": 3,
        "method": "MHM-GNN",
        "seed": 1,
        "split_seed": 1,
        "shuffled": False,
        "score": {"paper": 0.5, "converged": 0.75},
        "shuffles": [],
        "config": {"dim": 128},
        "counts": {"train": side, "test": side},
        "seconds": {"all": 30.2},
        "peak_bytes": 660975616,
        "commit": "bca1feef265fc1defe9b7c8be7b12c265677a1ca",
        "dirty": False,
    }
    shuffled = result | {"shuffled": True, "shuffles": [result["score"]] * 2}
    return [json.dumps(one).encode() for one in (result, shuffled)]


def read_log(data: bytes, folder: Path) -> None:
    (folder / "log.csv").write_bytes(data)
    _read_log(folder / "log.csv")


def read_baseline(data: bytes, folder: Path) -> None:
    put(folder / "baseline", unpacked(data))
    _load_learned(folder / "baseline")


def baseline_seeds() -> list[bytes]:
    facts = {"name": "deepwalk", "seed": 0, "data": "", "in_features": 1, "settings": {}, "k": 3}
    facts |= {"normalise": False, "degree_features": False}
    return [files_of(lambda folder: _save_learned(folder, Walked(np.eye(4, dtype=np.float32), False), facts))]


READERS = {
    "config": Reader(read_config, config_seeds),
    "settings": Reader(read_settings, setting_seeds),
    "recipe": Reader(read_recipe, recipe_seeds),
    "model": Reader(read_model, model_seeds),
    "graph": Reader(read_graph, graph_seeds),
    "step": Reader(read_step, step_seeds),
    "results": Reader(read_results, result_seeds),
    "log": Reader(read_log, lambda: [b"step,loss,ksets,seconds,waited\n0,0.5,12,0.1,0.2\n1,0.4,9,0.1,0.0\n"]),
    "baseline": Reader(read_baseline, baseline_seeds),
}
