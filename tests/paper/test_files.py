import json

from mhmgnn.paper.files import add_result, read_cell, read_folder
from mhmgnn.paper.item import items_of
from mhmgnn.paper.run import run_item
from mhmgnn.paper.schedule import missing


def test_an_item_that_runs_again_replaces_its_result_and_no_other(tmp_path, recipe, bench):
    items = items_of([recipe], runs=2, methods=["Degrees"])
    first = [run_item(item, tmp_path, bench) for item in items]
    again = run_item(items[0], tmp_path, bench)
    path = items[0].path(tmp_path)
    assert len(path.read_text().splitlines()) == 2
    found = read_cell(path)
    assert found[items[0].key]["seconds"] == again["seconds"] != first[0]["seconds"]
    assert found[items[1].key]["seconds"] == first[1]["seconds"]


def test_a_kill_in_the_middle_of_a_write_costs_that_result_alone(tmp_path, recipe, bench):
    items = items_of([recipe], runs=3, methods=["Degrees"])
    for item in items[:2]:
        run_item(item, tmp_path, bench)
    path = items[0].path(tmp_path)
    path.write_bytes(path.read_bytes()[:-100])
    assert missing(items, tmp_path) == items[1:]
    run_item(items[2], tmp_path, bench)
    assert missing(items, tmp_path) == items[1:2]
    assert len(read_folder(tmp_path)) == 2


def test_the_order_in_which_results_came_does_not_show(tmp_path, recipe, bench):
    items = items_of([recipe], runs=3, methods=["Degrees", "Motif shape"])
    rows = [run_item(item, tmp_path / "one", bench) for item in items]
    for item, row in zip(items[::-1], rows[::-1], strict=True):
        add_result(item.path(tmp_path / "other"), row)
    assert list(read_folder(tmp_path / "one")) == list(read_folder(tmp_path / "other"))


def test_a_folder_with_a_file_for_each_result_is_read_as_before(tmp_path, recipe, bench):
    items = items_of([recipe], runs=2, methods=["Degrees"])
    rows = [run_item(item, tmp_path / "new", bench) for item in items]
    folder = tmp_path / "old" / "hyperedge" / "market-3"
    folder.mkdir(parents=True)
    for seed, row in enumerate(rows):
        lines = ",\n".join(f"{json.dumps(key)}: {json.dumps(value)}" for key, value in row.items())
        (folder / f"degrees-{seed}.json").write_text(f"{{\n{lines}\n}}\n")
    assert missing(items, tmp_path / "old") == []
    assert read_folder(tmp_path / "old") == read_folder(tmp_path / "new")
    run_item(items[0], tmp_path / "old", bench)
    assert len(read_folder(tmp_path / "old")) == 2
