"""Which class is this graph of?"""

from mhmgnn.datasets.dataset import AnyDataset, GraphDataset
from mhmgnn.errors import DataError
from mhmgnn.evaluation.tasks.graphs import GraphTask, whole_graphs
from mhmgnn.evaluation.tasks.kind import TaskKind, register


@register
class WholeGraphs(TaskKind):
    """The hidden classes of graphs."""

    name, title = "whole-graph", "Whole-graph classification"
    of_graphs = True

    def make(self, dataset: AnyDataset, k: int | None, *, most: int, seed: int) -> GraphTask:
        """All graphs of the collection, whatever k."""
        if not isinstance(dataset, GraphDataset):
            raise DataError(f"{dataset.name} is one graph; {self.name} needs a collection of many")
        return whole_graphs(dataset, seed=seed)
