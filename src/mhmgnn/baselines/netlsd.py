"""NetLSD: a graph as the trace of its heat kernel at many times.

Tsitsulin, Mottin, Karras, Bronstein, Mueller, "NetLSD: Hearing the Shape of a Graph", KDD 2018,
arXiv:1805.10712.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from mhmgnn.baselines.method import Method, register
from mhmgnn.config import check_positive, check_whole
from mhmgnn.errors import DataError
from mhmgnn.evaluation.tasks.graphs import Pooled
from mhmgnn.graph import Graph


@dataclass(frozen=True, kw_only=True)
class NetLSDSettings:
    """The times at which the trace is taken; defaults as the authors', except `dim` (250 there)."""

    dim: int = 128  # times from `first` to `last`, evenly apart in their logarithms
    first: float = 1e-2
    last: float = 1e2

    def __post_init__(self) -> None:
        check_whole("dim", self.dim, 1)
        check_positive("first", self.first)
        check_positive("last", self.last)


def netlsd(graphs: Sequence[Graph], settings: NetLSDSettings | None = None) -> np.ndarray:
    r"""The heat trace signature of each graph, (g, dim) float32, from its edges alone.

    .. math:: h(t) = \sum_j e^{-t \lambda_j} / n

    with the eigenvalues of the normalised Laplacian: all of them up to 1,024 nodes; past that the package
    takes 150 from each end and lays the others evenly between. The division is by the trace of the graph of
    n nodes without edges. Nothing is trained and nothing is random.
    """
    settings = settings or NetLSDSettings()
    try:
        from netlsd import heat
    except ImportError as error:
        raise DataError("NetLSD needs the package netlsd; get it by: pip install netlsd") from error
    times = np.logspace(np.log10(settings.first), np.log10(settings.last), settings.dim)
    found = np.empty((len(graphs), settings.dim), np.float32)
    for i, graph in enumerate(graphs):
        if not graph.num_nodes:
            raise DataError(f"graph {i} has no nodes; NetLSD needs at least one node a graph")
        found[i] = heat(graph.to_scipy().astype(np.float64), times, normalization="empty")
    return found


@register
class NetLSD(Method[NetLSDSettings]):
    """NetLSD."""

    name, title = "netlsd", "NetLSD"
    about = "trace of the heat kernel at many times"
    settings = NetLSDSettings()
    seeded = False
    in_paper = True

    def fit_graphs(
        self, graphs: Sequence[Graph], k: int, settings: NetLSDSettings, *, seed: int, quiet: bool
    ) -> dict[str, Pooled]:
        """Nothing is learned."""
        return {"graph": lambda others: netlsd(others, settings)}
