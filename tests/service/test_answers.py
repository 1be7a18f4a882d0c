import asyncio
import csv
import io

import numpy as np
import pytest
from scipy.special import expit
from service.conftest import client_of

from mhmgnn.subgraphs.cliques import list_cliques


def ask(service, method: str, path: str, **sent):
    async def once():
        async with client_of(service) as client:
            return await client.request(method, path, **sent)

    return asyncio.run(once())


@pytest.fixture(scope="module")
def ksets(model) -> list[list[str]]:
    return [[model.graph.label(node) for node in kset] for kset in list_cliques(model.graph, 3)[:40]]


def test_energies_are_those_of_the_library_bit_for_bit(service, model, ksets):
    for match in ("contained", "exact"):
        for some in (ksets[:1], ksets, [ksets[0], ksets[1][:2], ksets[2][:1]]):
            answer = ask(service, "POST", "/v1/energy", json={"sets": some, "match": match}).json()
            expected = model.energy(some, match=match)
            assert answer["energies"] == expected.tolist()
            assert answer["probabilities"] == expit(-expected.astype(np.float64)).tolist()


def test_requests_that_share_a_turn_get_the_bits_they_get_alone(service, model, ksets):
    async def together():
        async with client_of(service) as client:
            asked = [client.post("/v1/energy", json={"sets": [kset]}) for kset in ksets]
            asked += [client.post("/v1/embed", json={"sets": [kset]}) for kset in ksets[:10]]
            return [answer.json() for answer in await asyncio.gather(*asked)]

    found = asyncio.run(together())
    assert [one["energies"] for one in found[:40]] == [model.energy([kset]).tolist() for kset in ksets]
    assert [one["vectors"] for one in found[40:]] == [model.embed([kset]).tolist() for kset in ksets[:10]]


def test_vectors_are_those_of_the_library_bit_for_bit(service, model, ksets):
    answer = ask(service, "POST", "/v1/embed", json={"sets": ksets}).json()
    assert np.array_equal(np.array(answer["vectors"], np.float32), model.embed(ksets))


@pytest.mark.parametrize("given", [1, 2, 3])
def test_completions_are_those_of_the_library(service, model, ksets, given):
    for kset in ksets[::8]:
        sent = {
            "nodes": kset[:given],
            "top": 7,
            "exclude": [ksets[-1][0]] if ksets[-1][0] not in kset else [],
        }
        answer = ask(service, "POST", "/v1/complete", json=sent).json()
        found = [(one["node"], one["energy"], one["score"]) for one in answer["completions"]]
        expected = model.complete(kset[:given], top=7, exclude=sent["exclude"])
        assert found == [
            (one.name, one.energy if np.isfinite(one.energy) else None, one.score) for one in expected
        ]


def test_a_set_that_is_not_connected_has_no_energy_and_no_chance(service, model):
    near = model.graph.to_scipy().toarray() > 0
    far = np.argwhere(~near & ~np.eye(len(near), dtype=bool))[0]
    answer = ask(
        service, "POST", "/v1/energy", json={"sets": [[model.graph.label(node) for node in far]]}
    ).json()
    assert answer["energies"] == [None]
    assert answer["probabilities"] == [0.0]


def test_groups_are_those_of_the_library_also_with_a_node(with_groups, model):
    answer = ask(with_groups, "GET", "/v1/groups", params={"top": 1000}).json()
    expected = model.groups(top=1000).groups
    assert [(tuple(one["nodes"]), one["probability"]) for one in answer["groups"]] == [
        (one.names, one.probability) for one in expected
    ]
    name = expected[0].names[0]
    answer = ask(with_groups, "GET", "/v1/groups", params={"top": 3, "with": name}).json()
    expected = model.groups(with_nodes=[name]).groups
    assert [tuple(one["nodes"]) for one in answer["groups"]] == [one.names for one in expected[:3]]
    assert answer["found"] == len(expected)


def test_groups_are_filtered_by_letters_of_a_name_in_capitals_or_not(with_groups, model):
    letters = model.groups().groups[-1].names[0][1:6]  # the least probable, beyond any first page
    expected = [one.names for one in model.groups().groups if any(letters in name for name in one.names)]
    for words in (letters, letters.upper()):
        answer = ask(with_groups, "GET", "/v1/groups", params={"top": 1000, "containing": words}).json()
        assert [tuple(one["nodes"]) for one in answer["groups"]] == expected
        assert answer["found"] == len(expected) < len(model.groups().groups)
    assert ask(with_groups, "GET", "/v1/groups", params={"containing": "no such name"}).json()["groups"] == []
    table = ask(with_groups, "GET", "/v1/groups.csv", params={"containing": letters}).text
    assert len(list(csv.DictReader(io.StringIO(table)))) == len(expected)


def test_the_table_of_groups_is_the_file_of_the_library(with_groups, model, tmp_path):
    table = ask(with_groups, "GET", "/v1/groups.csv")
    written = model.groups().write(tmp_path / "groups.csv").read_text()
    rows, expected = (list(csv.DictReader(io.StringIO(text))) for text in (table.text, written))
    assert [row["members"] for row in rows] == [row["members"] for row in expected]
    assert [float(row["probability"]) for row in rows] == [float(row["probability"]) for row in expected]


def test_similar_groups_are_those_of_the_library(with_groups, model, ksets):
    among = [group.nodes for group in model.groups().groups if len(group.nodes) == 3]
    asked = [model.graph.label(node) for node in among[0]]
    answer = ask(with_groups, "GET", "/v1/similar", params={"node": asked, "top": 5}).json()
    expected = model.similar(asked, among=among, top=5)
    assert [(tuple(one["nodes"]), one["distance"]) for one in answer["similar"]] == [
        (one.names, one.distance) for one in expected
    ]
    assert ask(with_groups, "GET", "/v1/similar", params={"node": asked[:2]}).status_code == 422


def test_nodes_are_found_by_their_first_letters_in_capitals_or_not(service, model):
    names = sorted(model.graph.names, key=str.casefold)
    prefix = names[0][:2]
    answer = ask(service, "GET", "/v1/nodes", params={"prefix": prefix.upper(), "top": 1000}).json()
    assert [one["node"] for one in answer["nodes"]] == [
        name for name in names if name.casefold().startswith(prefix.casefold())
    ]


def test_a_neighbourhood_has_the_pairs_of_the_graph_and_no_two_nodes_in_one_place(service, model):
    graph = model.graph
    middle = graph.label(int(np.argmax(graph.degrees)))
    answer = ask(service, "GET", "/v1/neighbourhood", params={"node": middle}).json()
    shown = graph.ksets([[one["node"]] for one in answer["places"]], k=1)[:, 0]
    near = graph.to_scipy().toarray()[np.ix_(shown, shown)] > 0
    assert answer["places"][0]["node"] == middle
    assert len(answer["pairs"]) == near.sum() // 2
    assert all(near[a, b] for a, b in answer["pairs"])
    assert len({(round(one["x"], 3), round(one["y"], 3)) for one in answer["places"]}) == shown.size


def test_the_model_says_what_it_is_and_what_may_be_asked(service, model):
    answer = ask(service, "GET", "/v1/model").json()
    assert answer["model"]["nodes"] == model.graph.num_nodes
    assert answer["model"]["k"] == 3
    assert answer["limits"]["sets"] == 1000
