"""MHM-GNN with the weights it starts from."""

from dataclasses import replace

from mhmgnn.baselines.method import ModelMethod, register
from mhmgnn.config import RunConfig


@register
class RandomWeights(ModelMethod):
    """What the architecture gives without training."""

    name, title = "random", "MHM-GNN (Rnd)"
    about = "MHM-GNN with the weights it starts from"
    in_paper = True

    def config(self, config: RunConfig) -> RunConfig:
        """The same model, not trained."""
        return replace(config, train=replace(config.train, steps=0)).as_in_paper()
