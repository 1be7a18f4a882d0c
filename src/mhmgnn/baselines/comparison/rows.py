"""A row of a comparison: the figures of one method, or why it has none."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterable, Mapping
from typing import NamedTuple

import numpy as np

from mhmgnn.errors import DataError
from mhmgnn.runtime.distributed import Crew

OURS = "mhmgnn"


class Row(NamedTuple):
    """The figures of one method."""

    by: str
    figures: Mapping[str, float]  # by name; empty if the method is absent
    seconds: float
    absent: str = ""  # why the method has no figures


def measure(by: str, run: Callable[[], Mapping[str, float]]) -> Row:
    """Run a method and measure its time; a `DataError` makes it absent, with its message as the reason."""
    began = time.perf_counter()
    try:
        figures = run()
    except DataError as error:
        return Row(by, {}, 0.0, str(error))
    return Row(by, figures, time.perf_counter() - began)


def gather_rows(mine: Iterable[Row], crew: Crew) -> tuple[Row, ...]:
    """The rows of all processes of a crew, which divided the methods among them in turn, in their order."""
    told = json.dumps(list(mine)).encode()
    shares = [json.loads(share.tobytes()) for share in crew.gather(np.frombuffer(told, np.uint8))]
    many = sum(map(len, shares))
    return tuple(Row(*shares[i % crew.world][i // crew.world]) for i in range(many))
