"""The section of a report on the group energy: its training and the calibration of its probabilities."""

from __future__ import annotations

from typing import Any

import numpy as np
from markupsafe import Markup

from mhmgnn.report.markup import facts, paragraph, side_by_side, table
from mhmgnn.report.page import Section

QUESTIONS = {"exact": "Is the set a group?", "contained": "Does it lie inside one?"}


def groups(learned: dict[str, Any]) -> Section:
    """How the group energy was trained, and how well it is calibrated on worlds held out."""
    losses = [epoch["held_back"] for epoch in learned["log"] if epoch["network"] == 0]
    ends = np.array([[law["two"], law["three"]] for law in learned["laws"]])
    rows = [
        ("worlds", f"{learned['worlds']:,} planted in the graph, {learned['examples']:,} labelled sets"),
        ("loss on worlds held out", f"{min(losses):.3f}; an uninformed model has 0.693"),
        ("groups stop at two nodes", f"with probability {_range(ends[:, 0])}"),
        ("at three nodes", f"with probability {_range(ends[:, 1])}, then less"),
    ]
    words = (
        "The energies of sets were learned from groups planted in the graph itself, of sizes for which "
        "random graphs of such groups resemble it. No label was read. A probability is well calibrated if "
        "it comes true as often as it says:"
    )
    curves = [_reliability(name, learned["reliability"][name]) for name in QUESTIONS]
    return Section("groups", "Groups", paragraph(words) + facts(rows) + side_by_side(curves))


def _reliability(name: str, rows: list[list[float]]) -> Markup:
    head = ["probability", "came true", "share of sets"]
    body = [[f"{chance:.2f}", f"{share:.2f}", f"{weight:.1%}"] for chance, share, weight in rows]
    return table(head, body, caption=f"{QUESTIONS[name]} Random cliques of worlds held out")


def _range(values: np.ndarray) -> str:
    low, high = np.quantile(values, (0.1, 0.9))
    return f"{low:.2f} to {high:.2f}"
