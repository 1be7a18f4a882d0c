"""A scikit-learn pipeline on k-set embeddings: k-sets in, labels out, cross-validated.

python examples/sklearn_pipeline.py
"""

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GroupKFold, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler

import mhmgnn
from mhmgnn.datasets.market import generate
from mhmgnn.graph.partition import split
from mhmgnn.subgraphs.cliques import list_cliques

shop = generate(products=240, seed=0)
graph = shop.graph
# Small settings, for seconds in place of a minute.
settings = ["subgraphs.size=40", "train.batch=8", "train.learning_rate=0.003"]
model = mhmgnn.fit(graph, k=3, config=mhmgnn.RunConfig().with_settings(settings), seed=0)

# Labels: is this triangle of products a cart? Triangles inside one of five parts of the graph, so that
# folds share no product: else a classifier could learn products by heart.
part = split(graph, 5, seed=0)
ksets = list_cliques(graph, 3)
ksets = ksets[(part[ksets] == part[ksets[:, :1]]).all(axis=1)]
labels = shop.truth.holds(ksets)
print(f"{len(ksets):,} triangles in {len(np.unique(part))} parts, {labels.mean():.0%} of them carts")


def summed_words(rows: np.ndarray) -> np.ndarray:
    """The words of the three products, added up."""
    return np.asarray(sum(graph.x[rows[:, slot]].toarray() for slot in range(3)))


embedders = {"sum of words": FunctionTransformer(summed_words), "mhmgnn": mhmgnn.SetEmbedder(model)}
for name, embedder in embedders.items():
    pipeline = make_pipeline(
        embedder,
        StandardScaler(),
        LogisticRegression(C=0.01, class_weight="balanced", max_iter=1000),
    )
    scores = cross_val_score(
        pipeline, ksets, labels, groups=part[ksets[:, 0]], cv=GroupKFold(5), scoring="balanced_accuracy"
    )
    print(f"{name:<13} balanced accuracy {scores.mean():.3f}, folds {scores.min():.2f} to {scores.max():.2f}")
