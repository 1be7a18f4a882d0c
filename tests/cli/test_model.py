import json
import shutil
from math import isfinite

import numpy as np
import pytest

from mhmgnn import load
from mhmgnn.cli import main as cli
from mhmgnn.io.tables import read_table

PRODUCTS = ["beans", "grinder", "machine", "cups", "tea", "teapot", "milk", "sugar", "honey", "spoon"]
PAIRS = [
    (0, 1),
    (1, 2),
    (0, 2),
    (2, 3),
    (3, 4),
    (4, 5),
    (5, 6),
    (6, 7),
    (7, 8),
    (8, 9),
    (4, 6),
    (7, 9),
    (0, 3),
]
TINY = ["model.dim=8", "subgraphs.size=6", "train.batch=2", "train.steps=2", "train.checkpoint_every=1"]
SETTINGS = [word for setting in TINY for word in ("--set", setting)]


def run(capsys, *arguments) -> tuple[int, str, str]:
    """Exit code, stdout and stderr of a command line, as a shell would see them."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("sys.argv", ["mhmgnn", *map(str, arguments)])
        with pytest.raises(SystemExit) as stop:
            cli.main()
    said = capsys.readouterr()
    return stop.value.code or 0, said.out, said.err


def refused(capsys, *arguments) -> str:
    """What a command says when it fails: one line, and nothing on stdout."""
    code, out, err = run(capsys, *arguments)
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert err.startswith("error: ")
    return err


@pytest.fixture(scope="module", name="shop")
def shop_files(tmp_path_factory):
    """An edge list by name and a table of features."""
    folder = tmp_path_factory.mktemp("shop")
    (folder / "pairs.csv").write_text("\n".join(f"{PRODUCTS[a]},{PRODUCTS[b]}" for a, b in PAIRS))
    x = np.random.default_rng(0).standard_normal((10, 3)).round(3).tolist()
    rows = [",".join([name, *map(str, row)]) for name, row in zip(PRODUCTS, x, strict=True)]
    (folder / "words.csv").write_text("\n".join(["name,a,b,c", *rows]))
    return folder


def fit_words(shop, target, *more):
    return ["fit", shop / "pairs.csv", target, "--features", shop / "words.csv", *SETTINGS, *more]


@pytest.fixture(scope="module", name="trained")
def trained_run(shop):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("sys.argv", ["mhmgnn", *map(str, fit_words(shop, shop / "run", "--quiet"))])
        with pytest.raises(SystemExit) as stop:
            cli.main()
    assert not stop.value.code
    return shop / "run"


@pytest.fixture(name="folder")
def own_copy(trained, tmp_path):
    return shutil.copytree(trained, tmp_path / "run")


def weights(run):
    return (run / "model" / "weights.safetensors").read_bytes()


def test_fit_leaves_a_model_its_graph_its_log_and_its_steps(trained):
    model = load(trained)
    assert model.facts["steps"] == 2
    assert sorted(model.graph.names) == sorted(PRODUCTS)
    assert len((trained / "log.csv").read_text().splitlines()) == 1 + 2
    assert [file.name for file in sorted((trained / "steps").iterdir())][-1] == "step-000002.safetensors"


def test_fit_says_how_it_ended(capsys, shop, tmp_path):
    _, _, err = run(capsys, *fit_words(shop, tmp_path / "run", "-k", "2"))
    model = load(tmp_path / "run")
    assert model.k == 2
    assert f"2 steps, loss {model.facts['loss']:.3f}; all steps were done" in err


def test_without_features_fit_says_what_stands_in(capsys, shop, tmp_path):
    _, _, err = run(capsys, "fit", shop / "pairs.csv", tmp_path / "run", *SETTINGS)
    assert "no node features are given: the network reads the degrees" in err
    assert load(tmp_path / "run").facts["graph_features"] == 0


def test_a_finished_run_can_be_resumed_and_stays_as_it_is(capsys, shop, folder):
    before = weights(folder)
    assert run(capsys, *fit_words(shop, folder, "--resume", "--quiet"))[0] == 0
    assert weights(folder) == before


def test_a_resumed_run_goes_on_to_where_a_longer_one_ends(capsys, shop, folder, tmp_path):
    longer = "--quiet", "--set", "train.steps=4"
    run(capsys, *fit_words(shop, folder, *longer, "--resume"))
    run(capsys, *fit_words(shop, tmp_path / "at once", *longer))
    assert weights(folder) == weights(tmp_path / "at once")
    assert load(folder).facts["steps"] == 4


def test_a_run_that_was_begun_is_not_begun_again(capsys, shop, folder):
    before = weights(folder)
    err = refused(capsys, *fit_words(shop, folder, "--quiet"))
    assert f"{folder} holds a run that was begun; go on with it (--resume)" in err
    err = refused(capsys, *fit_words(shop, folder, "--quiet", "--resume", "--seed", "1"))
    assert "from another seed" in err
    assert weights(folder) == before


@pytest.mark.parametrize(
    ("setting", "message"),
    [
        ("train.step=3", "[train] has no setting 'step'; it has ahead, batch"),
        ("trian.steps=3", "there is no section [trian]; there are groups, model, sets, subgraphs, train"),
        ("model.encoder=lstm", "must be one of sage, gin, gcn, gat, kgnn, relational, whole"),
    ],
)
def test_an_unknown_setting_is_refused_with_the_known_ones(capsys, shop, tmp_path, setting, message):
    assert message in refused(capsys, *fit_words(shop, tmp_path / "run", "--set", setting))
    assert not (tmp_path / "run").exists()


def test_settings_of_a_file_hold_and_those_of_the_command_line_stand_above_them(capsys, shop, tmp_path):
    (tmp_path / "run.toml").write_text("[train]\nk = 4\nsteps = 1\n[model]\ndim = 4\n")
    more = ["--config", tmp_path / "run.toml", "--quiet"]
    assert run(capsys, *fit_words(shop, tmp_path / "run", *more))[0] == 0
    config = load(tmp_path / "run").config
    assert (config.train.k, config.train.steps, config.model.dim) == (4, 2, 8)


@pytest.mark.parametrize("ending", ["csv", "tsv", "parquet"])
def test_energies_and_vectors_come_with_the_names_that_went_in(capsys, trained, tmp_path, ending):
    sets = [["machine", "beans", "grinder"], ["tea", "beans", "spoon"], ["milk", "tea", "teapot"]]
    (tmp_path / "sets.csv").write_text("\n".join(map(",".join, sets)))
    model = load(trained)
    outs = tmp_path / f"energies.{ending}", tmp_path / f"vectors.{ending}"
    for command, out in zip(("energy", "embed"), outs, strict=True):
        code, said, err = run(capsys, command, trained, tmp_path / "sets.csv", "-o", out)
        assert (code, said, err) == (0, "", f"{out}: 3 k-sets\n")
    energies, vectors = (
        [list(row.values()) for row in read_table(out, header=True).to_pylist()] for out in outs
    )
    assert [row[:3] for row in energies] == [row[:3] for row in vectors] == sets
    np.testing.assert_allclose([float(row[3]) for row in energies], model.energy(sets), atol=2e-5)
    np.testing.assert_allclose(np.array([row[3:] for row in vectors], float), model.embed(sets), atol=2e-5)
    assert float(energies[1][3]) == np.inf  # not connected


def test_a_table_in_parts_is_the_table_in_one(capsys, trained, tmp_path):
    sets = [["machine", "beans", "grinder"], ["tea", "beans", "spoon"], ["milk", "tea", "teapot"]]
    (tmp_path / "sets.csv").write_text("\n".join(map(",".join, sets)))
    for command, key in (("energy", "energy"), ("embed", "vector")):
        words = [command, trained, tmp_path / "sets.csv", "--json"]
        whole, parts = (json.loads(run(capsys, *words, "--rows", rows)[1]) for rows in (3, 1))
        assert [row["names"] for row in parts] == [row["names"] for row in whole] == sets
        numbers = (np.array([row[key] for row in rows], float) for rows in (parts, whole))
        np.testing.assert_allclose(*numbers, atol=2e-5)
    assert [file.name for file in tmp_path.iterdir()] == ["sets.csv"]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (
            ["--json", "--devices", 2],
            "several processes cannot print; name a file with --out",
        ),
        (["--json", "--engine", "ray"], "several processes cannot print"),
        (["-o", "a.csv", "--engine", "ray", "--devices", 2], "with --workers, not with --devices"),
        (["-o", "a.csv", "--workers", 2], "they need --engine ray"),
    ],
)
def test_ways_to_divide_a_table_that_exclude_each_other_are_refused(
    capsys, trained, tmp_path, words, message
):
    for command in ("energy", "embed"):
        assert message in refused(capsys, command, trained, tmp_path / "sets.csv", *words)


def test_complete_prints_names_with_energies(capsys, trained):
    expected = load(trained).complete(["beans", "grinder"])
    _, out, _ = run(capsys, "complete", trained, "beans", "grinder", "--json")
    finite = [
        candidate._replace(energy=candidate.energy if isfinite(candidate.energy) else None)
        for candidate in expected
    ]
    assert json.loads(out) == [candidate._asdict() for candidate in finite]
    _, out, _ = run(capsys, "complete", trained, "beans", "grinder", "--top", "1")
    assert out.split() == [f"{expected[0].score:.4f}", f"{expected[0].energy:.4f}", expected[0].name]
    _, out, _ = run(capsys, "complete", trained, "beans", "--exclude", expected[0].name, "--json")
    assert expected[0].name not in {item["name"] for item in json.loads(out)}
    _, out, _ = run(capsys, "complete", trained, "beans", "grinder", "--kind", "noise", "--json")
    assert [item["energy"] for item in json.loads(out)] == sorted(item["energy"] for item in json.loads(out))


def test_discover_prints_sets_that_heed_what_is_asked_for(capsys, trained):
    asked = ["--require", "tea", "--exclude", "milk", "--top", "3"]
    _, out, _ = run(capsys, "discover", trained, *asked, "--json")
    expected = load(trained).discover(top=3, require=["tea"], exclude=["milk"])
    found = json.loads(out)
    assert found["exact"] is True
    assert [tuple(item["names"]) for item in found["sets"]] == [item.names for item in expected.sets]
    _, out, err = run(capsys, "discover", trained, *asked, "--limit", "1")
    assert "found by a search from random sets" in err
    lines = [line.split(maxsplit=1)[1].split(", ") for line in out.splitlines()]
    assert lines == [list(item.names) for item in expected.sets]
    _, out, _ = run(capsys, "discover", trained, "--cliques", "--json")
    cliques = {frozenset(item["names"]) for item in json.loads(out)["sets"]}
    assert cliques == {
        frozenset(names)
        for names in (
            ("beans", "grinder", "machine"),
            ("beans", "machine", "cups"),
            ("tea", "teapot", "milk"),
            ("sugar", "honey", "spoon"),
        )
    }


def test_what_a_model_cannot_do_is_one_line_and_exit_code_2(capsys, trained, tmp_path):
    (tmp_path / "sets.csv").write_text("beans,grinder,coffee\n")
    out = tmp_path / "out.csv"
    assert "holds 'coffee'" in refused(capsys, "energy", trained, tmp_path / "sets.csv", "-o", out)
    assert not out.exists()
    assert "the ending must be .csv" in refused(
        capsys, "embed", trained, tmp_path / "sets.csv", "-o", "out.xls"
    )
    assert "give 2" in refused(capsys, "complete", trained, "beans", "--kind", "noise")
    assert "'beans' is given twice" in refused(capsys, "complete", trained, "beans", "beans")
    assert "'coffee'" in refused(capsys, "discover", trained, "--require", "coffee")
    assert "nowhere" in refused(capsys, "discover", tmp_path / "nowhere")


def test_nodes_without_names_are_given_by_index(capsys, tmp_path):
    (tmp_path / "pairs.csv").write_text("\n".join(f"{a},{b}" for a, b in PAIRS))
    run(capsys, "fit", tmp_path / "pairs.csv", tmp_path / "run", *SETTINGS, "--quiet")
    _, out, _ = run(capsys, "complete", tmp_path / "run", "0", "1", "--top", "2", "--json")
    assert {item["node"] for item in json.loads(out)} == {2, 3}
    assert "node 'beans' is not an index" in refused(capsys, "complete", tmp_path / "run", "beans", "1")
