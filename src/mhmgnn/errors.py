"""What can go wrong, said in one sentence: what was given, what is allowed, what to do."""


class MHMError(Exception):
    """Everything that this package raises on purpose."""


class DataError(MHMError, ValueError):
    """The input is not what it should be."""


class TourError(MHMError, RuntimeError):
    """Tours did not return to the supernode within their limit; cutting them would bias the result."""
