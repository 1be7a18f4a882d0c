"""What the system refuses, said as our own errors are: what, where, what to do."""

import errno

from mhmgnn.errors import MHMError

MAKE_ROOM = (
    "make room there, or write elsewhere; what was whole before still is, and a run goes on with --resume"
)
ALLOWED = "name a place that you are allowed to use"
ADVICE = {
    errno.ENOSPC: MAKE_ROOM,
    errno.EDQUOT: MAKE_ROOM,
    errno.EFBIG: "files there may not be so large; write elsewhere",
    errno.EIO: "the disk, or the way to it, fails: look at it before you go on",
    errno.EROFS: ALLOWED,
    errno.EACCES: ALLOWED,
    errno.EPERM: ALLOWED,
}
NO_MEMORY = "take less at once (a smaller batch, fewer k-sets), or a machine with more memory"
OTHER_LEFT = ("Connection closed by peer", "Connection reset by peer", "Broken pipe")  # as gloo says it


def sentence(error: Exception) -> str | None:
    """The error in one line for a person; None where it is a fault of the package, to be traced."""
    if isinstance(error, MHMError):
        return str(error)
    if isinstance(error, MemoryError) or "can't allocate memory" in str(error):
        return f"memory ran out ({str(error) or 'the system gave no more'}); {NO_MEMORY}"
    if isinstance(error, OSError) and error.errno in ADVICE:
        return f"{error.filename or 'the output'}: {error.strerror}; {ADVICE[error.errno]}"
    if lost_another(error):
        return "another process of this run has ended; what it says, if anything, tells why"
    return None


def lost_another(error: Exception) -> bool:
    """Whether a process found another one of its run gone, which is never the cause of what went wrong."""
    return isinstance(error, RuntimeError) and any(sign in str(error) for sign in OTHER_LEFT)
