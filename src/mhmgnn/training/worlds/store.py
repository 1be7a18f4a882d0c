"""Examples of finished worlds on disk during a run, so that a killed run loses one world at most."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
from safetensors import SafetensorError, safe_open
from safetensors.numpy import save

from mhmgnn.io.atomic import write_atomic
from mhmgnn.runtime.console import say
from mhmgnn.training.worlds.examples import Examples


class WorldStore:
    """A folder with a file for each finished world; `origin` identifies the run."""

    def __init__(self, folder: Path | None, origin: str) -> None:
        self.folder, self.origin = folder, origin  # without a folder nothing is kept

    def keep(self, number: int, examples: Examples) -> None:
        """Write the examples of a world atomically."""
        if self.folder is None:
            return
        self.folder.mkdir(parents=True, exist_ok=True)
        columns = {name: np.ascontiguousarray(column) for name, column in examples._asdict().items()}
        write_atomic(self._file(number), save(columns, {"origin": self.origin}))

    def find(self, number: int) -> Examples | None:
        """The examples of a finished world; None if there are none of this run."""
        if self.folder is None or not self._file(number).is_file():
            return None
        try:
            with safe_open(self._file(number), "numpy") as file:
                if (file.metadata() or {}).get("origin") != self.origin:
                    return None
                return Examples(*(file.get_tensor(name) for name in Examples._fields))
        except (SafetensorError, OSError) as error:
            say(f"{self._file(number)} is damaged ({error}); the world is drawn again")
            return None

    def clear(self) -> None:
        """Remove all files; called once the model is saved."""
        if self.folder is not None:
            shutil.rmtree(self.folder, ignore_errors=True)

    def _file(self, number: int) -> Path:
        assert self.folder is not None, "a run without a folder keeps nothing"
        return self.folder / f"world-{number:06d}.safetensors"
