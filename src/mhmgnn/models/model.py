"""The model a user holds: vectors and energies of sets, completions, discoveries and groups."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from mhmgnn.config import RunConfig, check_whole
from mhmgnn.errors import DataError
from mhmgnn.graph import Graph
from mhmgnn.graph.fingerprint import fingerprint
from mhmgnn.graph.sets import Sets
from mhmgnn.models.checkpoint import check_fits
from mhmgnn.models.completion import (
    Candidate,
    Completer,
    Tuning,
    candidates,
    complete_by_energy,
    given_nodes,
    node_indices,
    with_each,
)
from mhmgnn.models.completion_tuning import tune
from mhmgnn.models.graph_vector import NOISE, graph_vectors, pooled
from mhmgnn.models.group_list import GroupList, choose
from mhmgnn.models.groups import HERE, GroupReader, Scoring, question
from mhmgnn.models.last import LastMade
from mhmgnn.models.motifs import MotifReader
from mhmgnn.models.reconstruction import reconstruct
from mhmgnn.models.save import save
from mhmgnn.models.search import Discovery, Score, lowest, named
from mhmgnn.models.similar import SetIndex, Similar, nearest, without_itself
from mhmgnn.models.surroundings import Surroundings
from mhmgnn.models.vector import PartReader, VectorReader, chosen_parts
from mhmgnn.nn.energy import KSetModel
from mhmgnn.nn.graph_vector import GraphVectorMap
from mhmgnn.nn.groups import GroupEnergy
from mhmgnn.nn.vector import VectorMap
from mhmgnn.runtime import memory
from mhmgnn.subgraphs.estimate import estimate_sum
from mhmgnn.subgraphs.exact import LIMIT, is_connected
from mhmgnn.subgraphs.result import Estimate


class Model:
    """A trained model, with the graph it was trained on; `graph` is None if it was trained on many."""

    def __init__(
        self,
        network: KSetModel,
        config: RunConfig,
        facts: dict[str, Any],
        graph: Graph | None,
        group_energy: GroupEnergy | None = None,
        vector: VectorMap | None = None,
        graph_vector: GraphVectorMap | None = None,
    ) -> None:
        self.network = network.eval()
        self.group_energy = group_energy  # None if the graph had no groups to learn or none were asked for
        self.vector = vector  # None where vectors are those of the paper: what noises taught, whitened
        self.graph_vector = graph_vector  # the same for vectors of whole graphs
        self.config = config
        self.facts = facts  # provenance: features, seed, data, losses
        self.graph = graph
        self.around: Surroundings | None = None  # of the graph, where a run has them
        self._motifs = LastMade(partial(MotifReader, self.network, config))
        self._groups = LastMade(self._read_groups)
        self._completer = LastMade(self._new_completer)
        self._vectors = LastMade(self._read_vectors)

    @property
    def k(self) -> int:
        """Nodes in a set."""
        return self.config.train.k

    @property
    def parts(self) -> dict[str, float]:
        """The parts that a vector is the sum of, and the share of its variance that each was given."""
        return {NOISE: 1.0} if self.vector is None else self.vector.parts

    def embed(
        self, ksets: Any, *, parts: Sequence[str] | None = None, graph: Graph | None = None
    ) -> np.ndarray:
        """The vector of each k-set, (m, dim) float32; k-sets by index or by name.

        `parts` gives what these parts alone add to it, as if the others were as usual; see `Model.parts`.
        """
        graph = self._graph(graph)
        rows = graph.ksets(ksets, k=self.k)
        chosen = chosen_parts(self.parts, parts)
        dim = self.config.model.dim
        advice = "embed them in parts, or write them to a file with `mhmgnn embed`, which does"
        memory.check(f"the vectors of {len(rows):,} k-sets", 4 * len(rows) * dim, advice)
        out = np.empty((len(rows), dim), np.float32)
        for low, vectors in self._embedded(graph, rows, chosen):
            out[low : low + len(vectors)] = vectors
        return out

    def energy(
        self, sets: Any, *, match: str | None = None, kind: str | None = None, graph: Graph | None = None
    ) -> np.ndarray:
        """The energy of each set, (m,) float32: low where it belongs together, inf if it is not connected.

        Sets may be of any size, also mixed. The energy is minus the log-odds that the set lies inside one
        group, or with match="exact" that it is a group: `scipy.special.expit(-energy)` is a probability under
        the prior over planted worlds. `kind` asks for the paper's energies of sets of k nodes instead: that
        of one kind of noise, such as "features", or the sum over all, "noise". A model without groups has
        only these.
        """
        graph = self._graph(graph)
        if self._by_groups(match, kind):
            return self.reader(graph).energies(graph.sets(sets))[:, question(match)]
        rows = graph.ksets(sets, k=self.k)
        energies = np.full(len(rows), np.inf, np.float32)
        connected = is_connected(graph, rows)
        energies[connected] = self._motifs(graph).energies(rows[connected], kind)
        return energies

    def graph_energy(
        self, graph: Graph | None = None, *, seed: int = 0, precision: float | None = None, limit: int = LIMIT
    ) -> Estimate:
        """The energy of a whole graph, Eq. (3): the sum over its connected k-sets, with its error."""
        graph = self._graph(graph)
        energies = self._motifs(graph).energies
        return estimate_sum(graph, self.k, energies, seed=seed, precision=precision, limit=limit)

    def complete(
        self,
        nodes: Sequence[Any],
        *,
        top: int = 10,
        exclude: Sequence[Any] = (),
        kind: str | None = None,
        graph: Graph | None = None,
    ) -> list[Candidate]:
        """The `top` nodes that most likely join `nodes` (one or more) in a new group, none of `exclude`.

        They are ranked by random walks from the given nodes (see `Completer`), nodes that no walk reached
        last. Each comes with the energy of the completed set, nan where the model has none. With a `kind` of
        energy (see `energy`), k - 1 nodes must be given, and the nodes that complete them to a connected
        k-set are ranked by its energy, lowest first.
        """
        graph = self._graph(graph)
        check_whole("top", top, 1)
        given, out = given_nodes(graph, nodes), node_indices(graph, exclude)
        if kind is not None:
            energies = partial(self._motifs(graph).energies, kind=kind)
            return complete_by_energy(graph, given, self.k, energies, top=top, exclude=out)
        found, scores = self._completer(graph).best(given, top, out)
        return candidates(graph, found, self._completed(graph, given, found), scores)

    def similar(self, kset: Sequence[Any], *, among: Any, top: int = 10) -> list[Similar]:
        """The `top` k-sets of `among` whose vectors are nearest to that of `kset`, nearest first.

        Exact where `among` is k-sets; to ask many times, give what `index` made of them.
        """
        graph = self._graph(None)
        check_whole("top", top, 1)
        asked = graph.ksets([kset], k=self.k)
        vector = self.embed(asked)[0]
        if isinstance(among, SetIndex):
            return without_itself(graph, asked[0], among.ksets, among.nearest(vector, top + 1), top)
        others = graph.ksets(among, k=self.k)
        found = nearest(self._embedded(graph, others), vector, top + 1)  # the set itself may be among them
        return without_itself(graph, asked[0], others, found, top)

    def index(self, ksets: Any) -> SetIndex:
        """The k-sets with their vectors, for `similar`: exact to a million, beyond by usearch."""
        rows = self._graph(None).ksets(ksets, k=self.k)
        return SetIndex(rows, self.embed(rows))

    def discover(
        self,
        *,
        top: int = 100,
        size: int | None = None,
        match: str | None = None,
        kind: str | None = None,
        require: Sequence[Any] = (),
        exclude: Sequence[Any] = (),
        cliques: bool = False,
        limit: int = LIMIT,
        seed: int = 0,
        graph: Graph | None = None,
    ) -> Discovery:
        """The `top` connected sets of `size` nodes (by default k) with the lowest energies.

        `match` and `kind` choose the energy, as in `energy`; a `kind` is for sets of k nodes. Each set holds
        all of `require` and none of `exclude`. `cliques` keeps to sets whose nodes are all adjacent, as those
        of a cart or an author list are. With at most `limit` sets every one is scored, else the best are
        searched by descent from random ones; `exact` of the result says which.
        """
        graph = self._graph(graph)
        check_whole("top", top, 1)
        size = self.k if size is None else size
        check_whole("size", size, 2)
        ranked = lowest(
            graph,
            size,
            self._energy_of_connected(graph, size, match, kind),
            top,
            require=node_indices(graph, require).tolist(),
            exclude=node_indices(graph, exclude).tolist(),
            cliques=cliques,
            limit=limit,
            seed=seed,
        )
        return named(graph, ranked)

    def groups(
        self,
        *,
        top: int | None = None,
        with_nodes: Sequence[Any] = (),
        sizes: tuple[int, int] | None = None,
        probability: float | None = None,
        graph: Graph | None = None,
        scoring: Scoring = HERE,
    ) -> GroupList:
        """The groups that the pairs of the graph were made of, most probable first.

        At most `top` groups, each with all of `with_nodes` and of a size in the range `sizes`. By default the
        number of groups maximises the expected F1; `probability` returns all that are at least so probable
        instead. `complete` of the result says whether every maximal clique was considered. `scoring` is for
        long searches; see `groups_file.write_groups`.
        """
        graph = self._graph(graph)
        if top is not None:
            check_whole("top", top, 1)
        nodes = node_indices(graph, with_nodes).tolist()
        reader = self.reader(graph).by(scoring)
        found = reconstruct(reader, sizes=sizes, probability=probability, tell=scoring.tell)
        return choose(found, graph, top=top, with_nodes=nodes)

    def embed_graphs(self, graphs: Sequence[Graph], *, pool: str | None = None, seed: int = 0) -> np.ndarray:
        """The vector of each whole graph, (graphs, dim) float32: of its nodes and k-sets after many graphs.

        `pool`, "mean" or "sum", gives the paper's instead, the only one after one graph: the pooled vectors
        of all connected k-sets, estimated by tours where they are many; zeros for a graph without any.
        """
        graphs, learned = list(map(self._graph, graphs)), partial(self._pooled, seed=seed)
        return graph_vectors(graphs, learned, self.graph_vector, pool=pool)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the model, and the graph it was trained on, to a folder that `mhmgnn.load` reads."""
        save(self, Path(path))

    def _pooled(self, graphs: Sequence[Graph], pool: str, *, seed: int) -> np.ndarray:
        """The mean or sum of the vectors of the k-sets of each graph, (graphs, dim) float32."""
        out = np.zeros((len(graphs), self.config.model.dim), np.float32)
        for row, graph in zip(out, graphs, strict=True):
            row[:] = pooled(graph, self.k, partial(self._embedded, graph), pool, seed)
        return out

    def _graph(self, graph: Graph | None) -> Graph:
        graph = self.graph if graph is None else graph
        if graph is None:
            raise DataError("the model was trained on many graphs; say which graph is meant: graph=...")
        check_fits(graph, self.facts)
        return graph

    def reader(self, graph: Graph | None = None) -> GroupReader:
        """The group energies of sets of a graph, or of that of the model."""
        return self._groups(self._graph(graph))

    def _by_groups(self, match: str | None, kind: str | None) -> bool:
        """Whether the group energy is asked for, and not an energy of noises."""
        if match is not None and kind is not None:
            raise DataError(f"match is {match!r} and kind is {kind!r}; give one of them")
        return kind is None and (match is not None or self.group_energy is not None)

    def _energy_of_connected(self, graph: Graph, size: int, match: str | None, kind: str | None) -> Score:
        """A function from connected sets of one size to their energies."""
        if self._by_groups(match, kind):
            reader, column = self.reader(graph), question(match)
            return lambda rows: reader.energies(Sets.of_rows(rows))[:, column]
        if size != self.k:
            raise DataError(f"size is {size}; energies of noises take k = {self.k} nodes, of groups any")
        return partial(self._motifs(graph).energies, kind=kind)

    def _completed(self, graph: Graph, given: np.ndarray, found: np.ndarray) -> np.ndarray:
        """The energy of the given nodes together with each node found; nan where the model has none."""
        sets = with_each(given, found)
        if self.group_energy is not None:
            return self.reader(graph).energies(Sets.of_rows(sets))[:, question(None)]
        return self.energy(sets, graph=graph) if sets.shape[1] == self.k else np.full(len(sets), np.nan)

    def _is_home(self, graph: Graph) -> bool:
        """Whether the model was trained on this graph."""
        return graph is self.graph or bool(fingerprint(graph) == self.facts["data"])

    def _read_groups(self, graph: Graph) -> GroupReader:
        if self.group_energy is None:
            raise DataError(
                "this model knows no groups: it was trained without them, or on a graph that has none; "
                'fit it anew with groups.worlds above 0, or ask for kind="noise"'
            )
        around = self.around if graph is self.graph else None
        return GroupReader(self.group_energy, graph, at_home=self._is_home(graph), around=around)

    def _new_completer(self, graph: Graph) -> Completer:
        kept = self.facts.get("completion") if graph is self.graph else None
        tuning = tune(graph) if kept is None else Tuning(**kept)
        if self.group_energy is None:
            return Completer(graph, tuning)
        return Completer(graph, tuning, lambda graph: self.reader(graph).context.overlaps)

    def part_reader(self, graph: Graph) -> PartReader:
        """What reads the parts of vectors in a graph."""
        groups = None if self.group_energy is None else self.reader(graph)
        return PartReader(self._motifs(graph), groups)

    def _embedded(
        self, graph: Graph, ksets: np.ndarray, parts: Sequence[str] | None = None
    ) -> Iterator[tuple[int, np.ndarray]]:
        """The vectors of k-sets, or some of their parts, chunk by chunk, each with its first row."""
        if self.vector is None:
            return self._motifs(graph).run(ksets, self.network.embed)
        return self._vectors(graph).run(ksets, parts or list(self.parts))

    def _read_vectors(self, graph: Graph) -> VectorReader:
        return VectorReader(self.vector, self.part_reader(graph), self.k, at_home=self._is_home(graph))
