"""k-sets of a graph -> the motifs on them, as dense arrays that a network reads at once."""
