import json
from importlib import metadata

import igraph
import pytest
from typer.testing import CliRunner

from mhmgnn.cli import main as cli


@pytest.fixture
def edges(tmp_path):
    """A small-world graph as a file of pairs."""
    graph = igraph.Graph.Barabasi(200, 3)
    path = tmp_path / "edges.tsv"
    path.write_text("\n".join(f"{a}\t{b}" for a, b in graph.get_edgelist()))
    return path, graph


def run(capsys, *arguments: str) -> tuple[int, str, str]:
    """Exit code, stdout and stderr of a command line, as a shell would see them."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("sys.argv", ["mhmgnn", *arguments])
        with pytest.raises(SystemExit) as stop:
            cli.main()
    said = capsys.readouterr()
    return stop.value.code or 0, said.out, said.err


def test_quiet_leaves_results_and_errors(capsys, tmp_path):
    words = ("reproduce", "--list", "-k", "3", "--dataset", "steam", "--results", str(tmp_path / "none"))
    (_, out, told), (_, same, nothing) = run(capsys, *words), run(capsys, "-q", *words)
    assert out == same
    assert (told != "", nothing) == (True, "")
    code, out, err = run(capsys, "-q", "count", str(tmp_path / "none.csv"), "-k", "3")
    assert (code, out) == (2, "")
    assert err.startswith("error: ")
    assert err.count("\n") == 1


def test_verbose_tells_versions_time_and_memory_and_traces_errors(capsys, edges):
    path, _ = edges
    _, _, told = run(capsys, "-v", "count", str(path), "-k", "3")
    first, *_, last = told.splitlines()
    assert first.startswith("mhmgnn ")
    assert last.endswith(" GB at most")
    code, _, told = run(capsys, "-v", "count", str(path.parent / "none.csv"), "-k", "3")
    assert code == 2
    assert "Traceback" in told
    assert told.splitlines()[-1].startswith("error: ")


def test_doctor_tells_what_is_installed_and_found(capsys, monkeypatch, tmp_path):
    monkeypatch.setenv("MHMGNN_DATA", str(tmp_path))
    monkeypatch.setenv("MHMGNN_THREADS", "3")
    code, out, _ = run(capsys, "doctor", "--json")
    facts = json.loads(out)
    assert code == 0
    assert facts["threads"] == 3
    assert facts["packages"]["torch"] == metadata.version("torch")
    assert facts["extras"]["baselines"].keys() == {"gensim", "netlsd"}
    assert facts["folders"]["data"] == str(tmp_path)
    assert not any(facts["data"].values())
    assert "market" not in facts["data"]


def test_doctor_names_a_package_that_is_missing_and_ends_with_1(capsys, monkeypatch):
    version = metadata.version

    def without_scipy(name):
        if name == "scipy":
            raise metadata.PackageNotFoundError(name)
        return version(name)

    monkeypatch.setattr(metadata, "version", without_scipy)
    code, out, _ = run(capsys, "doctor")
    assert code == 1
    assert "scipy MISSING" in out


def test_shells_can_complete_commands(capsys, monkeypatch):
    monkeypatch.setenv("_MHMGNN_COMPLETE", "complete_bash")
    monkeypatch.setenv("COMP_WORDS", "mhmgnn dis")
    monkeypatch.setenv("COMP_CWORD", "1")
    assert run(capsys)[1].split() == ["discover"]


def test_count_prints_what_igraph_counts(capsys, edges):
    path, graph = edges
    code, out, _ = run(capsys, "count", str(path), "-k", "4")
    assert code == 0
    assert f"connected 4-sets: {graph.motifs_randesu_no(size=4):,} (exact)" in out


def test_count_from_tours_covers_the_truth_and_says_how_it_came(capsys, edges):
    path, graph = edges
    _, out, _ = run(capsys, "count", str(path), "-k", "4", "--limit", "10", "--level", "0.999", "--json")
    facts = json.loads(out)
    low, high = facts["interval"]
    assert low < graph.motifs_randesu_no(size=4) < high
    assert facts["method"] in ("k-walk", "pair-walk", "growth")
    assert not facts["exact"]
    assert facts["ended"] == "tours"
    assert facts["tours"] == 1000


def test_shapes_have_counts_shares_and_edges(capsys, edges):
    path, graph = edges
    theirs = graph.motifs_randesu(size=4)
    _, out, _ = run(capsys, "count", str(path), "-k", "4", "--by-shape", "--json")
    shapes = json.loads(out)["shapes"]
    assert [shape["value"] for shape in shapes] == [
        theirs[igraph.Graph(4, shape["edges"]).isoclass()] for shape in shapes
    ]
    assert sum(shape["share"] for shape in shapes) == pytest.approx(1)
    _, out, _ = run(capsys, "count", str(path), "-k", "4", "--by-shape")
    assert "tailed triangle" in out
    assert "0-1 0-2 0-3 1-2" in out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["-k", "1"], "k is 1; it must be a whole number from 2 to 16"),
        (["-k", "3", "--method", "guess"], "one of auto, exact, k-walk, pair-walk, growth"),
        (["-k", "7", "--by-shape"], "shapes are known for k = 2 to 6"),
        (["-k", "4", "--method", "k-walk", "--supernode", "5", "--max-steps", "9"], "grow the supernode"),
    ],
)
def test_what_cannot_be_counted_is_one_line_and_exit_code_2(capsys, edges, arguments, message):
    code, out, err = run(capsys, "count", str(edges[0]), *arguments)
    assert (code, out) == (2, "")
    assert err.startswith("error: ")
    assert message in err
    assert err.count("\n") == 1


def test_a_missing_file_is_one_line_and_exit_code_2(capsys, tmp_path):
    code, _, err = run(capsys, "count", str(tmp_path / "none.csv"), "-k", "3")
    assert code == 2
    assert "none.csv" in err


def test_a_wrong_option_is_exit_code_2(capsys):
    assert run(capsys, "count", "--nonsense")[0] == 2


def test_help_names_every_command():
    said = CliRunner().invoke(cli.app, ["--help"]).output
    assert "count" in said
