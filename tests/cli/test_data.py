import json
import subprocess
import sys

import pytest
from typer.testing import CliRunner, Result

from mhmgnn import DataError
from mhmgnn.cli.commands.data import data
from mhmgnn.datasets.sources import SOURCES


def run(*arguments: object) -> Result:
    return CliRunner().invoke(data, [str(argument) for argument in arguments])


def test_help_needs_no_heavy_library():
    heavy = "[name for name in ('numpy', 'torch', 'pooch') if name in sys.modules]"
    check = f"import sys, mhmgnn.cli.commands.data; print({heavy})"
    said = subprocess.run([sys.executable, "-c", check], capture_output=True, text=True)
    assert said.stdout.strip() == "[]"


def test_list_says_of_every_data_set_what_is_missing_and_where(tmp_path):
    (tmp_path / "cora").mkdir()
    (tmp_path / "cora/cora.cites").touch()
    lines = {line.split()[0]: line for line in run("list", "--data-dir", tmp_path).output.splitlines()}
    assert list(lines) == list(SOURCES)
    assert lines["cora"].endswith(f"2,708 nodes   not in {tmp_path}: cora/cora.content.gz")
    assert lines["enzymes"].endswith(f"600 graphs    not in {tmp_path}: tu/ENZYMES.zip")
    assert lines["market"].endswith("generated, needs no file")
    (tmp_path / "cora/cora.content").touch()
    assert f"2,708 nodes   found in {tmp_path}" in run("list", "--data-dir", tmp_path).output


def test_info_prints_the_counts_for_people_and_for_programs():
    assert ["nodes", "2,400"] in [line.split() for line in run("info", "market").output.splitlines()]
    facts = json.loads(run("info", "market", "--json").stdout)
    assert {count["what"]: count["ours"] for count in facts["counts"]}["nodes"] == 2400


def test_info_without_files_says_which_command_gets_them(tmp_path):
    said = run("info", "cora", "--data-dir", tmp_path)
    assert isinstance(said.exception, DataError)
    assert "mhmgnn data fetch cora" in str(said.exception)


def test_fetch_prints_where_the_files_are(data_dir):
    said = run("fetch", "enzymes", "--data-dir", data_dir)
    assert said.stdout == f"{data_dir / 'tu/ENZYMES.zip'}\n"


def test_fetch_market_says_that_there_is_nothing_to_fetch():
    said = run("fetch", "market")
    assert (said.exit_code, said.stdout) == (0, "")
    assert "market is generated from a seed and needs no file" in said.stderr


def test_fetch_of_converted_files_names_them_and_their_origin(tmp_path):
    said = run("fetch", "dblp", "--data-dir", tmp_path)
    assert isinstance(said.exception, DataError)
    for word in ("hyperedges.tsv.gz", "features.npz", "malllabiisc/HyperGCN", str(tmp_path)):
        assert word in str(said.exception)


@pytest.fixture
def few():
    kept = dict(SOURCES)
    SOURCES.clear()
    SOURCES.update({name: kept[name] for name in ("dblp", "market", "steam")})
    yield
    SOURCES.clear()
    SOURCES.update(kept)


@pytest.mark.usefixtures("few")  # none of these is published as it is needed
def test_fetch_all_goes_on_after_a_failure_and_fails_in_the_end(tmp_path):
    said = run("fetch", "all", "--data-dir", tmp_path)
    assert "market is generated" in said.stderr
    assert "dblp: hypergcn/coauthorship-dblp/hyperedges.tsv.gz" in said.stderr
    assert str(said.exception).startswith("not all files could be fetched for dblp, steam;")


@pytest.mark.parametrize("command", ["info", "fetch"])
def test_an_unknown_name_is_refused_with_the_known_ones(command):
    with pytest.raises(DataError, match=r"data set is 'corra'; it must be one of .*; did you mean cora"):
        raise run(command, "corra").exception
