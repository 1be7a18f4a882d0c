"""The first sage layer, pooled over the k nodes, in one pass over the motifs: nothing is (b, k, dim)."""

from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from torch import Tensor

from mhmgnn import threads
from mhmgnn.encoders import _kernels
from mhmgnn.motifs.batch import MotifBatch

SLOPE = 0.01  # of LeakyReLU, as torch has it
BLOCK = 2_048  # motifs that a thread takes at a time on the way forward
NARROWEST = 16  # columns that a thread takes on the way back: one line of the cache


def serves(projected: Tensor, batch: MotifBatch) -> bool:
    """Whether the compiled form can take this batch: on the CPU, in whole floats, without edge attributes."""
    whole_floats = projected.dtype in (torch.float32, torch.float64)
    return projected.device.type == "cpu" and whole_floats and batch.edge_attr is None


def pooled(projected: Tensor, rows: Tensor, adjacency: Tensor) -> Tensor:
    r"""One sage layer summed over the nodes of each motif, (b, dim).

    .. math:: \sum_{i \in C} LeakyReLU(own_i + mean_{j \in N(i) \cap C} sent_j)

    `projected` is (n', 2 dim), own and sent side by side. Threads share motifs on the way forward and columns
    on the way back, so that no two add to the same numbers: the result is the same, bit for bit, for any
    number of threads, and one gradient buffer serves them all.
    """
    result: Tensor = _Pooled.apply(projected, rows, adjacency)  # type: ignore[no-untyped-call]
    return result


class _Pooled(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, projected: Tensor, rows: Tensor, adjacency: Tensor) -> Tensor:
        projected, rows, adjacency = projected.contiguous(), rows.contiguous(), adjacency.contiguous()
        ctx.save_for_backward(projected, rows, adjacency)
        given = [tensor.detach().numpy() for tensor in (projected, rows, adjacency)]
        out = np.empty((rows.shape[0], projected.shape[1] // 2), given[0].dtype)
        slope = out.dtype.type(SLOPE)

        def work(start: int) -> None:
            some = slice(start, start + BLOCK)
            _kernels.pooled(given[0], given[1][some], given[2][some], slope, out[some])

        _share(work, range(0, len(out), BLOCK))
        return torch.from_numpy(out)

    @staticmethod
    def backward(ctx: Any, *grads: Tensor) -> tuple[Tensor, None, None]:
        given = [tensor.numpy() for tensor in ctx.saved_tensors]
        grad = grads[0].contiguous().numpy()
        out = np.zeros_like(given[0])
        slope, dim = out.dtype.type(SLOPE), grad.shape[1]
        width = max(NARROWEST, -(-dim // threads.available()))

        def work(first: int) -> None:
            _kernels.pooled_backward(*given, slope, grad, first, min(first + width, dim), out)

        _share(work, range(0, dim, width))
        return torch.from_numpy(out), None, None


def _share(work: Callable[[int], None], tasks: range) -> None:
    for _ in threads.side_by_side(work, tasks, threads.available()):
        pass
