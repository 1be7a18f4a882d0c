"""Graph convolutional network on motifs (Kipf and Welling 2017)."""

from torch import Tensor, nn

from mhmgnn.nn.encoders.layers import EdgeMessages, times
from mhmgnn.nn.encoders.messages import Messages, with_loops
from mhmgnn.nn.motifs.batch import MotifBatch, SparseRows


class GcnLayer(nn.Module):
    r"""As Kipf and Welling (2017); the degrees in the motif count the node itself.

    .. math:: b + \sum_{j \in N(i) \cap C \cup i} W x_j / \sqrt{d_i d_j}
    """

    def __init__(self, in_features: int, dim: int, edge_features: int = 0) -> None:
        super().__init__()
        self.linear = nn.Linear(in_features, dim)
        self.edges = EdgeMessages(edge_features, dim)

    def project(self, x: Tensor | SparseRows) -> Tensor:
        return times(x, self.linear.weight)

    def mix(self, projected: Tensor, batch: MotifBatch) -> Tensor:
        looped = with_loops(batch.adjacency).to(projected.dtype)  # (b, k, k)
        scale = looped.sum(dim=-1).rsqrt()  # (b, k)
        weights = scale[:, :, None] * looped * scale[:, None, :]
        mixed: Tensor = self.edges(weights @ projected, weights, batch.edge_attr) + self.linear.bias
        return mixed


class Gcn(Messages):
    """gcn layers, a sum over the k nodes, the readout."""

    layer = GcnLayer
