"""An encoder by its name."""

from torch import nn

from mhmgnn.encoders.kgnn import KGnn
from mhmgnn.encoders.messages import GatLayer, GcnLayer, GinLayer, Messages
from mhmgnn.encoders.relational import Relational
from mhmgnn.encoders.sage import Sage
from mhmgnn.encoders.whole import Whole
from mhmgnn.errors import DataError

NAMES = ("sage", "gin", "gcn", "gat", "kgnn", "relational", "whole")


def build(name: str, in_features: int, dim: int, layers: int, edge_features: int, k: int) -> nn.Module:
    """The encoder called `name`, with weights drawn from torch's global generator.

    It maps a `MotifBatch` (`whole`: a `WholeBatch`) to (b, dim) embeddings. Only `relational` uses `k`.
    """
    if min(in_features, dim, layers) < 1:
        raise DataError(
            f"{in_features} features, {dim} dimensions, {layers} layers; an encoder needs at least 1 of each"
        )
    widths = [in_features] + [dim] * (layers - 1)
    match name:
        case "sage":
            return Sage(in_features, dim, layers, edge_features)
        case "gin":
            return Messages([GinLayer(width, dim, edge_features) for width in widths], dim)
        case "gcn":
            return Messages([GcnLayer(width, dim, edge_features) for width in widths], dim)
        case "gat":
            return Messages([GatLayer(width, dim, edge_features) for width in widths], dim)
        case "kgnn":
            return KGnn(in_features, dim, layers, edge_features)
        case "relational":
            return Relational(in_features, dim, k, layers, edge_features)
        case "whole":
            return Whole(in_features, dim, layers, edge_features)
    raise DataError(f"no encoder is called {name!r}; there are {', '.join(NAMES)}")
