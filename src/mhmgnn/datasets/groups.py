"""Groups of one's own (carts, teams, author lists), projected to pairs and hidden.

The graph holds who was together with whom and how often, but not in which group. Nodes are the members,
sorted by name, so that their order does not tell the groups.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from mhmgnn.config import check_whole
from mhmgnn.datasets.dataset import Dataset
from mhmgnn.datasets.hyperedges import Hyperedges, count_together
from mhmgnn.errors import DataError
from mhmgnn.graph import Graph
from mhmgnn.graph.features import FeatureTable, check_rows, feature_table
from mhmgnn.graph.names import Names, id_texts, one_chunk
from mhmgnn.io.hif import is_hif, read_hif
from mhmgnn.io.tables import Columns, as_texts, column_names, existing_file, place_of_row, places, read_table
from mhmgnn.runtime.console import say

TITLES = {"group", "member", "edge", "hyperedge", "node"}  # of the two columns, with or without _id
MOST_PAIRS = 2 * 10**7  # as a single group of 6,300 members has; they take about 2 GB to project


class Groups(NamedTuple):
    """Who is in which group, before anything is hidden."""

    names: Names  # of all members, sorted: as numbers if all are whole numbers, else as texts
    hyperedges: Hyperedges  # a group each, in the order in which they came; none is empty


AnyGroups = Groups | str | os.PathLike[str] | Mapping[Any, Iterable[Any]] | Iterable[Iterable[Any]]


def hypergraph(
    groups: AnyGroups,
    *,
    features: Any = None,
    columns: Columns | None = None,
    min_together: int = 1,
    largest: int | None = None,
    weights: bool = True,
    name: str = "groups",
) -> Dataset[Hyperedges]:
    """A graph of members, adjacent where at least `min_together` groups hold both; the groups are the truth.

    The count of a pair is the number of groups that hold both; `weights=False` leaves the pairs alone.
    `groups` and `columns` are as in `read_groups`. `largest` leaves out groups with more members, in the
    graph and in the truth; their members remain nodes. How many these are, `read_groups` can tell. A group of
    one member makes no pair and remains.

    `features` is a path or a matrix as in `Graph.read`. A table whose first column holds texts, or is called
    id, node, name or the like, is matched by name: every member needs one row, and rows for others add nodes.
    Else row i belongs to node i: members are sorted, as numbers if all are whole numbers, else as texts.

    >>> teams = hypergraph({"red": ["ann", "bob", "cy"], "blue": ["cy", "dee"]})
    >>> teams.graph, list(teams.graph.names), teams.truth.holds(teams.graph.ksets([["bob", "ann", "cy"]]))
    (Graph(4 nodes, 4 edges, counts all 1), ['ann', 'bob', 'cy', 'dee'], array([ True]))
    """
    check_whole("min_together", min_together, 1)
    if largest is not None:
        check_whole("largest", largest, 2)
    found = read_groups(groups, columns=columns)
    x = None
    if features is not None:
        given = feature_table(features)
        found = _with_more(found, given)
        x = given.x if given.names is None else given.x[given.names.find(found.names.array)]
        check_rows(x, len(found.names), "features", "members")
    hidden = found.hyperedges if largest is None else _up_to(found.hyperedges, largest)
    _check_pairs(hidden.sizes, len(found.names))
    seen = count_together(hidden, len(found.names), min_together=min_together)
    counts = seen.times if weights else False
    return Dataset(name, Graph.from_edges(seen.pairs, weights=counts, features=x, names=found.names), hidden)


def read_groups(groups: AnyGroups, *, columns: Columns | None = None) -> Groups:
    """Groups from a file or from memory.

    A file is a table with a row for each member of a group (text, plain or .gz, or Parquet): first the group,
    then the member, or the two `columns`, by name or position. Or it is a hypergraph in HIF, ending in .json
    or .json.gz, whose isolated nodes are kept. In memory it is a dict of groups, or a list of groups, each
    with its members. Members are texts, or integers as texts. A member that is listed several times in a
    group is in it once.

    >>> found = read_groups([["ann", "bob"], ["bob", "cy", "dee"]])
    >>> int((found.hyperedges.sizes > 2).sum())
    1
    """
    if isinstance(groups, str | os.PathLike):
        path = existing_file(groups)
        if not is_hif(path):
            return _from_table(path, columns)
    if columns is not None:
        raise DataError(f"columns={columns!r} given for what is no table; leave them out")
    if isinstance(groups, Groups):
        return groups
    return _from_hif(Path(groups)) if isinstance(groups, str | os.PathLike) else _from_memory(groups)


def _from_table(path: Path, columns: Columns | None) -> Groups:
    header = True if _has_titles(path, columns) else None
    titles = column_names(path, header)
    ends = [0, 1] if columns is None else places(columns, titles, path)
    if len(titles) < 2 or len(ends) != 2 or ends[0] == ends[1]:
        given = f"{len(titles)} column" if len(titles) < 2 else f"columns={columns!r}"
        raise DataError(f"{path}: {given} given; two are needed, one for the group and one for the member")
    table = read_table(path, header=header, columns=ends)
    if not table.num_rows:
        raise DataError(f"{path} holds no groups")
    cells = [_cleaned(table.column(i), titles[ends[i]], path, header) for i in (0, 1)]
    group, member = (one_chunk(column.dictionary_encode()) for column in cells)
    return _collect(group.indices.to_numpy(), member.indices.to_numpy(), member.dictionary)


def _has_titles(path: Path, columns: Columns | None) -> bool:
    if columns is not None:
        return any(isinstance(column, str) for column in columns)
    first = [title.lower().removesuffix("_id") for title in column_names(path, True)[:2]]
    return len(first) == 2 and TITLES.issuperset(first)


def _cleaned(column: pa.ChunkedArray, title: str, path: Path, header: bool | None) -> pa.ChunkedArray:
    """A column as texts without blanks around them; an empty cell is an error."""
    if pa.types.is_dictionary(column.type):
        column = column.cast(column.type.value_type)
    what = f"{path}: column {title!r}"
    if pa.types.is_floating(column.type):
        try:
            column = column.cast(pa.int64())
        except pa.ArrowInvalid as error:
            raise DataError(f"{what} holds {column.type}; it must hold texts or integers") from error
    texts = pc.utf8_trim_whitespace(as_texts(column, what))
    empty = pc.fill_null(pc.equal(texts, ""), True)
    if pc.any(empty).as_py():
        where = place_of_row(path, pc.index(empty, True).as_py(), header)
        raise DataError(f"{where}: column {title!r} is empty; a row needs a group and a member")
    return texts


def _from_hif(path: Path) -> Groups:
    """Groups from the hypergraph interchange format; nodes without a group are kept."""
    found = read_hif(path)
    if any(weight != 1 for weight in found.weights.values()):
        say(f"{path}: weights of edges are not used; each edge is one group, seen once")
    group = id_texts(found.edges, f"{path}: an edge").dictionary_encode()
    member = id_texts([*found.nodes, *found.listed], f"{path}: a node").dictionary_encode()
    rows = member.indices.to_numpy()[: len(found.edges)]
    return _collect(group.indices.to_numpy(), rows, member.dictionary)


def _from_memory(groups: Mapping[Any, Iterable[Any]] | Iterable[Iterable[Any]]) -> Groups:
    given = groups.values() if isinstance(groups, Mapping) else groups
    lists: list[Sequence[Any]] = []
    for i, group in enumerate(given):
        if isinstance(group, str) or not hasattr(group, "__iter__"):
            raise DataError(
                f"group {i} is {group!r}; give a dict or a list of groups, each a list of members"
            )
        lists.append(list(group))
    member = id_texts(list(chain.from_iterable(lists)), "a member").dictionary_encode()
    sizes = np.fromiter(map(len, lists), np.int64, len(lists))
    return _collect(np.repeat(np.arange(sizes.size), sizes), member.indices.to_numpy(), member.dictionary)


def _collect(group: np.ndarray, member: np.ndarray, texts: pa.Array) -> Groups:
    """Groups from rows of numbers, (r,) each; member m is called `texts[m]`."""
    if not group.size:
        raise DataError("there are no groups, or none has a member")
    texts = texts.cast(pa.large_string())
    order = _by_name(texts)
    place = np.argsort(order)
    rows = np.sort(group.astype(np.int64) * len(texts) + place[member])
    rows = rows[np.diff(rows, prepend=-1) > 0]
    sizes = np.bincount(rows // len(texts))
    offsets = np.concatenate([[0], np.cumsum(sizes[sizes > 0])])
    return Groups(Names.wrap(texts.take(pa.array(order))), Hyperedges(rows % len(texts), offsets))


def _by_name(texts: pa.LargeStringArray) -> np.ndarray:
    """The order of distinct names: of numbers if all are whole numbers, else of texts."""
    if pc.all(pc.match_substring_regex(texts, "^(0|[1-9][0-9]{0,17})$")).as_py():
        return np.argsort(texts.cast(pa.int64()).to_numpy())
    return np.asarray(pc.sort_indices(texts)).astype(np.int64)


def _with_more(groups: Groups, features: FeatureTable) -> Groups:
    """The same groups, and the nodes that only the features name; all sorted."""
    if features.names is None:
        return groups
    missing = features.names.find(groups.names.array) < 0
    if missing.any():
        first = groups.names[int(np.argmax(missing))]
        raise DataError(
            f"features: {np.count_nonzero(missing)} members have no row, {first!r} first; give each one row"
        )
    if len(features.names) == len(groups.names):
        return groups
    held = groups.hyperedges
    member = features.names.find(groups.names.array)[held.members]
    return _collect(np.repeat(np.arange(len(held)), held.sizes), member, features.names.array)


def _up_to(hyperedges: Hyperedges, largest: int) -> Hyperedges:
    """Those with at most `largest` members."""
    sizes = hyperedges.sizes
    kept = sizes <= largest
    offsets = np.concatenate([[0], np.cumsum(sizes[kept])])
    return Hyperedges(hyperedges.members[np.repeat(kept, sizes)], offsets)


def _check_pairs(sizes: np.ndarray, num_nodes: int) -> None:
    """Refuse groups that make no pair, or more than memory is meant for."""
    if sizes.max(initial=0) < 2:
        raise DataError("no group has two members, so that there is no pair; a graph needs at least one")
    ordered = np.sort(sizes)
    pairs = np.cumsum(ordered * (ordered - 1) // 2)
    most = min(int(pairs[-1]), num_nodes * (num_nodes - 1) // 2)
    allowed = max(MOST_PAIRS, int(sizes.sum()))  # of groups up to three there may be any number
    if most > allowed:
        too_large = ordered[np.searchsorted(pairs, allowed, side="right")]
        size = ordered[ordered < too_large].max(initial=2)
        raise DataError(
            f"groups of up to {ordered[-1]} members make up to {most:,} pairs, more than {allowed:,}; "
            f"largest={size} leaves out the {np.count_nonzero(sizes > size)} largest of {sizes.size} groups"
        )
