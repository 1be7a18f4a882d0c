"""Embedding of k-sets as a scikit-learn transformer."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from mhmgnn.config import RunConfig
from mhmgnn.errors import DataError
from mhmgnn.graph import Graph
from mhmgnn.models.model import Model
from mhmgnn.training.loop import fit


class SetEmbedder(TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Turns k-sets into vectors in scikit-learn pipelines and parameter searches.

    `source` is a graph, on which `fit` trains a model without labels, with `k`, `settings` such as
    ("model.dim=64",) and `seed`; or a trained model, which is used as it is. Training reads neither the
    k-sets nor their labels, so one model can serve all folds. Rows of X are k-sets, by index or by name.
    Clones share the source.
    """

    def __init__(
        self, source: Graph | Model, *, k: int = 3, settings: Sequence[str] = (), seed: int = 0
    ) -> None:
        self.source = source
        self.k = k
        self.settings = settings
        self.seed = seed

    def fit(self, X: Any, y: Any = None) -> SetEmbedder:
        """Train on the graph, if it was given one; X and y are not read."""
        if isinstance(self.source, Model):
            self.model_ = self.source
        elif isinstance(self.source, Graph):
            config = RunConfig().with_settings(self.settings)
            self.model_ = fit(self.source, self.k, config=config, seed=self.seed)
        else:
            raise DataError(f"source is {self.source!r}; it must be a Graph, or a Model that fit gave")
        self.n_features_in_ = self.model_.k
        return self

    def transform(self, X: Any) -> np.ndarray:
        """The vector of each k-set, (m, dim) float32."""
        check_is_fitted(self)
        return self.model_.embed(X)

    def get_feature_names_out(self, input_features: Any = None) -> np.ndarray:
        """Names of the output columns, for pandas."""
        check_is_fitted(self)
        return np.array([f"mhmgnn{i}" for i in range(self.model_.config.model.dim)], dtype=object)

    def __sklearn_clone__(self) -> SetEmbedder:
        return SetEmbedder(self.source, k=self.k, settings=self.settings, seed=self.seed)
