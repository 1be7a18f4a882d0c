"""When a loss has stopped falling."""


class EarlyStopping:
    """Counts how long a loss has not fallen, and tells when that is too long.

    >>> stopping = EarlyStopping(patience=2)
    >>> [stopping.has_settled(loss) for loss in (0.5, 0.4, 0.4, 0.6)]
    [False, False, False, True]
    """

    def __init__(self, patience: int, tolerance: float = 0.0, begun: float = float("inf")) -> None:
        self.patience, self.tolerance = patience, tolerance
        self.begun = begun  # patience begins at this loss: one may stay for long before anything is learned
        self.lowest, self.since = float("inf"), 0  # the lowest loss, and how many came after it

    def has_settled(self, loss: float) -> bool:
        """Take the next loss; whether the last `patience` ones are not `tolerance` below the lowest."""
        if loss < self.lowest - self.tolerance:
            self.lowest, self.since = loss, 0
        elif self.lowest <= self.begun:
            self.since += 1
        return self.since >= self.patience
