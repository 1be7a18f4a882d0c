import pytest

from mhmgnn import DataError
from mhmgnn.registry import Registry


@pytest.fixture(name="colours")
def some_colours():
    colours = Registry("colour", pattern="[a-z]+", allowed="a-z", also=", or none")
    colours.add("red", 1, "first")
    colours.add("green", 2, "first")
    return colours


def test_an_unknown_name_is_refused_with_all_names_and_the_nearest(colours):
    with pytest.raises(DataError) as told:
        colours.find("gren")
    assert str(told.value) == "colour is 'gren'; it must be one of red, green, or none; did you mean green?"
    with pytest.raises(DataError, match=r"one of red, green, or none$"):
        colours.find("blue")


def test_a_module_may_add_its_name_again_and_another_module_may_not(colours):
    colours.add("red", 3, "first")
    assert list(colours.items()) == [("red", 3), ("green", 2)]
    with pytest.raises(DataError, match="the colour 'red' exists already"):
        colours.add("red", 4, "second")
    assert colours.find("red") == 3


@pytest.mark.parametrize("name", ["Red", "", 7, None])
def test_a_name_that_does_not_fit_is_refused(colours, name):
    with pytest.raises(DataError, match="the colour cannot be called"):
        colours.add(name, 3, "first")
