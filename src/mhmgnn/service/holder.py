"""The model that answers now: swapped for a new run under the same path, kept if the new one is broken."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path

from mhmgnn.errors import MHMError
from mhmgnn.models.group_list import GroupList
from mhmgnn.service.limits import RETRY
from mhmgnn.service.pool import one_thread
from mhmgnn.service.problems import Refusal
from mhmgnn.service.served import FoundGroups, Served, open_run, stamp

SECONDS_BETWEEN_LOOKS = 2.0  # at the run's folder

Event = Callable[[str, dict[str, object]], None]  # a name, and what is to be told of it


class Holder:
    """Holds the model that answers; requests take `current` once and keep it until they are done."""

    def __init__(self, run: Path, tell: Event) -> None:
        self.run, self._tell = run, tell
        self._current: Served | None = None
        self._stamp = stamp(run)
        self._lock = threading.Lock()  # one reload at a time
        self._ended = threading.Event()
        self._new = threading.Event()  # a model whose groups are not known
        self._threads: list[threading.Thread] = []

    @property
    def current(self) -> Served:
        """The model that answers now; a refusal until the first one is warm."""
        if self._current is None:
            raise Refusal(503, "not_ready", "the model is being loaded; ask again soon", retry=RETRY)
        return self._current

    @property
    def ready(self) -> bool:
        """Whether a model is there and warm."""
        return self._current is not None

    def start(self, *, watch: bool = True) -> None:
        """Search groups in the background and, with `watch`, take up new runs as they appear."""
        for name, work in {"groups": self._find_groups, "watch": self._watch if watch else None}.items():
            if work is not None:
                self._threads.append(threading.Thread(target=work, name=name, daemon=True))
                self._threads[-1].start()

    def stop(self, *, wait: float = 0.0) -> None:
        """Let the threads in the background end, and wait so many seconds for each."""
        self._ended.set()
        self._new.set()
        for thread in self._threads:
            thread.join(wait)

    def reload(self) -> bool:
        """Take up the run as it is on disk now; whether it is a new one. A broken one is an error."""
        with self._lock:
            seen = stamp(self.run)
            if self._current is not None and seen == self._stamp:
                return False
            self._stamp = seen  # a broken run is not tried again until it changes
            try:
                served = open_run(self.run)
            except MHMError as error:
                self._tell("reload", {"result": "refused", "error": str(error)})
                raise
            before, self._current = self._current, served
            self._tell("reload", {"result": "taken", "version": served.version})
            self._new.set()
            return before is None or before.version != served.version

    def _watch(self) -> None:
        before = self._stamp
        while not self._ended.wait(SECONDS_BETWEEN_LOOKS):
            seen = stamp(self.run)
            if seen == before and seen != self._stamp:  # it has changed, and is quiet now
                self._try()
            before = seen

    def _try(self) -> None:
        try:
            self.reload()
        except MHMError:
            return  # it was told; the model before stays

    def _find_groups(self) -> None:
        one_thread()
        while self._new.wait() and not self._ended.is_set():
            self._new.clear()
            served = self._current
            if served is None:
                continue
            try:
                found: GroupList = served.model.groups()
            except MHMError as error:
                served.no_groups = str(error)
            else:
                served.groups = FoundGroups(found, served.model)
                self._tell("groups", {"version": served.version, "groups": len(found.groups)})
