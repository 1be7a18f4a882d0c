"""A reader that knows when HTML is not well formed, and what every page must be."""

import re
from html.parser import HTMLParser

from mhmgnn import RunConfig

EMPTY = {"meta", "link", "br", "img", "input", "hr"}  # elements that have no end
CONFIG = RunConfig().with_settings(
    ["model.dim=8", "subgraphs.size=20", "train.steps=4", "train.batch=3", "train.checkpoint_every=2"]
)


class Reader(HTMLParser):
    """Reads a page into elements, and refuses one whose tags do not match."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.open: list[str] = []
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.words: list[tuple[str, str]] = []  # element that holds them, words
        self.feed(text)
        self.close()
        assert not self.open, f"{self.open} are never closed"

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_startendtag(tag, attrs)
        if tag not in EMPTY:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert len(dict(attrs)) == len(attrs), f"{tag} has an attribute twice: {attrs}"
        self.elements.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open, f"</{tag}> closes nothing"
        assert self.open[-1] == tag, f"</{tag}> closes <{self.open[-1]}>"
        self.open.pop()

    def handle_data(self, data: str) -> None:
        if data.strip():
            self.words.append((self.open[-1] if self.open else "", data))

    def of(self, tag: str) -> list[dict[str, str | None]]:
        return [attrs for name, attrs in self.elements if name == tag]

    def texts(self, tag: str) -> list[str]:
        return [words for name, words in self.words if name == tag]

    def told(self, name: str) -> str:
        """What stands in place of a drawing."""
        at = next(i for i, (_, attrs) in enumerate(self.elements) if attrs.get("id") == f"{name}-d")
        before = sum(tag == "desc" for tag, _ in self.elements[:at])
        return self.texts("desc")[before]


def check_page(text: str) -> Reader:
    """A page as it must be, whatever it tells: well formed, alone in the world, with words for drawings."""
    reader = Reader(text)
    ids = [str(attrs["id"]) for _, attrs in reader.elements if "id" in attrs]
    assert len(set(ids)) == len(ids)
    for _, attrs in reader.elements:
        assert "src" not in attrs
        assert str(attrs.get("href", "#")).startswith(("#", "data:,"))
        for named in str(attrs.get("aria-labelledby") or "").split():
            assert named in ids
    drawings = [attrs for attrs in reader.of("svg") if "aria-hidden" not in attrs]
    assert all(attrs["role"] == "img" and "aria-labelledby" in attrs for attrs in drawings)
    assert len(reader.of("desc")) == len(drawings) == len(reader.texts("desc"))
    assert not re.search(r"https?://|@import|url\(|<script[^>]+src", text)
    return reader
