"""The Bayesian method of Young, Petri and Peixoto (2021), run by graph-tool in a separate process.

graph-tool is not on PyPI; Debian packages it as python3-graph-tool for the system's Python.
"""

from __future__ import annotations

import subprocess
from pathlib import Path

from mhmgnn.baselines.recovery.cliques import every_pair
from mhmgnn.baselines.recovery.recovered import Recovered
from mhmgnn.errors import DataError
from mhmgnn.graph import Graph

PYTHON = "/usr/bin/python3"  # the Python that has graph-tool
SCRIPT = Path(__file__).with_name("_graph_tool.py")
SECONDS = 60.0
SHARE = 0.25  # of a processor that the process gets at least; the time limit allows for a busy machine
GRACE = 60.0  # further seconds to read the pairs, list the maximal cliques and finish a sweep
ADVICE = "`apt-get install python3-graph-tool` puts it there"


def bayesian(
    graph: Graph,
    *,
    seconds: float = SECONDS,
    seed: int = 0,
    python: str = PYTHON,
    script: Path = SCRIPT,
    grace: float = GRACE,
) -> Recovered:
    """The most probable decomposition into cliques that a Markov chain finds in `seconds` of processor time.

    It is marked as not complete: a longer chain might find a better one.
    """
    check_graph_tool(python)
    pairs = every_pair(graph).sets.members.reshape(-1, 2)
    given = "".join(f"{one} {other}\n" for one, other in pairs.tolist())
    command = [python, "-I", str(script), str(seconds), str(seed)]
    limit = seconds / SHARE + grace
    try:
        done = subprocess.run(command, input=given, capture_output=True, text=True, timeout=limit)
    except subprocess.TimeoutExpired as error:
        raise DataError(f"graph-tool did not end within {limit:.0f} s on {graph}; give more time") from error
    if done.returncode:
        last = (done.stderr.strip().splitlines() or ["no message"])[-1]
        raise DataError(f"graph-tool failed with code {done.returncode}: {last}")
    lines = done.stdout.splitlines()
    return Recovered.of((map(int, line.split()) for line in lines), complete=False)


def check_graph_tool(python: str = PYTHON) -> None:
    """Refuse, with advice, if this Python has no graph-tool."""
    find = "import importlib.util as u, sys; sys.exit(u.find_spec('graph_tool') is None)"
    try:
        found = subprocess.run([python, "-I", "-c", find], capture_output=True).returncode == 0
    except OSError as error:
        raise DataError(f"{python} cannot be run, and so graph-tool cannot; {ADVICE}") from error
    if not found:
        raise DataError(f"graph-tool is not installed for {python}; {ADVICE}")
