"""Energies of data and noise -> the loss of noise-contrastive estimation."""

import math

import torch
from torch import Tensor
from torch.nn import functional


def graph_energy(energy: Tensor, weights: Tensor, owner: Tensor, num_graphs: int) -> Tensor:
    r"""The energy of each graph, estimated from its weighted k-sets as in Theorem 1, (num_graphs,).

    .. math:: \hat\Phi(G) = \sum_i w_i \, \phi(C_i)

    `energy` and `weights` are (s,); `owner[i]` is the graph that k-set i was drawn from.
    """
    return energy.new_zeros(num_graphs).index_add(0, owner, weights * energy)


def nce_loss(energy: Tensor, is_data: Tensor, *, constant: Tensor | float = 0.0, noises: int = 1) -> Tensor:
    r"""The loss of noise-contrastive estimation, summed over graphs.

    .. math:: -\sum_{data} \log \sigma(l) - \sum_{noise} \log(1 - \sigma(l)), \quad l = -\Phi - \log M - c

    `energy` and `is_data` (1 or 0) are (graphs,). The learned constant c absorbs log Z and the log
    probability of a noise graph, which is constant.
    """
    shift = torch.log(torch.as_tensor(float(noises), dtype=energy.dtype, device=energy.device))
    return functional.binary_cross_entropy_with_logits(-energy - shift - constant, is_data, reduction="sum")


def blind_loss(noises: int) -> float:
    """The mean loss per graph of an uninformed model, which only knows the ratio of data to noise."""
    share = 1 / (1 + noises)
    return -share * math.log(share) - (1 - share) * math.log(1 - share)
