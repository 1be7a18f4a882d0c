"""A row of a comparison: the figures of one method, or why it has none."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from typing import NamedTuple

from mhmgnn.errors import DataError

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
