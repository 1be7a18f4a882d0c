"""Model folders and training checkpoints on disk: weights, settings, provenance; files never run code."""

from __future__ import annotations

import importlib.metadata
import json
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import safetensors
import torch
from safetensors.torch import load, save
from torch import Tensor, nn
from torch.optim import Optimizer

from mhmgnn.config import RunConfig
from mhmgnn.errors import DataError
from mhmgnn.graph import Graph
from mhmgnn.io.atomic import atomic_folder, check_free, naming, take_lock, write_atomic
from mhmgnn.io.checksums import sha256
from mhmgnn.runtime.console import say

FITTED = "name a folder that `mhmgnn fit` has filled (--resume finishes training that was stopped)"
FORMAT = 6
READABLE = (3, FORMAT)  # 3 has no groups; 4 knew no sets but cliques, and 5 had parts of vectors side by side
READ = " and ".join(map(str, READABLE))
WEIGHTS, CONFIG, PROVENANCE = "weights.safetensors", "config.toml", "provenance.json"
NEEDED = {"seed", "data", "graph_features", "in_features", "edge_features"}  # facts that every model states
ADAM = {"step", "exp_avg", "exp_avg_sq"}  # Adam's state of a parameter, at least
RENAMED = {re.compile(r"\bturn$"): "whitening", re.compile(r"\.near\b"): ".per_neighbour"}  # since format 3
STEP = re.compile(r"step-(\d{6,})\.safetensors")


class SavedModel(NamedTuple):
    """What a model folder holds."""

    state: dict[str, Tensor]  # on the CPU
    config: RunConfig
    facts: dict[str, Any]


class StepState(NamedTuple):
    """The state of a training run after a step."""

    step: int
    tensors: dict[str, Tensor]  # on the CPU
    facts: dict[str, Any]


def save_model(
    folder: Path, state: Mapping[str, Tensor], config: RunConfig, facts: Mapping[str, Any]
) -> None:
    """Write a model folder atomically; it replaces a model in its place, and nothing but a model.

    `facts` goes into provenance.json and must name `seed`, `data` (the fingerprint of what it was trained on)
    and the numbers of `graph_features`, of `in_features` (with degree bins) and of `edge_features`.
    """
    assert facts.keys() >= NEEDED, f"facts lack {NEEDED - facts.keys()}"
    check_free(folder, _check_nothing_else)
    weights, settings = save(_packed(state)), config.to_toml().encode()
    versions = {name: importlib.metadata.version(name) for name in ("mhmgnn", "torch", "numpy")}
    story = {"kind": "model", "format": FORMAT, "k": config.train.k, "versions": versions}
    story["facts"] = dict(facts)
    sums = {WEIGHTS: sha256([weights]), CONFIG: sha256([settings]), PROVENANCE: _sum_story(story)}
    with atomic_folder(folder) as new:
        (new / WEIGHTS).write_bytes(weights)
        (new / CONFIG).write_bytes(settings)
        (new / PROVENANCE).write_text(json.dumps(story | {"sha256": sums}, indent=1), encoding="utf-8")


def load_model(folder: Path) -> SavedModel:
    """Read a model folder; a missing file, a wrong checksum or another format is an error naming the file."""
    story = _read_provenance(folder)
    if story["format"] not in READABLE:
        raise DataError(
            f"{folder} is a model of format {story['format']}; this mhmgnn reads {READ}: fit it again"
        )
    sums = story.pop("sha256", None)
    if not isinstance(sums, dict) or sums.get(PROVENANCE) != _sum_story(story):
        raise DataError(f"{folder / PROVENANCE} is damaged: it does not have the checksum that it states")
    weights, settings = (_read_checked(folder / name, sums.get(name)) for name in (WEIGHTS, CONFIG))
    try:
        config = RunConfig.from_toml(settings.decode())
    except ValueError as error:
        raise DataError(f"{folder / CONFIG}: {error}") from error
    return SavedModel(
        _renamed(_tensors(weights, folder / WEIGHTS)), config, _facts(story, folder / PROVENANCE)
    )


def save_step(folder: Path, step: int, tensors: Mapping[str, Tensor], facts: Mapping[str, Any]) -> None:
    """Write a checkpoint of `step` and delete the others, except the one before it.

    Checkpoints of later steps are deleted too: they belong to a run that was resumed from an earlier step.
    The caller holds the `run_lock` of this folder or of its parent.
    """
    packed = _packed(tensors)
    text = json.dumps({"format": FORMAT, "step": step, "facts": dict(facts)})
    folder.mkdir(exist_ok=True)
    file = folder / f"step-{step:06d}.safetensors"
    write_atomic(file, save(packed, {"mhmgnn": text, "sha256": _sum_tensors(packed, text)}))
    before = [number for number in _steps(folder) if number < step]
    for number, old in _steps(folder).items():
        if number != step and number not in before[-1:]:
            old.unlink()
    for left in folder.glob(".step-*"):  # unfinished files of a killed process
        left.unlink()


def last_step(folder: Path) -> StepState | None:
    """The last intact checkpoint of the folder; None if there is no checkpoint at all."""
    complaints = []
    for file in reversed(_steps(folder).values()):
        try:
            return _read_step(file)
        except DataError as error:
            complaints.append(str(error))
            say(f"{error}; going back to the checkpoint before it")
    if complaints:
        found = f"no checkpoint in {folder} can be used: {complaints[0]}"
        raise DataError(f"{found}; start anew in another folder")
    return None


def check_steps(folder: Path) -> None:
    """Read every checkpoint of the folder; one that is damaged is an error."""
    for file in _steps(folder).values():
        _read_step(file)


@contextmanager
def run_lock(folder: Path) -> Iterator[None]:
    """Create the folder if it is missing and lock it against other runs while the block runs."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except (FileExistsError, NotADirectoryError) as error:
        raise DataError(f"{folder} cannot be a folder: there is a file in its place") from error
    with (folder / ".lock").open("a+", encoding="ascii") as file:
        with naming(folder):
            take_lock(file, f"writes into this folder: {folder}; choose another one")
        yield


def adam_tensors(model: nn.Module, optimizer: Optimizer) -> dict[str, Tensor]:
    """Adam's moments and step counts as "adam/PARAMETER/PART", for the parameters that it has updated."""
    names: dict[Tensor, str] = {parameter: name for name, parameter in model.named_parameters()}
    return {
        f"adam/{names[parameter]}/{part}": tensor
        for parameter, parts in optimizer.state.items()
        for part, tensor in parts.items()
    }


def load_adam(model: nn.Module, optimizer: Optimizer, tensors: Mapping[str, Tensor]) -> None:
    """Restore Adam from the tensors of `adam_tensors`, bit for bit; tensors of other names are ignored."""
    names: dict[Tensor, str] = {parameter: name for name, parameter in model.named_parameters()}
    owned = [parameter for group in optimizer.param_groups for parameter in group["params"]]
    places = {names[parameter]: place for place, parameter in enumerate(owned)}
    state: dict[int, dict[str, Tensor]] = {}
    for key, tensor in tensors.items():
        if not key.startswith("adam/"):
            continue
        name, _, part = key.removeprefix("adam/").rpartition("/")
        if name not in places:
            raise DataError(f"{key} belongs to no parameter of this model; the checkpoint is of another one")
        if part != "step" and tensor.shape != owned[places[name]].shape:
            shapes = f"{tuple(tensor.shape)} where {tuple(owned[places[name]].shape)} is expected"
            raise DataError(f"{key} is of shape {shapes}; the checkpoint is of another model")
        state.setdefault(places[name], {})[part] = tensor.clone()
    if not all(parts.keys() >= ADAM for parts in state.values()):
        parts = ", ".join(sorted(ADAM))
        raise DataError(f"a parameter has not {parts} of Adam; the checkpoint is of another run")
    optimizer.load_state_dict(optimizer.state_dict() | {"state": state})


def _read_provenance(folder: Path) -> dict[str, Any]:
    if not folder.is_dir():
        left = sorted(folder.absolute().parent.glob(f".{folder.name}.*.old"))
        advice = f"a save was stopped, and the model before it is {left[-1]}: rename it" if left else FITTED
        raise DataError(f"{folder} is no saved model: there is no such folder; {advice}")
    if not (folder / PROVENANCE).is_file():
        raise DataError(f"{folder} is no saved model: it has no file {PROVENANCE}")
    try:
        story = json.loads(_read(folder / PROVENANCE))
    except (ValueError, RecursionError) as error:
        raise DataError(f"{folder / PROVENANCE} is damaged: {error}") from error
    if not isinstance(story, dict) or story.get("kind") != "model" or "format" not in story:
        raise DataError(f"{folder / PROVENANCE} is damaged: it does not tell of a model")
    return story


def _sum_story(story: Mapping[str, Any]) -> str:
    return sha256([json.dumps(story).encode()])


def _facts(story: dict[str, Any], file: Path) -> dict[str, Any]:
    facts = story.get("facts")
    if not isinstance(facts, dict) or not isinstance(story.get("versions"), dict):
        raise DataError(f"{file} is damaged: it tells no facts of a model")
    for name in NEEDED - {"data"}:
        if type(facts.get(name)) is not int or facts[name] < 0:
            raise DataError(f"{file} is damaged: {name} is {facts.get(name)!r}; it must be a whole number")
    taught = facts.get("taught", {})
    if not isinstance(taught, dict) or not all(type(steps) is int for steps in taught.values()):
        raise DataError(
            f"{file} is damaged: taught is {taught!r}; it must have a whole number for each noise"
        )
    tuned = facts.get("completion")  # not there in models saved before completion was tuned
    if tuned is not None and not _are_shares(tuned, {"restart", "direct"}):
        raise DataError(
            f"{file} is damaged: completion is {tuned!r}; it must have restart and direct, from 0 to 1"
        )
    return facts


def _are_shares(given: object, names: set[str]) -> bool:
    """Whether these names, and no others, have a number from 0 to 1."""
    return (
        isinstance(given, dict)
        and given.keys() == names
        and all(type(share) in (int, float) and 0 <= share <= 1 for share in given.values())
    )


def _check_nothing_else(folder: Path) -> None:
    _read_provenance(folder)
    others = sorted({file.name for file in folder.iterdir()} - {WEIGHTS, CONFIG, PROVENANCE})
    if others:
        raise DataError(f"{folder} holds {', '.join(others[:3])} beside a model")


def _read(file: Path) -> bytes:
    try:
        return file.read_bytes()
    except FileNotFoundError as error:
        raise DataError(f"{file} is missing; the folder is not whole") from error
    except OSError as error:
        raise DataError(f"{file} cannot be read: {error.strerror}") from error


def _read_checked(file: Path, expected: object) -> bytes:
    content = _read(file)
    if sha256([content]) != expected:
        raise DataError(f"{file} is damaged or was changed: its checksum is not the one in {PROVENANCE}")
    return content


def _read_step(file: Path) -> StepState:
    content = _read(file)
    tensors = _tensors(content, file)
    try:
        header = json.loads(content[8 : 8 + int.from_bytes(content[:8], "little")])
        text, expected = (header["__metadata__"][key] for key in ("mhmgnn", "sha256"))
        story = json.loads(text)
        given, step, facts = story["format"], story["step"], story["facts"]
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise DataError(f"{file} is damaged: it says nothing of a run") from error
    if _sum_tensors(tensors, text) != expected:
        raise DataError(f"{file} is damaged: it does not have the checksum that it states")
    if given not in READABLE:
        raise DataError(f"{file} is of format {given}; this mhmgnn reads {READ}")
    return StepState(step, _renamed(tensors), facts)


def _steps(folder: Path) -> dict[int, Path]:
    """The checkpoints of a folder by their steps, in ascending order."""
    files = folder.iterdir() if folder.is_dir() else ()
    return dict(sorted((int(match[1]), file) for file in files if (match := STEP.fullmatch(file.name))))


def _packed(tensors: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """Copies on the CPU that share no memory, as safetensors asks for."""
    packed = {name: tensor.detach().cpu() for name, tensor in tensors.items()}
    return {name: tensor.clone(memory_format=torch.contiguous_format) for name, tensor in packed.items()}


def _tensors(content: bytes, file: Path) -> dict[str, Tensor]:
    try:
        return load(content)
    except (safetensors.SafetensorError, KeyError, ValueError, TypeError, RuntimeError) as error:
        first_line = str(error).partition("\n")[0]
        raise DataError(f"{file} is damaged: {first_line}") from error


def _renamed(tensors: dict[str, Tensor]) -> dict[str, Tensor]:
    """The tensors under today's names."""
    found = {}
    for name, tensor in tensors.items():
        for old, new in RENAMED.items():
            name = old.sub(new, name)
        found[name] = tensor
    return found


def _sum_tensors(tensors: Mapping[str, Tensor], text: str) -> str:
    def contents() -> Iterator[bytes | memoryview]:
        yield text.encode()
        for name, tensor in sorted(tensors.items()):
            yield f"\n{name} {tensor.dtype} {tuple(tensor.shape)}\n".encode()
            yield tensor.reshape(-1).view(torch.uint8).numpy().data

    return sha256(contents())


def check_fits(graph: Graph, facts: dict[str, Any]) -> None:
    """Refuse a graph whose numbers of node features and edge attributes differ from the training graph's."""
    given, wanted = graph.num_features, facts["graph_features"]
    if given != wanted:
        raise DataError(f"the graph has {given} node features; the model was trained on {wanted}")
    given, wanted = (0 if graph.edge_attr is None else graph.edge_attr.shape[1]), facts["edge_features"]
    if given != wanted:
        raise DataError(f"the graph has {given} edge attributes; the model was trained on {wanted}")
