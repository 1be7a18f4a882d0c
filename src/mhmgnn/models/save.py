"""A model -> the folder of a run, which `load.load` reads."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from mhmgnn.models.checkpoint import save_model

if TYPE_CHECKING:
    from mhmgnn.models.model import Model

GROUPS, VECTOR, GRAPHS = "groups.", "vector.", "graphs."  # begin names of weights not of the network


def save(model: Model, folder: Path) -> None:
    """Write the model and the graph it was trained on; what is there is replaced atomically."""
    folder.mkdir(parents=True, exist_ok=True)
    if model.graph is not None:
        model.graph.save(folder / "graph")
        if model.group_energy is not None:
            model.reader().around.keep_in(folder, model.facts["data"])
    state = model.network.state_dict()
    for prefix, more in ((GROUPS, model.group_energy), (VECTOR, model.vector), (GRAPHS, model.graph_vector)):
        if more is not None:
            state |= {f"{prefix}{name}": tensor for name, tensor in more.state_dict().items()}
    save_model(folder / "model", state, model.config, model.facts)
