"""Holds the model in service; replaces it when the run on disk changes, unless the new run is broken."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path

from mhmgnn.errors import DataError, MHMError
from mhmgnn.service.found import FoundGroups
from mhmgnn.service.limits import RETRY
from mhmgnn.service.pool import one_thread
from mhmgnn.service.problems import Refusal
from mhmgnn.service.served import Served, open_run, stamp

TRIES = 5  # at a run that is replaced while it is read
SECONDS_OF_PEACE = 1.0  # that a model is left alone before its groups are searched for
NOT_SEARCHED = "this service does not search for groups: it was started with --no-groups"
SECONDS_BETWEEN_LOOKS = 2.0  # at the run's folder

Event = Callable[[str, dict[str, object]], None]  # the name of an event and its facts, for the log


class Holder:
    """Holds the model in service; a request takes `current` once and keeps it until it is done."""

    def __init__(self, run: Path, tell: Event, *, shared: Path | None = None, groups: bool = True) -> None:
        self.run, self._tell = run, tell
        self._shared = shared  # a folder of all workers of a service, for what one finds and all use
        self._groups = groups  # whether they are searched for
        self._current: Served | None = None
        self._stamp, self._broken = stamp(run), False  # of the run that was last looked at
        self._lock = threading.Lock()  # one reload at a time
        self._ended = threading.Event()
        self._new = threading.Event()  # set when there is a model whose groups are not searched yet
        self._threads: list[threading.Thread] = []
        self.tell_others: Callable[[], None] = lambda: None  # other workers, to look at the run as well

    @property
    def current(self) -> Served:
        """The model in service; a refusal until the first one is loaded and warm."""
        if self._current is None:
            raise Refusal(503, "not_ready", "the model is being loaded; ask again soon", retry=RETRY)
        return self._current

    @property
    def ready(self) -> bool:
        """Whether a model is loaded and warm."""
        return self._current is not None

    def start(self, *, watch: bool = True) -> None:
        """Start the threads that search groups and, with `watch`, load a new run when it appears."""
        for name, work, wanted in (
            ("groups", self._find_groups, self._groups),
            ("watch", self._watch, watch),
        ):
            if wanted:
                self._threads.append(threading.Thread(target=work, name=name, daemon=True))
                self._threads[-1].start()

    def stop(self, *, wait: float = 0.0) -> None:
        """End the background threads, waiting up to `wait` seconds for each."""
        self._ended.set()
        self._new.set()
        for thread in self._threads:
            thread.join(wait)

    def reload(self) -> bool:
        """Load the run from disk if it has changed; returns whether it has.

        A broken run is an error each time, and is tried again each time: what is broken may have been mended
        in a way that its stamp does not show.
        """
        with self._lock:
            seen = stamp(self.run)
            if self._current is not None and seen == self._stamp and not self._broken:
                return False
            self._stamp, self._broken = seen, True  # the watch does not try it again until it changes
            served = self._open()
            self._broken = False
            served.no_groups = None if self._groups else NOT_SEARCHED
            before, self._current = self._current, served
            self._tell("reload", {"result": "taken", "version": served.version})
            self._new.set()
            return before is None or before.version != served.version

    def _open(self) -> Served:
        """The run on disk; one that is replaced while it is read is read again."""
        for _ in range(TRIES):
            try:
                return open_run(self.run)
            except MHMError as error:
                seen = stamp(self.run)
                if seen == self._stamp:
                    self._tell("reload", {"result": "refused", "error": str(error)})
                    raise
                self._stamp = seen
        raise DataError(f"{self.run} changes all the time; try again when it is written")

    def _watch(self) -> None:
        before = self._stamp
        while not self._ended.wait(SECONDS_BETWEEN_LOOKS):
            seen = stamp(self.run)
            if seen == before and seen != self._stamp:  # it has changed, but not since the last look
                self._try()
            before = seen

    def _try(self) -> None:
        try:
            self.reload()
        except MHMError:
            return  # it was logged; the previous model stays in service

    def _find_groups(self) -> None:
        one_thread()
        while self._new.wait() and not self._ended.is_set():
            self._new.clear()
            served = self._current
            if served is None or self._new.wait(SECONDS_OF_PEACE):  # another one has come already
                continue
            try:
                if self._shared is None:
                    found = FoundGroups.search(served.model)
                else:
                    found = FoundGroups.shared(served.model, self._shared / f"groups-{served.version}")
            except MHMError as error:
                served.no_groups = str(error)
            else:
                served.groups = found
                self._tell("groups", {"version": served.version, "groups": len(found.groups)})
