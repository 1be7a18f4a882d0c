import subprocess
import sys
import tomllib
from dataclasses import FrozenInstanceError, dataclass, fields, make_dataclass

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mhmgnn.config import (
    ENERGIES,
    SECTIONS,
    ModelConfig,
    RunConfig,
    SetsConfig,
    SubgraphConfig,
    TrainConfig,
)
from mhmgnn.errors import DataError
from mhmgnn.io.toml import write_toml
from mhmgnn.registry import ENCODERS, NOISES

WHOLE = st.integers(1, 2**63 - 1)
ABOVE_0 = st.floats(0, exclude_min=True, allow_infinity=False)
SHARE = st.floats(0, 1, exclude_min=True, exclude_max=True)
RUNS = st.builds(
    RunConfig,
    model=st.builds(
        ModelConfig,
        encoder=st.sampled_from(ENCODERS),
        dim=WHOLE,
        layers=WHOLE,
        degree_features=st.booleans(),
        degree_weight=ABOVE_0,
        normalise=st.none() | st.booleans(),
    ),
    subgraphs=st.builds(
        SubgraphConfig,
        size=st.integers(9, 2**63),
        burning=SHARE,
        noise=st.sampled_from(("auto", *NOISES, "both", "edges+features")),
        noises=WHOLE,
    ),
    sets=st.builds(
        SetsConfig,
        exact=st.integers(0, 10**9),
        tours=st.none() | st.integers(2, 10**9),
        supernode=st.none() | WHOLE,
        error=SHARE,
        max_steps=WHOLE,
    ),
    train=st.builds(
        TrainConfig,
        k=st.integers(2, 9),
        energy=st.sampled_from(ENERGIES),
        batch=WHOLE,
        steps=st.integers(0, 10**9),
        learning_rate=ABOVE_0,
        tolerance=st.floats(0, 1e300),
    ),
)


def assignments(run):
    return [
        f"{name}.{field.name}={str(getattr(getattr(run, name), field.name)).lower()}"
        for name in SECTIONS
        for field in fields(SECTIONS[name])
    ]


@given(run=RUNS)
def test_settings_come_back_from_toml_and_from_assignments(run):
    assert RunConfig.from_toml(run.to_toml()) == run
    assert RunConfig().with_settings(assignments(run)) == run


@given(text=st.text(st.characters(codec="utf-8")), number=st.floats(allow_nan=False), whole=st.integers())
def test_every_plain_value_survives_the_writer(text, number, whole):
    section = make_dataclass("Some", ["text", "number", "whole", "yes", "left_out"])
    values = {"text": text, "number": number, "whole": whole, "yes": True}
    assert tomllib.loads(write_toml({"some": section(**values, left_out=None)})) == {"some": values}


def test_what_is_left_out_has_its_default():
    assert RunConfig.from_toml("") == RunConfig()
    assert RunConfig.from_toml("[train]\nbatch = 50") == RunConfig(train=TrainConfig(batch=50))


def test_sections_of_a_run_are_those_of_its_fields():
    assert {name: type(getattr(RunConfig(), name)) for name in SECTIONS} == SECTIONS
    assert list(SECTIONS) == [field.name for field in fields(RunConfig)]


def test_a_file_comes_back_and_is_replaced(tmp_path):
    file = tmp_path / "run.toml"
    RunConfig(train=TrainConfig(batch=3)).save(file)
    assert RunConfig.read(str(file)).train.batch == 3
    with file.open() as old:
        RunConfig(train=TrainConfig(batch=4)).save(file)
        assert RunConfig.from_toml(old.read()).train.batch == 3  # renamed over, not written over
    assert RunConfig.read(file).train.batch == 4
    assert [path.name for path in tmp_path.iterdir()] == ["run.toml"]


def test_whole_and_numpy_numbers_are_held_as_plain_ones():
    train = TrainConfig(learning_rate=1, tolerance=np.float32(0.5), batch=np.int64(7))
    assert [type(value) for value in (train.learning_rate, train.tolerance, train.batch)] == [
        float,
        float,
        int,
    ]
    assert RunConfig.from_toml("[train]\nlearning_rate = 1").train.learning_rate == 1.0


def test_a_setting_cannot_be_changed_afterwards():
    with pytest.raises(FrozenInstanceError):
        RunConfig().train.k = 4


TRAIN = ", ".join(sorted(field.name for field in fields(TrainConfig)))


@pytest.mark.parametrize(
    "text, message",
    [
        ("[train]\nlr = 1", f"[train] has no setting 'lr'; it has {TRAIN}"),
        ("[trian]\nk = 3", "there is no section [trian]; there are groups, model, sets, subgraphs, train"),
        ("k = 3", "there is no section [k]; there are groups, model"),
        ("train = 3", "train is 3; it must be a section"),
        ("[train", "this is not TOML"),
        ("[train]\nk = '3'", "[train] k is '3'; it must be a whole number"),
        ("[train]\nk = 3.0", "[train] k is 3.0; it must be a whole number"),
        ("[train]\nbatch = true", "[train] batch is True; it must be a whole number"),
        ("[train]\nlearning_rate = 'fast'", "[train] learning_rate is 'fast'; it must be a number"),
        ("[train]\nlearning_rate = true", "[train] learning_rate is True; it must be a number"),
        (f"[train]\nlearning_rate = 1{'0' * 400}", "it must be a number"),
        ("[train]\nenergy = 1", "[train] energy is 1; it must be a text"),
        ("[train]\nk = [3]", "[train] k is [3]; it must be a whole number"),
        ("[model]\nnormalise = 1", "[model] normalise is 1; it must be true or false"),
        ("[sets]\ntours = 'many'", "[sets] tours is 'many'; it must be a whole number or none"),
        ("[sets]\ntours = 1", "[sets] tours is 1; it must be a whole number of at least 2"),
        ("[sets]\nsupernode = 0", "[sets] supernode is 0; it must be a whole number of at least 1"),
        ("[sets]\nexact = -1", "[sets] exact is -1; it must be a whole number of at least 0"),
        ("[sets]\nerror = 5", "[sets] error is 5.0; it must be between 0 and 1"),
        ("[sets]\nmax_steps = 0", "[sets] max_steps is 0"),
        ("[model]\nencoder = 'saga'", "[model] encoder is 'saga'; it must be one of sage, gin, gcn"),
        ("[model]\ndim = 0", "[model] dim is 0"),
        ("[model]\nlayers = 0", "[model] layers is 0"),
        ("[model]\ndegree_weight = 0", "[model] degree_weight is 0.0; it must be a number above 0"),
        ("[subgraphs]\nsize = 1", "[subgraphs] size is 1"),
        ("[subgraphs]\nsize = 2", "[subgraphs] size is 2; it must be at least k, 3 in [train]"),
        ("[subgraphs]\nburning = 1", "[subgraphs] burning is 1.0; it must be between 0 and 1"),
        ("[subgraphs]\nburning = nan", "[subgraphs] burning is nan"),
        (
            "[subgraphs]\nnoise = 'loud'",
            "[subgraphs] noise is 'loud'; it must be one of features, edges, auto, both",
        ),
        ("[subgraphs]\nnoises = 0", "[subgraphs] noises is 0"),
        ("[train]\nk = 1", "[train] k is 1; it must be a whole number of at least 2"),
        ("[train]\nenergy = 'max'", "[train] energy is 'max'; it must be one of mean, sum"),
        ("[train]\nsteps = -1", "[train] steps is -1"),
        ("[train]\npatience = 0", "[train] patience is 0"),
        ("[train]\nlearning_rate = inf", "[train] learning_rate is inf; it must be a number above 0"),
        ("[train]\ntolerance = -0.1", "[train] tolerance is -0.1; it must be a number of at least 0"),
    ],
)
def test_a_wrong_setting_is_refused_in_one_sentence(tmp_path, text, message):
    with pytest.raises(DataError) as refused:
        RunConfig.from_toml(text)
    assert message in str(refused.value)
    (tmp_path / "run.toml").write_text(text)
    with pytest.raises(DataError) as refused:
        RunConfig.read(tmp_path / "run.toml")
    assert str(refused.value).startswith(f"{tmp_path / 'run.toml'}: ")
    assert message in str(refused.value)


@pytest.mark.parametrize(
    "assignment, message",
    [
        ("train.lr=1", "[train] has no setting 'lr'; it has ahead, batch"),
        ("trian.k=1", "there is no section [trian]"),
        ("train.k=1", "[train] k is 1; it must be a whole number of at least 2"),
        ("train.k=three", "[train] k is 'three'; it must be a whole number"),
        ("train.k=4\nbatch=5", "[train] k is '4\\nbatch=5'"),
        ("train.k=none", "[train] k is None"),
        ("train.k", "'train.k' sets nothing; write section.setting=value"),
        ("k=3", "'k=3' sets nothing"),
        ("=", "'=' sets nothing"),
        ("subgraphs.size=2", "at least k, 3 in [train]"),
    ],
)
def test_a_wrong_assignment_is_refused_in_one_sentence(assignment, message):
    with pytest.raises(DataError) as refused:
        RunConfig().with_settings([assignment])
    assert message in str(refused.value)


def test_assignments_change_a_copy_and_are_checked_together():
    run = RunConfig(sets=SetsConfig(tours=5), train=TrainConfig(batch=9))
    changed = run.with_settings(
        ["train.k = 2", "subgraphs.size=2", "sets.tours=none", "model.encoder='gin'", "train.k=2"]
    )
    assert (changed.train.k, changed.train.batch, changed.sets.tours) == (2, 9, None)
    assert (changed.subgraphs.size, changed.model.encoder) == (2, "gin")
    assert (run.train.k, run.sets.tours) == (3, 5)


def test_what_is_no_file_of_settings_is_refused_by_name(tmp_path):
    with pytest.raises(DataError, match=r"none\.toml cannot be read: No such file"):
        RunConfig.read(tmp_path / "none.toml")
    (tmp_path / "latin.toml").write_bytes(b"# \xfc")
    with pytest.raises(DataError, match=r"latin\.toml: .* can't decode"):
        RunConfig.read(tmp_path / "latin.toml")
    with pytest.raises(DataError, match="there is no folder"):
        RunConfig().save(tmp_path / "no" / "run.toml")
    with pytest.raises(DataError, match="it is a folder"):
        RunConfig().save(tmp_path)


def test_a_section_of_another_class_is_refused():
    @dataclass(frozen=True)
    class Other:
        k: int = 3

    with pytest.raises(DataError, match="it must be a TrainConfig"):
        RunConfig(train=Other())


def test_settings_are_known_without_numpy():
    check = "import sys, mhmgnn.config; print('numpy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", check], capture_output=True, text=True).stdout == "False\n"


@pytest.mark.parametrize(
    "text",
    ["[train]\nk = " + "[" * 5000, "[train]\nk = " + "9" * 5000, "[train]\nk" + ".k" * 3000 + " = 1"],
    ids=["nested", "long", "dotted"],
)
def test_toml_without_measure_is_refused(text):
    with pytest.raises(DataError, match=r"this is not TOML|\[train\] k is sections within sections"):
        RunConfig.from_toml(text)


def test_an_assignment_without_measure_is_a_text_and_refused():
    for value in ("[" * 5000, "9" * 5000):
        with pytest.raises(DataError, match=r"\[train\] k is .*; it must be a whole number"):
            RunConfig().with_settings([f"train.k={value}"])
