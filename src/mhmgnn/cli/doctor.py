"""Checks of the installation, and of the files of a run or a saved graph against their checksums."""

from __future__ import annotations

import importlib.metadata
import platform
import re
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from mhmgnn.datasets.files import data_folder
from mhmgnn.datasets.sources import SOURCES, look
from mhmgnn.errors import DataError
from mhmgnn.runtime import memory, threads

WHOLE = "whole"


@dataclass(frozen=True)
class Health:
    """The state of an installation, to be quoted in a bug report."""

    versions: dict[str, str]  # mhmgnn, Python, the system
    packages: dict[str, str | None]  # versions of required packages; None if missing
    extras: dict[str, dict[str, str | None]]  # the same of optional packages, by extra
    threads: int
    device: str
    memory_bytes: int | None  # of the machine; None if the system does not report it
    folders: dict[str, str]  # of data, caches and compiled kernels
    data: dict[str, bool]  # whether the files of each data set were found

    @property
    def missing(self) -> list[str]:
        """Required packages that are not installed."""
        return [name for name, version in self.packages.items() if version is None]


def examine() -> Health:
    """Examine this installation; nothing is changed."""
    from platformdirs import user_cache_path

    packages, extras = _wanted()
    system = f"{platform.system()} {platform.release()}, {platform.machine()}"
    return Health(
        {"mhmgnn": _version("mhmgnn") or "?", "Python": platform.python_version(), "system": system},
        {name: _version(name) for name in packages},
        {extra: {name: _version(name) for name in names} for extra, names in extras.items()},
        threads.available(),
        _device(),
        memory.total(),
        {"data": str(data_folder()), "cache": str(user_cache_path("mhmgnn")), "compiled": _compiled()},
        {name: not look(name).missing for name, source in SOURCES.items() if source.files},
    )


@dataclass(frozen=True)
class Checked:
    """The result of checking a model, a graph or other content of a run's folder."""

    name: str
    whole: bool
    told: str  # "whole", or what is wrong


def inspect(folder: Path) -> list[Checked]:
    """Compare all files of a run or a saved graph with their checksums; nothing is changed."""
    from mhmgnn.io.arrays import check_sums, is_stored
    from mhmgnn.models.checkpoint import check_steps, load_model

    if is_stored(folder):
        return [_check("graph", lambda: _check_graph(folder, None))]
    checks: dict[str, Callable[[], object]] = {
        "model": lambda: load_model(folder / "model"),
        "baseline": lambda: check_sums(folder / "baseline", "baseline"),
        "graph": lambda: _check_graph(folder / "graph", folder / "model"),
        "context": lambda: check_sums(folder / "context", "context"),
        "steps": lambda: check_steps(folder / "steps"),
    }
    found = [_check(name, check) for name, check in checks.items() if (folder / name).is_dir()]
    if not found:
        raise DataError(f"{folder} is neither the folder of a run nor a saved graph; name one of them")
    return found


def _check(name: str, check: Callable[[], object]) -> Checked:
    try:
        said = check()
    except DataError as error:
        return Checked(name, False, str(error))
    return Checked(name, True, said if isinstance(said, str) else WHOLE)


def _check_graph(path: Path, model: Path | None) -> str:
    """Compare a graph with its own checksums and, if there is a model, with the graph it was trained on."""
    from mhmgnn.graph import Graph
    from mhmgnn.graph.fingerprint import fingerprint
    from mhmgnn.io.arrays import check_sums
    from mhmgnn.models.checkpoint import load_model

    graph = Graph.load(path)
    summed = check_sums(path, "graph")
    trained = None
    if model is not None and model.is_dir():
        with suppress(DataError):  # reported where the model is checked
            trained = load_model(model).facts.get("data")
    if trained is not None:
        if fingerprint(graph) != trained:
            raise DataError(f"{path} is not the graph that the model was trained on, or is damaged")
        return WHOLE if summed else f"{WHOLE}, but for names, of which an earlier mhmgnn kept no checksum"
    return WHOLE if summed else "its rows are whole; of the rest an earlier mhmgnn kept no checksum"


def _wanted() -> tuple[list[str], dict[str, list[str]]]:
    """The required packages, and those of each extra, from mhmgnn's metadata."""
    packages: list[str] = []
    extras: dict[str, list[str]] = {}
    for stated in importlib.metadata.requires("mhmgnn") or []:
        name = re.split(r"[^\w.-]", stated, maxsplit=1)[0]
        extra = re.search(r"extra == ['\"](\w+)['\"]", stated)
        (packages if extra is None else extras.setdefault(extra[1], [])).append(name)
    return packages, {extra: [name for name in names if name != "mhmgnn"] for extra, names in extras.items()}


def _version(package: str) -> str | None:
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return None


def _device() -> str:
    try:
        import torch
    except ImportError:
        return "none: torch is missing"
    if torch.cuda.is_available():
        return ", ".join(torch.cuda.get_device_name(number) for number in range(torch.cuda.device_count()))
    return "cpu"


def _compiled() -> str:
    """The folder of compiled kernels, or that there is none."""
    from mhmgnn.runtime.jit import cache_folder
    from mhmgnn.runtime.rng import uniform

    return cache_folder(uniform) or "none can be written: each process compiles for itself"
