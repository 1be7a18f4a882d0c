"""Fit, kill -9, --resume, embed, count, round after round, with real processes: does anything ever differ?

    python benchmarks/soak.py [MINUTES]      60 by default; exit code 1 if anything differed

Each round trains a model in a process that is killed at moments drawn from a seed and resumed until it ends,
embeds a table of k-sets in another that is killed once, and counts. All must equal what undisturbed processes
gave at the start: weights and counts bit for bit, vectors as well. No hidden file may be left. Beside them
one process lives all the time, fits, embeds and counts once a round, and tells how much memory it holds.
"""

import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pyarrow as pa

from mhmgnn import Graph, connected_sets, datasets, generate
from mhmgnn.io.tables import TableWriter, read_table

SETTINGS = [
    *("model.dim=32", "train.batch=10", "train.steps=150", "train.checkpoint_every=5"),
    *("train.patience=1000", "train.enough=0"),
]
SETS = 200_000  # k-sets that are embedded
LEFT = 3  # rounds at the start that the line through the memory leaves out: caches fill
K = 3


class Reference(NamedTuple):
    """What undisturbed processes gave on one graph."""

    weights: bytes
    vectors: pa.Table
    count: dict[str, object]
    seconds: dict[str, float]  # that fit and embed took


class Outcome(NamedTuple):
    """A round on one graph."""

    kills: int
    faults: list[str]


def command(*words: object) -> list[str]:
    return [sys.executable, "-m", "mhmgnn", *map(str, words)]


def fit_words(place: Path, target: Path) -> list[str]:
    settings = [word for setting in SETTINGS for word in ("--set", setting)]
    return command("fit", place / "graph", target, "-k", K, "--seed", 1, "-q", "--resume", *settings)


def embed_words(place: Path, run: Path, out: Path) -> list[str]:
    return command("-q", "embed", run, place / "sets.parquet", "--rows", SETS // 10, "--out", out)


def counted(place: Path) -> dict[str, object]:
    """What `mhmgnn count` says, without the time that it took."""
    words = command("count", place / "graph", "-k", K + 1, "--limit", 1000, "--seed", 1, "--json")
    found = json.loads(subprocess.run(words, capture_output=True, text=True, check=True).stdout)
    return {name: value for name, value in found.items() if name != "seconds"}


def weights(run: Path) -> bytes:
    return (run / "model" / "weights.safetensors").read_bytes()


def prepare(place: Path, graph: Graph) -> None:
    """Save a graph, and a table with connected and other k-sets of it, by index."""
    rng = np.random.default_rng(0)
    place.mkdir()
    Graph(graph.indptr, graph.indices, graph.x).save(place / "graph")
    every = connected_sets(graph, K)
    ksets = every[rng.integers(len(every), size=SETS)]
    with TableWriter(place / "sets.parquet") as writer:
        writer.write(pa.table({f"node {i}": column for i, column in enumerate(ksets.T)}))


def undisturbed(place: Path) -> Reference:
    """Run every command once, with nothing in its way."""
    run, out, seconds = place / "reference", place / "reference.parquet", {}
    for name, words in (("fit", fit_words(place, run)), ("embed", embed_words(place, run, out))):
        began = time.monotonic()
        subprocess.run(words, check=True)
        seconds[name] = time.monotonic() - began
    return Reference(weights(run), read_table(out), counted(place), seconds)


def until_done(words: list[str], pauses: list[float]) -> int:
    """Start a command again and again, killed after each of the pauses; how often it was there to kill."""
    kills = 0
    for pause in pauses:
        process = subprocess.Popen(words, stderr=subprocess.PIPE)
        try:
            process.wait(pause)
        except subprocess.TimeoutExpired:
            process.kill()
            kills += 1
        process.communicate()
        if process.returncode == 0:
            break
    done = subprocess.run(words, capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(f"{' '.join(words[2:])} ended with {done.returncode}: {done.stderr}")
    return kills


def one_round(place: Path, expected: Reference, rng: np.random.Generator) -> Outcome:
    """Fit, embed and count under fire; what differed from the undisturbed run."""
    run, out = place / "run", place / "out.parquet"
    kills = until_done(fit_words(place, run), rng.uniform(0.5, expected.seconds["fit"], size=3).tolist())
    faults = [] if weights(run) == expected.weights else ["the weights differ"]
    kills += until_done(embed_words(place, run, out), [rng.uniform(0.5, expected.seconds["embed"])])
    faults += [] if read_table(out).equals(expected.vectors) else ["the vectors differ"]
    faults += [] if counted(place) == expected.count else ["the counts differ"]
    steps = {file.name for file in (run / "steps").iterdir()}
    hidden = [file.name for folder in (place, run, run / "steps") for file in folder.glob(".*")]
    faults += [] if hidden == [".lock"] else [f"left over: {', '.join(hidden)}"]
    faults += [] if len(steps) <= 2 else [f"{len(steps)} checkpoints are kept"]
    subprocess.run(["rm", "-r", str(run), str(out)], check=True)
    return Outcome(kills, faults)


def live(place: Path) -> None:
    """Fit, embed and count for every line on stdin, and tell the bytes that this process holds."""
    from mhmgnn import RunConfig, estimate_sum, fit

    graph = Graph.load(place / "graph")
    ksets = np.column_stack([column.to_numpy() for column in read_table(place / "sets.parquet").columns])
    config = RunConfig().with_settings([*SETTINGS, "train.steps=20"])
    for _ in sys.stdin:
        model = fit(graph, K, config=config, seed=1)
        model.embed(ksets)
        estimate_sum(graph, K + 1, limit=1000, seed=1)
        del model
        lines = dict(line.split(":", 1) for line in Path("/proc/self/status").read_text().splitlines())
        print(1024 * int(lines["VmRSS"].removesuffix("kB")), flush=True)


def slope(held: list[int]) -> str:
    """How much the memory of the living process rises a round, after its first rounds."""
    kept = np.array(held[LEFT:]) / 1e6
    if len(kept) < 3:
        return "too few rounds for a line through it"
    return f"{np.polyfit(np.arange(len(kept)), kept, 1)[0]:+.3f} MB a round after the first {LEFT}"


def soak(folder: Path, minutes: float) -> int:
    """Go round until the time is up; 1 if anything differed."""
    graphs = {
        "market": datasets.load("market").graph,
        "groups": generate.planted_groups(nodes=3_000, groups=4_000, seed=0).graph,
    }
    for name, graph in graphs.items():
        prepare(folder / name, graph)
    expected = {name: undisturbed(folder / name) for name in graphs}
    print("undisturbed:", {name: one.seconds for name, one in expected.items()}, flush=True)
    rng, end = np.random.default_rng(0), time.monotonic() + 60 * minutes
    outcomes: list[Outcome] = []
    held: list[int] = []
    words = [sys.executable, __file__, "--live", str(folder / "market")]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    with subprocess.Popen(words, text=True, **pipes) as living:  # type: ignore[call-overload]
        while time.monotonic() < end:
            began, name = time.monotonic(), list(graphs)[len(outcomes) % len(graphs)]
            living.stdin.write("\n")
            living.stdin.flush()
            outcomes.append(one_round(folder / name, expected[name], rng))
            held.append(int(living.stdout.readline()))
            said = "; ".join(outcomes[-1].faults) or "all equal"
            seconds = time.monotonic() - began
            print(
                f"round {len(outcomes):4} {name:<8} {outcomes[-1].kills} kills, {said}; "
                f"{held[-1] / 1e6:,.1f} MB held, {seconds:.0f} s",
                flush=True,
            )
        living.stdin.close()
    bad = sum(bool(one.faults) for one in outcomes)
    print(
        f"{len(outcomes)} rounds, {sum(one.kills for one in outcomes)} kills, {bad} rounds that differed; "
        f"memory from {held[0] / 1e6:,.1f} to {held[-1] / 1e6:,.1f} MB, {slope(held)}"
    )
    return int(bad > 0)


if __name__ == "__main__":
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    if sys.argv[1:2] == ["--live"]:
        live(Path(sys.argv[2]))
    else:
        with tempfile.TemporaryDirectory(prefix="mhmgnn-soak-") as scratch:
            sys.exit(soak(Path(scratch), float(sys.argv[1]) if len(sys.argv) > 1 else 60.0))
