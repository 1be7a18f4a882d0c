"""Encoders by name: those of the package, and those that a user adds."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from mhmgnn.errors import DataError

if TYPE_CHECKING:
    from torch import nn

ENCODERS = ("sage", "gin", "gcn", "gat", "kgnn", "relational", "whole")
OWN: dict[str, Callable[..., nn.Module]] = {}


def register_encoder(name: str, make: Callable[..., nn.Module]) -> None:
    """Let `model.encoder` be `name`, in this process: `make` is your class, or what builds your module.

    It is called with the keywords in_features, dim, layers, edge_features and k, and its module maps a
    `MotifBatch` to (b, dim) vectors, blind to the order of the k slots. A model with it is saved as any
    other; a program that loads it registers the name first, as a folder holds weights and no code.
    """
    if not isinstance(name, str) or not name.isidentifier():
        raise DataError(f"an encoder cannot be called {name!r}; a name has letters, digits and _")
    if name in ENCODERS:
        raise DataError(f"{name!r} is an encoder of the package; choose another name")
    if not callable(make):
        raise DataError(f"{make!r} cannot build an encoder; give a class, or a function that makes a module")
    OWN[name] = make


def check_encoder(name: str) -> None:
    """Refuse a name that no encoder has."""
    if name not in ENCODERS and name not in OWN:
        raise DataError(
            f"encoder is {name!r}; it must be one of {', '.join((*ENCODERS, *OWN))}, or your own after "
            "mhmgnn.register_encoder"
        )
