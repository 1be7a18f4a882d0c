"""Processes that share the reading of sets find what one finds."""

import threading
from dataclasses import replace
from functools import partial

import numpy as np
import pytest
from training.test_groups import GROUPS, TINY, carts

from mhmgnn import RunConfig, fit
from mhmgnn.graph.sets import Sets
from mhmgnn.models import groups
from mhmgnn.models.groups import Scoring
from mhmgnn.models.predict import Energies, Job, add_columns, chunks_of, write
from mhmgnn.models.predict_ray import Worker
from mhmgnn.models.shards import RESULT, SETS, read_shard, write_shard
from mhmgnn.runtime.distributed import ALONE, Crew
from mhmgnn.subgraphs.cliques import list_cliques
from mhmgnn.training.groups import fit_groups
from mhmgnn.training.worlds.store import WorldStore


class Side(Crew):
    """One of several processes, each a thread here, that put their shares on a table."""

    table: dict[int, np.ndarray]
    meet: threading.Barrier

    def gather(self, rows):
        self.table[self.rank] = rows
        self.meet.wait(60)
        shares = [self.table[rank] for rank in range(self.world)]
        self.meet.wait(60)
        return shares

    def wait(self):
        self.meet.wait(60)


@pytest.fixture(scope="module", name="model")
def trained():
    return fit(carts()[0], 3, config=replace(RunConfig().with_settings(TINY), groups=GROUPS))


def in_two(work, many=2):
    """What each of two processes, or of more, finds."""
    Side.table, Side.meet = {}, threading.Barrier(many)
    found = {}

    def one(rank):
        found[rank] = work(Side(rank, many))

    threads = [threading.Thread(target=one, args=(rank,)) for rank in range(many)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return [found[rank] for rank in range(many)]


@pytest.mark.parametrize("chunk", [7, 64])
def test_energies_are_those_of_one_process(model, monkeypatch, chunk):
    monkeypatch.setattr(groups, "CHUNK", chunk)
    reader = model.reader()
    sets = Sets.join([Sets.of_rows(list_cliques(model.graph, k)[:100]) for k in (2, 3)])
    alone = reader.energies(sets)
    for found in in_two(lambda crew: reader.by(Scoring(crew)).energies(sets)):
        np.testing.assert_array_equal(found, alone)


def test_more_processes_than_worlds_learn_what_one_learns():
    few, graph = replace(GROUPS, worlds=2), carts()[0]

    def learn(crew):
        return fit_groups(graph, few, 0, crew=crew, store=WorldStore(None, ""), quiet=True)

    alone = learn(ALONE).energy.state_dict()
    for found in in_two(learn, many=3):
        for name, tensor in found.energy.state_dict().items():
            np.testing.assert_array_equal(tensor.numpy(), alone[name].numpy())


def test_groups_are_those_of_one_process(model, monkeypatch):
    monkeypatch.setattr(groups, "CHUNK", 16)
    alone = model.groups()
    assert alone.groups
    for found in in_two(lambda crew: model.groups(scoring=Scoring(crew))):
        assert found.groups == alone.groups


@pytest.mark.parametrize("match", ["exact", "contained"])
def test_a_table_of_sets_of_any_size_is_that_of_one_process(model, tmp_path, match):
    pairs, threes = (list_cliques(model.graph, k)[:12].tolist() for k in (2, 3))
    rows = [*pairs, [0, 59], [*threes[0], *pairs[3]], *threes]  # one that is not connected, one of five nodes
    (tmp_path / "sets.csv").write_text("".join(",".join(map(str, dict.fromkeys(row))) + "\n" for row in rows))
    alone = Job(Energies(match), tmp_path / "sets.csv", tmp_path / "alone.csv", header=False, rows=5)
    write(lambda: model, alone)
    shared = alone._replace(target=tmp_path / "shared.csv")
    in_two(lambda crew: write(lambda: model, shared, crew=crew))
    assert shared.target.read_bytes() == alone.target.read_bytes()
    for number, table in chunks_of(model, alone, range(6)):
        write_shard(tmp_path, SETS, number, table)
    make = partial(add_columns, job=alone)
    Worker(lambda run: model, tmp_path, tmp_path, make)({"number": np.arange(6)})  # as Ray runs it
    parts = [read_shard(tmp_path, RESULT, number)["energy"].to_pylist() for number in range(6)]
    expected = model.energy([list(dict.fromkeys(row)) for row in rows], match=match)
    assert np.isinf(expected[12])
    np.testing.assert_array_equal(np.concatenate(parts).astype(np.float32), expected)
