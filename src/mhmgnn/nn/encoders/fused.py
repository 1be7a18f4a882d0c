"""The first sage layer fused with the sum over the k nodes, so that no (b, k, dim) array is made."""

from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from torch import Tensor

from mhmgnn.nn.encoders import _kernels
from mhmgnn.nn.motifs.batch import MotifBatch
from mhmgnn.runtime import threads

SLOPE = 0.01  # negative slope of LeakyReLU, torch's default
BLOCK = 2_048  # motifs of a thread's task in the forward pass
BUFFERS = 4  # most gradient buffers: the batch is summed in this many blocks


def serves(projected: Tensor, batch: MotifBatch) -> bool:
    """Whether the compiled layer supports this batch: on the CPU, float32 or float64, no edge attributes."""
    full_precision = projected.dtype in (torch.float32, torch.float64)
    return projected.device.type == "cpu" and full_precision and batch.edge_attr is None


def pooled(projected: Tensor, per_neighbour: Tensor, rows: Tensor, adjacency: Tensor) -> Tensor:
    r"""One sage layer summed over the nodes of each motif, (b, dim).

    .. math:: \sum_{i \in C} LeakyReLU(own_i + mean_{j \in N(i) \cap C} sent_j + |N(i) \cap C| v)

    `projected` is (n', 2 dim), own and sent side by side; `per_neighbour` is v, (dim,). The gradient is
    summed within blocks of the batch, then over the blocks in order. Blocks depend only on the batch, so the
    result is the same, bit for bit, for any number of threads.
    """
    result: Tensor = _Pooled.apply(projected, per_neighbour, rows, adjacency)  # type: ignore[no-untyped-call]
    return result


class _Pooled(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, *inputs: Tensor) -> Tensor:
        projected, per_neighbour, rows, adjacency = (tensor.contiguous() for tensor in inputs)
        ctx.save_for_backward(projected, per_neighbour, rows, adjacency)
        given = [tensor.detach().numpy() for tensor in (projected, per_neighbour, rows, adjacency)]
        out = np.empty((rows.shape[0], projected.shape[1] // 2), given[0].dtype)
        slope = out.dtype.type(SLOPE)

        def work(start: int) -> None:
            _kernels.pooled(*given, slope, start, min(start + BLOCK, len(out)), out)

        _share(work, range(0, len(out), BLOCK))
        return torch.from_numpy(out)

    @staticmethod
    def backward(ctx: Any, *grads: Tensor) -> tuple[Tensor, Tensor, None, None]:
        given = [tensor.detach().numpy() for tensor in ctx.saved_tensors]
        grad = grads[0].contiguous().numpy()
        nodes, width = given[0].shape
        ends = _blocks(given[2].size, nodes, len(grad))
        out = np.zeros((len(ends) - 1, nodes + 1, width), given[0].dtype)
        slope = out.dtype.type(SLOPE)

        def work(block: int) -> None:
            _kernels.pooled_backward(*given, slope, grad, ends[block], ends[block + 1], out[block])

        _share(work, range(len(out)))
        total, *others = torch.from_numpy(out)
        for other in others:
            total += other
        return total[:-1], total[-1, : width // 2], None, None


def _blocks(slots: int, nodes: int, motifs: int) -> np.ndarray:
    """The bounds of the blocks of a batch; a single block if buffers would cost more than they save."""
    blocks = max(1, min(BUFFERS, slots // max(1, 4 * nodes)))
    return np.linspace(0, motifs, blocks + 1).astype(int)


def _share(work: Callable[[int], None], tasks: range) -> None:
    for _ in threads.side_by_side(work, tasks, threads.available()):
        pass
