"""What a prediction says: who is in the way, and how far off it was."""

from __future__ import annotations

import io

import pytest
from rich.console import Console

from queueio.schedule.whatif.changes import KnobChange
from queueio.schedule.whatif.measure import Figures, Filling
from queueio.schedule.whatif.predict import Prediction
from queueio.schedule.whatif.shown import difference, show, verdict

CHANGES = [KnobChange("q", "threads", 4)]


def seen(examples: float, program: float = 0.0, fill: float = 0.0) -> Figures:
    waits = {"dequeue from list; enqueue into q": fill, "run step; dequeue_many from q": program}
    return Figures(examples, examples / 8, {"q": Filling(9.5, 3, 12)}, waits,
                   dict.fromkeys(waits, 2), ("run step; dequeue_many from q",))  # fmt: skip


def test_a_program_that_waits_has_its_fillers_for_a_bottleneck() -> None:
    then = seen(200, program=0.6)

    assert verdict(Prediction(seen(100), then, then, ()), CHANGES) == (
        "q.threads=4 gives 2.00 times the rate. The program waits 60% of its time: the bottleneck"
        " is enqueue into q, 2 threads."
    )


def test_a_program_that_does_not_wait_is_the_bottleneck_itself() -> None:
    then = seen(102, fill=0.8)

    assert verdict(Prediction(seen(100), then, then, ()), CHANGES) == (
        "q.threads=4 changes little. The program waits 0% of its time: it is the bottleneck itself."
    )


@pytest.mark.parametrize(
    ("then", "real", "off"),
    [((110, 110), 100, 0.1), ((100, 200), 150, 0.0), ((100, 200), 250, -0.2), ((80, 60), 50, 0.2)],
)
def test_a_range_is_off_by_what_lies_outside_of_it(
    then: tuple[float, float], real: float, off: float
) -> None:
    assert difference(then, real) == pytest.approx(off)


def test_both_ends_of_a_range_are_told_and_what_was_measured_beside_them() -> None:
    out = io.StringIO()
    found = Prediction(seen(100), seen(120), seen(180), ("the moon is far",))
    show(found, CHANGES, seen(150), Console(file=out, width=100))

    row = next(line for line in out.getvalue().splitlines() if line.startswith("examples/s"))
    assert row.split() == ["examples/s", "100", "120-180", "150", "+0%"]
    assert "assumes: the moon is far" in out.getvalue()
