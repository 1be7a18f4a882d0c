import re
import runpy
from pathlib import Path

from test_rooms import ROOMS

DOCS = Path(__file__).parents[1] / "docs"


def test_the_drawing_of_the_rooms_is_what_the_imports_give_today():
    script = runpy.run_path(str(DOCS / "draw_rooms.py"))
    drawn = (DOCS / "figures" / "rooms.svg").read_text()
    assert script["drawing"]() == drawn, "the imports have changed: run python docs/draw_rooms.py"


def test_every_room_has_its_paragraph_in_the_order_of_flow():
    assert re.findall(r"^\*\*(\w+)\*\*:", (DOCS / "architecture.md").read_text(), re.M) == ROOMS
