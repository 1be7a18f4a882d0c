"""Limits of a request and of the load of the service."""

from dataclasses import dataclass, field

from mhmgnn.config import check_whole
from mhmgnn.errors import DataError
from mhmgnn.runtime.threads import available

BODY = 2**20  # bytes of a request's body
SETS = 1_000  # sets in a request
NODES = 100  # nodes in a set
TOP = 1_000  # completions, nodes or groups in an answer
LETTERS = 1_000  # letters of a name
RETRY = 1  # seconds in the Retry-After header of a refusal
SOON = 5  # the same while the groups are searched


@dataclass(frozen=True, kw_only=True)
class Limits:
    """Limits of the load that the service accepts."""

    at_once: int = 64  # requests that run or wait; more are refused, so that none waits long
    seconds: float = 10.0  # time limit of a request
    threads: int = field(default_factory=available)  # threads that work on requests

    def __post_init__(self) -> None:
        check_whole("at_once", self.at_once, 1)
        check_whole("threads", self.threads, 1)
        if not self.seconds > 0:
            raise DataError(f"seconds is {self.seconds}; it must be above 0")
