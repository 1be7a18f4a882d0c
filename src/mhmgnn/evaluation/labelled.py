"""A table of k-sets with labels of a user's own -> how well a model's vectors tell them."""

from pathlib import Path

import numpy as np

from mhmgnn.errors import DataError
from mhmgnn.evaluation.probes.cross import CrossValidated, cross_validate
from mhmgnn.io.tables import as_texts, place_of_row, places, read_table
from mhmgnn.models.predict import Embeds, titles_in

LONGEST = 200  # letters of a label; all take the room of the longest


def probe_table(
    model: Embeds,
    path: Path,
    *,
    label: str | None = None,
    folds: int = 5,
    apart: bool = False,
    header: bool | None = None,
    seed: int = 0,
) -> CrossValidated:
    """Cross-validate the labels in column `label`, by default the last; the other columns are the k-sets."""
    if model.graph is None:
        raise DataError(
            "the model was trained on many graphs, so the table does not say whose nodes are meant"
        )
    header = titles_in(path, model.graph, True if header is None and label is not None else header)
    table = read_table(path, header=header)
    at = table.num_columns - 1 if label is None else places([label], table.column_names, path)[0]
    if table.num_columns != model.k + 1:
        raise DataError(
            f"{path} has {table.num_columns} columns; a model of k = {model.k} needs {model.k} of nodes "
            "and one of labels"
        )
    texts = as_texts(table.column(at), f"{path}, column {table.column_names[at]!r},").to_pylist()
    if None in texts or "" in texts:
        empty = next(row for row, text in enumerate(texts) if not text)
        raise DataError(f"{place_of_row(path, empty, header)}: the k-set has no label")
    if max(map(len, texts)) > LONGEST:
        long = max(texts, key=len)
        raise DataError(
            f"{path}: a label has {len(long)} letters, {long[:20]!r}...; at most {LONGEST} are allowed"
        )
    labels = np.array(texts, dtype=np.str_)
    ksets = model.graph.ksets(table.remove_column(at), k=model.k)
    sets = (model.graph, ksets) if apart else None
    return cross_validate(model.embed(ksets), labels, folds=folds, apart=sets, seed=seed)
