"""Trained models: what a user holds, how it is saved, and how it is run on tables.

`model.Model` and `graph_model.GraphModel` answer questions, `load.load` reads one back, `completion` and
`search` find sets, `predict` writes vectors and energies of tables.
"""
