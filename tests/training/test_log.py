import pytest

from mhmgnn.training.log import Log, Step


def test_tensorboard_shows_the_losses_of_the_csv_where_it_is_installed(tmp_path):
    """A resumed run goes on after the steps it kept."""
    events = pytest.importorskip("tensorboard.backend.event_processing.event_accumulator")
    steps = [Step((1 / (n + 1), 2 / (n + 1)), 10, 0.1, 0.0) for n in range(5)]
    for kept, new in ((0, 3), (3, 5)):
        log = Log(tmp_path, ("features", "edges"), steps[:kept])
        for number in range(kept, new):
            log.add(number, steps[number])
        log.close()
    shown = events.EventAccumulator(str(tmp_path / "tensorboard"))
    shown.Reload()
    seen = [(scalar.step, scalar.value) for scalar in shown.Scalars("loss")]
    assert seen == [(n, pytest.approx(step.loss)) for n, step in enumerate(steps)]
    written = [float(line.split(",")[1]) for line in (tmp_path / "log.csv").read_text().splitlines()[1:]]
    assert written == pytest.approx([step.loss for step in steps], abs=1e-6)
