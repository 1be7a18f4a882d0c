"""Every reader against hostile files, a short pass; `make fuzz` makes a long one of the same."""

from datetime import timedelta

import pytest
from fuzz.every import every_reader
from fuzz.memory import peak_below
from fuzz.mutations import hostile
from fuzz.reader import Reader, survives
from hypothesis import HealthCheck, Phase, given, settings

READERS = every_reader()
EXAMPLES = 60
EVERY = pytest.mark.parametrize("reader", READERS.values(), ids=READERS)
TRIAL = settings(
    max_examples=EXAMPLES,
    deadline=timedelta(seconds=20),
    derandomize=True,
    database=None,
    phases=[Phase.generate, Phase.shrink],
    suppress_health_check=list(HealthCheck),
)


@EVERY
def test_what_is_whole_is_read(reader: Reader, tmp_path):
    assert all(survives(reader, data, tmp_path) for data in reader.seeds())


@EVERY
def test_a_hostile_file_is_read_or_refused_and_nothing_else(reader: Reader, tmp_path):
    @TRIAL
    @given(hostile(reader.seeds()))
    def trial(data: bytes) -> None:
        survives(reader, data, tmp_path)

    with peak_below(2**28):
        trial()
