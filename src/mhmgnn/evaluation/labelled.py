"""A user's table of labelled k-sets -> how well linear probes predict the labels from the vectors."""

from pathlib import Path

import numpy as np

from mhmgnn.errors import DataError
from mhmgnn.evaluation.probes.cross import CrossValidated, cross_validate
from mhmgnn.io.tables import as_texts, place_of_row, places, read_table
from mhmgnn.models.predict import Embeds, graph_of, has_titles, read_ksets

LONGEST = 200  # letters of a label; in memory every label is as long as the longest


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
    graph = graph_of(model)
    header = has_titles(path, graph, True if header is None and label is not None else header)
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
    ksets = read_ksets(model, table.remove_column(at), path)
    sets = (graph, ksets) if apart else None
    return cross_validate(model.embed(ksets), labels, folds=folds, apart=sets, seed=seed)
