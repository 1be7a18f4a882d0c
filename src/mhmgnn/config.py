"""Every setting of a run, as frozen dataclasses, with its default and what it trades."""

from dataclasses import dataclass
from typing import Literal, get_args

from mhmgnn.errors import DataError

Method = Literal["auto", "exact", "k-walk", "pair-walk"]


def check_whole(name: str, given: object, least: int) -> None:
    """Refuse what is not a whole number of at least `least`."""
    if isinstance(given, bool) or not hasattr(given, "__index__") or given.__index__() < least:
        raise DataError(f"{name} is {given!r}; it must be a whole number of at least {least}")


@dataclass(frozen=True, kw_only=True)
class TourConfig:
    """How the sum over connected k-sets is had."""

    method: Method = "auto"  # exact where there are at most `limit` k-sets, else the tours that pay more
    tours: int = 1000  # the error falls as 1 / sqrt(tours)
    supernode: int | None = (
        None  # sets in it: more of them, shorter tours; None grows it until tours are short
    )
    precision: float | None = None  # go on until the standard error is this share of the value
    max_steps: int = 10**9  # of all tours together; never a silent cut
    limit: int = 10**7  # k-sets that "auto" enumerates

    def __post_init__(self) -> None:
        if self.method not in get_args(Method):
            raise DataError(f"method is {self.method!r}; it must be one of {', '.join(get_args(Method))}")
        for name, least in (("tours", 2), ("supernode", 1), ("max_steps", 1), ("limit", 1)):
            if name != "supernode" or self.supernode is not None:
                check_whole(name, getattr(self, name), least)
        if self.precision is not None and not 0 < self.precision < 1:
            raise DataError(
                f"precision is {self.precision}; it is a relative standard error, such as 0.01 for 1%"
            )
