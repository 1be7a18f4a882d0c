"""`fit`: train a model on a graph."""

from __future__ import annotations

import json
import logging
import os
import time
from collections.abc import Sequence
from contextlib import ExitStack, closing
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import torch
from lightning_fabric import Fabric
from torch import nn

from mhmgnn.config import RunConfig, check_whole
from mhmgnn.errors import DataError
from mhmgnn.graph import Graph
from mhmgnn.graph.fingerprint import fingerprint
from mhmgnn.models.checkpoint import adam_tensors, last_step, load_adam, run_lock, save_step
from mhmgnn.models.completion_tuning import tune
from mhmgnn.models.load import new_model
from mhmgnn.models.model import Model
from mhmgnn.nn.losses import blind_loss
from mhmgnn.nn.stopping import EarlyStopping
from mhmgnn.runtime import console
from mhmgnn.runtime.distributed import Crew, started
from mhmgnn.training.batches import ahead
from mhmgnn.training.groups import Fitted, fit_groups
from mhmgnn.training.log import Log, Step
from mhmgnn.training.needs import check_batch
from mhmgnn.training.objective import objectives
from mhmgnn.training.settle import check_graphs, settle
from mhmgnn.training.vector import fit_graph_vector, fit_vector
from mhmgnn.training.worlds.store import WorldStore

BEGUN = 0.95  # times the loss of an uninformed model; below it, early stopping begins to count


def fit(
    graph: Graph | Sequence[Graph],
    k: int | None = None,
    *,
    config: RunConfig | None = None,
    seed: int = 0,
    run: str | os.PathLike[str] | None = None,
    resume: bool = False,
    quiet: bool = True,
) -> Model:
    """Train a model on a graph, or on many graphs as they are, without labels.

    `k` overrides the one in `config`. With a folder `run`, the log, checkpoints and the final model are
    written there; `resume` continues from the last checkpoint. `quiet=False` reports progress.
    """
    graphs = [graph] if isinstance(graph, Graph) else list(graph)
    config = config or RunConfig()
    if k is not None:
        config = replace(config, train=replace(config.train, k=k))
    check_whole("seed", seed, 0)
    check_graphs(graphs, config)  # before the folder is created
    with ExitStack() as stack:
        folder = None if run is None else Path(run)
        if folder is not None and started().leads:
            stack.enter_context(run_lock(folder))
        training = Training(graphs, config, seed, folder, quiet=quiet)
        return training.run(resume)


class Training:
    """One training run: its data, settings and network, and the folder it writes to."""

    def __init__(
        self, graphs: list[Graph], config: RunConfig, seed: int, folder: Path | None, *, quiet: bool
    ) -> None:
        self.graphs, self.folder, self.seed = graphs, folder, seed
        self.quiet = quiet or not started().leads
        settled = settle(graphs, config, seed)
        self.config, self.network, self.sampler = settled.config, settled.network, settled.sampler
        self.facts: dict[str, Any] = {
            "seed": seed,
            "data": fingerprint(graphs[0]) if len(graphs) == 1 else [fingerprint(graph) for graph in graphs],
            "graph_features": graphs[0].num_features,
            "in_features": settled.in_features,
            "edge_features": settled.edge_features,
        }

    def run(self, resume: bool) -> Model:
        """Train from the first step, or from the last checkpoint, to the end."""
        fabric = _fabric()
        taught = objectives(self.network, self.config.subgraphs.noises)
        optimizer = torch.optim.Adam(taught.parameters(), lr=self.config.train.learning_rate)
        done = self._restore(taught, optimizer) if resume else self._fresh_start()
        self._say_start(fabric, len(done))
        modules, adam = [fabric.setup_module(one) for one in taught], fabric.setup_optimizers(optimizer)
        assert not isinstance(adam, tuple), "one optimiser in, one out"
        steps = range(len(done), self.config.train.steps)
        graphs = self.config.train.batch * (1 + self.config.subgraphs.noises)
        with ExitStack() as stack:
            log = None
            if self.folder and fabric.is_global_zero:
                log = stack.enter_context(closing(Log(self.folder, self._kinds, done)))
            rank, world = fabric.global_rank, fabric.world_size
            batches = ahead(self.sampler, steps, lambda: self._learning(done), rank=rank, world=world)
            stack.enter_context(closing(batches))
            tell = stack.enter_context(console.progress("training", quiet=self.quiet))
            for number in steps:
                if not (learning := self._learning(done)):
                    break
                began = time.perf_counter()
                drawn = next(batches)
                if number == steps.start and fabric.device.type == "cpu":
                    check_batch(self.config, drawn.values())
                batch = fabric.to_device({kind: drawn[kind] for kind in learning})
                ready = time.perf_counter()
                adam.zero_grad()  # to None: Adam leaves the energies that no longer learn unchanged
                now = dict(enumerate(done[-1].losses if done else ()))
                for kind in learning:
                    loss = modules[kind](batch[kind])  # summed over the graphs of this process
                    fabric.backward(loss * (world / graphs))  # DDP averages gradients over processes
                    shared = fabric.all_reduce(loss.detach(), reduce_op="sum")
                    assert isinstance(shared, torch.Tensor), "one number in, one number out"
                    now[kind] = float(shared) / graphs
                adam.step()
                ksets = sum(part.weights.numel() for part in batch.values())
                done.append(Step(tuple(now.values()), ksets, time.perf_counter() - ready, ready - began))
                if log is not None:
                    log.add(number, done[-1])
                    if (number + 1) % self.config.train.checkpoint_every == 0:
                        self._keep(taught, optimizer, done)
                rate = done[-1].ksets / (done[-1].seconds + done[-1].waited)
                tell(
                    (number + 1) / self.config.train.steps, f"loss {done[-1].loss:.3f}, {rate:,.0f} k-sets/s"
                )
        return self._finish(fabric, done)

    @property
    def _kinds(self) -> tuple[str, ...]:
        """The names of the kinds of noise."""
        return self.config.subgraphs.kinds

    def _learning(self, done: list[Step]) -> list[int]:
        """The kinds of noise, by number, whose energies still train: each stops when its loss has settled."""
        return [kind for kind in range(len(self._kinds)) if self._settled(done, kind) is None]

    def _settled(self, done: list[Step], kind: int) -> int | None:
        return settled_after([step.losses[kind] for step in done], self.config)

    def _fresh_start(self) -> list[Step]:
        if self.folder is None:
            return []
        if (self.folder / "model").exists() or last_step(self.folder / "steps") is not None:
            raise DataError(
                f"{self.folder} holds a run that was begun; go on with it (--resume), or name another folder"
            )
        return []

    def _restore(self, taught: nn.ModuleList, optimizer: torch.optim.Adam) -> list[Step]:
        """Load the last checkpoint; returns the steps done until then."""
        if self.folder is None:
            raise DataError("a run without a folder keeps no steps, so there is nothing to resume; name one")
        kept = last_step(self.folder / "steps")
        if kept is None:
            return []
        if not isinstance(kept.facts, dict) or not self._goes_on(kept.facts.get("origin")):
            raise DataError(
                f"{self.folder} holds a run on other data, with other settings or from another seed; "
                "resume it with its own (train.steps alone may change)"
            )
        try:
            weights = {name: kept.tensors[name] for name in taught.state_dict()}
            taught.load_state_dict(weights)
            load_adam(taught, optimizer, kept.tensors)
            done = [
                Step(tuple(map(float, losses)), int(ksets), float(seconds), float(waited))
                for losses, ksets, seconds, waited in kept.facts["steps"]
            ]
            if any(len(step.losses) != len(self._kinds) for step in done):
                raise ValueError(f"no loss for each of {len(self._kinds)} kinds of noise")
            return done
        except (LookupError, TypeError, ValueError, RuntimeError, OverflowError) as error:
            raise DataError(f"{self.folder / 'steps'} holds no step of this run: {error}") from error

    def _origin(self) -> dict[str, Any]:
        """What identifies a run, for `resume`: data, seed and all settings except the number of steps."""
        config = replace(self.config, train=replace(self.config.train, steps=0))
        return {"data": self.facts["data"], "seed": self.seed, "config": config.to_toml()}

    def _goes_on(self, origin: object) -> bool:
        """Whether a checkpoint with this origin belongs to this run; missing settings count as defaults."""
        mine = self._origin()
        if not isinstance(origin, dict) or any(origin.get(key) != mine[key] for key in ("data", "seed")):
            return False
        try:
            return RunConfig.from_toml(origin["config"]) == RunConfig.from_toml(mine["config"])
        except (DataError, LookupError, TypeError, AttributeError):
            return False

    def _keep(self, taught: nn.ModuleList, optimizer: torch.optim.Adam, done: list[Step]) -> None:
        assert self.folder is not None, "a run without a folder keeps nothing"
        tensors = {**taught.state_dict(), **adam_tensors(taught, optimizer)}
        facts = {"origin": self._origin(), "steps": [list(step) for step in done]}
        save_step(self.folder / "steps", len(done), tensors, facts)

    def _finish(self, fabric: Fabric, done: list[Step]) -> Model:
        facts = self.facts | {
            "steps": len(done),
            "loss": done[-1].loss if done else None,
            "settled": not self._learning(done),
            "taught": {  # steps, by kind of noise
                name: self._settled(done, kind) or len(done) for kind, name in enumerate(self._kinds)
            },
        }
        graph = self.graphs[0] if len(self.graphs) == 1 else None
        self.network.cpu()
        if not self.config.model.reads_graphs:
            self.network.whiten(*self.sampler.batch(self.config.train.steps, of=(0,))[0].data())
        store = WorldStore(None if self.folder is None else self.folder / "worlds", self._world_origin())
        groups = self._fit_groups(graph, Crew(fabric.global_rank, fabric.world_size), store)
        facts |= {"groups": None if groups is None else groups.facts}
        facts |= {"completion": None if graph is None else tune(graph)._asdict()}
        model = new_model(self.network, self.config, facts, graph, None if groups is None else groups.energy)
        model.vector = fit_vector(model, self.seed)
        model.graph_vector = fit_graph_vector(model, self.graphs, self.seed)
        if self.folder is not None and fabric.is_global_zero:
            model.save(self.folder)
            store.clear()
        fabric.barrier()
        return model

    def _fit_groups(self, graph: Graph | None, crew: Crew, store: WorldStore) -> Fitted | None:
        """The group energy, if it is asked for and training is on one graph."""
        config = self.config.groups
        if graph is None or not config.worlds or self.config.model.reads_graphs:
            return None
        return fit_groups(graph, config, self.seed, crew=crew, store=store, quiet=self.quiet)

    def _world_origin(self) -> str:
        """What identifies the worlds of a run: those of the same data, seed and settings are used again."""
        return json.dumps([self.facts["data"], self.seed, asdict(self.config.groups)])

    def _say_start(self, fabric: Fabric, done: int) -> None:
        if self.quiet:
            return
        train = self.config.train
        if self.graphs[0].x is None:
            console.say("no node features are given: the network reads the degrees of nodes instead")
        what = "whole graphs" if self.config.model.reads_graphs else f"sets of {train.k} nodes"
        shared = f", shared by {fabric.world_size} processes" if fabric.world_size > 1 else ""
        before = f"; {done} were taken before" if done else ""
        console.say(f"learning {what} in up to {train.steps} steps{shared}{before}")


def settled_after(losses: Sequence[float], config: RunConfig) -> int | None:
    """The step at which early stopping ends training, by the smoothed loss; None if it has not.

    It ends when the loss is low enough or has not fallen for long. Waiting is only counted once the loss is
    below `BEGUN`: it may stay on the plateau of an uninformed model for long before it falls.
    """
    train = config.train
    stopping = EarlyStopping(train.patience, train.tolerance, BEGUN * blind_loss(config.subgraphs.noises))
    smooth = float("inf")
    for steps, loss in enumerate(losses, 1):
        smooth = loss if smooth == float("inf") else 0.8 * smooth + 0.2 * loss
        if stopping.has_settled(smooth) or smooth < train.enough:
            return steps
    return None


def _fabric() -> Fabric:
    """Lightning Fabric with one process, or with all processes that `torchrun` started."""
    world = started().world
    accelerator = "auto" if torch.cuda.is_available() else "cpu"
    if world == 1:
        return Fabric(accelerator=accelerator, devices=1)
    local = int(os.environ.get("LOCAL_WORLD_SIZE", str(world)))
    fabric = Fabric(accelerator=accelerator, devices=local, num_nodes=world // local, strategy="ddp")
    log = logging.getLogger("lightning_fabric")  # logs a line for every process that joins
    level = log.level
    log.setLevel(logging.WARNING)
    fabric.launch()
    log.setLevel(level)
    return fabric
