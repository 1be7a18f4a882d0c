"""Readers of what publishers have: archives, and the raw files of each data set."""

import hashlib
import io
import json
import tarfile
from pathlib import Path
from typing import Any

import numpy as np
from fuzz.reader import Reader, check_graph, npy, packed, pick, unpacked, zip_text, zipped
from scipy import sparse

from mhmgnn.datasets.citations import citations
from mhmgnn.datasets.coauthors import FOLDER, dblp_whole
from mhmgnn.datasets.collections import collection
from mhmgnn.datasets.fetch import _unpack
from mhmgnn.datasets.products import RENT, STEAM, rent, steam
from mhmgnn.datasets.sources import Content, RawFile

CITES = b"35 1033\n35 103482\n"
MEMBERS = {"cora/cora.cites": CITES, "to/../SMALL_A.txt": CITES[:8]}
LINKS = (
    tarfile.REGTYPE,
    tarfile.SYMTYPE,
    tarfile.LNKTYPE,
    tarfile.DIRTYPE,
    tarfile.FIFOTYPE,
    tarfile.CHRTYPE,
)


def wanted(name: str, content: bytes) -> RawFile:
    file = name.rpartition("/")[2]
    return RawFile(name, (Content(file, len(content), hashlib.sha256(content).hexdigest()),))


def tarred(files: list[tuple[str, bytes]], kind: bytes = tarfile.REGTYPE) -> bytes:
    """A tar of the files; one that is no regular file is of `kind`, and its content the name it links to."""
    into = io.BytesIO()
    with tarfile.open(fileobj=into, mode="w") as archive:
        for name, content in files:
            member = tarfile.TarInfo(name.replace("\0", "_"))
            if name in MEMBERS or kind == tarfile.REGTYPE:
                member.size = len(content)
            else:
                member.type, member.linkname = kind, content.decode("utf-8", "replace").replace("\0", "_")
            archive.addfile(member, io.BytesIO(content))
    return into.getvalue()


def read_archive(data: bytes, folder: Path) -> None:
    (form, kind), content = pick(data, ("raw", "tar", "zip", "files"), LINKS)
    if form == "tar":
        content = zip_text(content)
    elif form == "zip":
        content = zipped(unpacked(content))
    elif form == "files":
        content = zip_text(tarred(unpacked(content), kind))
    archive = folder / "downloads" / "a.tgz"
    archive.parent.mkdir()
    archive.write_bytes(content)
    try:
        _unpack(archive, [wanted("cora/cora.cites", CITES)], folder)
    finally:
        found = {path.relative_to(folder).as_posix(): path for path in folder.rglob("*") if not path.is_dir()}
        assert found.keys() <= {"cora/cora.cites"}, f"written: {sorted(found)}"
        assert all(path.read_bytes() == CITES for path in found.values())


def archive_seeds() -> list[bytes]:
    odd = {"../../evil": b"out of the folder", "/tmp/mhmgnn-evil": b"/etc/passwd", **MEMBERS}
    files = list(odd.items())
    raw = [zip_text(tarred(files)), zipped(files)]
    return [
        *(b"00" + some for some in raw),
        b"10" + tarred(files),
        b"20" + packed(odd),
        b"30" + packed(odd),
        b"31" + packed(odd),
    ]


def read_collection(data: bytes, folder: Path) -> None:
    (raw,), content = pick(data, (False, True))
    (folder / "tu").mkdir()
    (folder / "tu" / "ENZYMES.zip").write_bytes(content if raw else zipped(unpacked(content)))
    for graph in collection("enzymes", folder).graphs:
        check_graph(graph)


def collection_seeds() -> list[bytes]:
    parts = {
        "A": b"1, 2\n2, 1\n2, 3\n4, 5\n",
        "graph_indicator": b"1\n1\n1\n2\n2\n",
        "graph_labels": b"7\n-1\n",
        "node_labels": b"3\n1\n3\n9\n1\n",
        "node_attributes": b" 0.5, -1\n1,2\n1e3,4\n5,6\n7,8\n",
    }
    files = {f"ENZYMES//ENZYMES_{part}.txt": text for part, text in parts.items()}
    return [b"0" + packed(files), b"1" + zipped(files.items())]


def read_citations(data: bytes, folder: Path) -> None:
    place = folder / "cora"
    place.mkdir()
    files = [content for _, content in unpacked(data)]
    (place / "cora.content.gz").write_bytes(zip_text(files[0]))
    (place / "cora.cites").write_bytes(files[1] if len(files) > 1 else b"")
    check_graph(citations("cora", folder).graph)


def citation_seeds() -> list[bytes]:
    content = b"p9\t1\t0\t1\tRed\np2\t0\t0\t1\tBlue\np5\t1\t1\t0\tRed\n"
    return [packed({"content": content, "cites": b"p9\tp2\np2\tp9\np9\tp5\nq1\tp5\n"})]


def sparse_files(words: Any, **more: object) -> dict[str, bytes]:
    arrays = {"data": words.data, "indices": words.indices, "indptr": words.indptr, "shape": words.shape}
    return {f"{name}.npy": npy(array) for name, array in (arrays | more).items()}


WORDS = sparse.csr_array(np.array([[1, 0, 1], [0, 1, 0], [1, 1, 1]], np.float32))


def read_pubmed(data: bytes, folder: Path) -> None:
    (folder / "pubmed").mkdir()
    text, _, archive = data.partition(b"\n==\n")
    (folder / "pubmed" / "Pubmed-Diabetes.DIRECTED.cites.tab").write_bytes(text)
    (folder / "pubmed" / "pubmed.features.npz").write_bytes(zipped(unpacked(archive)))
    check_graph(citations("pubmed", folder).graph)


def pubmed_seeds() -> list[bytes]:
    text = b"DIRECTED\nNO_FEATURES\n1\tpaper:7\t|\tpaper:8\n2\tpaper:9\t|\tpaper:7"
    return [text + b"\n==\n" + packed(sparse_files(WORDS, paper_id=[7, 8, 9]))]


def read_dblp(data: bytes, folder: Path) -> None:
    (folder / FOLDER).mkdir(parents=True)
    text, _, archive = data.partition(b"\n==\n")
    (folder / FOLDER / "hyperedges.tsv.gz").write_bytes(zip_text(text))
    (folder / FOLDER / "features.npz").write_bytes(zipped(unpacked(archive)))
    check_graph(dblp_whole(folder).graph)


def dblp_seeds() -> list[bytes]:
    text = b"zoe\t0 2\nann\t0 1\n bo \t2 0\n\xc3\xa9lan\t1"
    return [text + b"\n==\n" + packed(sparse_files(WORDS))]


def read_steam(data: bytes, folder: Path) -> None:
    (zip_it,), content = pick(data, (False, True))
    path = folder / STEAM.file.removesuffix("" if zip_it else ".gz")
    path.parent.mkdir()
    path.write_bytes(zip_text(content) if zip_it else content)
    found = steam(folder)
    check_graph(found.graph)


def steam_seeds() -> list[bytes]:
    rows = [
        {
            "user_id": f"u{user}",
            "item_id": str(item),
            "posted": f"Posted May 5, {year}.",
            "review": "good farm",
        }
        for year in (2014, 2015)
        for user in range(2)
        for item in range(user, user + 3)
    ]
    text = "\n".join(map(json.dumps, rows)).encode()
    return [b"0" + text, b"1" + text]


def read_rent(data: bytes, folder: Path) -> None:
    path = folder / RENT.file
    path.parent.mkdir()
    path.write_bytes(zip_text(data))
    check_graph(rent(folder).graph)


def rent_seeds() -> list[bytes]:
    head = "user_id,item_id,weight,review_date,category,rented_for,body_type,size,fit,age,rating"
    rows = [
        f"{user},{item},150,{year}-05-11,gown,party,pear,{item},fit,31,10"
        for year in (2016, 2017)
        for user in range(2)
        for item in range(user, user + 3)
    ]
    return ["\n".join([head, *rows]).encode()]


READERS = {
    "archive": Reader(read_archive, archive_seeds),
    "collection": Reader(read_collection, collection_seeds),
    "citations": Reader(read_citations, citation_seeds),
    "pubmed": Reader(read_pubmed, pubmed_seeds),
    "dblp": Reader(read_dblp, dblp_seeds),
    "steam": Reader(read_steam, steam_seeds),
    "rent": Reader(read_rent, rent_seeds),
}
