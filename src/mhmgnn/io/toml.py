"""Settings in TOML: a section for each dataclass, a key for each field; a field that is None is left out."""

import tomllib
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import asdict, fields
from numbers import Integral, Real
from types import NoneType
from typing import TYPE_CHECKING, Any, TypeVar, get_args, get_type_hints

from mhmgnn.errors import DataError

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

    Section = TypeVar("Section", bound=DataclassInstance)

WANTED: dict[object, str] = {
    bool: "true or false",
    int: "a whole number",
    float: "a number",
    str: "a text",
    NoneType: "none",
}


def settle(section: "DataclassInstance") -> None:
    """Turn each value of a frozen section into the plain type that its field states, or refuse it."""
    for name, kind in get_type_hints(type(section)).items():
        object.__setattr__(section, name, _plain(name, getattr(section, name), get_args(kind) or (kind,)))


def write_toml(sections: Mapping[str, "DataclassInstance"]) -> str:
    """The sections as TOML that `read_toml` and `read_section` turn into the same values."""
    import tomli_w

    return tomli_w.dumps(
        {
            name: {key: value for key, value in asdict(section).items() if value is not None}
            for name, section in sections.items()
        }
    )


def read_toml(text: str, sections: Iterable[str]) -> dict[str, dict[str, Any]]:
    """The values of each section in a TOML text; a section that is not among `sections` is refused."""
    try:
        found = tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        raise DataError(f"this is not TOML: {error}") from error
    known = sorted(sections)
    for name, values in found.items():
        if name not in known:
            raise DataError(f"there is no section [{name}]; there are {', '.join(known)}")
        if not isinstance(values, dict):
            raise DataError(
                f"{name} is {_shown(values)}; it must be a section, [{name}], with settings below it"
            )
    return found


def read_section(name: str, kind: "type[Section]", values: Mapping[str, Any]) -> "Section":
    """An instance of `kind` with these values, and the defaults for fields that are left out."""
    known = sorted(field.name for field in fields(kind))
    for key in values:
        if key not in known:
            raise DataError(f"[{name}] has no setting {key!r}; it has {', '.join(known)}")
    try:
        return kind(**values)
    except DataError as error:
        raise DataError(f"[{name}] {error}") from error


def read_assignment(text: str) -> tuple[str, str, object]:
    """The section, the key and the value of "section.key=value".

    The value is written as in TOML, but texts need no quotes, and "none" is None.
    """
    place, equals, written = text.partition("=")
    section, dot, key = place.strip().partition(".")
    if not (section and dot and key and equals):
        raise DataError(f"{text!r} sets nothing; write section.setting=value, such as train.batch=50")
    written = written.strip()
    if written.lower() == "none":
        return section, key, None
    try:
        found = tomllib.loads(f"value = {written}")
    except (ValueError, RecursionError):
        return section, key, written
    return section, key, found["value"] if len(found) == 1 else written


def _plain(name: str, given: object, kinds: tuple[object, ...]) -> object:
    kind = kinds[0]
    if given is None and NoneType in kinds:
        return None
    if isinstance(given, bool):  # in Python an int too
        if kind is bool:
            return given
    elif kind is int and isinstance(given, Integral):
        return int(given)
    elif kind is float and isinstance(given, Real):
        with suppress(OverflowError):
            return float(given)
    elif kind is str and isinstance(given, str):
        return str(given)
    raise DataError(f"{name} is {_shown(given)}; it must be {' or '.join(WANTED[kind] for kind in kinds)}")


def _shown(given: object) -> str:
    try:
        return repr(given)
    except RecursionError:  # k.k.k.k... = 1
        return "sections within sections"
