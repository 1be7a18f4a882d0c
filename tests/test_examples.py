import os
import re
import runpy
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parents[1] / "examples"
NEED_DATA = ["citations", "molecules"]


def pages() -> dict[str, tuple[str, str]]:
    """The code and the output of each example that docs/examples.md shows."""
    found = {}
    for part in (EXAMPLES.parent / "docs" / "examples.md").read_text().split("\n## ")[1:]:
        name = re.search(r"`python examples/(\w+)\.py`", part)[1]
        blocks = (re.findall(rf"```{kind}\n(.*?)```", part, re.S) for kind in ("python", "text"))
        found[name] = tuple("".join(texts) for texts in blocks)
    return found


def lines_of(text: str) -> list[str]:
    """Lines that are not empty."""
    return [line for line in text.splitlines() if line.strip()]


@pytest.fixture
def output(capsys) -> Callable[[str], str]:
    """What an example prints, run where the libraries are loaded already."""

    def of(name: str) -> str:
        runpy.run_path(str(EXAMPLES / f"{name}.py"), run_name="__main__")
        said = str(capsys.readouterr().out)
        if name in SHOWN:
            assert len(lines_of(said)) == len(lines_of(SHOWN[name][1])), STALE
        return said

    return of


def numbers(text: str, title: str) -> list[float]:
    """The numbers after `title`, up to the end of its line."""
    line = re.search(rf"^\s*{re.escape(title)}(.*)$", text, re.M)
    assert line is not None, f"{title!r} is not in:\n{text}"
    return [float(number.replace(",", "")) for number in re.findall(r"[\d.,]*\d", line[1])]


def test_every_example_is_short_and_is_run_here():
    tests = Path(__file__).read_text()
    for path in EXAMPLES.glob("*.py"):
        assert len(path.read_text().splitlines()) < 60
        assert f'"{path.stem}"' in tests


SHOWN = pages()
STALE = "an example has changed: `python docs/write_examples.py` runs it and writes the page"


@pytest.mark.parametrize("name", ["bundles", "citations", "count_motifs"])
def test_the_page_of_examples_has_the_code_that_runs(name):
    code = (EXAMPLES / f"{name}.py").read_text().split('"""\n', 1)[1]
    assert lines_of(SHOWN[name][0]) == lines_of(code), STALE


def test_triangles_of_low_energy_are_more_often_carts(output):
    said = output("bundles")
    shares = [numbers(said, f"fifth {fifth}:")[0] for fifth in range(1, 6)]
    assert sum(shares[:2]) > 1.5 * sum(shares[3:])
    assert "coffee" in said.split("coffee grinder?")[1].split("Probable")[0]


def test_trained_energies_find_teams_and_untrained_ones_do_not(output):
    said = output("teams")
    titles = ("picked at random", "lowest energy, random weights", "lowest energy, trained")
    guess, untrained, trained = (numbers(said, title)[0] for title in titles)
    assert trained > max(guess, untrained) + 20
    assert all("statistics" in line for line in said.strip().splitlines()[-2:])


def test_what_citations_hide_is_read_off_trained_vectors(output, data_dir):
    said = output("citations")
    titles = ("sum of words", "random weights", "as in the paper", "with all parts")
    words, untrained, paper, every = (numbers(said, title) for title in titles)
    assert paper[0] > max(words[0], untrained[0]) + 0.1
    assert every[1] > paper[1]  # by the probe that is run to convergence


def test_vectors_of_whole_graphs_tell_enzymes_better_than_a_coin(output, data_dir):
    said = output("molecules")
    assert numbers(said, "k-sets, trained")[0] > 0.6


@pytest.mark.parametrize("name", NEED_DATA)
def test_an_example_without_its_data_says_so_in_one_line(name, tmp_path):
    script = [sys.executable, str(EXAMPLES / f"{name}.py")]
    nowhere = os.environ | {"MHMGNN_DATA": str(tmp_path)}
    done = subprocess.run(script, env=nowhere, capture_output=True, text=True)
    assert done.returncode == 1
    assert done.stdout == ""
    assert re.fullmatch(r"\w+ needs \S+, which is not in .*`mhmgnn data fetch \w+`.*\n", done.stderr)


def test_exact_motif_counts_lie_within_the_error_bars(output):
    said = output("count_motifs")
    rows = [
        numbers(said, shape) for shape in ("star", "path", "tailed triangle", "cycle", "diamond", "clique")
    ]
    assert sum(low <= exact <= high for exact, _, low, high in rows) >= 5
    assert all(exact > 0 for exact, *_ in rows)


def test_a_scikit_learn_pipeline_gains_from_embeddings(output):
    said = output("sklearn_pipeline")
    summed, embedded = (
        numbers(said, f"{name} balanced accuracy")[0] for name in ("sum of words ", "mhmgnn       ")
    )
    assert embedded > summed + 0.05
