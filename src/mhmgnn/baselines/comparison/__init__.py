"""Ours beside every rival, on groups that are known: what `compare` and the tables of groups both run."""
