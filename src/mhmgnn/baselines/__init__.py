"""Other methods that give a row for each k-set, or for each graph; one file each, found by name."""

# ruff: noqa: F401, I001 - a baseline is found once its file is imported; in the order of lists and tables
from mhmgnn.baselines.method import Formula, Method, NodeMethod, register
from mhmgnn.baselines import raw
from mhmgnn.baselines import degrees
from mhmgnn.baselines import shape
from mhmgnn.baselines import context
from mhmgnn.baselines import graphsage
from mhmgnn.baselines import dgi
from mhmgnn.baselines import deepwalk
from mhmgnn.baselines import node2vec
from mhmgnn.baselines import random_weights
from mhmgnn.baselines import netlsd
from mhmgnn.baselines import graph2vec
from mhmgnn.baselines import infograph

__all__ = ["Formula", "Method", "NodeMethod", "register"]
