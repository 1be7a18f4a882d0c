"""One piece of work: a row of a cell, once; where its result goes, and what stands there already."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from mhmgnn.config import RunConfig, check_one_of
from mhmgnn.paper.methods import EXTENDED, OURS, PRODUCT, QUICK_RUN, Way, methods_of, way_of
from mhmgnn.paper.recipe import Recipe

NEEDED = {  # in a result, and of which kind
    **{"task": str, "dataset": str, "k": int | str | None, "method": str, "seed": int, "split_seed": int},
    **{"shuffled": bool, "score": dict, "config": dict, "counts": dict},
}
ALLOWED = {"shuffles": list, "seconds": dict}
SIDES = ("train", "test")
Key = tuple[str, str, int | str | None, str, int, int, bool]  # task, data set, k, method, seeds, shuffled
FIRST = 1  # the seed of the first run: that of 0 was looked at while the defaults were settled
MOST = {False: 10_000, True: 2_000}  # k-sets a side, and where a run is quick or labels are shuffled


@dataclass(frozen=True, eq=False)
class Item:
    """A method in a cell with one seed, for its training and for the split."""

    recipe: Recipe
    method: str
    seed: int
    cut: int | None = None  # the seed of the split, where it is not that of the run
    shuffled: bool = False  # whether the labels that train the probe are shuffled
    settings: tuple[str, ...] = ()  # "section.key=value", above those of the recipe
    quick: bool = False

    @property
    def split(self) -> int:
        """The seed of the halves of the graph, and of the k-sets drawn."""
        return self.seed if self.cut is None else self.cut

    @property
    def way(self) -> Way:
        """How the values of its row are computed."""
        return way_of(self.recipe, self.method)

    @property
    def config(self) -> RunConfig:
        """The settings of a model: the recipe's, above them the quick ones, above them those given."""
        return self.recipe.config.with_settings([*(QUICK_RUN if self.quick else ()), *self.settings])

    @property
    def group(self) -> tuple[int, str, str]:
        """Items that share data, tasks and fitted models: those of a run, a data set and k."""
        return self.split, self.recipe.cell.dataset, str(self.recipe.cell.k)

    @property
    def needs(self) -> tuple[object, ...]:
        """What it fits. Of two items with the same needs the second finds what the first has left."""
        cell, way = self.recipe.cell, self.way.fitted
        if not way.method.seeded:
            return cell, way, self.split
        if cell.whole_graphs or way.method.per_k:
            return cell.dataset, cell.k, way, self.seed, self.split * cell.whole_graphs
        return cell.dataset, way.method.learned_as, way.degrees, self.seed

    def path(self, results: Path) -> Path:
        """The file that its result goes to, with the others of its cell."""
        return results / f"{self.recipe.cell.place}.jsonl"

    @property
    def key(self) -> Key:
        """What tells its result from all others."""
        cell = self.recipe.cell
        return cell.task, cell.dataset, cell.k, self.method, self.seed, self.split, self.shuffled

    def __str__(self) -> str:
        cell = self.recipe.cell
        where = f"{cell.task} {cell.dataset}" + ("" if cell.k is None else f" k = {cell.k}")
        kind = ("" if self.cut is None else f", cut {self.cut}") + (", shuffled" if self.shuffled else "")
        return f"{where}: {self.method}, seed {self.seed}{kind}"


def items_of(
    recipes: Iterable[Recipe],
    *,
    runs: int,
    methods: Iterable[str] = (),
    one_cut: int = 0,
    shuffled: bool = False,
    settings: tuple[str, ...] = (),
    quick: bool = False,
) -> list[Item]:
    """The main tables: every method (or those named) in every cell, `runs` seeds each.

    A run has its own split, the same for all methods. `one_cut` trains the model so many times for the split
    of the first run as well; `shuffled` adds the first run with shuffled labels.
    """
    recipes, methods = list(recipes), list(methods)
    known = list(dict.fromkeys(method for recipe in recipes for method in methods_of(recipe)))
    for method in methods:
        check_one_of("method", method, known)
    found = []
    seeds = range(FIRST, FIRST + runs)
    for recipe in recipes:
        for method in methods_of(recipe):
            if methods and method not in methods:
                continue
            plain = [Item(recipe, method, seed, settings=settings, quick=quick) for seed in seeds]
            found += plain
            if plain and method in (OURS, OURS + EXTENDED, PRODUCT):
                found += [replace(plain[0], seed=FIRST + i, cut=FIRST) for i in range(1, one_cut)]
            if method in (OURS, PRODUCT) and shuffled:
                found += [replace(item, shuffled=True) for item in plain[:1]]
    return found


def read_result(text: str | bytes) -> dict[str, Any] | None:
    """The result that a line of a result file holds; None where it is no whole one."""
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) and _is_whole(found) else None


def _is_whole(found: dict[str, Any]) -> bool:
    """Whether what tables and pages read of a result is there, and of the kind that they read."""
    kinds = NEEDED | {name: kind for name, kind in ALLOWED.items() if name in found}
    if not (found.keys() >= kinds.keys() and all(isinstance(found[name], kinds[name]) for name in kinds)):
        return False
    scores, sides = (
        [found["score"], *found.get("shuffles", [])],
        [found["counts"].get(side) for side in SIDES],
    )
    costs = [found.get("peak_bytes", 0), *found.get("seconds", {"all": 0}).values()]
    return (
        all(_are_numbers(score, {"paper", "converged"}) for score in scores)
        and (len(scores) > 1 or not found["shuffled"])
        and all(isinstance(side, dict) and _are_numbers(side.get("kept")) for side in sides)
        and all(_are_numbers({"": side.get("candidates", 0)}) for side in sides)
        and "all" in found.get("seconds", {"all": 0})
        and _are_numbers(dict(enumerate(costs)))
        and (found.get("commit") is None or str(found["commit"]).isascii())
    )


def _are_numbers(values: object, names: Iterable[str] = ()) -> bool:
    return (
        isinstance(values, dict)
        and bool(values)
        and values.keys() >= set(names)
        and all(isinstance(value, int | float) and abs(value) < 1e18 for value in values.values())
    )
