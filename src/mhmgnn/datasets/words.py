"""What is said of products, as a matrix: the words of their reviews, or how often an answer was given."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from scipy import sparse

from mhmgnn.graph.names import one_chunk

COMMON = 0.02  # share of the products whose reviews must hold a word for it to be a column


class Terms(NamedTuple):
    """How much each product has of each term."""

    names: list[str]  # distinct
    values: sparse.csr_array  # (products, terms) float32

    def onto(self, columns: list[str]) -> sparse.csr_array:
        """The values of the terms in `columns`, (products, columns); a column that is no term is empty."""
        place = {name: column for column, name in enumerate(columns)}
        kept = [term for term, name in enumerate(self.names) if name in place]
        target = [place[self.names[term]] for term in kept]
        ones = np.ones(len(kept), dtype=np.float32)
        onto = sparse.csr_array((ones, (kept, target)), shape=(len(self.names), len(columns)))
        return sparse.csr_array(self.values @ onto)


def words(texts: pa.ChunkedArray, product: np.ndarray, products: int) -> Terms:
    """1 where a text about a product holds a word; text i is about `product[i]`, one of `products`.

    A word is two or more letters a to z in a row, large or small.
    """
    pieces = pc.split_pattern_regex(pc.utf8_lower(one_chunk(texts)), "[^a-z]+")
    found = pc.list_flatten(pieces)
    is_word = pc.greater_equal(pc.binary_length(found), 2)
    text = pc.list_parent_indices(pieces).filter(is_word).to_numpy()
    counts = _count(found.filter(is_word), product[text], products)
    counts.values.data[:] = 1
    return counts


def common_words(said: Terms) -> list[str]:
    """The words said of at least 2 % of the products, without stop words, in the order of the alphabet."""
    spread = np.bincount(said.values.indices, minlength=len(said.names))
    common = np.flatnonzero(spread >= COMMON * said.values.shape[0])
    return sorted({said.names[term] for term in common} - set(STOP_WORDS.split()))


def shares(answers: dict[str, pa.ChunkedArray], product: np.ndarray, products: int) -> Terms:
    """For each question the share of a product's answers that are this one, as a term "question: answer".

    Row i of all `answers` is about `product[i]`, one of `products`. A row without an answer does not count.
    """
    parts = []
    for question, column in answers.items():
        given = np.asarray(column.is_valid())
        counts = _count(one_chunk(column.drop_null()), product[given], products)
        total = np.maximum(np.bincount(product[given], minlength=products), 1).astype(np.float32)
        share = sparse.csr_array(sparse.diags_array(1 / total) @ counts.values)
        parts.append(Terms([f"{question}: {answer}" for answer in counts.names], share))
    names = [name for part in parts for name in part.names]
    return Terms(names, sparse.csr_array(sparse.hstack([part.values for part in parts])))


def _count(terms: pa.Array, product: np.ndarray, products: int) -> Terms:
    """How often each term comes with each product."""
    encoded = terms.dictionary_encode()
    names = [str(name) for name in encoded.dictionary.to_pylist()]
    places = (product, encoded.indices.to_numpy())
    ones = np.ones(len(terms), dtype=np.float32)
    return Terms(names, sparse.coo_array((ones, places), shape=(products, len(names))).tocsr())


STOP_WORDS = (  # of the Glasgow Information Retrieval Group, as scikit-learn has them
    "a about above across after afterwards again against all almost alone along already also although "
    "always am among amongst amoungst amount an and another any anyhow anyone anything anyway anywhere are "
    "around as at back be became because become becomes becoming been before beforehand behind being below "
    "beside besides between beyond bill both bottom but by call can cannot cant co con could couldnt cry "
    "de describe detail do done down due during each eg eight either eleven else elsewhere empty enough "
    "etc even ever every everyone everything everywhere except few fifteen fifty fill find fire first five "
    "for former formerly forty found four from front full further get give go had has hasnt have he hence "
    "her here hereafter hereby herein hereupon hers herself him himself his how however hundred i ie if in "
    "inc indeed interest into is it its itself keep last latter latterly least less ltd made many may me "
    "meanwhile might mill mine more moreover most mostly move much must my myself name namely neither "
    "never nevertheless next nine no nobody none noone nor not nothing now nowhere of off often on once "
    "one only onto or other others otherwise our ours ourselves out over own part per perhaps please put "
    "rather re same see seem seemed seeming seems serious several she should show side since sincere six "
    "sixty so some somehow someone something sometime sometimes somewhere still such system take ten than "
    "that the their them themselves then thence there thereafter thereby therefore therein thereupon these "
    "they thick thin third this those though three through throughout thru thus to together too top toward "
    "towards twelve twenty two un under until up upon us very via was we well were what whatever when "
    "whence whenever where whereafter whereas whereby wherein whereupon wherever whether which while "
    "whither who whoever whole whom whose why will with within without would yet you your yours yourself "
    "yourselves"
)
