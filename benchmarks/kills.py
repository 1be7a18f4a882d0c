"""Kill -9 at random moments of fit with groups, update, groups, embed and reload: is anything lost?

    python benchmarks/kills.py [KILLS]     200 by default, shared by the commands; exit code 1 if any was

A command runs in a process of its own, forked from this one so that kills fall into its work and not into
imports. It is killed up to three times, at moments drawn from a seed over the time that it takes undisturbed,
and started again each time, until it ends: its result must equal that of an undisturbed one byte for byte,
and no hidden file may be left. A run that was killed in an update must be whole, the old or the new one. A
service is killed while it takes up a new run; started again, it must answer as one that was not.

Each round is added to results/benchmarks/kills.json, from which a further call goes on; `make pages` puts it
into docs/reliability.md.
"""

import hashlib
import http.client
import json
import os
import shutil
import signal
import socket
import sys
import tempfile
import threading
import time
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from record import Record

import mhmgnn.service.server
import mhmgnn.training.update  # noqa: F401 - before the forks
from mhmgnn import Graph, connected_sets
from mhmgnn.cli.main import main
from mhmgnn.datasets.market import generate
from mhmgnn.io.atomic import atomic_folder

KILLS, PER_ROUND = 200, 3
SMALL = (
    *("model.dim=16", "subgraphs.size=30", "train.steps=30", "train.batch=5", "train.checkpoint_every=5"),
    *("train.patience=1000", "train.enough=0", "groups.worlds=4", "groups.epochs=2"),
)
SETS = 6_000  # k-sets that are embedded, in parts of 300
LONGEST = 600.0  # seconds to wait for what takes a few


class Case(NamedTuple):
    """A command, what makes it ready, and the digest of its result; `whole` looks at what a kill left."""

    words: list[str]
    ready: Callable[[], None]
    result: Callable[[], str]
    whole: Callable[[], bool]
    places: tuple[Path, ...]  # where hidden files might be left


class Tally(NamedTuple):
    """What came of the kills of a round."""

    kills: int
    differed: int
    left: int


def fork(work: list[str] | Callable[[], None], said: Path) -> int:
    """Run a command or a function in a child; its process id."""
    pid = os.fork()
    if pid:
        return pid
    code = 70
    try:
        with said.open("ab") as file:
            os.dup2(file.fileno(), 1)
            os.dup2(file.fileno(), 2)
        try:
            if isinstance(work, list):
                sys.argv = ["mhmgnn", *work]
                work = main
            work()
            code = 0
        except SystemExit as left:
            code = int(left.code or 0)
        except BaseException:
            traceback.print_exc()
    finally:
        os._exit(code)


def ended(pid: int, seconds: float) -> int | None:
    """The exit code of a child, minus the signal that ended it; None if it still runs after so long."""
    until = time.monotonic() + seconds
    while True:
        found, status = os.waitpid(pid, os.WNOHANG)
        if found:
            return os.waitstatus_to_exitcode(status)
        if time.monotonic() > until:
            return None
        time.sleep(0.002)


def killed(pid: int, seconds: float) -> bool:
    """Kill a child after so long; False if it had ended well by then."""
    code = ended(pid, seconds)
    if code is None:
        os.kill(pid, signal.SIGKILL)
        code = ended(pid, LONGEST)
    if code not in (0, -signal.SIGKILL):
        raise RuntimeError(f"a child ended with {code}; its folder has what it said")
    return code != 0


def to_the_end(work: list[str] | Callable[[], None], said: Path) -> float:
    """The seconds that an undisturbed command takes."""
    began = time.monotonic()
    code = ended(fork(work, said), LONGEST)
    if code != 0:
        raise RuntimeError(f"{work} ended with {code}: {said.read_text()[-2000:]}")
    return time.monotonic() - began


def digest(*files: Path) -> str:
    sums = hashlib.sha256()
    for file in files:
        sums.update(file.read_bytes())
    return sums.hexdigest()


def of_run(run: Path) -> str:
    """What a run holds: its weights and its graph; the story of how they came about has times in it."""
    return digest(run / "model" / "weights.safetensors", *sorted((run / "graph").glob("*.npy")))


def copy(source: Path, target: Path) -> None:
    shutil.rmtree(target, ignore_errors=True)
    shutil.copytree(source, target)


def is_whole(run: Path, said: Path) -> bool:
    """Whether `mhmgnn doctor` finds no fault."""
    return ended(fork(["doctor", str(run)], said), LONGEST) == 0


def write_inputs(place: Path) -> None:
    """A graph with counts, further pairs, a table of sets, and what to ask a service."""
    graph = generate(products=304, seed=1).graph
    graph.save(place / "graph")
    rng = np.random.default_rng(0)
    names = list(graph.names or ())
    ends = rng.choice(graph.num_nodes, size=(60, 2))
    rows = [f"{names[a]}\t{names[b]}\t{1 + i % 3}\n" for i, (a, b) in enumerate(ends.tolist()) if a != b]
    (place / "pairs.tsv").write_text("".join(["source\ttarget\tcount\n", *rows]))
    every = connected_sets(Graph(graph.indptr, graph.indices), 3)
    lines = [",".join(quoted(names[i]) for i in row) for row in every[rng.choice(len(every), SETS)].tolist()]
    (place / "sets.csv").write_text("\n".join(["a,b,c", *lines]) + "\n")
    (place / "asked.json").write_text(json.dumps({"nodes": names[:2], "top": 20}))


def quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def fit_words(place: Path, run: Path) -> list[str]:
    settings = [word for setting in SMALL for word in ("--set", setting)]
    return ["fit", str(place / "graph"), str(run), "-k", "3", "--seed", "1", "-q", "--resume", *settings]


def cases(place: Path, said: Path) -> dict[str, Case]:
    """The commands that write something."""
    trained, run, out = place / "trained", place / "run", place / "out"

    def fresh() -> None:
        shutil.rmtree(out, ignore_errors=True)
        out.mkdir()

    def old_or_new(expected: set[str]) -> bool:
        return is_whole(run, said) and of_run(run) in expected

    updated: set[str] = set()

    def after_update() -> str:
        updated.add(of_run(run))
        return of_run(run)

    updated.add(of_run(trained))
    words = {"groups": ["groups", str(trained), "--out", str(out / "groups.csv")]}
    words["embed"] = ["embed", str(trained), str(place / "sets.csv"), "--rows", "300"]
    return {
        "fit with groups": Case(
            fit_words(place, out / "run"),
            fresh,
            lambda: of_run(out / "run"),
            lambda: True,
            (out, out / "run", out / "run" / "steps"),
        ),
        "update": Case(
            ["update", str(run), str(place / "pairs.tsv"), "-q"],
            lambda: copy(trained, run),
            after_update,
            lambda: old_or_new(updated),
            (place, run),
        ),
        "groups": Case(words["groups"], fresh, lambda: digest(out / "groups.csv"), lambda: True, (out,)),
        "embed": Case(
            [*words["embed"], "--out", str(out / "vectors.parquet")],
            fresh,
            lambda: digest(out / "vectors.parquet"),
            lambda: True,
            (out,),
        ),
    }


def hidden(places: tuple[Path, ...]) -> list[str]:
    """Hidden files, but for the lock of a run, which stays."""
    return [file.name for place in places for file in place.glob(".*") if file.name != ".lock"]


def rounds_of(case: Case, said: Path, rng: np.random.Generator) -> Iterator[Tally]:
    """Rounds of a command under fire, for ever."""
    case.ready()
    seconds = to_the_end(case.words, said)
    expected = case.result()
    while True:
        case.ready()
        kills = differed = 0
        for pause in rng.uniform(0, seconds, size=PER_ROUND).tolist():
            if not killed(fork(case.words, said), pause):
                break
            kills += 1
            differed += not case.whole()
        to_the_end(case.words, said)
        differed += case.result() != expected
        yield Tally(kills, differed, len(hidden(case.places)))


@contextmanager
def serving(run: Path, said: Path) -> Iterator[tuple[int, int]]:
    """A service that is ready: its process and its port."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    pid = fork(["serve", str(run), "--port", str(port)], said)
    try:
        until = time.monotonic() + LONGEST
        while ask(port, "GET", "/readyz")[0] != 200:
            if time.monotonic() > until or ended(pid, 0) is not None:
                raise RuntimeError(f"the service did not become ready: {said.read_text()[-2000:]}")
            time.sleep(0.02)
        yield pid, port
    finally:
        try:
            os.kill(pid, signal.SIGKILL)
            ended(pid, LONGEST)
        except (ProcessLookupError, ChildProcessError):
            pass  # it was killed already


def ask(port: int, method: str, path: str, body: str | None = None) -> tuple[int, bytes]:
    """The status and the body of an answer; 0 where nobody answers."""
    try:
        one = http.client.HTTPConnection("127.0.0.1", port, timeout=LONGEST)
        one.request(method, path, body, {"content-type": "application/json"})
        answer = one.getresponse()
        return answer.status, answer.read()
    except OSError:
        return 0, b""
    except http.client.HTTPException:
        return 0, b""


def rounds_of_service(place: Path, said: Path, rng: np.random.Generator) -> Iterator[Tally]:
    """Rounds of a service that is killed while it takes up the other of two runs, for ever."""
    runs = [place / "trained", place / "other"]
    copy(runs[0], runs[1])
    to_the_end(["update", str(runs[1]), str(place / "pairs.tsv"), "-q"], said)
    run, asked = place / "served" / "run", (place / "asked.json").read_text()
    run.parent.mkdir()
    expected, seconds = [], 0.0
    copy(runs[0], run)
    with serving(run, said) as (_, port):
        for turn in (0, 1):
            exchange(run, runs[turn])
            began = time.monotonic()
            assert ask(port, "POST", "/v1/reload")[0] == 200
            seconds = time.monotonic() - began
            expected.append(ask(port, "POST", "/v1/complete", asked))
    assert expected[0] != expected[1]
    for number in range(10**9):
        turn = number % 2
        with serving(run, said) as (pid, port):
            differed = ask(port, "POST", "/v1/complete", asked) != expected[1 - turn]
            exchange(run, runs[turn])
            threading.Thread(target=ask, args=(port, "POST", "/v1/reload")).start()
            kills = int(killed(pid, rng.uniform(0, 1.5 * seconds)))
        differed += not is_whole(run, said)
        yield Tally(kills, differed, len(hidden((run, run.parent))))


def exchange(run: Path, other: Path) -> None:
    """Put a copy of another run in the place of one, as an update does."""
    with atomic_folder(run) as new:
        shutil.copytree(other, new, dirs_exist_ok=True)


def row_of(record: Record, name: str) -> dict[str, Any]:
    """The row of a command."""
    if not record.has(name):
        titles = ("kills", "rounds", "results that differed", "files left over")
        record.rows.append({"command": name, **dict.fromkeys(titles, 0)})
    return next(row for row in record.rows if row["command"] == name)


def kill_all(place: Path, kills: int) -> int:
    """Go on until every command has its share of kills; 1 if anything was lost."""
    said = place / "said.txt"
    said.touch()
    record = Record("kills", "Kills at random moments", __doc__.partition("\n\n")[0], by=("command",))
    to_the_end(partial(write_inputs, place), said)
    to_the_end(fit_words(place, place / "trained"), said)
    rng = np.random.default_rng([row["kills"] for row in record.rows])  # type: ignore[arg-type]
    todo = {name: rounds_of(case, said, rng) for name, case in cases(place, said).items()}
    todo["reload of a service"] = rounds_of_service(place, said, rng)
    share = -(-kills // len(todo))
    while short := [name for name in todo if row_of(record, name)["kills"] < share]:
        for name in short:
            row, tally = row_of(record, name), next(todo[name])
            for title, more in zip(list(row)[1:], (tally.kills, 1, tally.differed, tally.left), strict=True):
                row[title] += more
            print(row, flush=True)
            record.write()
    return int(any(row["results that differed"] or row["files left over"] for row in record.rows))


if __name__ == "__main__":
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    with tempfile.TemporaryDirectory(prefix="mhmgnn-kills-") as scratch:
        sys.exit(kill_all(Path(scratch), int(sys.argv[1]) if len(sys.argv) > 1 else KILLS))
