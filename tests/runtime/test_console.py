import pytest

from mhmgnn.errors import DataError
from mhmgnn.runtime import console


@pytest.mark.parametrize(
    "tell", [console.say, lambda text: console.complain(DataError(text))], ids=["say", "complain"]
)
def test_names_from_a_file_do_not_steer_the_terminal(capsys, tell):
    tell("column '\x1b]0;mine\x07\x1b[2J\u202e\x9b5m' is ü\nand\tgood")
    told = capsys.readouterr().err
    assert r"column '\x1b]0;mine\x07\x1b[2J\u202e\x9b5m' is ü" in told
    assert told.endswith("\nand\tgood\n")
