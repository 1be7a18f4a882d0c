"""Benchmark of mhmgnn against simple baselines on known groups; `compare` and docs/groups.md run it."""
