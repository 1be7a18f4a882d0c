"""Checksums of what is saved: crc32 of arrays, sha256 of bytes; nothing is held in memory twice."""

from __future__ import annotations

import hashlib
import zlib
from collections.abc import Iterable
from pathlib import Path

import numpy as np

BLOCK = 1 << 24  # bytes read at a time


def crc32(array: np.ndarray) -> int:
    """The crc32 of the bytes of an array, read in blocks: one that is mapped from disk is not loaded."""
    flat, total = np.asarray(array, order="C").reshape(-1).view(np.uint8), 0
    for start in range(0, flat.size, BLOCK):
        total = zlib.crc32(flat[start : start + BLOCK].data, total)
    return total


def sha256(contents: Iterable[bytes | memoryview]) -> str:
    """The sha256 of bytes that come one after another, in hexadecimal."""
    digest = hashlib.sha256()
    for content in contents:
        digest.update(content)
    return digest.hexdigest()


def file_sha256(path: Path) -> str:
    """The sha256 of a file, in hexadecimal."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
