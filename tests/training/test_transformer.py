import pickle

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline

from mhmgnn import DataError, RunConfig, SetEmbedder, fit
from mhmgnn.datasets.market import generate
from mhmgnn.subgraphs.cliques import list_cliques

TINY = ("model.dim=8", "subgraphs.size=20", "train.steps=2", "train.batch=3", "groups.worlds=0")


@pytest.fixture(scope="module", name="shop")
def small_shop():
    return generate(products=80)


@pytest.fixture(scope="module", name="model")
def trained(shop):
    return fit(shop.graph, 3, config=RunConfig().with_settings(TINY), seed=4)


@pytest.fixture(name="ksets")
def triangles(shop):
    return list_cliques(shop.graph, 3)[::5]


def test_it_gives_the_vectors_of_the_model_that_fit_gives(shop, model, ksets):
    vectors = SetEmbedder(shop.graph, k=3, settings=TINY, seed=4).fit_transform(ksets)
    np.testing.assert_array_equal(vectors, model.embed(ksets))
    names = [[shop.graph.label(node) for node in kset] for kset in ksets.tolist()]
    np.testing.assert_array_equal(SetEmbedder(model).fit(names).transform(names), vectors)


def test_a_search_chooses_its_settings_in_a_pipeline(shop, ksets):
    labels = ksets.min(axis=1) < 10
    pipeline = make_pipeline(SetEmbedder(shop.graph, settings=TINY), LogisticRegression())
    sizes = [TINY, (*TINY, "model.dim=4")]
    found = GridSearchCV(pipeline, {"setembedder__settings": sizes}, cv=2).fit(ksets, labels)
    assert found.best_params_["setembedder__settings"] in sizes
    assert found.predict(ksets).shape == labels.shape


def test_a_clone_has_the_same_settings_and_is_not_fitted(shop, model, ksets):
    fitted = SetEmbedder(model, k=4, settings=TINY, seed=7).fit(ksets)
    again = clone(fitted)
    assert again.get_params() == fitted.get_params()
    assert again.source is model
    with pytest.raises(NotFittedError):
        again.transform(ksets)


def test_a_pickle_gives_the_same_vectors(model, ksets):
    fitted = SetEmbedder(model).fit(ksets)
    again = pickle.loads(pickle.dumps(fitted))
    np.testing.assert_array_equal(again.transform(ksets), fitted.transform(ksets))


def test_columns_have_names_for_pandas(model, ksets):
    frame = SetEmbedder(model).set_output(transform="pandas").fit_transform(ksets)
    assert list(frame.columns) == [f"mhmgnn{i}" for i in range(8)]


def test_what_is_no_graph_is_refused(ksets):
    with pytest.raises(DataError, match="it must be a Graph, or a Model"):
        SetEmbedder([[0, 1]]).fit(ksets)
