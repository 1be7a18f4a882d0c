"""Names that settings may hold: encoders and noises, the package's and those that a user adds."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from mhmgnn.errors import DataError

if TYPE_CHECKING:
    from torch import nn

Thing = TypeVar("Thing")
GRAPH_ENCODERS = ("whole",)  # read a whole graph as one motif, k = n
ENCODERS = ("sage", "gin", "gcn", "gat", "kgnn", "relational", *GRAPH_ENCODERS)
NOISES = ("features", "edges")


class Names(Generic[Thing]):
    """The names of one kind of thing. Those of the package are modules, imported when they are asked for."""

    def __init__(self, kind: str, package: tuple[str, ...], register: str, *choices: str) -> None:
        self.kind, self.package, self.register = kind, package, register
        self.choices = choices  # words that a setting may hold beside names
        self.own: dict[str, Thing] = {}

    def add(self, name: object, thing: Thing) -> None:
        """Let settings hold a name of the user's own; a name may get a new meaning."""
        if not isinstance(name, str) or not name.isidentifier():
            raise DataError(f"an {self.kind} cannot be called {name!r}; a name has letters, digits and _")
        if name in self.package:
            raise DataError(f"{name!r} is an {self.kind} of the package; choose another name")
        self.own[name] = thing

    def find(self, name: str, folder: str, base: type[Any]) -> Thing | type[Any]:
        """What a name stands for: the user's own, or the subclass of `base` in the module of that name."""
        self.check(name)
        if name in self.own:
            return self.own[name]
        module = import_module(f"{folder}.{name}")
        things = [thing for thing in vars(module).values() if isinstance(thing, type)]
        (found,) = (one for one in things if issubclass(one, base) and one.__module__ == module.__name__)
        return found

    def check(self, name: str) -> None:
        """Refuse a name that nothing has."""
        if name not in self.package and name not in self.own:
            known = ", ".join((*self.choices, *self.package, *self.own))
            raise DataError(
                f"{self.kind} is {name!r}; it must be one of {known}, or your own after {self.register}"
            )


ENCODER_NAMES: Names[Callable[..., nn.Module]] = Names("encoder", ENCODERS, "mhmgnn.register_encoder")
NOISE_NAMES: Names[type[Any]] = Names("noise", NOISES, "mhmgnn.register_noise", "auto", "both")


def register_encoder(name: str, make: Callable[..., nn.Module]) -> None:
    """Let `model.encoder` be `name`, in this process: `make` is your class, or what builds your module.

    It is called with the keywords in_features, dim, layers, edge_features and k, and its module maps a
    `MotifBatch` to (b, dim) vectors, blind to the order of the k slots. A model with it is saved as any
    other; a program that loads it registers the name first, as a folder holds weights and no code.
    """
    if not callable(make):
        raise DataError(f"{make!r} cannot build an encoder; give a class, or a function that makes a module")
    ENCODER_NAMES.add(name, make)


def register_noise(noise: type[Thing]) -> type[Thing]:
    """Let `subgraphs.noise` be the `name` of this subclass of `Noise`, in this process; also a decorator."""
    NOISE_NAMES.add(getattr(noise, "name", None), noise)
    return noise
