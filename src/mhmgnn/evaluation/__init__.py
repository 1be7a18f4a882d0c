"""How good vectors are: linear probes, and the tasks of the paper."""
