"""A network that was trained: its weights as arrays, back again, and the best of them on the way."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Generic, Self, TypeVar

import numpy as np
import torch
from torch import nn

from mhmgnn.errors import DataError
from mhmgnn.nn.stopping import EarlyStopping

Settings = TypeVar("Settings")
Network = TypeVar("Network", bound=nn.Module)


class Trained(ABC, Generic[Settings, Network]):
    """What the learned baselines have in common."""

    def __init__(
        self, settings: Settings, in_features: int, network: Network, losses: Sequence[float] = ()
    ) -> None:
        self.settings, self.in_features, self.losses = settings, in_features, tuple(losses)
        self._network = network.eval()

    @staticmethod
    @abstractmethod
    def build(settings: Settings, in_features: int, seed: int) -> Network:
        """A network with weights drawn from torch's generator, which `seed` has set."""

    @classmethod
    def new_network(cls, settings: Settings, in_features: int, seed: int) -> Network:
        """A network with weights drawn from the seed alone; torch's own generator is left as it was."""
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(seed)
            return cls.build(settings, in_features, seed)

    @classmethod
    def restore(cls, settings: Settings, in_features: int, state: Mapping[str, np.ndarray]) -> Self:
        """What `state` was taken from, but for its losses."""
        network = cls.new_network(settings, in_features, 0)
        put_weights(network, state)
        return cls(settings, in_features, network)

    def state(self) -> dict[str, np.ndarray]:
        """The weights by name."""
        return weights_of(self._network)


class BestWeights:
    """The weights of the lowest loss so far, and whether it is time to stop."""

    def __init__(self, network: nn.Module, *, patience: int, tolerance: float) -> None:
        self.network, self.weights = network, weights_of(network)
        self.stopping = EarlyStopping(patience, tolerance)

    def has_settled(self, loss: float) -> bool:
        """Take a loss and the weights that gave it; whether it has not fallen for `patience` times."""
        settled = self.stopping.has_settled(loss)
        if not self.stopping.since:
            self.weights = weights_of(self.network)
        return settled

    def put_back(self) -> None:
        """Give the network its best weights."""
        put_weights(self.network, self.weights)


def weights_of(network: nn.Module) -> dict[str, np.ndarray]:
    """Everything that the network has learned, by name; copies, so that more training leaves them alone."""
    return {name: value.detach().numpy().copy() for name, value in network.state_dict().items()}


def put_weights(network: nn.Module, state: Mapping[str, np.ndarray]) -> None:
    """Give the network what `weights_of` took from one of the same sizes."""
    try:
        network.load_state_dict({name: torch.tensor(value) for name, value in state.items()})
    except RuntimeError as error:
        raise DataError(
            f"the weights do not fit the settings and features they are put to: {error}"
        ) from None
