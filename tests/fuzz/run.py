"""The long pass over hostile files: atheris (libFuzzer, led by coverage) on each reader in its own process.

python tests/fuzz/run.py [READER ...] [--runs 1000000] [--seconds S] [--kept FOLDER]
python tests/fuzz/run.py READER --replay FILE

`--runs` inputs are shared among the readers; `--seconds`, of all readers together, may end the pass before.
An input that crashes, hangs for 20 s or takes 3 GB ends its reader: it is kept in FOLDER as
READER-crash-..., which `--replay` tries again. The exit code says whether any was. Needs atheris.
"""

import argparse
import os
import re
import subprocess
import sys
import tempfile
import warnings
from importlib import import_module
from pathlib import Path

TESTS = Path(__file__).resolve().parents[1]
PACKAGE = TESTS.parent / "src" / "mhmgnn"
PURE = ("mhmgnn", "tomllib", "csv", "json", "zipfile", "tarfile", "gzip")  # whose branches lead the search
SCRATCH = Path("/dev/shm") if Path("/dev/shm").is_dir() else Path(tempfile.gettempdir())
LIMITS = ("-timeout=20", "-rss_limit_mb=3000", "-max_len=16384", "-len_control=0", "-print_final_stats=1")
EXECUTED = re.compile(r"stat::number_of_executed_units:\s*(\d+)")
SPEED = re.compile(r"stat::average_exec_per_sec:\s*(\d+)")


def main() -> int:
    """Run the readers one after another; 1 where an input was kept."""
    sys.path.insert(0, str(TESTS))
    asked = options()
    if asked.child:
        return fuzz(asked.child, asked.readers[0], asked)
    every = import_module("fuzz.every")
    files = {name: file for file in every.FILES for name in every.readers_of(file)}
    unknown = set(asked.readers) - files.keys()
    if unknown:
        print(f"no reader is called {', '.join(sorted(unknown))}; there are {', '.join(files)}")
        return 2
    if asked.replay:
        return replay(files[asked.readers[0]], asked.readers[0], asked.replay)
    chosen = asked.readers or list(files)
    asked.kept.mkdir(parents=True, exist_ok=True)
    share = [f"--runs={asked.runs // len(chosen)}", f"--seconds={asked.seconds / len(chosen)}"]
    found = [one_reader(name, files[name], asked.kept, share) for name in chosen]
    print(f"{sum(done for done, _ in found):,} inputs; {sum(bad for _, bad in found)} readers failed")
    return int(any(bad for _, bad in found))


def options() -> argparse.Namespace:
    """What the command line says."""
    plain = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=plain)
    parser.add_argument("readers", nargs="*", metavar="READER")
    parser.add_argument("--runs", type=int, default=1_000_000)
    parser.add_argument("--seconds", type=float, default=0.0)
    parser.add_argument("--kept", type=Path, default=Path("fuzz-kept"))
    parser.add_argument("--replay", type=Path)
    parser.add_argument("--child", help=argparse.SUPPRESS)
    return parser.parse_args()


def one_reader(name: str, file: str, kept: Path, share: list[str]) -> tuple[int, bool]:
    """Try a reader in a child; how many inputs it took, and whether one of them was kept."""
    command = [sys.executable, __file__, name, "--child", file, f"--kept={kept}", *share]
    with tempfile.TemporaryDirectory(prefix="mhmgnn-fuzz-", dir=SCRATCH) as place:
        env = os.environ | {"TMPDIR": place}
        done = subprocess.run(command, capture_output=True, text=True, errors="replace", env=env)
    inputs, speed = (int(match[1]) if (match := by.search(done.stderr)) else 0 for by in (EXECUTED, SPEED))
    print(f"{name:14} {inputs:9,} inputs {speed:6,} a second", flush=True)
    if done.returncode:
        (kept / f"{name}.log").write_text(done.stdout + done.stderr)
        print(f"{name:14} ended with code {done.returncode}: {kept / name}.log", flush=True)
    return inputs, done.returncode != 0


def fuzz(file: str, name: str, asked: argparse.Namespace) -> int:
    """Let atheris try one reader in this process, which it ends."""
    import atheris

    files = [path.relative_to(PACKAGE).with_suffix("") for path in PACKAGE.rglob("*.py")]
    by_numba = ("csr", "rng", "hashtable", "jit")
    compiled = [path for path in files if path.name.startswith("_") or path.name in by_numba]
    left_out = [".".join(("mhmgnn", *path.parts)) for path in compiled]
    with atheris.instrument_imports(include=list(PURE), exclude=left_out):
        reader = import_module(f"fuzz.{file}").READERS[name]
    survives = import_module("fuzz.reader").survives
    warnings.simplefilter("error")
    place = Path(tempfile.mkdtemp())
    corpus, trial = place / "corpus", place / "trial"
    for folder in (corpus, trial):
        folder.mkdir()
    for number, data in enumerate(reader.seeds()):
        (corpus / str(number)).write_bytes(data)
    ends = [f"-runs={asked.runs}", f"-max_total_time={max(round(asked.seconds), int(asked.seconds > 0))}"]
    atheris.Setup(
        [sys.argv[0], str(corpus), *LIMITS, *ends, f"-artifact_prefix={asked.kept}/{name}-"],
        lambda data: survives(reader, data, trial) and None,
    )
    atheris.Fuzz()
    return 0


def replay(file: str, name: str, kept: Path) -> int:
    """Try one input again, with the trace of what it does."""
    warnings.simplefilter("error")
    reader, survives = import_module(f"fuzz.{file}").READERS[name], import_module("fuzz.reader").survives
    with tempfile.TemporaryDirectory() as place:
        print("read" if survives(reader, kept.read_bytes(), Path(place)) else "refused, as it should be")
    return 0


if __name__ == "__main__":
    sys.exit(main())
