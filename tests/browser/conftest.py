"""A page of a real run in a real browser: Debian's chromium, driven by playwright; skipped without them."""

import importlib.util
import os
import shutil
from pathlib import Path

import pytest

from mhmgnn import RunConfig, fit
from mhmgnn.datasets.market import generate
from mhmgnn.report.report import report

CONFIG = RunConfig().with_settings(
    ["model.dim=8", "subgraphs.size=20", "train.steps=4", "train.batch=3", "train.checkpoint_every=2"]
)


@pytest.fixture(scope="session")
def browser():
    chromium = shutil.which("chromium")
    if chromium is None:
        pytest.skip("there is no chromium; `make test-browser` installs it")
    if importlib.util.find_spec("playwright") is None:
        pytest.skip("playwright is not installed; `make test-browser` installs it")
    from playwright.sync_api import sync_playwright

    alone = ["--no-sandbox"] if os.geteuid() == 0 else []  # the sandbox refuses root
    with sync_playwright() as playwright:
        launched = playwright.chromium.launch(executable_path=chromium, args=alone)
        yield launched
        launched.close()


@pytest.fixture(scope="session")
def page_file(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("runs") / "shop"
    fit(generate(products=80, seed=1).graph, 3, config=CONFIG, seed=5, run=folder)
    return report(folder)


@pytest.fixture
def opened(browser, page_file, request):
    """The page, opened with the settings of the test, and everything it asked for or complained of."""
    settings = getattr(request, "param", {"viewport": {"width": 1100, "height": 800}})
    context = browser.new_context(**settings)
    page = context.new_page()
    page.asked, page.complaints = [], []
    page.on("request", lambda asked: page.asked.append(asked.url))
    page.on("console", lambda message: page.complaints.append(message.text))
    page.on("pageerror", lambda error: page.complaints.append(str(error)))
    page.goto(page_file.as_uri())
    yield page
    context.close()
