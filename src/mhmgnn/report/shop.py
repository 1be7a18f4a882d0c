"""What the demo found -> its page."""

from pathlib import Path

from mhmgnn.demo import Demo
from mhmgnn.report.report import report
from mhmgnn.report.run import Labels, Task

WORDS = {"False": "not a cart", "True": "cart"}


def report_demo(found: Demo, run: Path, page: Path) -> Path:
    """Write the page of the demo's run, with the carts it did not see; where it went."""
    task = Task(
        "Which triangles are carts?",
        found.detections,
        "Each half of the shop is tested by probes that were trained on the other half.",
        WORDS,
    )
    labels = Labels(found.triangles, [WORDS[str(bool(cart))] for cart in found.is_cart])
    return report(run, page=page, labels=labels, tasks=[task], cliques=True)
