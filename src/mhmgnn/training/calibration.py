"""Log-odds of networks -> probabilities, and whether these hold in worlds held back."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import torch
from scipy.special import expit

from mhmgnn.nn.groups import KINDS, GroupEnergy
from mhmgnn.training.worlds.examples import Examples

RAREST = 1e-6  # share of groups among sets of one kind, at least


def settle_odds(energy: GroupEnergy, taught: Examples) -> None:
    """Give every size and kind the log-odds with which probabilities are as large as groups are frequent."""
    with torch.no_grad():
        learned = energy.by_level(energy.inputs(*(torch.from_numpy(part) for part in taught[:4]))[0]).numpy()
    energy.log_odds.fill_(float(_log_odds(RAREST)))
    for (size, kind), mine in classes(taught):
        row = int(torch.searchsorted(energy.sizes, size))
        for question in (0, 1):
            weights, yes = taught.weights[mine], taught.answers[mine, question]
            odds = _shift(
                learned[mine, question], weights / weights.sum(), float(np.average(yes, weights=weights))
            )
            energy.log_odds[row, kind, question] = odds


def _shift(learned: np.ndarray, weights: np.ndarray, share: float) -> float:
    """What to add to log-odds so that the mean of their probabilities is `share`, by bisection."""
    share = min(max(share, RAREST), 1 - RAREST)
    low, high = _log_odds(share) - learned.max(), _log_odds(share) - learned.min()
    for _ in range(50):
        middle = (low + high) / 2
        if weights @ expit(learned + middle) < share:
            low = middle
        else:
            high = middle
    return float(middle)


def _log_odds(share: float) -> float:
    return float(np.log(share / (1 - share)))


def reliability(
    energy: GroupEnergy, held: Examples, bins: int = 10
) -> dict[str, dict[str, list[list[float]]]]:
    """How often sets of each predicted probability were what they were taken for, in worlds held back.

    For cliques and for other connected sets, and for each question, rows of (mean probability, share of yes,
    weight of the examples). Examples are weighted as frequent as they are among random sets of their size
    and kind, which count alike, and worlds by the belief in their family.
    """
    with torch.no_grad():
        chance = torch.sigmoid(-energy(*(torch.from_numpy(part) for part in held[:4]))).numpy()
    found: dict[str, dict[str, list[list[float]]]] = {}
    for kind, mine in (("cliques", held.missing == 0), ("others", held.missing > 0)):
        found[kind] = {}
        for question, name in enumerate(("exact", "contained")):
            given = (chance[mine, question], held.answers[mine, question], held.weights[mine])
            found[kind][name] = _curve(*given, bins)
    return found


def _curve(chance: np.ndarray, yes: np.ndarray, weight: np.ndarray, bins: int) -> list[list[float]]:
    """Rows of (mean probability, share of yes, weight), one for each bin of probabilities that has some."""
    place = np.minimum((chance * bins).astype(int), bins - 1)
    rows = []
    for b in range(bins):
        mine = place == b
        if total := float(weight[mine].sum()):
            share = [float(np.average(x[mine], weights=weight[mine])) for x in (chance, yes)]
            rows.append([*share, total / float(weight.sum())])
    return rows


def classes(examples: Examples) -> Iterator[tuple[tuple[int, int], np.ndarray]]:
    """Each size and kind of sets that there is, and which examples are of it, (s,) bool."""
    kinds = np.minimum(examples.missing, KINDS - 1)
    for size in np.unique(examples.sizes).tolist():
        for kind in range(KINDS):
            if (mine := (examples.sizes == size) & (kinds == kind)).any():
                yield (size, kind), mine
