"""How good vectors are: linear probes, and the tasks of the paper.

`probes.linear.probe` scores any vectors, `tasks` turns hidden truth into labelled k-sets or graphs, and
`labelled` reads a table with labels of a user's own.
"""
