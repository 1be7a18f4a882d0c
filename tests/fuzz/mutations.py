"""Hostile inputs: files that were whole, damaged in a few places, and nonsense made of telling words."""

from collections.abc import Callable
from typing import Any

from hypothesis import strategies as st

WORDS = [
    *(
        b"\0",
        b"\xff",
        b"\r",
        b"\n",
        b",",
        b"\t",
        b"  ",
        b'"',
        b"#",
        b"=",
        b"/",
        b"..",
        b"\x0b",
        b"\xe2\x80\xa8",
    ),
    *(b"-1", b"0", b"1.5", b"1e400", b"nan", b"inf", b"2147483648", b"9223372036854775807", b"9" * 30),
    *(b"null", b"true", b"[]", b"{}", b"[[", b"\\ud800", b"\xed\xa0\x80", b"\xc3", b"\xef\xbb\xbf", b"_"),
    *(
        b"|O",
        b"<U4",
        b"<f8",
        b"<c16",
        b">i4",
        b"?",
        b"()",
        b"(0,)",
        b"(3, 0)",
        b"\xff\xff\xff\x7f",
        b"\x01\0\0\0",
    ),
]
Draw = Callable[[st.SearchStrategy[Any]], Any]


def flip(draw: Draw, data: bytes) -> bytes:
    at = draw(st.integers(0, max(len(data) - 1, 0)))
    return (
        data[:at] + bytes(byte ^ 1 << draw(st.integers(0, 7)) for byte in data[at : at + 1]) + data[at + 1 :]
    )


def cut(draw: Draw, data: bytes) -> bytes:
    return data[: draw(st.integers(0, len(data)))]


def insert(draw: Draw, data: bytes) -> bytes:
    at, gone = draw(st.integers(0, len(data))), draw(st.sampled_from([0, 0, 1, 2, 4, 8]))
    return data[:at] + draw(st.sampled_from(WORDS) | st.binary(max_size=8)) + data[at + gone :]


def swap(draw: Draw, data: bytes) -> bytes:
    lines = data.split(b"\n")
    one, other = (draw(st.integers(0, len(lines) - 1)) for _ in range(2))
    lines[one], lines[other] = lines[other], lines[one]
    return b"\n".join(lines)


def repeat(draw: Draw, data: bytes) -> bytes:
    lines = data.split(b"\n")
    at = draw(st.integers(0, len(lines) - 1))
    return b"\n".join(lines[:at] + lines[at : at + 1] * draw(st.sampled_from([0, 2, 3])) + lines[at + 1 :])


@st.composite
def damaged(draw: Draw, whole: list[bytes]) -> bytes:
    """One of `whole` with one to four changes."""
    data = draw(st.sampled_from(whole))
    for change in draw(
        st.lists(st.sampled_from([flip, insert, insert, cut, swap, repeat]), min_size=1, max_size=4)
    ):
        data = change(draw, data)
    return bytes(data)


def hostile(whole: list[bytes]) -> st.SearchStrategy[bytes]:
    """Mostly damaged files, some nonsense."""
    words = st.lists(st.sampled_from(WORDS), max_size=30).map(b"".join)
    nonsense = st.tuples(st.sampled_from([b"", b"0", b"00", b"0000"]), words | st.binary(max_size=100)).map(
        b"".join
    )
    return st.one_of(damaged(whole), damaged(whole), damaged(whole), nonsense)
