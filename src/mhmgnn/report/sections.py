"""The facts of a run -> the sections of its page."""

from __future__ import annotations

import numpy as np
from markupsafe import Markup

from mhmgnn.report.charts import Heap, curve, histogram, mirrored
from mhmgnn.report.diagnosis import Diagnosis
from mhmgnn.report.energies import Contrast
from mhmgnn.report.markup import facts, figures, folded, listing, paragraph, shown, side_by_side, table
from mhmgnn.report.page import Section
from mhmgnn.report.run import Run
from mhmgnn.report.svg import number
from mhmgnn.subgraphs.result import Estimate


def overview(run: Run, counted: Estimate | None) -> Section:
    """What was trained on what."""
    config, graph = run.model.config, run.graph
    known: list[tuple[str, str]] = []
    if graph is not None:
        known += [("nodes", f"{graph.num_nodes:,}"), ("edges", f"{graph.num_edges:,}")]
    known += [("features a node", f"{run.model.facts['graph_features']:,}")]
    known += [("k, nodes in a set", str(run.model.k) if run.of_sets else "n")]
    known += [("steps", f"{run.model.facts.get('steps', 0):,}")]
    if run.model.facts.get("loss") is not None:
        known.append(("loss at the end", f"{run.model.facts['loss']:.3f}"))
    if counted is not None:
        total = counted.sum()
        name = "connected k-sets, enumerated" if total.exact else "connected k-sets, by tours"
        known.append((name, f"{total.value:,.0f}" if total.exact else number(float(total.value))))
    sets, train = config.sets, config.train
    budget = (
        f"up to {sets.exact:,} k-sets of a training graph are enumerated; beyond, {sets.tours} tours "
        f"from a supernode of {sets.supernode or 0:,} sets"
    )
    subgraphs = f"{train.batch} a step" + ("" if graph is None else f", of {config.subgraphs.size} nodes")
    rows = [
        ("training graphs", f"{subgraphs}, drawn by forest fire" if graph is not None else subgraphs),
        ("noise", f"{_count(config.subgraphs.noises, 'graph')} for each of them: {run.noise}"),
        *([("budget", budget)] if run.of_sets else []),
        (
            "energy of a graph",
            f"the {train.energy} over its connected k-sets" if run.of_sets else "of itself",
        ),
        (
            "encoder",
            f"{config.model.encoder}, {_count(config.model.layers, 'layer')}, {config.model.dim} dimensions",
        ),
        ("features", _features(run)),
    ]
    return Section("overview", "What was trained", figures(known) + facts(rows))


def _count(many: int, what: str) -> str:
    return f"{many:,} {what}" + ("" if many == 1 else "s")


def _features(run: Run) -> str:
    config = run.model.config.model
    parts = [f"{run.model.facts['graph_features']:,} given"]
    parts += ["degree bins beside them"] if config.degree_features else []
    parts += ["divided by their sum"] if config.normalise else []
    return ", ".join(parts) + f"; {run.model.facts['in_features']:,} columns in all"


def training(run: Run) -> Section:
    """The loss by step."""
    if not run.losses:
        words = "The folder has no log, or no step was taken; so there is no loss to draw."
        return Section("training", "Training", paragraph(words))
    level = "a model that tells nothing apart"
    drawing = curve("loss", "Loss by step", run.losses, level=run.blind_loss, level_name=level)
    rows = [
        ("first step", f"{run.losses[0]:.3f}"),
        ("last step", f"{run.losses[-1]:.3f}"),
        ("telling nothing", f"{run.blind_loss:.3f}"),
        ("motifs", f"{run.ksets:,} went through the network"),
        ("end", run.end),
    ]
    note = "Thin: as it was. Thick: smoothed."
    if len(run.model.facts.get("taught", {})) > 1:
        note += " The mean over both kinds of noise; one that has settled keeps its loss."
    return Section("training", "Training", side_by_side([shown(drawing, note=note), facts(rows)]))


def contrasts(contrast: Contrast) -> Section:
    """The energies that training pulled apart."""
    words = (
        f"{contrast.data.size} training graphs that the model has not seen, and {contrast.noise.size} noise "
        f"graphs made from them. Data has the lower energy in {contrast.told_apart:.1%} of their pairs."
    )
    axis = "energy; low belongs together"
    heaps = Heap("data", contrast.data), Heap("noise", contrast.noise)
    drawing = mirrored("energy-graphs", "Energies of graphs", *heaps, axis=axis)
    charts = [shown(drawing, note="What the loss sees: data above the line, noise below it.")]
    if contrast.data_sets.size:
        heaps = (
            Heap("data", contrast.data_sets, contrast.data_weights),
            Heap("noise", contrast.noise_sets, contrast.noise_weights),
        )
        drawing = mirrored("energy-sets", "Energies of k-sets", *heaps, axis=axis)
        charts.append(shown(drawing, note="k-sets of the same graphs, weighted as in their energies."))
    return Section("contrast", "Data and noise", paragraph(words) + side_by_side(charts))


def sampling(diagnosis: Diagnosis, counted: Estimate | None) -> Section:
    """How the sums over k-sets were computed, and their errors."""
    least, middle, most = (f"{size:,.0f}" for size in np.quantile(diagnosis.sizes, (0, 0.5, 1)))
    looked = diagnosis.sizes.size
    how = "All were enumerated: no tours, no error."
    if diagnosis.enumerated < looked:
        how = f"{diagnosis.enumerated} were enumerated, {looked - diagnosis.enumerated} had tours."
    words = f"The first {looked} training graphs have {least} to {most} connected k-sets, {middle} in"
    body = paragraph(f"{words} the median. {how}")
    if diagnosis.tours:
        body += _toured(diagnosis)
    return Section("tours", "Sums over k-sets", body + paragraph(_whole(counted)))


def _toured(diagnosis: Diagnosis) -> Markup:
    rows = [
        [
            str(i),
            number(info.ksets),
            f"{info.supernode:,}",
            f"{info.share:.1%}",
            f"{info.lengths.size:,}",
            f"{np.median(info.lengths):,.0f}" if info.lengths.size else "0",
            f"{info.lengths.max():,}" if info.lengths.size else "0",
            f"{info.relative_error:.1%}",
        ]
        for i, info in enumerate(diagnosis.tours, 1)
    ]
    head = ["training graph", "k-sets", "sets in the supernode", "its share of the k-sets", "tours"]
    head += ["median length", "longest", "standard error of the energy"]
    body = table(head, rows, caption="Training graphs with tours")
    lengths = np.concatenate([info.lengths for info in diagnosis.tours])
    if lengths.size:
        drawing = histogram("tour-lengths", "Lengths of tours", lengths, axis="steps until a tour returns")
        body += side_by_side([shown(drawing, note="Every tour is walked to its end.")])
    return body


def _whole(counted: Estimate | None) -> str:
    if counted is None:
        return "The connected k-sets of the whole graph were not counted: tours did not return in time."
    total = counted.sum()
    if total.exact:
        return f"The whole graph has {total.value:,.0f} connected k-sets, enumerated."
    return (
        f"The whole graph has {number(float(total.value))} connected k-sets, with a standard error of "
        f"{total.relative_error:.2%}: {total.tours:,} tours ({total.method}), {total.steps:,} steps, a "
        f"supernode of {total.supernode:,} sets."
    )


def origin(run: Run) -> Section:
    """Where the run comes from, so that it can be repeated."""
    data = run.model.facts["data"]
    prints = data if isinstance(data, str) else f"{len(data):,} graphs, the first {data[0]}"
    rows = [("seed", str(run.seed)), ("fingerprint of the data", prints)]
    rows += [(f"{name}, version", version) for name, version in run.versions.items()]
    settings = folded("Every setting of the run", listing(run.model.config.to_toml()))
    return Section("origin", "Origin", facts(rows) + settings)
