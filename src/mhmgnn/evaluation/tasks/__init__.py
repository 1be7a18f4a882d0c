"""Hidden truth -> labelled k-sets and graphs, split into a side that trains a probe and one that tests it."""

# ruff: noqa: F401, I001 - a task is found once its file is imported; in the order of the paper's tables
from mhmgnn.evaluation.tasks.graphs import GraphTask, whole_graphs
from mhmgnn.evaluation.tasks.kind import KSetTask, TaskKind, register
from mhmgnn.evaluation.tasks.side import Labelling
from mhmgnn.evaluation.tasks.task import Task
from mhmgnn.evaluation.tasks.hyperedge_detection import hyperedges
from mhmgnn.evaluation.tasks.leaf_counting import dag_leaves
from mhmgnn.evaluation.tasks import graph_classification

__all__ = [
    "GraphTask",
    "KSetTask",
    "Labelling",
    "Task",
    "TaskKind",
    "dag_leaves",
    "hyperedges",
    "register",
    "whole_graphs",
]
