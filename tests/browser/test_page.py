import json

import numpy as np
import pytest

pytestmark = pytest.mark.browser

PHONE = {"viewport": {"width": 360, "height": 740}, "has_touch": True, "is_mobile": True}
PRINTED = {"viewport": {"width": 700, "height": 1000}, "color_scheme": "dark"}
DARK = {"viewport": {"width": 1100, "height": 800}, "color_scheme": "dark"}


def brightness(page, selector: str, part: str) -> float:
    """From 0, black, to 1, white."""
    colour = page.evaluate(
        "([selector, part]) => getComputedStyle(document.querySelector(selector))[part]", [selector, part]
    )
    return sum(map(int, colour.removeprefix("rgb(").removesuffix(")").split(", "))) / (3 * 255)


def a_spot(page, name: str, *, alone: bool = False) -> tuple[float, float, str]:
    """Where on the screen a spot of a drawing is, the first or the one most alone, and what it says."""
    drawing = page.locator(f"svg#{name}")
    drawing.scroll_into_view_if_needed()
    spots = json.loads(drawing.get_attribute("data-spots"))
    places = np.array([spot[:2] for spot in spots])
    apart = np.linalg.norm(places[:, None] - places, axis=2) + np.diag(np.full(len(spots), np.inf))
    x, y, words = spots[apart.min(axis=1).argmax() if alone else 0]
    at = drawing.evaluate(
        "(svg, [x, y]) => { const p = new DOMPoint(x, y).matrixTransform(svg.getScreenCTM()); "
        "return [p.x, p.y]; }",
        [x, y],
    )
    return at[0], at[1], words


def test_the_page_opens_from_a_file_and_asks_for_nothing_else(opened, page_file):
    assert opened.asked == [page_file.as_uri()]
    assert opened.complaints == []
    assert opened.title() == "shop: what belongs together"


def test_every_drawing_is_on_the_screen_and_has_a_name(opened):
    drawings = opened.locator("svg[role=img]").all()
    assert len(drawings) > 10
    for drawing in drawings:
        box = drawing.bounding_box()
        assert box["width"] > 60
        assert box["height"] > 60
    for name in ("Loss by step", "Energies of graphs", "Energies of k-sets", "Energies by shape"):
        assert opened.get_by_role("img", name=name).is_visible()


def test_pointing_at_a_point_of_the_map_tells_the_names_of_its_nodes(opened):
    tip = opened.locator("#tip")
    assert tip.is_hidden()
    x, y, words = a_spot(opened, "map", alone=True)
    opened.mouse.move(x + 1, y)
    assert tip.is_visible()
    assert tip.text_content() == words
    assert len(words.split(" · ")[0].split(", ")) == 3
    opened.mouse.move(2, 2)
    assert tip.is_hidden()


@pytest.mark.parametrize("name", ["loss", "energy-graphs", "shapes"])
def test_pointing_at_a_chart_tells_its_figures(opened, name):
    x, y, words = a_spot(opened, name)
    opened.mouse.move(x, y)
    assert opened.locator("#tip").text_content() == words


@pytest.mark.parametrize("opened", [DARK], indirect=True)
def test_dark_rooms_get_a_dark_page_with_light_letters(opened):
    assert brightness(opened, "body", "backgroundColor") < 0.15
    assert brightness(opened, "body", "color") > 0.8
    assert brightness(opened, "#loss text", "fill") > 0.8


def test_light_rooms_get_a_light_page_with_dark_letters(opened):
    assert brightness(opened, "body", "backgroundColor") > 0.95
    assert brightness(opened, "body", "color") < 0.2


@pytest.mark.parametrize("opened", [PRINTED], indirect=True)
def test_paper_stays_white_and_unfolds_what_is_folded(opened):
    opened.emulate_media(media="print", color_scheme="dark")
    assert brightness(opened, "body", "backgroundColor") == 1
    assert opened.locator("nav").is_hidden()
    opened.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert opened.locator("pre").is_visible()


@pytest.mark.parametrize("opened", [PHONE], indirect=True)
def test_a_phone_needs_no_scrolling_sideways(opened):
    opened.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
    assert opened.evaluate("document.documentElement.scrollWidth") <= 360
    assert opened.evaluate("document.body.scrollWidth") <= 360


@pytest.mark.parametrize("opened", [PHONE], indirect=True)
def test_a_finger_can_ask_a_point_for_its_names(opened):
    x, y, words = a_spot(opened, "map", alone=True)
    opened.touchscreen.tap(x, y)
    tip = opened.locator("#tip")
    assert tip.text_content() == words
    assert tip.bounding_box()["x"] + tip.bounding_box()["width"] <= 360
    opened.touchscreen.tap(5, 5)
    assert tip.is_hidden()
