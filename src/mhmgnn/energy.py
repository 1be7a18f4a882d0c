"""Embeddings of k-sets -> their energies."""

from torch import Tensor, nn

from mhmgnn.motifs.batch import MotifBatch
from mhmgnn.motifs.whole import WholeBatch


class KSetModel(nn.Module):
    r"""The energy of a k-set, Eq. (2): low where the k nodes belong together.

    .. math:: \phi(C) = w^T \rho(h(C))

    :math:`h` is the encoder, :math:`\rho` one hidden layer with LeakyReLU. No constant stands beside
    :math:`w`: summed over k-sets, it would only count them.
    """

    def __init__(self, encoder: nn.Module, dim: int) -> None:
        super().__init__()
        self.encoder = encoder
        self.rho = nn.Sequential(nn.Linear(dim, dim), nn.LeakyReLU(inplace=True))
        self.energy = nn.Linear(dim, 1, bias=False)

    def embed(self, batch: MotifBatch | WholeBatch) -> Tensor:
        """The embedding h(C) of each k-set, (b, dim), of length 1."""
        embedding: Tensor = self.encoder(batch)
        return embedding

    def forward(self, batch: MotifBatch | WholeBatch) -> Tensor:
        """The energy of each k-set, (b,)."""
        energy: Tensor = self.energy(self.rho(self.embed(batch))).squeeze(-1)
        return energy
