"""No file that is read can run code: nothing in the source could, and nothing in a file does."""

import ast
import io
import pickle
import zipfile
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from fuzz.every import every_reader
from fuzz.reader import MARK, Reader, npy, packed, survives

import mhmgnn

PACKAGE = Path(mhmgnn.__file__).parent
READERS = every_reader()
LOADERS = {"pickle", "_pickle", "dill", "cloudpickle", "joblib", "marshal", "shelve", "yaml", "runpy"}
CALLS = {"eval", "exec", "compile", "__import__"}
METHODS = {"load", "loads", "load_npz", "read_pickle", "system", "popen"}
HARMLESS = {"json.load", "json.loads", "tomllib.loads", "platform.system"} | {
    f"{ours}.load" for ours in ("Recipe", "Graph", "cls", "datasets")
}
OPTIONS = {"allow_pickle=True", "weights_only=False", "shell=True"}


def unsafe(file: Path) -> list[str]:
    """What in a source file could run what it reads."""
    found = []
    for node in ast.walk(ast.parse(file.read_text())):
        if isinstance(node, ast.Import):
            found += [alias.name for alias in node.names if alias.name.split(".")[0] in LOADERS]
        elif isinstance(node, ast.ImportFrom):
            found += [node.module] if (node.module or "").split(".")[0] in LOADERS else []
        elif isinstance(node, ast.Call):
            name = ast.unparse(node.func)
            method = name.rpartition(".")[2] if "." in name else ""
            found += [name] if name in CALLS or (method in METHODS and name not in HARMLESS) else []
            found += [text for text in map(ast.unparse, node.keywords) if text in OPTIONS]
    return found


def test_nothing_in_the_source_runs_what_it_reads():
    found = {file.relative_to(PACKAGE).as_posix(): unsafe(file) for file in PACKAGE.rglob("*.py")}
    assert {file: names for file, names in found.items() if names} == {}


@pytest.mark.parametrize(
    "line",
    [
        "import pickle",
        "from joblib import load",
        "torch.load(p)",
        "np.load(p, allow_pickle=True)",
        "np.load(p)",
        "yaml.load(p)",
        "eval(text)",
        "sparse.load_npz(p)",
        "run(text, shell=True)",
    ],
)
def test_the_search_of_the_source_finds(tmp_path, line):
    (tmp_path / "a.py").write_text(line)
    assert unsafe(tmp_path / "a.py")


class Evil:
    """Leaves a mark where it is unpickled."""

    def __init__(self, mark: Path) -> None:
        self.mark = mark

    def __reduce__(self):
        return Path.touch, (self.mark,)


def payloads(mark: Path) -> list[bytes]:
    """Code in every dress: pickles, an array of objects, a model of torch, a type of Arrow's own."""
    evil = Evil(mark)
    bare = [pickle.dumps(evil, protocol) for protocol in (0, 4)]
    array = io.BytesIO()
    np.save(array, np.array([evil], object), allow_pickle=True)
    torch_like = io.BytesIO()
    with zipfile.ZipFile(torch_like, "w") as archive:
        archive.writestr("archive/data.pkl", bare[1])
        archive.writestr("archive/version", "3")
    kind = {"ARROW:extension:name": "arrow.py_extension_type", "ARROW:extension:metadata": bare[1]}
    fields = [pa.field(name, pa.string(), metadata=kind) for name in "uv"]
    arrow = io.BytesIO()
    pq.write_table(pa.table([["a", "b"], ["b", "c"]], schema=pa.schema(fields)), arrow)
    names = ("format", "data", "shape", "indices", "indptr")
    npz = packed({f"{name}.npy": array.getvalue() for name in names})
    kinds = {"format": npy(b"csr"), "shape": npy([1, 1]), "data": array.getvalue()}
    half = packed({f"{name}.npy": content for name, content in kinds.items()})
    return [*bare, array.getvalue(), torch_like.getvalue(), arrow.getvalue(), npz, half]


def dressed(reader: Reader, evil: bytes) -> set[bytes]:
    """The payload in place of every file that the reader looks for, behind every choice of an input."""
    inputs = set()
    for seed in reader.seeds():
        inputs |= {seed[:choices] + evil for choices in range(6)}
        pieces = seed.split(MARK)
        for place, piece in enumerate(pieces if len(pieces) > 1 else []):
            changed = piece.partition(b"\n")[0] + b"\n" + evil
            inputs.add(MARK.join([*pieces[:place], changed, *pieces[place + 1 :]]))
    return inputs


def test_the_payload_is_live(tmp_path):
    for evil in payloads(tmp_path / "mark")[:2]:
        pickle.loads(evil)
        assert (tmp_path / "mark").exists()
        (tmp_path / "mark").unlink()


@pytest.mark.parametrize("reader", READERS.values(), ids=READERS)
def test_a_pickle_under_any_name_that_is_looked_for_runs_nothing(reader: Reader, tmp_path):
    mark = tmp_path / "mark"
    (tmp_path / "place").mkdir()
    for evil in payloads(mark):
        for data in dressed(reader, evil):
            survives(reader, data, tmp_path / "place")
            assert not mark.exists()
