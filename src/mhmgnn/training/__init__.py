"""Training: a graph in, a model out.

`loop.fit` is the way in; `settle` decides what settings leave open, `source` cuts training graphs, `batches`
turns them and their `noise` into batches, `objective` into a loss.
"""
