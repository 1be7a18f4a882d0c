"""Trained models: embeddings, energies, completions and groups; saving, loading and running on tables.

`model.Model` and `graph_model.GraphModel` are what a user holds, `load.load` reads one from disk,
`completion`, `search` and `reconstruction` find nodes, sets and groups, `predict` writes vectors and energies
of tables.
"""
