"""Training: a graph in, a model out.

`loop.fit` is the entry point. `settle` decides what the settings leave open, `source` draws training graphs,
`batches` turns them and their `noise` into batches, `objective` into a loss; `groups` learns the group
energy.
"""
