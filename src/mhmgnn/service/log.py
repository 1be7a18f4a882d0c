"""One line of JSON for each request and event."""

from __future__ import annotations

import json
import sys
import threading
import time
from typing import TextIO


class Log:
    """Writes lines to a stream, stderr if none is given; safe from any thread."""

    def __init__(self, stream: TextIO | None = None, *, contents: bool = False) -> None:
        self._stream, self.contents = stream, contents  # `contents`: whether requests' bodies are logged too
        self._lock = threading.Lock()

    def write(self, event: str, facts: dict[str, object]) -> None:
        """Write one line."""
        line = json.dumps({"time": round(time.time(), 3), "event": event} | facts)
        with self._lock:
            print(line, file=self._stream or sys.stderr, flush=True)
