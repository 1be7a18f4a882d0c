"""What a request may ask for, and how much the service takes on."""

from dataclasses import dataclass, field

from mhmgnn.config import check_whole
from mhmgnn.errors import DataError
from mhmgnn.runtime.threads import available

BODY = 2**20  # bytes of a request
SETS = 1_000  # of a request
NODES = 100  # of a set
TOP = 1_000  # completions, nodes or groups of an answer
LETTERS = 1_000  # of a name
RETRY = 1  # seconds after which a refused client may come again
SOON = 5  # the same while the groups are searched for


@dataclass(frozen=True, kw_only=True)
class Limits:
    """How much the service takes on."""

    at_once: int = 64  # requests that run or wait; more are refused, so that nobody waits long
    seconds: float = 10.0  # of a request
    threads: int = field(default_factory=available)  # that work on requests

    def __post_init__(self) -> None:
        check_whole("at_once", self.at_once, 1)
        check_whole("threads", self.threads, 1)
        if not self.seconds > 0:
            raise DataError(f"seconds is {self.seconds}; it must be above 0")
