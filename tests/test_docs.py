import re
import subprocess
import sys
from pathlib import Path

import pytest

import mhmgnn

DOCS = Path(__file__).parents[1] / "docs"


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
        if name not in ("datasets", "tasks"):  # rooms, whose functions are there
            assert re.search(rf'id="mhmgnn\.[\w.]*\b{name}"', page), name
