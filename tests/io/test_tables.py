import gzip
import os

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from mhmgnn.errors import DataError
from mhmgnn.io.tables import TableWriter, column_names, read_chunks, read_table
from mhmgnn.io.text import PlainLines, sniff

TABLE = pa.table({"a": ["x", "y, z", "ü"], "b": ['say "no"', "2", "3"]})


def write(path, text):
    data = text.encode() if isinstance(text, str) else text
    path.write_bytes(gzip.compress(data) if path.suffix == ".gz" else data)
    return path


@pytest.mark.parametrize("name", ["t.csv", "t.tsv", "t.csv.gz", "t.tsv.gz", "t.parquet"])
def test_a_table_comes_back_as_it_was_written(tmp_path, name):
    with TableWriter(tmp_path / name) as writer:
        writer.write(TABLE.slice(0, 1))
        writer.write(TABLE.slice(1))
    assert read_table(tmp_path / name, header=True).to_pydict() == TABLE.to_pydict()
    assert [file.name for file in tmp_path.iterdir()] == [name]


@pytest.mark.parametrize("name", ["t.csv", "t.csv.gz", "t.parquet"])
def test_a_table_that_fails_on_the_way_leaves_the_old_one(tmp_path, name):
    (tmp_path / name).write_text("old")

    def fail_midway():
        with TableWriter(tmp_path / name) as writer:
            writer.write(TABLE)
            raise KeyError

    with pytest.raises(KeyError):
        fail_midway()
    assert [(file.name, file.read_text()) for file in tmp_path.iterdir()] == [(name, "old")]


@pytest.mark.parametrize("name", ["t.xlsx", "t", "t.parquet.gz", "missing/t.csv"])
def test_a_table_that_cannot_be_written_is_refused_at_once(tmp_path, name):
    with pytest.raises(DataError, match="cannot write"):
        TableWriter(tmp_path / name)


@pytest.mark.parametrize("name", ["t.csv", "t.csv.gz", "t.parquet"])
@pytest.mark.parametrize("rows", [1, 4, 10, 11])
def test_chunks_put_together_are_the_table(tmp_path, name, rows):
    table = pa.table({"n": [f"n{i}" for i in range(10)]}).cast(pa.schema({"n": pa.large_string()}))
    with TableWriter(tmp_path / name) as writer:
        writer.write(table)
    chunks = list(read_chunks(tmp_path / name, rows=rows, header=True))
    assert pa.concat_tables(chunks).equals(table)
    assert max(chunk.num_rows for chunk in chunks) <= rows


@pytest.mark.parametrize(
    "text, columns, rows",
    [
        ("a,b\nc,d\n", ("0", "1"), [["a", "b"], ["c", "d"]]),
        ("a,b\nc,d", ("0", "1"), [["a", "b"], ["c", "d"]]),
        ("# one\n\n%two\na\tb c\n  \nd\te\n", ("0", "1"), [["a", "b c"], ["d", "e"]]),
        ("  a   b\t \n\tc d\r\n", ("0", "1"), [["a", "b"], ["c", "d"]]),
        ("source target\na b\n", ("source", "target"), [["a", "b"]]),
        ("\ufeffx,weight\na,1\nb,2.5\n", ("x", "weight"), [["a", "1"], ["b", "2.5"]]),
        ('a,"b, c"\nd ,e\n', ("0", "1"), [["a", "b, c"], ["d", "e"]]),
        (",0,1\na,5,6\n", ("", "0", "1"), [["a", "5", "6"]]),
        ("a,b\nc,\n", ("0", "1"), [["a", "b"], ["c", ""]]),
        ("n\n1\n2\n", ("n",), [["1"], ["2"]]),
        ("007,NA\nnull,nan\n", ("0", "1"), [["007", "NA"], ["null", "nan"]]),
    ],
)
@pytest.mark.parametrize("ending", [".txt", ".txt.gz"])
def test_the_layout_of_text_is_told_from_the_text(tmp_path, text, columns, rows, ending):
    path = write(tmp_path / f"t{ending}", text)
    table = read_table(path)
    assert tuple(table.column_names) == columns
    assert [[cell.strip() for cell in row.values()] for row in table.to_pylist()] == rows


def test_a_comma_in_tabbed_text_is_part_of_the_name(tmp_path):
    path = write(tmp_path / "t.txt", "Smith, J\tDoe, A\nDoe, A\tRoe, R\n")
    assert read_table(path).column(0).to_pylist() == ["Smith, J", "Doe, A"]


def test_columns_are_picked_by_name_or_position_in_the_order_asked(tmp_path):
    path = write(tmp_path / "t.csv", "id,w,v\na,1,2\nb,3,4\n")
    table = read_table(path, columns=["v", 0], numeric=["v"])
    assert table.to_pydict() == {"v": [2.0, 4.0], "id": ["a", "b"]}


def test_lines_cut_by_a_block_are_put_together(tmp_path, monkeypatch):
    text = "".join(f"{i}  name{i}\n# note {i}\n" for i in range(50))
    path = write(tmp_path / "t.txt", text)
    plain = "".join(f"{i} name{i}\n" for i in range(50)).encode()
    for block in range(1, 40):
        monkeypatch.setattr("mhmgnn.io.text._BLOCK", block)
        with PlainLines(path, sniff(path, header=False)) as lines:
            assert b"".join(iter(lambda lines=lines: lines.read(7), b"")) == plain


@pytest.mark.parametrize(
    "name, content, message",
    [
        ("t.csv", "# c\na,b\n\nc,d,e\n", r"line 4: 3 cells where 2 are expected: 'c,d,e'"),
        ("t.txt", "a b\n% c\nlonely\n", r"line 3: 1 cells where 2 are expected: 'lonely'"),
        ("t.csv", "", "holds no rows"),
        ("t.csv", "# only\n\n", "holds no rows"),
        ("t.csv.gz", gzip.compress(b"a,b\n" * 5000, mtime=0)[:-30], "is damaged"),
        ("t.csv", b"a,b\nc,\xff\n", "is not text in utf-8"),
        ("t.dat", b"PK\x03\x04\x00\x00a", "is not text"),
        ("t.parquet", b"PAR1 no PAR1", "cannot be read"),
    ],
)
def test_a_file_that_is_no_table_is_refused_with_the_place(tmp_path, name, content, message):
    path = tmp_path / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    with pytest.raises(DataError, match=message) as caught:
        read_table(path)
    assert str(path) in str(caught.value)
    with pytest.raises(DataError, match=message):
        list(read_chunks(path, rows=2))


def test_what_excel_writes_in_europe_is_read(tmp_path):
    """Semicolons, a mark of utf-8 and Windows line ends; a comma inside a number is no separator."""
    path = tmp_path / "pairs.csv"
    path.write_bytes("\ufeffsource;target;count\r\ntea;cup, blue;3\r\ncup, blue;pot;1\r\n".encode())
    assert column_names(path, None) == ("source", "target", "count")
    assert read_table(path).column("target").to_pylist() == ["cup, blue", "pot"]


@pytest.mark.parametrize(
    "name, content, told",
    [
        ("pairs.csv", "source\ttarget\r\ntea\tcup\r\n".encode("utf-16"), "UTF-16.*save it as CSV in UTF-8"),
        ("pairs.xlsx", b"PK\x03\x04", "a spreadsheet; save it as CSV in UTF-8"),
    ],
)
def test_other_files_of_spreadsheets_are_told_how_to_save(tmp_path, name, content, told):
    (tmp_path / name).write_bytes(content)
    with pytest.raises(DataError, match=told):
        read_table(tmp_path / name)


def test_titles_alone_are_no_row(tmp_path):
    path = tmp_path / "pairs.csv"
    path.write_text("source,target\n")
    with pytest.raises(DataError, match="titles and no rows below them"):
        read_table(path)
    path.write_text("to,moon\n")
    assert column_names(path, None) == ("0", "1")


@pytest.mark.parametrize("mark", [",", "\t", ";", "  "])
def test_lines_that_end_early_are_filled_with_empty_cells(tmp_path, mark):
    path = tmp_path / "sets.csv"
    path.write_text(f"a{mark}b\nc{mark}d{mark}e\n\nf\n")
    (table,) = read_chunks(path, header=False, ragged=True)
    assert table.to_pydict() == {"0": ["a", "c", "f"], "1": ["b", "d", ""], "2": ["", "e", ""]}
    with pytest.raises(DataError, match="line 2: 3 cells where 2 are expected"):
        read_table(path, header=False)


def test_a_quoted_comma_is_no_end_of_a_cell_in_lines_of_any_length(tmp_path):
    path = tmp_path / "sets.csv"
    path.write_text('a,"b, c"\nd,e,f\n')
    (table,) = read_chunks(path, header=False, ragged=True)
    assert table.column("1").to_pylist() == ["b, c", "e"]


def test_gzip_that_is_none_is_said_to_be_damaged(tmp_path):
    (tmp_path / "t.csv.gz").write_text("a,b\n")
    with pytest.raises(DataError, match="is damaged"):
        read_table(tmp_path / "t.csv.gz")


def test_a_cell_that_is_no_number_is_named_with_line_and_column(tmp_path):
    path = write(tmp_path / "t.csv", "id,w\na,1\n# pause\nb,two\n")
    with pytest.raises(DataError, match=r"line 4, column 'w': 'two' is not a number"):
        read_table(path, numeric=["w"])


def test_an_unknown_column_is_refused_with_those_there_are(tmp_path):
    pq.write_table(TABLE, tmp_path / "t.parquet")
    for path in (tmp_path / "t.parquet", write(tmp_path / "t.csv", "a,b\n1,2\n")):
        with pytest.raises(DataError, match="no column 'c'; it has a, b"):
            read_table(path, columns=["a", "c"])
    with pytest.raises(DataError, match="2 columns 'a'"):
        read_table(write(tmp_path / "u.csv", "a,a\n1,2\n"), columns=["a"])


def test_a_missing_file_and_a_folder_are_refused(tmp_path):
    with pytest.raises(DataError, match="there is no file"):
        read_table(tmp_path / "none.csv")
    with pytest.raises(DataError, match="is a folder"):
        read_table(tmp_path)


@pytest.mark.parametrize("text", ["a,b\n\rc,d\n", "a,b\rc,d\r", "u,v\n" + "a,b\n" * 200 + "c\rd,e\n"])
def test_a_carriage_return_inside_a_line_is_refused(tmp_path, text):
    with pytest.raises(DataError, match=r"t\.csv has a carriage return inside a line"):
        read_table(write(tmp_path / "t.csv", text))


def test_the_last_line_may_end_in_a_carriage_return_alone(tmp_path):
    assert read_table(write(tmp_path / "t.csv", "a,b\r\nc,d\r"), header=False).num_rows == 2


def test_a_cell_may_be_long(tmp_path):
    long = "x" * 200_000
    table = read_table(write(tmp_path / "t.csv", f"a,{long}\n"), header=False)
    assert table.column("1").to_pylist() == [long]
    with pytest.raises(DataError, match="a line cannot be cut into cells: field larger than"):
        read_table(write(tmp_path / "t.csv", f'a,"{long}"\n'), header=False)


def test_only_blanks_and_tabs_separate_cells(tmp_path):
    table = read_table(write(tmp_path / "t.txt", "\x0b \x0b\na \u2028b\n"), header=False)
    assert table.column("1").to_pylist() == ["\x0b", "\u2028b"]


def parquet(path, columns, change=(b"", b"")):
    pq.write_table(columns, path, compression="none", use_dictionary=False, write_statistics=False)
    path.write_bytes(path.read_bytes().replace(*change))
    return path


def test_texts_that_are_not_utf_8_are_refused(tmp_path):
    table = pa.table({"first": ["text", "b"], "v": ["c", "d"]})
    with pytest.raises(DataError, match=r"t\.parquet cannot be read: .*UTF8"):
        read_table(parquet(tmp_path / "t.parquet", table, (b"text", b"te\xff\xfe")))
    with pytest.raises(DataError, match=r"t\.parquet cannot be read: .*utf-8"):
        read_table(
            parquet(tmp_path / "t.parquet", table.replace_schema_metadata(None), (b"first", b"fir\xff\xfe"))
        )


def test_a_column_whose_name_comes_twice_cannot_be_picked(tmp_path):
    table = pa.Table.from_arrays([pa.array(["a"]), pa.array(["b"]), pa.array(["c"])], names=["u", "u", "w"])
    path = parquet(tmp_path / "t.parquet", table)
    assert read_table(path).num_columns == 3
    with pytest.raises(DataError, match="exists 2 times"):
        read_table(path, columns=[0, 2])


def test_columns_of_lists_are_refused_unless_they_are_left_out(tmp_path):
    path = parquet(tmp_path / "t.parquet", pa.table({"u": ["a"], "v": ["b"], "w": [[1, 2]]}))
    assert read_table(path, columns=["u", "v"]).num_rows == 1
    with pytest.raises(DataError, match=r"column 'w' holds list<.*>; it must hold texts or numbers"):
        read_table(path)


@pytest.mark.parametrize("rows", [None, 10])
def test_a_table_without_rows_is_one_empty_piece(tmp_path, rows):
    path = parquet(tmp_path / "t.parquet", pa.table({"u": pa.array([], pa.string())}))
    assert [chunk.num_rows for chunk in read_chunks(path, rows=rows)] == [0]


def test_a_pipe_is_not_waited_for(tmp_path):
    os.mkfifo(tmp_path / "t.csv")
    with pytest.raises(DataError, match="is no ordinary file"):
        read_table(tmp_path / "t.csv")
