"""Refused requests: an HTTP status, a code for programs and one line for people."""

from __future__ import annotations

import json

from mhmgnn.errors import MHMError


class Refusal(MHMError):
    """A request is refused."""

    def __init__(self, status: int, code: str, line: str, *, retry: int | None = None) -> None:
        super().__init__(line)
        self.status, self.code, self.retry = status, code, retry

    @property
    def body(self) -> bytes:
        """The body of the answer, as JSON."""
        return json.dumps({"error": str(self), "code": self.code}).encode()

    @property
    def headers(self) -> dict[str, str]:
        """The headers of the answer."""
        said = {"content-type": "application/json"}
        if self.retry is not None:
            said["retry-after"] = str(self.retry)
        if self.status == 401:
            said["www-authenticate"] = "Bearer"
        return said
