"""A trained model -> the maps that turn what is known of its k-sets into vectors; no label is read."""

from __future__ import annotations

from typing import cast

import numpy as np
import torch
from sklearn.utils.extmath import randomized_svd

from mhmgnn.graph import Graph
from mhmgnn.models.graph_vector import GRAPH, WIDE, graph_blocks, graph_rows, node_inputs
from mhmgnn.models.model import Model
from mhmgnn.models.vector import CONTEXT, GIVEN, GROUPS, INSIDE
from mhmgnn.nn.graph_vector import GraphVectorMap
from mhmgnn.nn.motifs.batch import Features
from mhmgnn.nn.motifs.features import stack_features
from mhmgnn.nn.node_kernel import NodeKernel
from mhmgnn.nn.vector import PartMap, VectorMap

SPREAD = {GROUPS: 0.5}  # beside others: where labels are few, a short training overfits to them
DIRECTIONS = 32  # of the features, before they are summed over a k-set
SHARPEN = -0.3  # whitening of whole graphs: short trainings overfit to directions that vary little
SOME_NODES = 20_000  # from which these directions are taken, at most


def fit_vector(model: Model, seed: int) -> VectorMap | None:
    """The maps of all parts, from random k-sets of the training graph; None for vectors as in the paper.

    Models of many graphs, or of whole graphs, have the paper's; see `fit_graph_vector`.
    """
    config, graph = model.config.vector, model.graph
    around = config.context / 2
    asked = {CONTEXT: around, INSIDE: around, GROUPS: config.groups, GIVEN: config.given}
    if graph is None or model.config.model.reads_graphs or not any(asked.values()):
        return None
    reader = model.part_reader(graph)
    has = {CONTEXT: True, INSIDE: True, GROUPS: reader.groups is not None, GIVEN: graph.x is not None}
    kept = [name for name, share in asked.items() if share and has[name]]
    projection = np.zeros((0, 0), np.float32)
    if GIVEN in kept:
        projection = main_directions(reader.motifs.features, seed)
    given = reader.projected(projection) if GIVEN in kept else projection
    rows = reader.rows(reader.random_ksets(model.k), [*reader.motifs.kinds, *kept], given)
    dim = model.config.model.dim
    sizes = {name: min(round(asked[name] * dim), rows[name].shape[1]) for name in kept}
    rest, kinds = dim - sum(sizes.values()), len(reader.motifs.kinds)
    of_noises = {name: (rest + i) // kinds for i, name in enumerate(reader.motifs.kinds)}
    vector = VectorMap(
        {name: (rows[name].shape[1], size) for name, size in (of_noises | sizes).items() if size},
        projection.shape,
    )
    vector.projection.copy_(torch.from_numpy(projection))
    for number, (name, one) in enumerate(vector.maps.items()):
        cast(PartMap, one).fit(rows[name], seed + number, spread=SPREAD.get(name, 1.0) * dim**-0.5)
    return vector.eval()


def fit_graph_vector(model: Model, graphs: list[Graph], seed: int) -> GraphVectorMap | None:
    """The map of vectors of whole graphs; None for a model of one graph, or the paper's."""
    share, dim = model.config.vector.nodes, model.config.model.dim
    if len(graphs) == 1 or not share:
        return None
    projection = np.zeros((0, 0), np.float32)
    features = [graph.x for graph in graphs if graph.x is not None]
    if features:
        width = features[0].shape[1]
        wide = width > WIDE
        projection = (
            main_directions(stack_features(features), seed) if wide else np.eye(width, dtype=np.float32)
        )
    inputs = [node_inputs(graph, projection) for graph in graphs]
    kernel = NodeKernel.fitted(inputs, seed)
    learned = model.embed_graphs(graphs, pool="mean")
    rows = graph_rows(inputs, kernel, learned)
    raw = rows.shape[1]
    vector = GraphVectorMap({GRAPH: (raw, dim)}, projection.shape, kernel)
    vector.projection.copy_(torch.from_numpy(projection))
    vector.take_usual({GRAPH: rows})
    blocks = graph_blocks(raw, kernel, learned.shape[1], share)
    cast(PartMap, vector.maps[GRAPH]).fit(rows, seed, dim**-0.5, whiten=SHARPEN, blocks=blocks)
    return vector.eval()


def main_directions(features: Features, seed: int) -> np.ndarray:
    """The directions in which node features are largest, (p, at most DIRECTIONS) float32."""
    rng = np.random.default_rng(seed)
    n, p = features.shape
    some = np.sort(rng.permutation(n)[:SOME_NODES])
    size = min(DIRECTIONS, p, some.size)
    _, _, directions = randomized_svd(features[some], size, random_state=int(rng.integers(2**31)))
    return np.ascontiguousarray(directions.T, np.float32)
