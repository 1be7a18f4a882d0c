"""Raw files as they are read: unpacked within measure, and texts that are texts."""

import gzip
import json

import pytest

from mhmgnn.datasets.files import raw_bytes
from mhmgnn.datasets.products import STEAM, steam
from mhmgnn.errors import DataError


def test_a_raw_file_is_its_content_packed_or_not(tmp_path):
    (tmp_path / "a").write_bytes(b"content")
    (tmp_path / "a.gz").write_bytes(gzip.compress(b"content"))
    assert raw_bytes("cora", tmp_path / "a") == raw_bytes("cora", tmp_path / "a.gz") == b"content"


def test_a_raw_file_that_is_cut_is_refused(tmp_path):
    (tmp_path / "a.gz").write_bytes(gzip.compress(b"content")[:-9])
    with pytest.raises(DataError, match=r"a\.gz is damaged: .*; get it again with `mhmgnn data fetch cora`"):
        raw_bytes("cora", tmp_path / "a.gz")


@pytest.mark.parametrize("review, broken", [(b"good", False), (b"go\xff\xfe", True)])
def test_a_review_that_is_not_utf_8_is_refused(tmp_path, review, broken):
    rows = [
        {"user_id": "u", "item_id": str(item), "posted": f"Posted May 5, {year}.", "review": "good game"}
        for year in STEAM.years
        for item in range(3)
    ]
    path = tmp_path / STEAM.file.removesuffix(".gz")
    path.parent.mkdir()
    path.write_bytes("\n".join(map(json.dumps, rows)).encode().replace(b"good", review))
    if not broken:
        assert steam(tmp_path).graph.num_nodes == 3
        return
    with pytest.raises(DataError, match=r"is damaged: .*UTF8.*; get it again with `mhmgnn data fetch steam`"):
        steam(tmp_path)
