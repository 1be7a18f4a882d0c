"""Early stopping."""


class EarlyStopping:
    """Early stopping: counts the losses since the lowest one, and tells when that is too many.

    >>> stopping = EarlyStopping(patience=2)
    >>> [stopping.has_settled(loss) for loss in (0.5, 0.4, 0.4, 0.6)]
    [False, False, False, True]
    """

    def __init__(self, patience: int, tolerance: float = 0.0, begun: float = float("inf")) -> None:
        self.patience, self.tolerance = patience, tolerance
        self.begun = begun  # losses above this do not count: training may start with a long plateau
        self.lowest, self.since = float("inf"), 0  # the lowest loss, and the number of losses since

    def has_settled(self, loss: float) -> bool:
        """Add a loss; True if the last `patience` ones were not lower than the lowest by `tolerance`."""
        if loss < self.lowest - self.tolerance:
            self.lowest, self.since = loss, 0
        elif self.lowest <= self.begun:
            self.since += 1
        return self.since >= self.patience
