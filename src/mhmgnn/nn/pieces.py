"""A network applied to many rows: pieces of them side by side."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import torch
from torch import Tensor

from mhmgnn.runtime import threads

BLOCK = 32  # rows of which matrix products are made
PIECE = 64 * BLOCK  # rows that one thread reads sooner than several


def in_pieces(network: Callable[..., Tensor], given: Sequence[Tensor]) -> np.ndarray:
    """What the network makes of the rows of all tensors, (s, d); pieces of them side by side, a thread each.

    Rows are filled up to a multiple of `BLOCK`: matrix products round differently for the last rows of other
    numbers, and a set has the same energy alone and among others.
    """
    rows = len(given[0])
    filled = np.minimum(np.arange(-(-rows // BLOCK) * BLOCK), rows - 1)

    def piece(low: int) -> np.ndarray:
        some = filled[low : low + PIECE]
        with torch.no_grad():  # of this thread
            found: np.ndarray = network(*(tensor[some] for tensor in given)).numpy()
        return found

    with threads.torch_alone():
        pieces = threads.side_by_side(piece, range(0, max(rows, 1), PIECE), threads.available())
        return np.concatenate(list(pieces))[:rows]
