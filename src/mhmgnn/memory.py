"""How much memory is free, how much a training step will take, and a refusal before it is too late."""

from __future__ import annotations

import math
import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from mhmgnn.config import ModelConfig, RunConfig
from mhmgnn.errors import DataError

SMALL = 2**24  # bytes that are not worth a look
FLOAT, INT = 4, 8  # bytes
BASE = 10**8  # bytes that the libraries take once they work
READOUT = 6  # floats of `dim` a k-set: pooled, readout, energy, and on their way back
SLOT = 6  # floats of `dim` a slot and layer that are kept for the way back
KEPT, BLOCK = 100_000, 2_048  # k-sets whose way is kept, else run a block at a time: see encoders/parts.py
PROJECTED = 12  # floats of `dim` a node: what it is times the weights, and the sums of its gradients
WEIGHTS = 8  # copies of the weights: gradients, Adam's two moments, turned round and side by side


class Load(NamedTuple):
    """What goes through the network in a step of one process."""

    ksets: int  # of data and noise; whole graphs count as their nodes
    nodes: int  # distinct ones among them
    features: int  # numbers stored for those nodes, zeros of sparse ones left out
    in_features: int
    edge_features: int


def available(root: Path = Path("/")) -> int | None:
    """Bytes that this process could still take; None where the system does not tell.

    The least of what the machine has free and what the control groups (a container, a batch system) leave.
    `MHMGNN_MEMORY_GB` stands above both.
    """
    given = os.environ.get("MHMGNN_MEMORY_GB")
    if given is not None:
        return _stated(given)
    free = [_machine(root), *_groups(root)]
    return min((size for size in free if size is not None), default=None)


def check(what: str, needed: float, advice: str) -> None:
    """Refuse work that needs more bytes than there are; `what` is its subject, `advice` what to lower."""
    if needed <= SMALL:
        return
    free = available()
    if free is not None and needed > free:
        raise DataError(
            f"{what} would need about {needed / 1e9:,.1f} GB of memory, and {free / 1e9:,.1f} GB are free; "
            f"{advice} (MHMGNN_MEMORY_GB states what is free, should this be wrong)"
        )


def step_bytes(config: RunConfig, loads: Sequence[Load]) -> int:
    """What a training step takes at its peak, to a factor of about 2; docs/reliability.md has it measured.

    There is a load for each kind of noise. Each teaches its share of the dimensions, one after the other.
    """
    share = replace(config.model, dim=-(-config.model.dim // len(loads)))
    batches = sum(_batch_bytes(config, load) for load in loads)
    return BASE + batches + max(_network_bytes(share, config.train.k, load) for load in loads)


def _batch_bytes(config: RunConfig, load: Load) -> int:
    """The batches that wait, and the making of one more."""
    k, ahead = config.train.k, config.train.ahead + 2
    motif = INT * k + k * k + FLOAT + INT + FLOAT * load.edge_features * k * k
    making = 3 * INT * k + 2 * INT * k * k + 3 * INT + FLOAT * load.edge_features * k * k
    waiting = ahead * (load.ksets * motif + 2 * FLOAT * load.features)
    return waiting + load.ksets * making


def _network_bytes(model: ModelConfig, k: int, load: Load) -> int:
    """What lies in the network between the way there and the way back, and its weights."""
    dim, layers = model.dim, model.layers
    pairs = k * (k - 1) // 2
    blocked = load.ksets if load.ksets <= KEPT else BLOCK
    compiled = layers == 1 and not load.edge_features
    match model.encoder:
        case "sage":
            kept = 0 if compiled else blocked * layers * (SLOT * k * dim + 3 * k * k)
        case "gin" | "gcn" | "gat":
            kept = blocked * layers * (SLOT * k * dim + (6 * 4 if model.encoder == "gat" else 3) * k * k)
        case "kgnn":
            kept = load.ksets * (3 * (layers + 1) * pairs * dim + 2 * pairs * pairs)
        case "relational":
            kept = load.ksets * (2 * (layers + 1) * math.factorial(k) + 2 * k * k) * dim
        case _:
            kept = load.ksets * SLOT * layers * dim  # a node of a whole graph for each
    own = {"sage": 2, "relational": k}.get(model.encoder, 1)
    weights = WEIGHTS * own * load.in_features * dim
    return FLOAT * (kept + READOUT * load.ksets * dim + PROJECTED * load.nodes * dim + weights)


def _stated(given: str) -> int:
    try:
        size = float(given)
    except ValueError:
        size = math.nan
    if not 0 < size < math.inf:
        raise DataError(f"MHMGNN_MEMORY_GB is {given!r}; it must be a number of gigabytes above 0")
    return int(size * 1e9)


def _machine(root: Path) -> int | None:
    for line in _lines(root / "proc/meminfo"):
        name, _, rest = line.partition(":")
        if name == "MemAvailable":
            return 1024 * int(rest.removesuffix("kB"))
    return None


def _groups(root: Path) -> list[int]:
    """What each control group of memory around this process leaves, of both versions."""
    found = []
    for line in _lines(root / "proc/self/cgroup"):
        _, controllers, place = line.split(":", 2)
        if not controllers:  # version 2
            mounted, names = root / "sys/fs/cgroup", ("memory.max", "memory.current", "inactive_file")
        elif "memory" in controllers.split(","):
            mounted = root / "sys/fs/cgroup/memory"
            names = ("memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file")
        else:
            continue
        inside = mounted / place.strip("/")
        for folder in (inside, *inside.parents):
            if folder == mounted.parent:
                break
            left = _left(folder, *names)
            if left is not None:
                found.append(left)
    return found


def _left(folder: Path, limit: str, usage: str, cached: str) -> int | None:
    """The limit of a group less what it holds; files that the system only keeps at hand do not count."""
    most, now = (_number(_lines(folder / name)) for name in (limit, usage))
    if most is None or now is None:
        return None
    aside = [line.split()[1] for line in _lines(folder / "memory.stat") if line.startswith(f"{cached} ")]
    return max(most - now + (_number(aside) or 0), 0)


def _number(lines: list[str]) -> int | None:
    return int(lines[0]) if lines and lines[0].isdecimal() else None  # "max" is no number


def _lines(file: Path) -> list[str]:
    try:
        return file.read_text(encoding="utf-8").splitlines()
    except OSError:
        return []
