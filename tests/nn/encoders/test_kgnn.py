from itertools import combinations

import torch
from torch.nn.functional import leaky_relu

from mhmgnn.nn.encoders.kgnn import KGnn
from mhmgnn.nn.motifs.batch import gather


def local_neighbours(pair, adjacent):
    """2-sets that replace one node of the pair by a node adjacent to it (Morris et al. 2019)."""
    for gone in pair:
        (kept,) = pair - {gone}
        yield from ({kept, new} for new in range(len(adjacent)) if new not in pair and adjacent[gone][new])


def test_kgnn_equals_loops_over_the_2_sets(make_graph, make_ksets):
    batch = gather(make_graph(), make_ksets(4, m=10))
    encoder = KGnn(5, 16).double()
    for m, found in enumerate(encoder(batch)):
        x, adjacent = batch.x[batch.rows[m]].double(), batch.adjacency[m].tolist()
        start = {
            frozenset(s): leaky_relu(
                encoder.nodes(x[s[0]] + x[s[1]]) + encoder.pair.weight[:, 0] * adjacent[s[0]][s[1]]
            )
            for s in combinations(range(4), 2)
        }
        total = 0
        for pair, own in start.items():
            sent = sum(encoder.other[0](start[frozenset(t)]) for t in local_neighbours(pair, adjacent))
            total = total + leaky_relu(encoder.own[0](own) + sent)
        torch.testing.assert_close(encoder.readout(total), found)
