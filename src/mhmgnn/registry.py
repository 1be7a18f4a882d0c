"""How things are found by name: encoders, noises, data sets, tasks and baselines, also a user's own."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from importlib import import_module
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from mhmgnn.errors import DataError

if TYPE_CHECKING:
    from torch import nn

Thing = TypeVar("Thing")
GRAPH_ENCODERS = ("whole",)  # read a whole graph as one motif, k = n
ENCODERS = ("sage", "gin", "gcn", "gat", "kgnn", "relational", *GRAPH_ENCODERS)
NOISES = ("features", "edges")
REGISTERED = ", or your own once it is registered"


class Registry(dict[str, Thing]):
    """Things of one kind by name, in the order in which they were added."""

    def __init__(self, kind: str, *, pattern: str, allowed: str, also: str = "") -> None:
        super().__init__()
        self.kind = kind
        self.pattern, self.allowed = pattern, allowed  # of names: a regular expression, and the same in words
        self.also = also  # what may be given in place of a name, for errors
        self.files: dict[str, str] = {}  # the module that each name comes from

    def add(self, name: object, thing: Thing, file: str) -> None:
        """Add a thing. A module that runs again replaces its own; the name of another one is refused."""
        if not isinstance(name, str) or not re.fullmatch(self.pattern, name):
            raise DataError(f"the {self.kind} cannot be called {name!r}; a name has {self.allowed}")
        if name in self and self.files[name] != file:
            raise DataError(f"the {self.kind} {name!r} exists already; choose another name")
        self[name], self.files[name] = thing, file

    def find(self, name: str) -> Thing:
        """The thing called `name`."""
        if name not in self:
            raise unknown(self.kind, name, self, self.also)
        return self[name]

    def check_declared(self, made: type[Any], fields: tuple[str, ...]) -> None:
        """Refuse a class that lacks one of `fields`."""
        if missing := [field for field in fields if not hasattr(made, field)]:
            raise DataError(
                f"the {self.kind} {made.__name__} lacks {', '.join(missing)}; set it in the class"
            )


def unknown(what: str, name: object, known: Iterable[str], also: str = "") -> DataError:
    """The error for a name that nothing has: the names that are allowed, and the nearest of them."""
    from difflib import get_close_matches

    known = list(known)
    near = get_close_matches(str(name), known, n=1)
    question = f"; did you mean {near[0]}?" if near else ""
    return DataError(f"{what} is {name!r}; it must be one of {', '.join(known)}{also}{question}")


class Module(NamedTuple):
    """A module of the package, imported when it is asked for."""

    path: str

    def subclass(self, base: type[Any]) -> type[Any]:
        """The one subclass of `base` that the module defines."""
        module = import_module(self.path)
        classes = [one for one in vars(module).values() if isinstance(one, type)]
        (found,) = (one for one in classes if issubclass(one, base) and one.__module__ == self.path)
        return found


def _with_modules(kind: str, folder: str, names: tuple[str, ...], also: str) -> Registry[Any]:
    registry: Registry[Any] = Registry(
        kind, pattern=r"[^\W\d]\w*", allowed="letters, digits and _, and begins with no digit", also=also
    )
    for name in names:
        registry.add(name, Module(f"{folder}.{name}"), folder)
    return registry


OWN = ""  # stands for the module of what a user registers: a name may get a new meaning
ENCODER_NAMES: Registry[Module | Callable[..., nn.Module]] = _with_modules(
    "encoder", "mhmgnn.nn.encoders", ENCODERS, ", or your own after mhmgnn.register_encoder"
)
NOISE_NAMES: Registry[Module | type[Any]] = _with_modules(
    "noise", "mhmgnn.training.noise", NOISES, ", auto, both, or your own after mhmgnn.register_noise"
)


def register_encoder(name: str, make: Callable[..., nn.Module]) -> None:
    """Let `model.encoder` be `name`, in this process: `make` is your class, or what builds your module.

    It is called with the keywords in_features, dim, layers, edge_features and k, and its module maps a
    `MotifBatch` to (b, dim) vectors, blind to the order of the k slots. A model with it is saved as any
    other; a program that loads it registers the name first, as a folder holds weights and no code.
    """
    if not callable(make):
        raise DataError(f"{make!r} cannot build an encoder; give a class, or a function that makes a module")
    ENCODER_NAMES.add(name, make, OWN)


def register_noise(noise: type[Thing]) -> type[Thing]:
    """Let `subgraphs.noise` be the `name` of this subclass of `Noise`, in this process; also a decorator."""
    NOISE_NAMES.add(getattr(noise, "name", None), noise, OWN)
    return noise
