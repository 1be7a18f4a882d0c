"""MotifBatch -> (b, dim) embeddings of k-sets, blind to the order of the nodes inside; one file a family."""
