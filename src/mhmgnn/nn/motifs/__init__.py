"""k-sets of a graph -> the motifs on them, batched as dense arrays."""
