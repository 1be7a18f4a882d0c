"""A row of a comparison: what one method has on each question, or why it has nothing."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from typing import NamedTuple

from mhmgnn.errors import DataError

OURS = "mhmgnn"


class Row(NamedTuple):
    """What one method has."""

    by: str
    figures: Mapping[str, float]  # by question; none where the method is absent
    seconds: float
    absent: str = ""  # why


def measure(by: str, run: Callable[[], Mapping[str, float]]) -> Row:
    """Run a method and take its time; one that refuses the data is absent, with its reason."""
    began = time.perf_counter()
    try:
        figures = run()
    except DataError as error:
        return Row(by, {}, 0.0, str(error))
    return Row(by, figures, time.perf_counter() - began)
