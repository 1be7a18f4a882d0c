"""Products with sparse matrices that send gradients back as quickly as they go forward."""

from typing import Any, NamedTuple

import numpy as np
import torch
from scipy import sparse
from torch import Tensor

from mhmgnn.nn.encoders.layers import times
from mhmgnn.nn.motifs.batch import Features, SparseRows


class TwoWay(NamedTuple):
    """A sparse (n, p) matrix and its transpose: the gradient of a product is as fast as the product."""

    matrix: SparseRows  # (n, p)
    transpose: SparseRows  # (p, n)


def two_way(features: Features) -> Tensor | TwoWay:
    """A matrix for `product`; sparse stays sparse."""
    if isinstance(features, np.ndarray):
        return torch.tensor(features)
    matrix, transpose = (_sparse_rows(m) for m in (features, sparse.csr_array(features.T)))
    return TwoWay(matrix, transpose)


def product(matrix: Tensor | TwoWay, dense: Tensor) -> Tensor:
    """(n, p) times (p, out); gradients go to `dense` alone where the matrix is sparse."""
    if isinstance(matrix, Tensor):
        return matrix @ dense
    result: Tensor = _Product.apply(dense, matrix)  # type: ignore[no-untyped-call]
    return result


class _Product(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, dense: Tensor, matrix: TwoWay) -> Tensor:
        ctx.transpose = matrix.transpose
        return times(matrix.matrix, dense.T)

    @staticmethod
    def backward(ctx: Any, *grads: Tensor) -> Any:
        return times(ctx.transpose, grads[0].T), None


def _sparse_rows(matrix: sparse.csr_array) -> SparseRows:
    return SparseRows(
        indptr=torch.tensor(matrix.indptr, dtype=torch.int32),
        indices=torch.tensor(matrix.indices, dtype=torch.int32),
        values=torch.tensor(matrix.data, dtype=torch.float32),
        columns=int(matrix.shape[1]),
    )
