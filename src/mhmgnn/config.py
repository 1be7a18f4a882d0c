"""Every setting of a run, as frozen dataclasses, with its default and what it trades; TOML in and out."""

from __future__ import annotations

import math
import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal, get_args

from mhmgnn.errors import DataError
from mhmgnn.io.toml import read_assignment, read_section, read_toml, settle, write_toml
from mhmgnn.registry import ENCODER_NAMES, GRAPH_ENCODERS, NOISE_NAMES, unknown

Method = Literal["auto", "exact", "k-walk", "pair-walk", "growth"]
BOTH = ("features", "edges")
ENERGIES = ("mean", "sum")


def check_whole(name: str, given: object, least: int) -> None:
    """Refuse what is not a whole number of at least `least`."""
    if isinstance(given, bool) or not hasattr(given, "__index__") or given.__index__() < least:
        raise DataError(f"{name} is {given!r}; it must be a whole number of at least {least}")


def check_share(name: str, given: float) -> None:
    """Refuse what is not between 0 and 1, both left out."""
    if not 0 < given < 1:
        raise DataError(f"{name} is {given}; it must be between 0 and 1, such as 0.05 for 5%")


def check_positive(name: str, given: float) -> None:
    """Refuse what is not a finite number above 0."""
    if not 0 < given < math.inf:
        raise DataError(f"{name} is {given}; it must be a number above 0")


def check_one_of(name: str, given: str, known: Sequence[str]) -> None:
    """Refuse a word that is not known."""
    if given not in known:
        raise unknown(name, given, known)


@dataclass(frozen=True, kw_only=True)
class TourConfig:
    """Settings of `estimate_sum`."""

    method: Method = "auto"  # exact where there are at most `limit` k-sets, else what pays most
    tours: int = 1000  # or sets that are grown; the error falls as 1 / sqrt(tours)
    supernode: int | None = (
        None  # sets in it: more of them, shorter tours; None grows it until tours are short
    )
    precision: float | None = None  # go on until the standard error is this share of the value
    max_steps: int = 10**9  # of all tours together; never a silent cut
    limit: int | None = (
        None  # k-sets that "auto" enumerates; None is 10^7, or 10^9 where they are only counted
    )

    def __post_init__(self) -> None:
        check_one_of("method", self.method, get_args(Method))
        for name, least in (("tours", 2), ("supernode", 1), ("max_steps", 1), ("limit", 1)):
            if name in ("tours", "max_steps") or getattr(self, name) is not None:
                check_whole(name, getattr(self, name), least)
        if self.precision is not None and not 0 < self.precision < 1:
            raise DataError(
                f"precision is {self.precision}; it is a relative standard error, such as 0.01 for 1%"
            )


@dataclass(frozen=True, kw_only=True)
class ModelConfig:
    """What turns a k-set into an embedding."""

    encoder: str = "sage"
    dim: int = 128  # of the embedding and of every hidden layer
    layers: int = 1  # of the encoder; a layer carries news one edge further inside the motif
    degree_features: bool = False  # adds a bin of log2 of a node's degree: the world around the motif
    degree_weight: float = 1.0  # of the bin: more of it, less of the given features
    normalise: bool | None = None  # features of a node divided by their sum; None: where none is below 0

    def __post_init__(self) -> None:
        settle(self)
        ENCODER_NAMES.find(self.encoder)
        check_whole("dim", self.dim, 1)
        check_whole("layers", self.layers, 1)
        check_positive("degree_weight", self.degree_weight)

    @property
    def reads_graphs(self) -> bool:
        """Whether a motif is a whole graph (k = n) and not a k-set."""
        return self.encoder in GRAPH_ENCODERS


@dataclass(frozen=True, kw_only=True)
class SubgraphConfig:
    """Which small graphs we train on, and what they are contrasted with."""

    size: int = 100  # nodes of a subgraph: more of them, more k-sets a step
    burning: float = 0.7  # forward burning probability: low ones give long thin subgraphs, high ones balls
    noise: str = "auto"  # "features" are shuffled, "edges" are added; "both", or several joined by +;
    # "auto" takes all that the graph allows
    noises: int = 1  # M, noise graphs a data graph

    def __post_init__(self) -> None:
        settle(self)
        check_whole("size", self.size, 2)
        check_share("burning", self.burning)
        for name in self.kinds:
            NOISE_NAMES.find(name)
        check_whole("noises", self.noises, 1)

    @property
    def kinds(self) -> tuple[str, ...]:
        """The kinds of noise by name; none where the graph is to decide."""
        if self.noise == "auto":
            return ()
        return BOTH if self.noise == "both" else tuple(self.noise.split("+"))

    def with_kinds(self, kinds: tuple[str, ...]) -> SubgraphConfig:
        """The same settings with the kinds of noise decided."""
        return replace(self, noise="both" if kinds == BOTH else "+".join(kinds))


@dataclass(frozen=True, kw_only=True)
class SetsConfig:
    """How the connected k-sets of a training subgraph are listed or sampled."""

    exact: int = 200_000  # k-sets enumerated up to this many, tours beyond; 0 always takes tours
    tours: int | None = None  # None, here and below: chosen once at the start, to reach `error`
    supernode: int | None = None  # sets in it: more of them, shorter tours
    error: float = 0.3  # relative standard error of a subgraph's energy: half of it, four times the tours
    most: int = 500  # k-sets of a subgraph that the network sees, drawn by weight; 0 takes all
    max_steps: int = 10**7  # of all tours in a subgraph together; never a silent cut

    def __post_init__(self) -> None:
        settle(self)
        check_whole("exact", self.exact, 0)
        if self.tours is not None:
            check_whole("tours", self.tours, 2)
        if self.supernode is not None:
            check_whole("supernode", self.supernode, 1)
        check_share("error", self.error)
        check_whole("most", self.most, 0)
        check_whole("max_steps", self.max_steps, 1)


@dataclass(frozen=True, kw_only=True)
class TrainConfig:
    """How the weights are found."""

    k: int = 3
    energy: str = "mean"  # over the connected k-sets of a subgraph; "sum" is the paper's equation
    batch: int = 25  # subgraphs a step
    steps: int = 200  # at most; 0 leaves the weights as they were drawn
    learning_rate: float = 1e-3
    patience: int = 50  # a kind of noise ends when, once begun, for so many steps its smoothed loss
    tolerance: float = 0.01  # has not fallen by this much
    enough: float = 0.3  # or when the smoothed loss is below this: beyond this the model overfits
    checkpoint_every: int = 50  # steps: what a kill can cost
    ahead: int = 2  # batches that the sampler keeps ready: memory against waiting

    def __post_init__(self) -> None:
        settle(self)
        check_whole("k", self.k, 2)
        check_one_of("energy", self.energy, ENERGIES)
        check_whole("steps", self.steps, 0)
        for name in ("batch", "patience", "checkpoint_every", "ahead"):
            check_whole(name, getattr(self, name), 1)
        check_positive("learning_rate", self.learning_rate)
        for name in ("tolerance", "enough"):
            if not 0 <= getattr(self, name) < math.inf:
                raise DataError(f"{name} is {getattr(self, name)}; it must be a number of at least 0")


@dataclass(frozen=True, kw_only=True)
class GroupsConfig:
    """How the energy of groups is learned: from worlds planted in the graph (docs/method.md)."""

    worlds: int = 56  # more of them, a smoother energy and more time; 0 leaves groups out
    held_back: int = 6  # of them, or a third: they tell when to stop, and whether probabilities hold
    null: float = 0.25  # share of worlds without groups: more of them, fewer groups seen in chance
    largest: int = 100  # nodes of a planted group, at most
    cover: float = 0.95  # least share of the pairs (of their counts) that a world explains
    laws: int = 128  # of group sizes that are tried; worlds follow those that make graphs like this one
    edges: int = 200_000  # of the part of a larger graph that a world is planted in
    examples: int = 150  # labelled sets of each size in a world
    networks: int = 2  # of each of two kinds, whose log-odds are averaged: more of them, less chance
    dim: int = 64  # of their hidden layers
    epochs: int = 8
    learning_rate: float = 2e-3

    def __post_init__(self) -> None:
        settle(self)
        check_whole("worlds", self.worlds, 0)
        check_whole("largest", self.largest, 3)
        check_whole("examples", self.examples, 10)
        check_whole("laws", self.laws, 2)
        for name in ("held_back", "edges", "networks", "dim", "epochs"):
            check_whole(name, getattr(self, name), 1)
        check_share("cover", self.cover)
        check_positive("learning_rate", self.learning_rate)
        if not 0 <= self.null < 1:
            raise DataError(f"null is {self.null}; it must be at least 0 and below 1")
        if self.worlds == 1:
            raise DataError("worlds is 1; it must be at least 2, one to learn from and one held back, or 0")

    @property
    def unseen(self) -> int:
        """How many worlds are held back."""
        return min(self.held_back, max(self.worlds // 3, 1))


@dataclass(frozen=True, kw_only=True)
class VectorConfig:
    """What the vector of a k-set, or of a whole graph, is made of: shares of its variance.

    What noises taught has the rest. A part that a graph cannot have (no features, hardly a triangle) is left
    out, and the others keep their proportions.
    """

    context: float = 0.8  # half what is known around the set, half how its nodes compare with each other
    groups: float = 0.1  # what planted groups taught
    given: float = 0.0  # the features of the nodes, summed: they help where features do not shift
    nodes: float = 0.8  # of whole graphs: features and context of their nodes, degrees, sizes

    def __post_init__(self) -> None:
        settle(self)
        for name in ("context", "groups", "given", "nodes"):
            if not 0 <= getattr(self, name) <= 1:
                raise DataError(f"{name} is {getattr(self, name)}; it is a share, from 0 to 1")
        if self.context + self.groups + self.given > 1:
            raise DataError("context, groups and given are more than 1 together; lower one of them")


PAPER_VECTOR = VectorConfig(context=0, groups=0, given=0, nodes=0)

SECTIONS: dict[str, type[Any]] = {
    "model": ModelConfig,
    "subgraphs": SubgraphConfig,
    "sets": SetsConfig,
    "train": TrainConfig,
    "groups": GroupsConfig,
    "vector": VectorConfig,
}


@dataclass(frozen=True, kw_only=True)
class RunConfig:
    """Every setting of a training run, in sections.

    >>> RunConfig().with_settings(["train.k=4", "model.encoder=gin"]).train.k
    4
    """

    model: ModelConfig = field(default_factory=ModelConfig)
    subgraphs: SubgraphConfig = field(default_factory=SubgraphConfig)
    sets: SetsConfig = field(default_factory=SetsConfig)
    train: TrainConfig = field(default_factory=TrainConfig)
    groups: GroupsConfig = field(default_factory=GroupsConfig)
    vector: VectorConfig = field(default_factory=VectorConfig)

    def __post_init__(self) -> None:
        for name, kind in SECTIONS.items():
            if not isinstance(getattr(self, name), kind):
                raise DataError(f"{name} is {getattr(self, name)!r}; it must be a {kind.__name__}")
        if not self.model.reads_graphs and self.subgraphs.size < self.train.k:
            raise DataError(
                f"[subgraphs] size is {self.subgraphs.size}; it must be at least k, {self.train.k} in [train]"
            )

    @classmethod
    def from_toml(cls, text: str) -> RunConfig:
        """The settings that `text` states, and the defaults of the others."""
        given = read_toml(text, SECTIONS)
        return cls(**{name: read_section(name, SECTIONS[name], given[name]) for name in given})

    @classmethod
    def read(cls, path: str | os.PathLike[str]) -> RunConfig:
        """The settings of a TOML file."""
        try:
            return cls.from_toml(Path(path).read_text(encoding="utf-8"))
        except OSError as error:
            raise DataError(f"{path} cannot be read: {error.strerror}") from error
        except ValueError as error:
            raise DataError(f"{path}: {error}") from error

    def to_toml(self) -> str:
        """Every setting as TOML; those that are None are left out."""
        return write_toml({name: getattr(self, name) for name in SECTIONS})

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the settings to a TOML file, whole or not at all."""
        from mhmgnn.io.atomic import write_atomic  # brings filelock, for which `--help` need not wait

        write_atomic(Path(path), self.to_toml().encode())

    def as_in_paper(self) -> RunConfig:
        """The same settings for the paper's model alone: no groups, and vectors of what noises taught."""
        return replace(self, groups=replace(self.groups, worlds=0), vector=PAPER_VECTOR)

    def with_settings(self, assignments: Iterable[str]) -> RunConfig:
        """The same settings but for those given as "section.key=value"; "none" unsets one."""
        changed: dict[str, dict[str, object]] = {}
        for assignment in assignments:
            section, key, value = read_assignment(assignment)
            if section not in SECTIONS:
                raise DataError(f"there is no section [{section}]; there are {', '.join(sorted(SECTIONS))}")
            changed.setdefault(section, vars(getattr(self, section)).copy())[key] = value
        return replace(self, **{name: read_section(name, SECTIONS[name], changed[name]) for name in changed})
