"""The training log: a row per step in a CSV file, and in TensorBoard if it is installed."""

import importlib.util
from pathlib import Path
from typing import Any, NamedTuple

from mhmgnn.io.atomic import naming


class Step(NamedTuple):
    """One step of training."""

    losses: tuple[float, ...]  # for each kind of noise, the mean loss of a graph of data or noise
    ksets: int  # motifs that went through the network
    seconds: float  # of forward pass, backward pass and optimiser
    waited: float  # seconds spent waiting for the sampler

    @property
    def loss(self) -> float:
        """The mean over the kinds of noise."""
        return sum(self.losses) / len(self.losses)


class Log:
    """Writes the steps of a run into its folder; a resumed run rewrites the steps it kept and appends."""

    def __init__(self, folder: Path, kinds: tuple[str, ...], kept: list[Step]) -> None:
        self.path = folder / "log.csv"
        titles = ("step", "loss", *(kinds if len(kinds) > 1 else ()), "ksets", "seconds", "waited")
        with naming(self.path):
            self.file = self.path.open("wb", buffering=0)  # unbuffered: a full disk is an error at once
            self.file.write((",".join(titles) + "\n").encode())
        self.board: Any = None
        if importlib.util.find_spec("tensorboard"):
            from torch.utils.tensorboard import SummaryWriter

            self.board = SummaryWriter(str(folder / "tensorboard"), purge_step=len(kept))
        for number, step in enumerate(kept):
            self._line(number, step)

    def add(self, number: int, step: Step) -> None:
        """Write one step."""
        self._line(number, step)
        if self.board is not None:
            self.board.add_scalar("loss", step.loss, number)

    def _line(self, number: int, step: Step) -> None:
        losses = (step.loss, *(step.losses if len(step.losses) > 1 else ()))
        told = [str(number), *(f"{loss:.6f}" for loss in losses), str(step.ksets)]
        line = ",".join([*told, f"{step.seconds:.4f}", f"{step.waited:.4f}"]) + "\n"
        with naming(self.path):
            self.file.write(line.encode())

    def close(self) -> None:
        self.file.close()
        if self.board is not None:
            self.board.close()
