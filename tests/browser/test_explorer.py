"""The explorer of a real service, as a person walks it."""

import os
import shutil
import threading
import time
from dataclasses import replace

import httpx
import numpy as np
import pytest
import uvicorn
from browser.conftest import CONFIG

from mhmgnn import fit
from mhmgnn.datasets.market import generate
from mhmgnn.graph.names import Names
from mhmgnn.service.app import Service
from mhmgnn.service.log import Log

pytestmark = pytest.mark.browser

PHONE = {"viewport": {"width": 360, "height": 740}, "has_touch": True, "is_mobile": True}
DARK = {"viewport": {"width": 1100, "height": 900}, "color_scheme": "dark"}
PICTURES = os.environ.get("MHMGNN_PICTURES")  # folder for pictures of the page, as docs/figures has them
NASTY = "<img src=x onerror=\"document.title='taken'\">"


@pytest.fixture(scope="module")
def address(tmp_path_factory):
    if shutil.which("chromium") is None:
        pytest.skip("there is no chromium; `make test-browser` installs it")
    folder = tmp_path_factory.mktemp("explorer")
    graph = generate(products=80, seed=1).graph
    names = list(graph.names)
    names[int(np.argmax(graph.degrees))] = NASTY
    named = replace(graph, names=Names.of(names))
    fit(named, config=CONFIG, seed=5, run=folder / "run")
    with (folder / "log").open("w") as log:
        service = Service(folder / "run", log=Log(log))
        service.holder.reload()
        service.start(watch=False)
        server = uvicorn.Server(uvicorn.Config(service.app, port=0, lifespan="off", log_level="warning"))
        thread = threading.Thread(target=server.run)
        thread.start()
        while not server.started:
            time.sleep(0.01)
        port = server.servers[0].sockets[0].getsockname()[1]
        while httpx.get(f"http://127.0.0.1:{port}/v1/groups").status_code == 503:
            time.sleep(0.1)
        yield f"http://127.0.0.1:{port}"
        server.should_exit = True
        thread.join()
        service.stop(wait=60)


@pytest.fixture
def explorer(browser, address, request):
    context = browser.new_context(**getattr(request, "param", {"viewport": {"width": 1100, "height": 900}}))
    page = context.new_page()
    page.asked, page.complaints = [], []
    page.on("request", lambda asked: page.asked.append(asked.url))
    page.on("console", lambda message: page.complaints.append(message.text))
    page.on("pageerror", lambda error: page.complaints.append(str(error)))
    page.goto(address)
    page.locator("#rows tr").first.wait_for()
    yield page
    assert all(url.startswith((address, "data:", "blob:")) for url in page.asked)
    assert page.complaints == []
    assert page.title() == "mhmgnn: look around"
    context.close()


def first_name(page) -> str:
    return page.evaluate("async () => (await (await fetch('/v1/nodes?prefix=b&top=1')).json()).nodes[0].node")


def search(page, words: str) -> None:
    page.get_by_role("combobox", name="Search").fill(words)
    page.get_by_role("option").first.wait_for()


def test_a_person_builds_a_set_and_adds_a_completion(explorer):
    name = first_name(explorer)
    search(explorer, name[:3].upper())
    explorer.get_by_role("option", name=name, exact=True).click()
    spots = explorer.locator("#drawing g")
    spots.nth(2).wait_for()
    assert explorer.locator("#middle").text_content() == name
    for place in (1, 2):
        spots.nth(place).click()
    chosen = explorer.locator("#chosen li")
    assert chosen.count() == 3
    explorer.wait_for_function("document.querySelectorAll('#completions button').length === 10")
    explorer.locator("#similar button").first.wait_for()
    assert explorer.locator("#similar button").first.text_content().count(", ") >= 2
    before = explorer.locator("#energy").text_content()
    completion = explorer.locator("#completions button").first
    completion.click()
    assert chosen.count() == 4
    explorer.wait_for_function("(old) => document.getElementById('energy').textContent !== old", arg=before)
    assert explorer.locator("#probability").text_content().endswith("%")
    chosen.first.get_by_role("button").click()
    assert chosen.count() == 3
    if PICTURES:
        explorer.screenshot(path=f"{PICTURES}/explorer.png", full_page=True)


def test_groups_are_sorted_filtered_and_downloaded(explorer):
    rows = explorer.locator("#rows tr")
    word = rows.first.locator("button").text_content().split(", ")[0]
    explorer.get_by_label("Filter").fill(word)
    assert all(word in text for text in rows.all_text_contents())
    explorer.get_by_label("Filter").fill("")
    with explorer.expect_response(lambda answer: "sort=size" in answer.url):
        explorer.locator("#sort").select_option("size")
    explorer.wait_for_function(
        "() => { const cells = [...document.querySelectorAll('#rows td:nth-child(2)')];"
        " const s = cells.map((cell) => Number(cell.textContent));"
        " return s.every((n, i) => !i || n <= s[i - 1]); }"
    )
    with explorer.expect_download() as download:
        explorer.get_by_role("button", name="Download CSV").click()
    assert download.value.suggested_filename == "groups.csv"
    assert download.value.path().read_text().startswith("group,size,probability,members\n")


def test_the_keyboard_alone_is_enough(explorer):
    explorer.keyboard.press("Tab")
    assert explorer.evaluate("document.activeElement.id") == "prefix"
    explorer.keyboard.type(first_name(explorer)[:2])
    explorer.get_by_role("option").first.wait_for()
    explorer.keyboard.press("ArrowDown")
    explorer.keyboard.press("ArrowUp")
    explorer.keyboard.press("Enter")
    explorer.locator("#drawing g").nth(1).wait_for()
    explorer.keyboard.press("Tab")
    explorer.keyboard.press("Tab")
    assert explorer.evaluate("document.activeElement.parentNode.id") == "drawing"
    explorer.keyboard.press("Enter")
    assert explorer.locator("#chosen li").count() == 2
    assert explorer.evaluate("document.activeElement.getAttribute('aria-pressed')") == "true"
    explorer.keyboard.press(" ")
    assert explorer.locator("#chosen li").count() == 1


def test_a_name_that_is_html_is_shown_and_never_run(explorer):
    search(explorer, "<img")
    assert explorer.get_by_role("option").first.text_content() == NASTY
    explorer.get_by_role("option").first.click()
    explorer.locator("#drawing g").first.wait_for()
    assert explorer.locator("#middle").text_content() == NASTY
    explorer.locator("#own-groups li").first.wait_for()
    assert explorer.locator("img").count() == 0


def test_the_map_shows_groups_and_a_click_takes_one(explorer):
    spots = explorer.locator("#map circle")
    spots.first.wait_for()
    assert f"{spots.count()} of " in explorer.locator("#map-note").text_content()
    members = spots.first.locator("title").text_content().split(", ")
    spots.first.dispatch_event("click")
    explorer.wait_for_function(
        "(n) => document.querySelectorAll('#chosen li').length === n", arg=len(members)
    )
    assert spots.first.get_attribute("class") == "here in"
    assert explorer.locator("#map-here").text_content().startswith(", ".join(members))
    if PICTURES:
        explorer.locator("#atlas").screenshot(path=f"{PICTURES}/explorer-map.png")


def test_the_map_is_walked_by_arrow_keys(explorer):
    explorer.locator("#map circle").first.wait_for()
    explorer.locator("#map").focus()
    explorer.keyboard.press("ArrowRight")
    here = explorer.locator("#map circle.here")
    assert here.get_attribute("data-place") == "0"
    across = float(here.get_attribute("cx"))
    explorer.keyboard.press("ArrowLeft" if across > 0 else "ArrowRight")  # the map has both sides
    assert (float(here.get_attribute("cx")) - across) * across < 0
    explorer.keyboard.press("Enter")
    assert explorer.locator("#chosen li").count() >= 3


def test_what_the_model_was_trained_on_is_told(explorer):
    facts = explorer.locator("#facts").text_content()
    assert all(word in facts for word in ("trained on data", "told from noise", "updates since"))
    assert "undefined" not in facts
    assert "NaN" not in facts


@pytest.mark.parametrize("explorer", [PHONE], indirect=True)
def test_a_phone_needs_no_scrolling_sideways(explorer):
    search(explorer, "<img")
    explorer.get_by_role("option").first.click()
    explorer.locator("#completions button").first.wait_for()
    assert explorer.evaluate("document.documentElement.scrollWidth") <= 360


@pytest.mark.parametrize("explorer", [DARK], indirect=True)
def test_dark_rooms_get_a_dark_page(explorer):
    colour = explorer.evaluate("getComputedStyle(document.body).backgroundColor")
    assert sum(map(int, colour.removeprefix("rgb(").removesuffix(")").split(", "))) < 120
