"""A script for a Python with graph-tool: reads pairs from stdin and writes groups to stdout, one a line.

python3 _graph_tool.py SECONDS SEED: the clique decomposition of Young, Petri and Peixoto (2021). A Markov
chain starts from the maximal cliques and runs for SECONDS of processor time; the state of least description
length is written.
"""

import sys
import time
import warnings
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from graph_tool.inference import CliqueState

FIRST = 10  # sweeps before the clock is first read
LOOKS = 20  # about how often the clock is read


def main() -> None:
    """Read, sample, write."""
    seconds, seed = float(sys.argv[1]), int(sys.argv[2])
    began = time.process_time()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # about missing libraries for drawing
        import graph_tool
        from graph_tool.inference import CliqueState
    graph_tool.seed_rng(seed)
    graph = graph_tool.Graph(directed=False)
    graph.add_edge_list([tuple(map(int, line.split())) for line in sys.stdin])
    state = CliqueState(graph)
    least, best, sweeps = float("inf"), list[list[int]](), FIRST
    while True:
        look = time.process_time()
        state.mcmc_sweep(niter=sweeps)
        if (length := float(state.entropy())) < least:
            least, best = length, held(state)
        now = time.process_time()
        if now - began + (now - look) > seconds:
            break
        sweeps = max(1, int(sweeps * min(2.0, seconds / LOOKS / (now - look))))
    for group in best:
        print(*group)


def held(state: "CliqueState") -> list[list[int]]:
    """The cliques of two and more nodes that the state contains."""
    found = []
    for clique in state.f.vertices():
        if not state.is_fac[clique] and state.x[clique] > 0:
            nodes = [int(node) for node in state.c[clique]]
            if len(nodes) > 1:
                found.append(nodes)
    return found


if __name__ == "__main__":
    main()
