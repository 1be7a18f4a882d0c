"""Requests and answers, as OpenAPI states them."""

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
    """An example of a whole model; fields that are not known are refused."""
    return ConfigDict(extra="forbid", json_schema_extra={"examples": [values]})


class Problem(BaseModel):
    """Why a request was not answered."""

    model_config = example({"error": "set 0 holds 'tee', which no node is called", "code": "data"})
    error: str = Field(description="One line: what was given, what is allowed, what to do.")
    code: str = Field(description="The kind of problem, for programs.")


class CompleteRequest(BaseModel):
    """Nodes that are together already."""

    model_config = example({"nodes": ["espresso", "grinder"], "top": 5, "exclude": []})
    nodes: Nodes = Field(description="Names; indices where nodes have no names.")
    top: Annotated[StrictInt, Field(ge=1, le=TOP)] = 10
    exclude: Annotated[list[Node], Field(max_length=NODES)] = Field([], description="Who is not wanted.")


class Completion(BaseModel):
    """A node that belongs with the given ones."""

    node: str | int
    score: float = Field(description="What ranks it: the higher, the better.")
    energy: float | None = Field(description="Of the completed set; null where it has none.")
    probability: float | None = Field(description="That the completed set lies inside one group.")


class CompleteAnswer(BaseModel):
    """Completions, best first."""

    completions: list[Completion]
    version: str = Field(description="Of the model that answered.")


class EnergyRequest(BaseModel):
    """Sets of any size, also mixed."""

    model_config = example({"sets": TOGETHER, "match": "contained"})
    sets: SetsOfNodes
    match: Literal["contained", "exact"] | None = Field(
        None, description="Inside one group, or exactly one; contained where the model knows groups."
    )


class EnergyAnswer(BaseModel):
    """A number for each set, in the order of the request."""

    energies: list[float | None] = Field(description="Low where a set belongs together; null if infinite.")
    probabilities: list[float] | None = Field(description="Null where the model knows no groups.")
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
    """Nodes that were together."""

    nodes: list[str | int]
    probability: float


class GroupsAnswer(BaseModel):
    """Groups in the order that was asked for."""

    groups: list[GroupFound]
    found: int = Field(description="How many meet what was asked, also beyond `top`.")
    complete: bool = Field(description="Whether every clique that could be a group was looked at.")
    version: str


class SimilarFound(BaseModel):
    """A group whose vector is near."""

    nodes: list[str | int]
    distance: float


class SimilarAnswer(BaseModel):
    """Groups of k nodes, nearest first."""

    similar: list[SimilarFound]
    version: str


class NodeFound(BaseModel):
    """A node and how many others it was seen with."""

    node: str | int
    degree: int


class NodesAnswer(BaseModel):
    """Nodes by alphabet."""

    nodes: list[NodeFound]
    version: str


class Place(BaseModel):
    """A node of a drawing."""

    node: str | int
    x: float = Field(description="From -1, left, to 1, right.")
    y: float = Field(description="From -1, top, to 1, bottom.")
    count: float = Field(description="How often it was seen with the node in the middle; 0 for that one.")


class NeighbourhoodAnswer(BaseModel):
    """A node, the neighbours it was seen with most, and the pairs among them."""

    places: list[Place] = Field(description="The node itself first.")
    pairs: list[tuple[int, int]] = Field(description="Numbers of two places each.")
    degree: int
    version: str


class ModelAnswer(BaseModel):
    """What the model is and was trained on, and what may be asked."""

    model_config = ConfigDict(protected_namespaces=())
    model: dict[str, Any]
    limits: dict[str, float]


class ReloadAnswer(BaseModel):
    """Whether a new run was taken up."""

    changed: bool
    version: str
