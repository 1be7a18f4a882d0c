"""The types of requests and answers, from which the OpenAPI document is made."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, StrictInt

from mhmgnn.service.limits import LETTERS, NODES, SETS, TOP

Name = Annotated[str, Field(min_length=1, max_length=LETTERS)]
Index = Annotated[StrictInt, Field(ge=0, lt=2**63)]
Node = Name | Index
Nodes = Annotated[list[Node], Field(min_length=1, max_length=NODES)]
SetsOfNodes = Annotated[list[Nodes], Field(min_length=1, max_length=SETS)]
TOGETHER = [["espresso", "grinder", "beans"], ["espresso", "tent"]]


def example(values: dict[str, Any]) -> ConfigDict:
    """The settings of a schema: an example, and unknown fields refused."""
    return ConfigDict(extra="forbid", json_schema_extra={"examples": [values]})


class Problem(BaseModel):
    """Why a request was not answered."""

    model_config = example({"error": "set 0 holds 'tee', which no node is called", "code": "data"})
    error: str = Field(description="One line: what was given, what is allowed, what to do.")
    code: str = Field(description="The kind of problem, for programs.")


class CompleteRequest(BaseModel):
    """Nodes to complete."""

    model_config = example({"nodes": ["espresso", "grinder"], "top": 5, "exclude": []})
    nodes: Nodes = Field(description="Names; indices where nodes have no names.")
    top: Annotated[StrictInt, Field(ge=1, le=TOP)] = 10
    exclude: Annotated[list[Node], Field(max_length=NODES)] = Field([], description="Nodes to leave out.")


class Completion(BaseModel):
    """A node that belongs with the given ones."""

    node: str | int
    score: float = Field(description="The ranking score: higher is better.")
    energy: float | None = Field(description="The energy of the completed set; null if it has none.")
    probability: float | None = Field(description="Probability that the completed set lies inside one group.")


class CompleteAnswer(BaseModel):
    """Completions, best first."""

    completions: list[Completion]
    version: str = Field(description="The version of the model that answered.")


class EnergyRequest(BaseModel):
    """Sets of any size, also mixed."""

    model_config = example({"sets": TOGETHER, "match": "contained"})
    sets: SetsOfNodes
    match: Literal["contained", "exact"] | None = Field(
        None, description="Inside a group, or exactly a group; contained by default if the model has groups."
    )


class EnergyAnswer(BaseModel):
    """A number for each set, in the order of the request."""

    energies: list[float | None] = Field(description="Low for sets that belong together; null if infinite.")
    probabilities: list[float] | None = Field(description="Null if the model has no groups.")
    version: str


class EmbedRequest(BaseModel):
    """Sets of k nodes each."""

    model_config = example({"sets": [["espresso", "grinder", "beans"]]})
    sets: SetsOfNodes


class EmbedAnswer(BaseModel):
    """A vector for each set, in the order of the request."""

    vectors: list[list[float]]
    version: str


class GroupFound(BaseModel):
    """A group that was found."""

    nodes: list[str | int]
    probability: float


class GroupsAnswer(BaseModel):
    """Groups in the order that was asked for."""

    groups: list[GroupFound]
    found: int = Field(description="The number of groups that match, also beyond `top`.")
    complete: bool = Field(description="Whether every maximal clique was considered.")
    version: str


class SimilarFound(BaseModel):
    """A group with a nearby vector."""

    nodes: list[str | int]
    distance: float


class SimilarAnswer(BaseModel):
    """Groups of k nodes, nearest first."""

    similar: list[SimilarFound]
    exact: bool = Field(description="Whether all groups were looked at; else an index, which may miss some.")
    version: str


class MapPoint(BaseModel):
    """A group on a map."""

    nodes: list[str | int]
    x: float = Field(description="From -1, left, to 1, right.")
    y: float = Field(description="From -1, top, to 1, bottom.")
    probability: float


class MapAnswer(BaseModel):
    """Groups near each other where their vectors are alike, the most probable first."""

    points: list[MapPoint]
    groups: int = Field(description="How many groups there are, also beyond those on the map.")
    version: str


class NodeFound(BaseModel):
    """A node and its degree."""

    node: str | int
    degree: int


class NodesAnswer(BaseModel):
    """Nodes in alphabetical order."""

    nodes: list[NodeFound]
    version: str


class Place(BaseModel):
    """A node with its coordinates."""

    node: str | int
    x: float = Field(description="From -1, left, to 1, right.")
    y: float = Field(description="From -1, top, to 1, bottom.")
    count: float = Field(description="How often it was seen with the node in the middle; 0 for that one.")


class NeighbourhoodAnswer(BaseModel):
    """A node, the neighbours it was seen with most, and the pairs among them."""

    places: list[Place] = Field(description="The node itself comes first.")
    pairs: list[tuple[int, int]] = Field(description="Edges, as pairs of positions in `places`.")
    degree: int
    version: str


class ModelAnswer(BaseModel):
    """The model, what it was trained on, and the limits of requests."""

    model_config = ConfigDict(protected_namespaces=())
    model: dict[str, Any]
    limits: dict[str, int | float]


class ReloadAnswer(BaseModel):
    """Whether a new run was loaded."""

    changed: bool
    version: str
