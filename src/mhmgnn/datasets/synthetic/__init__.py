"""Random graphs with known properties, up to tens of millions of edges: for tests, trials and benchmarks."""

from mhmgnn.datasets.synthetic.degrees import barabasi_albert, chung_lu, power_law_degrees
from mhmgnn.datasets.synthetic.groups import planted_groups

__all__ = ["barabasi_albert", "chung_lu", "planted_groups", "power_law_degrees"]
