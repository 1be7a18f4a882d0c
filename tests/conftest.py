"""The tiny graphs that every room is tried on, and the seed."""

import os
from pathlib import Path

import numpy as np
import pytest
from scipy import sparse
from threadpoolctl import threadpool_limits

from mhmgnn import Graph


def pytest_configure() -> None:
    """One thread for matrices, also in processes that tests start: they are tiny, and workers share cores."""
    os.environ.setdefault("OMP_NUM_THREADS", "1")  # read when torch is first imported
    threadpool_limits(1)  # of numpy and scipy, which are here already


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--seeds", default="one", choices=["one", "all"], help="seeds for tests that draw: one, or a hundred"
    )


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "seed" in metafunc.fixturenames:
        metafunc.parametrize("seed", range(100 if metafunc.config.getoption("--seeds") == "all" else 1))


def lollipop() -> Graph:
    """A clique of five with a tail of four: a bottleneck."""
    clique = [(i, j) for i in range(5) for j in range(i)]
    return Graph.from_edges([*clique, (4, 5), (5, 6), (6, 7), (7, 8)])


def hub() -> Graph:
    """A star of twelve leaves, some of them joined."""
    return Graph.from_edges([*((0, leaf) for leaf in range(1, 13)), (1, 2), (3, 4), (4, 5)])


def islands() -> Graph:
    """A cycle, a small tree, a triangle, a pair and a node alone."""
    cycle = [(i, (i + 1) % 7) for i in range(7)]
    tree = [(7, 8), (7, 9), (9, 10), (9, 11)]
    return Graph.from_edges([*cycle, *tree, (12, 13), (13, 14), (14, 12), (15, 16)], num_nodes=18)


def rich(*, features: str) -> Graph:
    """Twenty nodes with dense or sparse features, names and edge attributes; or with none of them."""
    rng = np.random.default_rng(5)
    x = (rng.random((20, 6)) * (rng.random((20, 6)) < 0.3)).astype(np.float32)
    return Graph.from_edges(
        rng.integers(18, size=(60, 2)),
        features={"dense": x, "sparse": sparse.csr_array(x), "none": None}[features],
        names=None if features == "none" else [f"Knoten {i} ü" for i in range(20)],
        edge_attr=None if features == "none" else rng.random((60, 2)),
        num_nodes=20,
    )


def random_graph(seed: int, nodes: int = 12, edges: int = 20) -> Graph:
    """Edges drawn uniformly; merged where they repeat."""
    return Graph.from_edges(np.random.default_rng(seed).integers(nodes, size=(edges, 2)), num_nodes=nodes)


def train_tiny(folder: Path) -> None:
    """Leave a model of k = 3 and eight dimensions in `folder / "run"`."""
    from mhmgnn import RunConfig, fit  # torch must find the number of threads set

    settings = ["model.dim=8", "subgraphs.size=8", "train.steps=1", "train.batch=2"]
    graph = random_graph(3)
    x = np.random.default_rng(7).standard_normal((graph.num_nodes, 4)).astype(np.float32)
    fit(Graph(*graph.rows, x), config=RunConfig().with_settings(settings), run=folder / "run")


SMALL = {"lollipop": lollipop, "hub": hub, "islands": islands, "random": lambda: random_graph(3)}


@pytest.fixture(params=SMALL, name="small")
def small_graph(request: pytest.FixtureRequest) -> Graph:
    """Each of the small graphs in turn."""
    graph: Graph = SMALL[request.param]()
    return graph


@pytest.fixture
def soon_settled(monkeypatch: pytest.MonkeyPatch) -> None:
    """Training ends after two steps, for tests of what can be done and not of what is learned."""
    monkeypatch.setattr(
        "mhmgnn.training.loop.settled_after", lambda losses, config: 2 if len(losses) == 2 else None
    )


@pytest.fixture
def one_penalty(monkeypatch: pytest.MonkeyPatch) -> None:
    """The converged probe has no choice, which makes it quick; how it chooses is tried in tests/probes."""
    monkeypatch.setattr("mhmgnn.evaluation.probes.linear.STRENGTHS", [0.1])


@pytest.fixture(scope="session")
def data_dir() -> Path:
    """The folder with the raw data sets; tests that need it are skipped where it is absent."""
    folder = os.environ.get("MHMGNN_DATA")
    if folder is None or not Path(folder).is_dir():
        pytest.skip("MHMGNN_DATA does not name a folder with the raw data")
    return Path(folder)


@pytest.fixture(scope="session")
def cora(data_dir: Path) -> Graph:
    """Cora's citations without their directions."""
    return Graph.read(data_dir / "cora" / "cora.cites")
