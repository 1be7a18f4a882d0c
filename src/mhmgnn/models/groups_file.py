"""A model -> the file of its groups: a run that was killed goes on, processes and workers of Ray share it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from mhmgnn.models.group_list import GroupList, check_ending
from mhmgnn.models.groups import Scoring
from mhmgnn.models.kept import Kept
from mhmgnn.models.model import Model
from mhmgnn.models.predict import model_facts
from mhmgnn.models.shards import RESULT, begin, clear, folder_of, held
from mhmgnn.runtime import console
from mhmgnn.runtime.distributed import ALONE, Crew


class Asked(NamedTuple):
    """Which groups are asked for; see `Model.groups`."""

    top: int | None = None
    with_nodes: Sequence[Any] = ()
    sizes: tuple[int, int] | None = None
    probability: float | None = None


def write_groups(
    model: Model,
    target: Path,
    asked: Asked,
    *,
    long: bool = False,
    crew: Crew = ALONE,
    keep: Callable[[Path], Kept] = Kept,
    quiet: bool = True,
) -> GroupList:
    """Find the groups of a model's graph and write them to `target`, atomically; the groups.

    Energies are kept in a hidden folder beside the target until it is there: if a run is killed, the same
    call goes on from them, and the file is the same byte for byte. All processes of a crew call this, and
    the leading one writes. `keep` says how energies in the folder come about.
    """
    check_ending(target, long=long)
    with _folder(model, target, crew, quiet=quiet) as folder:
        with console.progress("groups", quiet=quiet or not crew.leads) as tell:
            found = model.groups(**asked._asdict(), scoring=Scoring(crew, keep(folder), tell))
        if crew.leads:
            found.write(target, long=long)
        crew.wait()
    return found


@contextmanager
def _folder(model: Model, target: Path, crew: Crew, *, quiet: bool) -> Iterator[Path]:
    """The folder of energies, locked by the leading process, which removes it at a good end."""
    if not crew.leads:
        crew.wait()
        yield folder_of(target)
        return
    with held(target) as folder:
        begin(folder, {"columns": "energies of groups", **model_facts(model)}, list)
        there = len(list(folder.glob(f"{RESULT}-*")))
        if there and not quiet:
            console.say(f"going on: {there} chunks of sets were scored before")
        crew.wait()
        try:
            yield folder
        except BaseException:
            if not any(folder.glob(f"{RESULT}-*")):  # there is nothing to go on from
                clear(folder)
            raise
        clear(folder)
