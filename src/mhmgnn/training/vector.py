"""A trained model -> the maps that turn what is known of its k-sets into vectors; no label is read."""

from __future__ import annotations

import numpy as np
import torch
from sklearn.utils.extmath import randomized_svd

from mhmgnn.graph import Graph
from mhmgnn.models.graph_vector import WIDE, graph_rows, graph_shares, node_inputs
from mhmgnn.models.model import Model
from mhmgnn.models.vector import CONTEXT, GIVEN, GROUPS, INSIDE
from mhmgnn.nn.graph_vector import GraphVectorMap
from mhmgnn.nn.motifs.batch import Features
from mhmgnn.nn.motifs.features import stack_features
from mhmgnn.nn.node_kernel import NodeKernel
from mhmgnn.nn.vector import VectorMap

LEAST_SHARE = 1e-6  # below it a share is zero, but for rounding
DIRECTIONS = 32  # of the features, before they are summed over a k-set
SOME_NODES = 20_000  # from which these directions are taken, at most


def fit_vector(model: Model, seed: int) -> VectorMap | None:
    """The map of all parts, from random k-sets of the training graph; None for vectors as in the paper.

    Models of many graphs, or of whole graphs, have the paper's; see `fit_graph_vector`.
    """
    config, graph = model.config.vector, model.graph
    around = config.context / 2
    asked = {CONTEXT: around, INSIDE: around, GROUPS: config.groups, GIVEN: config.given}
    if graph is None or model.config.model.reads_graphs or not any(asked.values()):
        return None
    reader = model.part_reader(graph)
    has = {CONTEXT: True, INSIDE: True, GROUPS: reader.groups is not None, GIVEN: graph.x is not None}
    kinds = reader.motifs.kinds
    of_noise = (1 - sum(asked.values())) / len(kinds)
    shares = dict.fromkeys(kinds, of_noise) | {name: share for name, share in asked.items() if has[name]}
    shares = {name: share for name, share in shares.items() if share > LEAST_SHARE}
    projection = np.zeros((0, 0), np.float32)
    if GIVEN in shares:
        projection = main_directions(reader.motifs.features, seed)
    rows = reader.reference_rows(model.k, shares, projection)
    dim = model.config.model.dim
    vector = VectorMap({name: part.shape[1] for name, part in rows.items()}, dim, projection.shape)
    vector.projection.copy_(torch.from_numpy(projection))
    vector.fit(rows, shares, seed, spread=dim**-0.5)
    return vector.eval()


def renew_units(model: Model, vector: VectorMap | None) -> VectorMap | None:
    """The same map in units of the model's graph, which has grown since."""
    if vector is not None and model.graph is not None:
        projection = vector.projection.numpy()
        vector.take_usual(model.part_reader(model.graph).reference_rows(model.k, vector.parts, projection))
    return vector


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
    rows = graph_rows(inputs, kernel, model.embed_graphs(graphs, pool="mean"))
    shares = graph_shares(share)
    return GraphVectorMap.fitted(rows, shares, dim, seed, projection=projection, kernel=kernel)


def main_directions(features: Features, seed: int) -> np.ndarray:
    """The directions in which node features are largest, (p, at most DIRECTIONS) float32."""
    rng = np.random.default_rng(seed)
    n, p = features.shape
    some = np.sort(rng.permutation(n)[:SOME_NODES])
    size = min(DIRECTIONS, p, some.size)
    _, _, directions = randomized_svd(features[some], size, random_state=int(rng.integers(2**31)))
    return np.ascontiguousarray(directions.T, np.float32)
