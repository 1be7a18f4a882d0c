import re
from itertools import combinations

import numpy as np
import pytest

from mhmgnn.report.charts import Heap, curve, histogram, mirrored
from mhmgnn.report.compared import Dot, dots
from mhmgnn.report.markup import marked
from mhmgnn.report.sketch import edges_of, sketch
from mhmgnn.report.svg import MINUS, Scale, number
from mhmgnn.subgraphs.shapes import motif_shapes


@pytest.mark.parametrize(
    ("value", "words"),
    [
        *((0, "0"), (0.5, "0.5"), (-3.5551, "-3.56"), (1234.4, "1,234"), (12.0, "12")),
        *((1_254_321, "1,250,000"), (3e13, "3e13"), (-0.00012, "-1.2e-4"), (100, "100"), (99.96, "100")),
    ],
)
def test_numbers_are_written_for_people(value, words):
    assert number(value) == words.replace("-", MINUS)


@pytest.mark.parametrize(("low", "high"), [(0, 1), (-3.6, 2.9), (0.0012, 0.0057), (5, 12_345)])
def test_ticks_are_round_even_and_inside(low, high):
    scale = Scale(low, high, 0, 100)
    ticks = scale.ticks()
    assert 3 <= len(ticks) <= 8
    assert all(low - 1e-9 <= tick <= high + 1e-9 for tick in ticks)
    np.testing.assert_allclose(np.diff(ticks), ticks[1] - ticks[0])
    assert float(f"{ticks[1] - ticks[0]:.1e}") == pytest.approx(ticks[1] - ticks[0])


def test_a_scale_maps_its_ends_to_the_ends():
    scale = Scale(2, 4, 100, 0)
    assert [scale(value) for value in (2, 3, 4)] == [100, 50, 0]


def test_a_loss_is_smoothed_as_training_smooths_it():
    drawing = curve("x", "Loss", [1.0, 0.5, 0.25], level=0.7, level_name="blind")
    assert drawing.spots[-1].words == f"step 3: 0.250, smoothed {0.8 * (0.8 + 0.1) + 0.05:.3f}"


def test_a_curve_of_many_steps_keeps_its_ends():
    drawing = curve("x", "Loss", np.linspace(1, 0.1, 10_000), level=0.7, level_name="blind")
    assert len(drawing.spots) == 400
    assert drawing.spots[0].words.startswith("step 1:")
    assert drawing.spots[-1].words.startswith("step 10000:")


def heights(svg: str, kind: str) -> list[float]:
    return [float(height) for height in re.findall(rf'class="{kind}"[^>]* height="([\d.]+)"', svg)]


def test_bars_stand_for_shares_of_weight():
    data = Heap("data", np.array([0.0, 0.0, 1.0]), np.array([1.0, 1.0, 2.0]))
    noise = Heap("noise", np.array([0.0, 1.0, 1.0, 1.0]))
    svg = mirrored("x", "Energies", data, noise, axis="energy").body
    one, other = heights(svg, "data")
    assert one == other
    few, many = heights(svg, "noise")
    assert many == pytest.approx(3 * few, abs=0.2)
    assert few == pytest.approx(one / 2, abs=0.1)


@pytest.mark.parametrize("largest", [3, 40, 100_000])
def test_every_length_is_in_one_bar(largest):
    lengths = np.array([2, 2, 3, largest, largest])
    drawing = histogram("x", "Lengths", lengths, axis="steps")
    counts = [int(spot.words.split(": ")[1]) for spot in drawing.spots]
    assert sum(counts) == 5
    assert drawing.spots[0].words.split(":")[0] in ("2", "2 to 3")


def test_what_is_not_known_has_no_marker():
    rows = [("a", [Dot(0.5, 0.1), Dot(None)]), ("b", [Dot(None), Dot(None)])]
    drawing = dots("x", "Scores", rows, ("one", "other"))
    assert drawing.told == "a: one 0.500 ± 0.100."
    assert drawing.body.count("<path") == 1


def crossings(svg: str) -> int:
    """Pairs of drawn edges that cross inside."""
    numbers = re.findall(r'x1="([-\d.]+)" y1="([-\d.]+)" x2="([-\d.]+)" y2="([-\d.]+)"', svg)
    lines = [(complex(float(a), float(b)), complex(float(c), float(d))) for a, b, c, d in numbers]

    def side(p: complex, q: complex, r: complex) -> float:
        return ((q - p).conjugate() * (r - p)).imag

    return sum(
        side(p, q, r) * side(p, q, s) < -1 and side(r, s, p) * side(r, s, q) < -1
        for (p, q), (r, s) in combinations(lines, 2)
    )


@pytest.mark.parametrize("k", [3, 4, 5, 6])
def test_cycles_and_paths_are_drawn_without_crossings(k):
    for shape in motif_shapes(k).shapes:
        drawn = sketch(k, shape.edges)
        assert drawn.count("<line") == len(shape.edges)
        if shape.name in ("cycle", "path", "star"):
            assert crossings(drawn) == 0


def test_the_edges_of_a_code_are_those_of_its_shape():
    for shape in motif_shapes(4).shapes:
        assert sorted(edges_of(shape.code, 4)) == list(shape.edges)


def test_our_markdown_becomes_html_and_nothing_else_does():
    lines = ["One `a<b`", "goes on.", "", "- x", "- **y**", "| m | n |", "|---|---|", "| <i> |  |"]
    assert marked(lines, caption="c & d") == (
        "<p>One <code>a&lt;b</code> goes on.</p><ul><li>x</li><li><strong>y</strong></li></ul>"
        '<div class="scroll" tabindex="0" role="region" aria-label="c &amp; d"><table>'
        "<caption><div>c &amp; d</div></caption>"
        '<thead><tr><th scope="col">m</th><th scope="col">n</th></tr></thead>'
        '<tbody><tr><th scope="row">&lt;i&gt;</th><td></td></tr></tbody></table></div>'
    )
