"""What a run did, step by step: a CSV that anyone can read, and TensorBoard where it is installed."""

import importlib.util
from pathlib import Path
from typing import Any, NamedTuple

from mhmgnn.store import naming


class Step(NamedTuple):
    """One step of training."""

    loss: float  # a graph, averaged over data and noise
    ksets: int  # motifs that went through the network
    seconds: float  # in the optimiser, without waiting for the sampler
    waited: float  # seconds for the sampler


class Log:
    """Writes the steps of a run into its folder; a resumed run goes on below the steps it kept."""

    def __init__(self, folder: Path, kept: list[Step]) -> None:
        self.path = folder / "log.csv"
        with naming(self.path):
            self.file = self.path.open("wb", buffering=0)  # nothing waits to be written when the disk is full
            self.file.write((",".join(("step", *Step._fields)) + "\n").encode())
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
        line = f"{number},{step.loss:.6f},{step.ksets},{step.seconds:.4f},{step.waited:.4f}\n"
        with naming(self.path):
            self.file.write(line.encode())

    def close(self) -> None:
        self.file.close()
        if self.board is not None:
            self.board.close()
