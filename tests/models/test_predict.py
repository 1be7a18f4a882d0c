from itertools import combinations

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from conftest import random_graph

from mhmgnn import DataError, Graph, fit
from mhmgnn.config import RunConfig
from mhmgnn.graph.names import Names
from mhmgnn.io.tables import TableWriter, read_table
from mhmgnn.models.predict import ROWS, Job, energies, vectors, write

CONFIG = RunConfig().with_settings(["model.dim=8", "subgraphs.size=8", "train.steps=1", "train.batch=2"])


def trained(*, names):
    graph = random_graph(3)
    x = np.random.default_rng(7).standard_normal((graph.num_nodes, 4)).astype(np.float32)
    called = Names.of([f"item {node}, new" for node in range(graph.num_nodes)]) if names else None
    return fit(Graph(*graph.rows, x, names=called), config=CONFIG)


@pytest.fixture(scope="module", name="model")
def named_model():
    return trained(names=True)


@pytest.fixture(scope="module", name="nameless")
def nameless_model():
    return trained(names=False)


@pytest.fixture(name="ksets")
def shuffled_sets():
    """Half of all three-sets, connected or not, rows and nodes in no order."""
    rng = np.random.default_rng(0)
    every = rng.permutation(list(combinations(range(12), 3)))
    return rng.permuted(every[::2], axis=1)


def cells(model, ksets):
    """The k-sets as a table writes them: by name where nodes have names."""
    labels = [[model.graph.label(node) for node in kset] for kset in ksets.tolist()]
    return labels if model.graph.names is not None else ksets.tolist()


def write_sets(path, model, ksets):
    columns = list(zip(*cells(model, ksets), strict=True))
    with TableWriter(path) as writer:
        writer.write(pa.table({name: pa.array(column) for name, column in zip("uvw", columns, strict=True)}))
    return path


def write_energies(model, source, target, *, rows=ROWS):
    return write(lambda: model, Job(energies, source, target, rows=rows))


def write_embeddings(model, source, target, *, rows=ROWS):
    return write(lambda: model, Job(vectors, source, target, rows=rows))


def numbers(table, names):
    return np.column_stack([np.array(table[name].to_pylist(), np.float32) for name in names])


@pytest.mark.parametrize("rows", [2**17, 7], ids=["whole", "chunks"])
@pytest.mark.parametrize("ending", ["csv", "tsv", "csv.gz", "parquet"])
@pytest.mark.parametrize("named", [True, False], ids=["names", "indices"])
def test_tables_hold_what_the_model_gives_row_for_row(model, nameless, ksets, tmp_path, rows, ending, named):
    model = model if named else nameless
    source = write_sets(tmp_path / f"sets.{ending}", model, ksets)
    targets = tmp_path / f"energies.{ending}", tmp_path / f"vectors.{ending}"
    assert write_energies(model, source, targets[0], rows=rows) == len(ksets)
    assert write_embeddings(model, source, targets[1], rows=rows) == len(ksets)
    first, second = (read_table(target, header=True) for target in targets)
    assert first.column_names == ["u", "v", "w", "energy"]
    assert second.column_names == ["u", "v", "w", *(f"v{i}" for i in range(8))]
    given = [list(map(str, kset)) for kset in cells(model, ksets)]
    for table in (first, second):
        kept = [list(map(str, row.values()))[:3] for row in table.to_pylist()]
        assert kept == given
    np.testing.assert_allclose(numbers(first, ["energy"])[:, 0], model.energy(ksets), atol=1e-6)
    np.testing.assert_allclose(numbers(second, second.column_names[3:]), model.embed(ksets), atol=1e-6)
    assert 0 < np.isinf(numbers(first, ["energy"])).sum() < len(ksets)
    assert set(tmp_path.iterdir()) == {source, *targets}


def test_parquet_keeps_single_precision_and_text_columns(model, ksets, tmp_path):
    source = write_sets(tmp_path / "sets.parquet", model, ksets)
    write_energies(model, source, tmp_path / "out.parquet")
    written = pq.read_table(tmp_path / "out.parquet")
    assert written.schema.field("energy").type == pa.float32()
    np.testing.assert_array_equal(written["energy"].to_numpy(), model.energy(ksets))
    assert written.select(["u", "v", "w"]).equals(pq.read_table(source))


@pytest.mark.parametrize(
    ("row", "message"),
    [
        (["item 1, new", "item 1, new", "item 2, new"], "k-set 2 holds node 'item 1, new' twice"),
        (["item 1, new", "item 2, new", "item 99, new"], "k-set 2 holds 'item 99, new'"),
    ],
    ids=["twice", "unknown"],
)
@pytest.mark.parametrize("writer", [write_energies, write_embeddings])
def test_a_bad_row_in_a_later_chunk_is_named_and_nothing_is_written(
    model, ksets, tmp_path, writer, row, message
):
    source = tmp_path / "sets.csv"
    rows = cells(model, ksets)
    rows[17] = row  # row 2 of the fourth chunk
    source.write_text("\n".join(",".join(f'"{cell}"' for cell in cells) for cells in rows))
    with pytest.raises(DataError, match=rf"sets\.csv, counting rows from 15: {message}"):
        writer(model, source, tmp_path / "out.csv", rows=5)
    assert [file.name for file in tmp_path.iterdir()] == ["sets.csv"]


def test_a_table_with_a_wrong_number_of_columns_is_refused(model, tmp_path):
    source = tmp_path / "sets.tsv"
    source.write_text("item 1, new\titem 2, new\n")
    with pytest.raises(DataError, match=r"sets\.tsv.* 2 columns; a k-set here has 3 nodes"):
        write_energies(model, source, tmp_path / "out.csv")
    assert not (tmp_path / "out.csv").exists()


def test_a_result_that_was_there_stays_when_a_new_one_fails(model, tmp_path):
    target = tmp_path / "out.csv"
    target.write_text("as it was")
    with pytest.raises(DataError, match=r"there is no file .*none\.csv"):
        write_energies(model, tmp_path / "none.csv", target)
    assert target.read_text() == "as it was"


def test_a_model_of_many_graphs_cannot_tell_whose_nodes_a_table_means(tmp_path):
    model = fit([random_graph(3), random_graph(4)], config=CONFIG)
    with pytest.raises(DataError, match="trained on many graphs"):
        write_energies(model, tmp_path / "sets.csv", tmp_path / "out.csv")


def test_a_column_of_lists_holds_no_nodes(model, tmp_path):
    pq.write_table(pa.table({"u": [[1]], "v": [[2]], "w": [[3]]}), tmp_path / "sets.parquet")
    with pytest.raises(DataError, match="holds list"):
        write_energies(model, tmp_path / "sets.parquet", tmp_path / "out.csv")
    with pytest.raises(DataError, match="the nodes have names, so the table must hold texts"):
        model.graph.ksets(pa.table({"u": [[1]], "v": [[2]], "w": [[3]]}), k=3)
    assert [path.name for path in tmp_path.iterdir()] == ["sets.parquet"]
