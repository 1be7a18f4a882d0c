"""How good vectors are: linear probes, and the tasks of the paper.

`probes.linear.probe` scores any vectors, `tasks` turns hidden truth into labelled k-sets or graphs, `labelled` does
so for a table of a user's own.
"""
