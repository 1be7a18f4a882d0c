from conftest import lollipop

from mhmgnn import Graph
from mhmgnn.service.names import NameIndex


def test_nodes_without_names_are_asked_for_by_index():
    index = NameIndex(lollipop())
    assert index.known("3") == 3
    assert index.label(3) == 3
    assert index.starting("", 4) == [0, 1, 2, 3]
    assert index.known("x") == "x"


def test_a_name_that_looks_like_an_index_is_a_name():
    index = NameIndex(Graph.from_edges([("7", "0"), ("0", "Äpfel")]))
    assert index.known("0") == 1
    assert index.known(0) == 0
    assert [index.label(node) for node in index.starting("ÄP", 5)] == ["Äpfel"]
