"""What this installation is and has: versions, threads, device, memory, folders, data."""

from __future__ import annotations

import importlib.metadata
import os
import platform
import re
from dataclasses import dataclass
from pathlib import Path

from mhmgnn import threads
from mhmgnn.datasets.files import data_folder
from mhmgnn.datasets.sources import SOURCES, look


@dataclass(frozen=True)
class Health:
    """What a person who asks for help is asked for first."""

    versions: dict[str, str]  # mhmgnn, Python, the system
    packages: dict[str, str | None]  # that mhmgnn needs; None where one is missing
    extras: dict[str, dict[str, str | None]]  # packages that more can be done with, by the extra
    threads: int
    device: str
    memory_bytes: int | None  # of the machine; None where the system does not tell
    folders: dict[str, str]  # where data and what is kept between runs lie
    data: dict[str, bool]  # whether the files of each data set are there

    @property
    def missing(self) -> list[str]:
        """Packages that mhmgnn cannot work without."""
        return [name for name, version in self.packages.items() if version is None]


def examine() -> Health:
    """Look at this installation; nothing is changed."""
    from platformdirs import user_cache_path

    packages, extras = _wanted()
    system = f"{platform.system()} {platform.release()}, {platform.machine()}"
    return Health(
        {"mhmgnn": _version("mhmgnn") or "?", "Python": platform.python_version(), "system": system},
        {name: _version(name) for name in packages},
        {extra: {name: _version(name) for name in names} for extra, names in extras.items()},
        threads.available(),
        _device(),
        _memory(),
        {"data": str(data_folder()), "cache": str(user_cache_path("mhmgnn")), "compiled": _compiled()},
        {name: not look(name).missing for name, source in SOURCES.items() if source.files},
    )


def _wanted() -> tuple[list[str], dict[str, list[str]]]:
    """The packages that mhmgnn states it needs, and those of each extra."""
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


def _memory() -> int | None:
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, OSError, ValueError):
        return None


def _compiled() -> str:
    """Where numba keeps compiled kernels: beside the code if it can write there, else in its own cache."""
    given = os.environ.get("NUMBA_CACHE_DIR")
    beside = Path(__file__).parent
    if given:
        return given
    return f"{beside} (beside the code)" if os.access(beside, os.W_OK) else "numba's own cache"
