"""What lies inside a graph: connected k-sets, cliques, shapes of motifs, and training subgraphs.

`exact.connected_sets` lists connected k-sets, `estimate.estimate_sum` sums over them by random ones,
`cliques` counts, lists and draws k-cliques, `maximal` lists maximal ones, `rewire` makes a graph of chance,
`shapes.motif_shapes` names the isomorphism classes, and `forest_fire` cuts training subgraphs.
"""

from mhmgnn.subgraphs.fire import forest_fire
from mhmgnn.subgraphs.subgraph import Subgraph, as_subgraph

__all__ = ["Subgraph", "as_subgraph", "forest_fire"]
