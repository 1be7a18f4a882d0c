"""A run's folder with a new model in it: replaced in one step, the former one kept inside as `previous`."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

from mhmgnn.io.atomic import atomic_folder
from mhmgnn.models.model import Model

PREVIOUS = "previous"
WORK = "update"  # what an update that goes on has done so far
LOG = "log.csv"
OF_THE_MODEL = {"model", "graph", "context", "steps", "worlds", "tensorboard", "report.html", LOG}
DROPPED = {PREVIOUS, WORK}


def replace_run(run: Path, model: Model) -> None:
    """Put `model` in the place of the run, so that a kill at any moment leaves the one or the other whole.

    What belongs to the former model goes to `previous`, the log of its training stays in both, and other
    files in the folder stay where they are. No file is copied but the log: each gets a further name, and
    loses its former one with the former folder.
    """
    with atomic_folder(run) as new:
        (new / PREVIOUS).mkdir()
        for entry in run.iterdir():
            if entry.name in OF_THE_MODEL:
                _name_again(entry, new / PREVIOUS / entry.name)
            elif entry.name == ".lock" or not (entry.name in DROPPED or entry.name.startswith(".")):
                _name_again(entry, new / entry.name)
        if (run / LOG).is_file():
            shutil.copy2(run / LOG, new / LOG)
        model.save(new)


def _name_again(entry: Path, other: Path) -> None:
    """Give a file, or all in a folder, a further name; a copy where the file system has no such names."""
    if entry.is_dir() and not entry.is_symlink():
        shutil.copytree(entry, other, symlinks=True, copy_function=_link)
    else:
        _link(str(entry), str(other))


def _link(source: str, target: str) -> None:
    try:
        os.link(source, target, follow_symlinks=False)
    except OSError:
        shutil.copy2(source, target, follow_symlinks=False)
