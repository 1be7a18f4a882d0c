import subprocess
import sys

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mhmgnn.errors import DataError
from mhmgnn.graph.names import Names, by_appearance

TEXTS = st.text(st.characters(exclude_categories=["Cs"]), min_size=1)


@settings(deadline=None)
@given(st.lists(TEXTS, unique=True, min_size=1), st.lists(TEXTS))
def test_a_name_is_found_where_it_stands_and_nowhere_else(held, asked):
    names = Names.of(held)
    assert list(names) == held
    place = {name: i for i, name in enumerate(held)}
    assert names.find(asked).tolist() == [place.get(text, -1) for text in asked]
    assert names.find(asked + held).tolist() == [place.get(text, -1) for text in asked + held]


@settings(deadline=None)
@given(st.lists(st.tuples(TEXTS, TEXTS), min_size=1))
def test_names_are_numbered_as_they_are_read_row_by_row(rows):
    first, second = (pa.array(column, pa.large_string()) for column in zip(*rows, strict=True))
    source, target, names = by_appearance(first, second)
    assert list(names) == list(dict.fromkeys(text for row in rows for text in row))
    assert [(names[u], names[v]) for u, v in zip(source, target, strict=True)] == rows


def test_finding_a_name_does_not_import_pandas():
    code = "from mhmgnn.graph.names import *; names = Names.wrap(text_array(['a', 'b'], '')); "
    code += "import sys; print(names.find(['b', 'c']).tolist(), 'pandas' in sys.modules)"
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert told == "[1, -1] False\n"


def test_a_slice_of_an_arrow_array_keeps_its_own_names():
    assert list(Names.of(pa.array(["a", "bb", "ccc", "d"])[1:3])) == ["bb", "ccc"]


def test_integers_become_texts():
    assert list(Names.of([7, "x", 10**20])) == ["7", "x", str(10**20)]


@pytest.mark.parametrize(
    "values, message",
    [
        (["a", "b", "a", "a"], "the name 'a' is given to 3 nodes"),
        (["1", 1], "the name '1' is given to 2 nodes"),
        (["a", ""], "name 1 of the nodes is empty"),
        (["a", None], "name 1 is None; a name is a text or an integer"),
        (["a", 1.5], "name 1 is 1.5"),
        ([True], "name 0 is True"),
    ],
)
def test_what_cannot_be_a_name_is_refused(values, message):
    with pytest.raises(DataError, match=message):
        Names.of(values)
