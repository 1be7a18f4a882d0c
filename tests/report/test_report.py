import csv
import json
import re
from dataclasses import replace

import numpy as np
import pytest
from report.pages import CONFIG, check_page
from training.test_groups import GROUPS, TINY, carts

from mhmgnn import DataError, Graph, RunConfig, connected_sets, fit, load
from mhmgnn.graph.sets import Sets
from mhmgnn.models.group_list import GroupList
from mhmgnn.models.reconstruction import Groups
from mhmgnn.report.report import report
from mhmgnn.report.run import Labels
from mhmgnn.report.sets import grouped
from mhmgnn.report.svg import number

HOSTILE = ["<script>alert(1)</script>", '"><img src=x onerror=y>', "</title>", "a & b", "'; </script>", "]]>"]


def test_the_page_is_whole_and_alone_in_the_world(page):
    reader = check_page(page)
    assert len(page) < 10**6
    assert len(reader.of("h1")) == len(reader.of("script")) == 1
    wanted = {"loss", "energy-graphs", "energy-sets", "shapes", "map", "set-1"}
    assert wanted <= {attrs.get("id") for attrs in reader.of("svg")}


def test_the_same_run_gives_the_same_page(shop, page, tmp_path):
    assert report(shop.folder, page=tmp_path / "again.html").read_text(encoding="utf-8") == page


def test_what_is_drawn_at_random_is_drawn_from_the_seed(shop, tmp_path, monkeypatch):
    monkeypatch.setattr("mhmgnn.report.energies.DRAWN", 50)
    monkeypatch.setattr("mhmgnn.report.atlas.POINTS", 20)
    one, other = (report(shop.folder, page=tmp_path / name, labels=shop.labels) for name in "ab")
    assert one.read_text(encoding="utf-8") == other.read_text(encoding="utf-8")
    assert "20 k-sets by label" in check_page(one.read_text(encoding="utf-8")).texts("figcaption")


def test_the_page_lies_in_the_run_unless_a_place_is_named(shop):
    assert report(shop.folder) == shop.folder / "report.html"
    assert (shop.folder / "report.html").is_file()


def test_it_says_what_was_trained_on_what(shop, page):
    reader = check_page(page)
    counts = dict(zip(reader.texts("dt"), reader.texts("dd"), strict=True))
    assert counts["nodes"] == f"{shop.graph.num_nodes:,}"
    assert counts["edges"] == f"{shop.graph.num_edges:,}"
    assert counts["features a node"] == f"{shop.graph.num_features:,}"
    assert counts["connected k-sets, enumerated"] == f"{len(connected_sets(shop.graph, 3)):,}"
    assert counts["seed"] == "5"
    assert counts["steps"] == "4"


def test_the_losses_are_those_of_the_log(shop, page):
    with (shop.folder / "log.csv").open() as file:
        losses = [float(row["loss"]) for row in csv.DictReader(file)]
    told = check_page(page).told("loss")
    assert told.startswith(f"From {losses[0]:.3f} at the first of 4 steps to {losses[-1]:.3f} at the last")


def test_energies_by_shape_are_those_of_the_model(shop, page):
    model = load(shop.folder)
    ksets = connected_sets(model.graph, 3)
    near = model.graph.to_scipy().toarray() > 0
    closed = [near[a, b] and near[b, c] and near[a, c] for a, b, c in ksets]
    energies = model.energy(ksets, kind="noise")[np.array(closed)]
    told = check_page(page).told("shapes")
    assert f"triangle: median {number(float(np.median(energies)))}" in told
    assert told.endswith(f"of {len(energies):,} k-sets.")


def test_a_point_of_the_map_tells_the_names_of_a_connected_set(shop, page):
    drawing = next(attrs for attrs in check_page(page).of("svg") if attrs.get("id") == "map")
    spots = json.loads(drawing["data-spots"])
    names = [words.split(" · ")[0].split(", ") for _, _, words in spots]
    energies = load(shop.folder).energy(names, kind="noise")
    assert len(spots) == min(2000, len(connected_sets(shop.graph, 3)))
    assert [f"energy {number(float(energy))}" for energy in energies] == [
        words.split(" · ")[1] for _, _, words in spots
    ]
    assert len({tuple(sorted(set_)) for set_ in names}) == len(spots)


def test_the_best_sets_are_drawn_with_their_names_and_edges(shop, page):
    reader = check_page(page)
    for i, found in enumerate(load(shop.folder).discover(top=12).sets, 1):
        edges = sum(
            b in shop.graph.indices[shop.graph.indptr[a] : shop.graph.indptr[a + 1]]
            for a in found.nodes
            for b in found.nodes
        )
        assert reader.told(f"set-{i}").startswith(f"{edges // 2} edges: ")
        assert set(found.names) <= set(reader.texts("li"))


def test_labels_are_on_the_map_and_beside_the_sets(shop, tmp_path):
    path = report(shop.folder, page=tmp_path / "l.html", labels=shop.labels, cliques=True)
    reader = check_page(path.read_text(encoding="utf-8"))
    names = shop.labels.names
    legend = [words for words in reader.texts("li") if words.startswith(("cart (", "other ("))]
    assert set(legend) == {f"{name} ({names.count(name):,})" for name in ("cart", "other")}
    label = {tuple(kset): name for kset, name in zip(shop.labels.ksets.tolist(), names, strict=True)}
    best = load(shop.folder).discover(top=12, cliques=True).sets
    assert reader.texts("span") == [label[found.nodes] for found in best]


def test_each_labelled_set_needs_a_label(shop):
    with pytest.raises(DataError, match="1 labels are given for 2 k-sets"):
        report(shop.folder, labels=Labels([[0, 1, 2], [1, 2, 3]], ["cart"]))


def test_tasks_show_both_probes_and_what_was_taken_for_what(shop, tmp_path):
    path = report(shop.folder, page=tmp_path / "t.html", tasks=[shop.task])
    reader = check_page(path.read_text(encoding="utf-8"))
    assert "mhmgnn: paper's probe 0.833, converged probe 0.417." in reader.told("task-0")
    cells = reader.texts("td")
    assert cells[-8:-4] == ["2 (67%)", "1 (33%)", "0 (0%)", "2 (100%)"]  # of the other method, the paper's
    assert "taken for yes" in reader.texts("th")


def test_names_from_outside_are_words_and_nothing_else(tmp_path):
    pairs = [(a, b) for a in range(6) for b in range(a)]
    graph = Graph.from_edges(pairs, names=HOSTILE, features=np.eye(6, dtype=np.float32))
    settings = ["subgraphs.size=6", "train.steps=1"]
    fit(graph, 3, config=CONFIG.with_settings(settings), run=tmp_path / "<b>run")
    reader = check_page(report(tmp_path / "<b>run").read_text(encoding="utf-8"))
    assert len(reader.of("script")) == 1
    assert reader.of("img") == reader.of("b") == []
    assert set(HOSTILE) <= set(reader.texts("li"))
    assert reader.texts("h1") == ["<b>run: what belongs together"]


def test_nodes_without_names_are_told_by_their_indices(tmp_path):
    graph = Graph.from_edges([(i, (i + 1) % 9) for i in range(9)])
    settings = ["subgraphs.size=8", "train.steps=1", "sets.exact=0", "sets.tours=4", "sets.supernode=2"]
    fit(graph, 3, config=CONFIG.with_settings(settings), run=tmp_path / "ring")
    reader = check_page(report(tmp_path / "ring").read_text(encoding="utf-8"))
    drawing = next(attrs for attrs in reader.of("svg") if attrs.get("id") == "map")
    sets = {frozenset(words.split(" · ")[0].split(", ")) for _, _, words in json.loads(drawing["data-spots"])}
    assert sets == {frozenset(str((i + j) % 9) for j in range(3)) for i in range(9)}
    assert any("0 were enumerated, 3 had tours." in words for words in reader.texts("p"))


@pytest.mark.parametrize("k", [2, 7])
def test_sets_of_any_size_have_a_page(k, tmp_path):
    graph = Graph.from_edges([(i, j) for i in range(9) for j in range(i) if i - j < 4])
    fit(graph, k, config=CONFIG.with_settings(["subgraphs.size=8", "train.steps=1"]), run=tmp_path / "run")
    reader = check_page(report(tmp_path / "run").read_text(encoding="utf-8"))
    assert ("edge" if k == 2 else "11 edges") in reader.told("shapes")


def test_a_run_on_many_graphs_tells_what_its_folder_knows(tmp_path):
    graphs = [Graph.from_edges([(i, (i + 1) % size) for i in range(size)]) for size in (5, 6, 7)]
    fit(graphs, 3, config=CONFIG, run=tmp_path / "many")
    reader = check_page(report(tmp_path / "many").read_text(encoding="utf-8"))
    assert [attrs["id"] for attrs in reader.of("section")] == ["overview", "training", "origin"]


def test_a_model_of_whole_graphs_has_energies_of_graphs_alone(tmp_path, shop):
    config = CONFIG.with_settings(["model.encoder=whole", "train.steps=1"])
    fit(shop.graph, config=config, run=tmp_path / "whole")
    reader = check_page(report(tmp_path / "whole").read_text(encoding="utf-8"))
    assert [attrs["id"] for attrs in reader.of("svg")] == ["loss", "energy-graphs"]


def test_a_model_without_a_log_has_a_page_without_a_curve(tmp_path, shop):
    load(shop.folder).save(tmp_path / "bare")
    reader = check_page(report(tmp_path / "bare").read_text(encoding="utf-8"))
    assert "loss" not in [attrs.get("id") for attrs in reader.of("svg")]
    assert any("The folder has no log" in words for words in reader.texts("p"))


def test_a_damaged_log_and_a_place_that_is_not_there_are_refused(tmp_path, shop):
    load(shop.folder).save(tmp_path / "bad")
    for line in ("0,much,3", "0,0.5", "0,0.5," + "3" * 5000, "x" * 200_000):
        (tmp_path / "bad" / "log.csv").write_text(f"step,loss,ksets\n{line}\n")
        with pytest.raises(DataError, match="no log of a run"):
            report(tmp_path / "bad")
    with pytest.raises(DataError, match="there is no folder"):
        report(shop.folder, page=tmp_path / "nowhere" / "page.html")
    with pytest.raises(DataError, match="no saved model"):
        report(tmp_path / "nothing")


def test_a_run_that_knows_groups_tells_how_its_probabilities_hold(tmp_path):
    config = replace(RunConfig().with_settings(TINY), groups=GROUPS)
    fit(carts()[0], 3, config=config, run=tmp_path / "run")
    text = report(tmp_path / "run").read_text()
    check_page(text)
    assert "Is the set a group?" in text
    assert f"{GROUPS.worlds} planted in the graph" in text


def test_groups_are_counted_by_size_and_the_most_probable_of_each_are_listed():
    def listed(sizes: list[int], chances: list[float]) -> GroupList:
        sets = Sets(np.concatenate([np.arange(size) for size in [0, *sizes]]), np.cumsum([0, *sizes]))
        return GroupList(Groups(sets, np.array(chances), True), carts()[0])

    section = str(grouped(listed([4] * 5 + [3] * 5, 2 * [0.9, 0.8, 0.7, 0.6, 0.5])).body)
    assert "10 groups of three nodes and more" in section
    assert section.count("<dd>5</dd>") == 2
    rows = re.findall(r'<th scope="row"[^>]*>([^<]*)</th><td>(\d+)</td><td>([\d.]+)</td>', section)
    assert [row[1:] for row in rows] == [
        (size, chance) for size in "34" for chance in ("0.90", "0.80", "0.70")
    ]
    assert "No group" in str(grouped(listed([], [])).body)
