"""Errors of the operating system as one line: what happened, where, and what to do."""

import errno

from mhmgnn.errors import MHMError

MAKE_ROOM = (
    "make room there, or write elsewhere; what was saved before is intact, and --resume continues a run"
)
ALLOWED = "name a place that you are allowed to use"
ADVICE = {
    errno.ENOSPC: MAKE_ROOM,
    errno.EDQUOT: MAKE_ROOM,
    errno.EFBIG: "files there may not be so large; write elsewhere",
    errno.EIO: "the disk or its connection fails: check it before you go on",
    errno.EROFS: ALLOWED,
    errno.EACCES: ALLOWED,
    errno.EPERM: ALLOWED,
}
NO_MEMORY = "take less at once (a smaller batch, fewer k-sets), or a machine with more memory"
OTHER_LEFT = ("Connection closed by peer", "Connection reset by peer", "Broken pipe")  # as gloo says it


def sentence(error: Exception) -> str | None:
    """The error as one line for the user; None for a bug in the package, shown with its traceback."""
    if isinstance(error, MHMError):
        return str(error)
    if isinstance(error, MemoryError) or "can't allocate memory" in str(error):
        return f"memory ran out ({str(error) or 'the system gave no more'}); {NO_MEMORY}"
    if isinstance(error, OSError) and error.errno in ADVICE:
        return f"{error.filename or 'the output'}: {error.strerror}; {ADVICE[error.errno]}"
    if lost_another(error):
        return "another process of this run has ended; its own message, if there is one, says why"
    return None


def lost_another(error: Exception) -> bool:
    """Whether the error only says that another process of the run has ended, which is never the cause."""
    return isinstance(error, RuntimeError) and any(sign in str(error) for sign in OTHER_LEFT)
