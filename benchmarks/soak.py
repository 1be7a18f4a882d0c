"""An hour of all commands under fire, beside a service under load: does anything differ, or grow?

    python benchmarks/soak.py [MINUTES]      60 by default; exit code 1 if anything differed

Round after round each command that writes (fit with groups, update, groups, embed) is killed with -9 up to
three times and started again, as kills.py does it, and each command that prints is run: all must give what an
undisturbed process gave, byte for byte, and leave no hidden file. Beside them a service is asked for
completions all the time, and one process lives all the time and fits, embeds, completes and lists groups once
a round. After each round both tell how much memory they hold, and results/benchmarks/soak.json is written.
"""

import json
import os
import signal
import sys
import tempfile
import time
from functools import partial
from pathlib import Path

import numpy as np
import psutil
from kills import (
    LONGEST,
    SMALL,
    Tally,
    ask,
    cases,
    ended,
    fit_words,
    fork,
    rounds_of,
    serving,
    to_the_end,
    write_inputs,
)
from record import Record

import mhmgnn

LEFT = 3  # rounds at the start that the line through the memory leaves out: caches fill
PAUSE = 0.05  # seconds between two requests


def printing(place: Path) -> dict[str, list[str]]:
    """The commands that print, with one answer each."""
    run, graph = str(place / "trained"), str(place / "graph")
    names = json.loads((place / "asked.json").read_text())["nodes"]
    return {
        "energy": ["energy", run, str(place / "sets.csv")],
        "complete": ["complete", run, *names, "--json"],
        "discover": ["discover", run, "--top", "10", "--json"],
        "count": ["count", graph, "-k", "4", "--by-shape"],
        "doctor": ["doctor", run],
    }


def printed(words: list[str], place: Path) -> bytes:
    """What a command prints."""
    said = place / "printed.txt"
    said.unlink(missing_ok=True)
    to_the_end(words, said)
    return said.read_bytes()


def load_service(port: int, body: str, expected: tuple[int, bytes], told: Path) -> None:
    """Ask for ever; how many answers were right, and how many not."""
    found = [0, 0]
    while True:
        found[ask(port, "POST", "/v1/complete", body) != expected] += 1
        told.with_suffix(".new").write_text(json.dumps(found))
        told.with_suffix(".new").replace(told)
        time.sleep(PAUSE)


def live(place: Path, ready: int, go: int) -> None:
    """Use the library for every byte that comes, and send one back."""
    graph = mhmgnn.Graph.load(place / "graph")
    config = mhmgnn.RunConfig().with_settings(list(SMALL))
    some = mhmgnn.connected_sets(graph, 3)[:20_000]
    while os.read(go, 1):
        model = mhmgnn.fit(graph, 3, config=config, seed=1, quiet=True)
        model.embed(some)
        model.complete([0, 1])
        model.groups()
        del model
        os.write(ready, b".")


def megabytes(pid: int) -> float:
    """What a process and its children have in memory.

    That includes what they share with the process that forked them: memory held by each alone grows as
    shared pages are written to, though nothing new is taken.
    """
    one = psutil.Process(pid)
    return sum(process.memory_info().rss for process in [one, *one.children(recursive=True)]) / 1e6


def course(who: str, held: list[float]) -> str:
    """How the memory of a process went."""
    after = np.array(held[LEFT:])
    if len(after) < 3:
        return f"{who} held {held[-1]:,.0f} MB: too few rounds for a line through it."
    slope = np.polyfit(np.arange(len(after)), after, 1)[0]
    return (
        f"{who} held {held[0]:,.0f} MB after the first round, {after[0]:,.0f} MB after the fourth and "
        f"{held[-1]:,.0f} MB at the end; a line from the fourth on rises by {slope:+.2f} MB a round."
    )


class Soak:
    """The table: a row for each command."""

    def __init__(self) -> None:
        self.record = Record("soak", "An hour of everything", __doc__.partition("\n\n")[0], by=("command",))
        self.record.rows = []
        self.began = time.monotonic()

    def add(self, name: str, tally: Tally) -> None:
        """What came of a round of one command."""
        now = {"command": name, "rounds": 1, "kills": tally.kills}
        now |= {"results that differed": tally.differed, "files left over": tally.left}
        earlier = next((row for row in self.record.rows if row["command"] == name), dict.fromkeys(now, 0))
        summed = {key: value + earlier[key] for key, value in now.items() if key != "command"}
        self.record.add({"command": name, **summed})

    def write(self, service: list[float], living: list[float], answers: list[int]) -> None:
        """The file as it is after a round."""
        lasted = f"{(time.monotonic() - self.began) / 60:.0f} minutes."
        asked = f"The service gave {answers[0]:,} right answers and {answers[1]:,} others."
        self.record.write(
            [lasted, asked, course("The service", service), course("The process that lives", living)]
        )

    @property
    def bad(self) -> int:
        """1 if anything differed or was left."""
        return int(any(row["results that differed"] or row["files left over"] for row in self.record.rows))


def soak(place: Path, minutes: float) -> int:
    """Go round until the time is up."""
    said = place / "said.txt"
    said.touch()
    to_the_end(partial(write_inputs, place), said)
    to_the_end(fit_words(place, place / "trained"), said)
    (ready_out, ready), (go, go_in) = os.pipe(), os.pipe()
    with serving(place / "trained", said) as (served, port):
        body, told = (place / "asked.json").read_text(), place / "asked.txt"
        right = ask(port, "POST", "/v1/complete", body)
        assert right[0] == 200, right
        children = [
            fork(partial(load_service, port, body, right, told), said),
            fork(partial(live, place, ready, go), said),
        ]
        try:
            rounds = {
                name: rounds_of(case, said, np.random.default_rng(0))
                for name, case in cases(place, said).items()
            }
            expected = {name: printed(words, place) for name, words in printing(place).items()}
            table, service, living = Soak(), [], []
            while time.monotonic() < table.began + 60 * minutes:
                os.write(go_in, b".")
                for name, one in rounds.items():
                    table.add(name, next(one))
                for name, words in printing(place).items():
                    table.add(name, Tally(0, int(printed(words, place) != expected[name]), 0))
                os.read(ready_out, 1)
                service.append(megabytes(served))
                living.append(megabytes(children[1]))
                answers = json.loads(told.read_text())
                table.write(service, living, answers)
        finally:
            for pid in children:
                os.kill(pid, signal.SIGKILL)
                ended(pid, LONGEST)
    return int(table.bad or answers[1] > 0)


if __name__ == "__main__":
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    with tempfile.TemporaryDirectory(prefix="mhmgnn-soak-") as scratch:
        sys.exit(soak(Path(scratch), float(sys.argv[1]) if len(sys.argv) > 1 else 60.0))
