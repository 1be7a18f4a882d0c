import shlex

import pytest
import typer
from typer.core import TyperCommand, TyperGroup
from typer.testing import CliRunner

from mhmgnn import DataError
from mhmgnn.cli import main
from mhmgnn.cli.examples import EXAMPLES, NEXT
from mhmgnn.io.tables import existing_file


def commands(group: TyperGroup, before: tuple[str, ...] = ()) -> dict[str, TyperCommand]:
    """Every command that can be run, by the words that call it."""
    found: dict[str, TyperCommand] = {}
    for name, command in group.commands.items():
        if isinstance(command, TyperGroup):
            found |= commands(command, (*before, name))
        else:
            found[" ".join((*before, name))] = command
    return found


COMMANDS = commands(typer.main.get_command(main.app))


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_shows_an_example_that_it_understands(name):
    said = CliRunner().invoke(main.app, [*name.split(), "--help"], env={"COLUMNS": "120"})
    assert f"Example: {EXAMPLES[name]}" in said.output
    words = shlex.split(EXAMPLES[name])
    assert words[0] == "mhmgnn"
    assert " ".join(words[1:]).startswith(name)
    COMMANDS[name].make_context(
        name, words[1 + len(name.split()) :]
    )  # an option that is not there is refused


def test_what_comes_next_is_a_command_that_there_is():
    assert set(NEXT) | {"serve"} == set(COMMANDS)  # a service ends when it is stopped
    for words, line in NEXT.items():
        given = {parameter.name: "x" for parameter in COMMANDS[words].params} | {"node": "x"}
        line = line.format_map(given)
        for name in [words.split()[0] for words in line.split("mhmgnn ")[1:]]:
            assert name in {command.split()[0] for command in COMMANDS}


def test_a_person_at_a_terminal_is_told_what_comes_next(capsys, monkeypatch, tmp_path):
    """By the names that the command was given."""
    (tmp_path / "my pairs.csv").write_text("a,b\nb,c\n")
    pairs = str(tmp_path / "my pairs.csv")
    line = f"next: mhmgnn fit '{pairs}' run learns which sets belong together\n"
    monkeypatch.setattr("sys.argv", ["mhmgnn", "count", pairs])
    for at_terminal in (False, True):
        monkeypatch.setattr("sys.stderr.isatty", lambda at=at_terminal: at)
        with pytest.raises(SystemExit) as stop:
            main.main()
        assert not stop.value.code
        assert (line in capsys.readouterr().err) == at_terminal


@pytest.mark.parametrize(
    "words, told", [(["grups"], "groups"), (["count", "a.csv", "--limt", "3"], "--limit")]
)
def test_a_wrong_word_is_told_the_right_one(words, told):
    said = CliRunner().invoke(main.app, words)
    assert said.exit_code == 2
    assert told in said.output


def test_a_wrong_file_name_is_told_the_nearest(tmp_path):
    (tmp_path / "pairs.csv").touch()
    with pytest.raises(DataError, match=r"there is no file .*pair\.csv; did you mean .*pairs\.csv\?"):
        existing_file(tmp_path / "pair.csv")
    with pytest.raises(DataError, match=r"there is no file .*words\.csv$"):
        existing_file(tmp_path / "words.csv")
    with pytest.raises(DataError, match=r"there is no folder .*nowhere"):
        existing_file(tmp_path / "nowhere" / "pairs.csv")


@pytest.mark.parametrize(
    "words",
    [
        ["groups", "run"],
        ["complete", "run", "tea"],
        ["energy", "run", "sets.csv"],
        ["report", "run"],
        ["report", "."],
    ],
)
def test_a_folder_without_a_model_is_told_what_makes_one(words, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "sets.csv").write_text("tea,cup\n")
    said = CliRunner().invoke(main.app, words)
    assert isinstance(said.exception, DataError)
    assert "name a folder that `mhmgnn fit` has filled" in str(said.exception)
    assert not (tmp_path / "report.html").exists()


def test_a_page_that_cannot_be_written_is_refused_before_the_demo_begins(tmp_path):
    said = CliRunner().invoke(main.app, ["demo", "--page", str(tmp_path / "nowhere" / "page.html")])
    assert isinstance(said.exception, DataError)
    assert "there is no folder" in str(said.exception)
