"""Draw which room of the package imports which, as docs/figures/rooms.svg: python docs/draw_rooms.py.

Rooms stand in the order of flow. On the row of a room, a dot stands in the column of each room that it
imports. The imports are read from the source, the order from tests/test_rooms.py.
"""

import ast
from pathlib import Path

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "src" / "mhmgnn"
DRAWING = ROOT / "docs" / "figures" / "rooms.svg"
CELL, MARGIN = 18, 14  # pixels
STYLE = """
    text { font: 12px system-ui, sans-serif; fill: #1f2328; }
    circle { fill: #0b62c4; }
    line { stroke: #d5dae0; }
    rect { fill: #e6effa; stroke: #0b62c4; }
    @media (prefers-color-scheme: dark) {
      text { fill: #e6edf3; }
      circle { fill: #6cb1ff; }
      line { stroke: #3a424c; }
      rect { fill: #16263a; stroke: #6cb1ff; }
    }"""


def ordered_rooms() -> list[str]:
    """The rooms in the order of flow."""
    for node in ast.parse((ROOT / "tests" / "test_rooms.py").read_text()).body:
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "ROOMS":
            rooms: list[str] = ast.literal_eval(node.value)
            return rooms
    raise LookupError("tests/test_rooms.py lists no ROOMS")


def imported(room: str) -> set[str]:
    """The other rooms that the files of a room import, anywhere in them."""
    place = PACKAGE / room
    files = place.rglob("*.py") if place.is_dir() else [place.with_suffix(".py")]
    modules: set[str] = set()
    for file in files:
        for node in ast.walk(ast.parse(file.read_text())):
            if isinstance(node, ast.Import):
                modules |= {alias.name for alias in node.names}
            elif isinstance(node, ast.ImportFrom):
                modules |= {f"{node.module}.{alias.name}" for alias in node.names}
    return {module.split(".")[1] for module in modules if module.startswith("mhmgnn.")} - {room}


def drawing() -> str:
    """The drawing as SVG; the same source always gives the same text."""
    rooms = ordered_rooms()
    uses = {room: imported(room) for room in rooms}
    centre = {room: MARGIN + CELL * i + CELL // 2 for i, room in enumerate(rooms)}
    size = 2 * MARGIN + CELL * len(rooms)
    arrows = sum(map(len, uses.values()))
    about = f"{len(rooms)} rooms in the order of flow; {arrows} imports among them"
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {size + 80} {size}" role="img">',
        f"  <title>{about}</title>",
        f"  <style>{STYLE}\n  </style>",
    ]
    for room, at in centre.items():
        users = [centre[other] for other in rooms if room in uses[other]]
        if users:
            lines.append(f'  <line x1="{at}" y1="{at}" x2="{at}" y2="{max(users)}"/>')
        if uses[room]:
            lines.append(
                f'  <line x1="{min(centre[used] for used in uses[room])}" y1="{at}" x2="{at}" y2="{at}"/>'
            )
    for room, at in centre.items():
        for used in (other for other in rooms if other in uses[room]):
            told = f"<title>{room} imports {used}</title>"
            lines.append(f'  <circle cx="{centre[used]}" cy="{at}" r="4">{told}</circle>')
        lines.append(f'  <rect x="{at - 5}" y="{at - 5}" width="10" height="10"/>')
        lines.append(f'  <text x="{at + 11}" y="{at + 4}">{room}</text>')
    return "\n".join([*lines, "</svg>", ""])


if __name__ == "__main__":
    DRAWING.parent.mkdir(exist_ok=True)
    DRAWING.write_text(drawing())
