"""The command that scores a model on a user's labels."""

from pathlib import Path
from typing import Annotated

import typer

from mhmgnn.cli.commands.model import Header, Run
from mhmgnn.cli.output import Json, print_json
from mhmgnn.runtime import console


def probe(
    run: Run,
    labelled: Annotated[
        Path,
        typer.Argument(help="Table with k columns of nodes and one of labels, the last: CSV, TSV, Parquet."),
    ],
    label: Annotated[str | None, typer.Option(help="Column of labels; the last by default.")] = None,
    folds: Annotated[int, typer.Option(min=2, help="Folds of the cross-validation.")] = 5,
    apart: Annotated[
        bool, typer.Option("--apart", help="Keep nodes of test sets out of the training sets of a fold.")
    ] = False,
    header: Header = None,
    seed: Annotated[int, typer.Option(help="Same seed, same folds.")] = 0,
    as_json: Json = False,
) -> None:
    """Print how well linear probes predict labels of k-sets. By cross-validation on their vectors."""
    from mhmgnn.baselines.baseline import load_fitted
    from mhmgnn.evaluation.labelled import probe_table

    fitted = load_fitted(run)
    found = probe_table(fitted, labelled, label=label, folds=folds, apart=apart, header=header, seed=seed)
    score = found.score
    if as_json:
        confusion = score.confusion
        tables = {"paper": confusion.paper.tolist(), "converged": confusion.converged.tolist()}
        about = {"folds": score.runs, "tested": found.tested, "left_out": found.left_out}
        spread = {"paper_std": score.paper_std, "converged_std": score.converged_std}
        shown = {"paper": score.paper, "converged": score.converged, **spread, **about}
        print_json({**shown, "classes": confusion.classes, "confusion": tables})
        return
    if found.left_out:
        console.say(f"{found.left_out:,} k-sets lie across two parts of the graph and are in no test")
    print(f"{score.runs} folds, {found.tested:,} k-sets tested")
    print(str(score).replace("runs", "folds"))
    print(score.confusion)
