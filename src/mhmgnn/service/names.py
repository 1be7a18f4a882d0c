"""An index of node names: exact and prefix look-up without a scan of all names."""

from __future__ import annotations

from bisect import bisect_left

from mhmgnn.graph import Graph

Node = str | int  # a name; an index where nodes have no names


class NameIndex:
    """Finds the nodes of a graph by name or by prefix."""

    def __init__(self, graph: Graph) -> None:
        self.named = graph.names is not None
        self._texts = list(graph.names) if graph.names is not None else list(map(str, range(graph.num_nodes)))
        self._nodes = {name: node for node, name in enumerate(self._texts)} if self.named else {}
        folded = [text.casefold() for text in self._texts]
        self._order = sorted(range(len(folded)), key=folded.__getitem__)
        self._folded = [folded[node] for node in self._order]

    def known(self, node: Node) -> Node:
        """The index of a named node; anything unknown is returned as it is, for the library to refuse.

        If nodes have no names, the text of an index counts as the index: query strings only hold text.
        """
        if not isinstance(node, str):
            return node
        if self.named:
            return self._nodes.get(node, node)
        return int(node) if node.isdecimal() and node.isascii() and len(node) < 19 else node

    def label(self, node: int) -> Node:
        """The name of a node in answers; its index if nodes have no names."""
        return self._texts[node] if self.named else node

    def containing(self, letters: str) -> list[int]:
        """All nodes whose names have these letters somewhere, ignoring case."""
        wanted = letters.casefold()
        return [self._order[place] for place, name in enumerate(self._folded) if wanted in name]

    def starting(self, prefix: str, top: int) -> list[int]:
        """The first `top` nodes in alphabetical order whose names begin with `prefix`, ignoring case."""
        wanted = prefix.casefold()
        low = bisect_left(self._folded, wanted)
        found = []
        for place in range(low, min(low + top, len(self._folded))):
            if not self._folded[place].startswith(wanted):
                break
            found.append(self._order[place])
        return found
