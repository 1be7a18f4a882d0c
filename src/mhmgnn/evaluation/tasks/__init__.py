"""Hidden truth -> labelled k-sets and graphs, split into a side that trains a probe and one that tests it."""

from mhmgnn.evaluation.tasks.graphs import GraphTask, whole_graphs
from mhmgnn.evaluation.tasks.task import Task, dag_leaves, hyperedges

__all__ = ["GraphTask", "Task", "dag_leaves", "hyperedges", "whole_graphs"]
