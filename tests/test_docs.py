import re
import subprocess
import sys
import xml.etree.ElementTree as ET
from pathlib import Path

import numpy as np
import pytest

import mhmgnn
from mhmgnn.subgraphs.cliques import list_cliques

DOCS = Path(__file__).parents[1] / "docs"
SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture(scope="module")
def site(tmp_path_factory) -> Path:
    """The pages as `make docs` builds them, where a warning is an error."""
    folder = tmp_path_factory.mktemp("site")
    command = [
        sys.executable,
        "-m",
        "sphinx",
        "-q",
        "-W",
        "--keep-going",
        "-b",
        "html",
        str(DOCS),
        str(folder),
    ]
    built = subprocess.run(command, capture_output=True, text=True)
    assert built.returncode == 0, built.stderr
    return folder


def test_the_site_fetches_nothing_from_any_address(site):
    wanted = re.compile(r"<(?:script|link|img|iframe)[^>]*(?:src|href)=[\"'](?:https?:)?//[^\"']*")
    for page in site.rglob("*.html"):
        assert wanted.findall(page.read_text()) == [], page.name


def test_mathematics_is_mathml_and_no_dollar_is_left(site):
    page = (site / "method.html").read_text()
    assert page.count("<math") > 100
    assert "$" not in re.sub(
        r"<(?:script|style|code|pre).*?</(?:script|style|code|pre)>", "", page, flags=re.S
    )


def test_the_api_page_has_every_public_name(site):
    page = (site / "api.html").read_text()
    for name in mhmgnn.__all__:
        if name not in ("datasets", "generate", "tasks"):  # rooms, whose functions are there
            assert re.search(rf'id="mhmgnn\.[\w.]*\b{name}"', page), name


@pytest.fixture(scope="module", name="idea")
def picture_of_the_readme() -> ET.Element:
    """What `python docs/draw_idea.py` drew; a model is not trained here."""
    return ET.parse(DOCS / "figures" / "idea.svg").getroot()


@pytest.fixture(scope="module", name="market")
def shop_of_the_picture():
    return mhmgnn.datasets.load("market")


def words(part: ET.Element, kind: str) -> list[str]:
    """The texts of a kind below a part of a drawing."""
    return [one.text or "" for one in part.iter(f"{SVG}text") if kind in one.get("class", "").split()]


def test_the_picture_of_the_readme_is_small_and_asks_for_nothing(idea):
    text = (DOCS / "figures" / "idea.svg").read_text()
    assert len(text.encode()) < 60_000
    assert re.findall(r"https?://[^\"]+", text) == ["http://www.w3.org/2000/svg"]
    assert not re.search(r"href=|url\(|@import|<script", text)
    named = {one.get("id"): one.text for one in idea if one.tag in (f"{SVG}title", f"{SVG}desc")}
    assert idea.get("aria-labelledby", "").split() == list(named)
    assert all(named.values())
    assert "(docs/figures/idea.svg)" in (DOCS.parent / "README.md").read_text()


def test_the_picture_names_products_and_joins_those_of_a_pair(idea, market):
    graph = market.graph
    products = words(idea, "name")[:8]
    assert set(words(idea, "name")) == set(products) <= set(graph.names)
    nodes = graph.ksets([[name] for name in products], k=1)[:, 0]
    near = graph.to_scipy().toarray()[np.ix_(nodes, nodes)] > 0
    assert len([one for one in idea.iter(f"{SVG}line") if one.get("class") == "edge"]) == near.sum() // 2


def test_the_sets_of_the_picture_are_triangles_and_carts_if_it_says_so(idea, market):
    cards = [part for part in idea.iter(f"{SVG}g") if part.get("class") == "card"]
    ksets = market.graph.ksets([words(card, "name") for card in cards], k=3)
    near = market.graph.to_scipy().toarray() > 0
    assert [near[np.ix_(kset, kset)].sum() for kset in ksets] == [6, 6, 6]
    said = [words(card, "cart") == ["a cart"] for card in cards]
    assert said == [words(card, "other") != ["no cart"] for card in cards]
    assert said == market.truth.holds(ksets).tolist()
    energies = [float(words(card, "bold")[0].replace("\N{MINUS SIGN}", "-")) for card in cards]
    assert energies == sorted(energies)


def test_the_bars_of_the_picture_hold_all_carts(idea, market):
    bars = [one for one in idea.iter(f"{SVG}rect") if one.get("class") in ("soft", "cart")]
    height = {
        kind: sum(float(one.get("height", 0)) for one in bars if one.get("class") == kind)
        for kind in ("soft", "cart")
    }
    triangles = list_cliques(market.graph, 3)
    share = height["cart"] / (height["soft"] + height["cart"])
    assert share == pytest.approx(market.truth.holds(triangles).mean(), abs=2e-3)
    assert f"all {len(triangles):,} triangles" in "".join(idea.itertext())


@pytest.mark.parametrize("page", sorted(DOCS.glob("*.md")), ids=lambda page: page.name)
def test_a_file_that_a_page_names_is_there(page):
    root = DOCS.parent
    places = (root, root / "src", root / "src" / "mhmgnn")
    for name in re.findall(r"`((?:[\w-]+/)*[\w-]+\.py)`", page.read_text()):
        if "/" in name:
            assert any((place / name).exists() for place in places), name
        else:
            assert any(root.joinpath("src").rglob(name)), name
