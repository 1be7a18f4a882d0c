"""The graph -> its k-cliques: counted, listed, or drawn uniformly."""

from mhmgnn.cliques.listing import count_cliques, draw_cliques, list_cliques

__all__ = ["count_cliques", "draw_cliques", "list_cliques"]
