"""The demo's last word is no when something is not as it should be."""

from __future__ import annotations

from io import StringIO
from pathlib import Path

import pytest
from rich.console import Console

from queueio.demo.evidence import tf_record_keys
from queueio.demo.report import proof, training_seconds
from queueio.demo.witness import Look, Witness
from queueio.schedule.events import Level

DATA = Path(__file__).resolve().parents[2] / "examples" / "data"
GOOD = ["test accuracy: 0.9500 (342 of 360)"]


@pytest.fixture
def observer() -> Witness:
    """As if a run of two epochs had been seen."""
    keys = {
        split: [k for path in DATA.glob(f"digits-{split}-*.tfrecord") for k in tf_record_keys(path)]
        for split in ("train", "test")
    }
    return Witness(keys={"input_train": keys["train"] * 2, "input_test": keys["test"]})


def said(observer: Witness, lines: list[str]) -> tuple[bool, str]:
    console = Console(file=StringIO(), width=120)
    verdict = proof(console, observer, lines, 2, DATA)
    return verdict, console.file.getvalue()  # type: ignore[attr-defined]


def test_a_record_that_was_read_too_seldom(observer: Witness) -> None:
    lost = observer.keys["input_train"].pop()
    verdict, text = said(observer, GOOD)
    assert not verdict
    assert "1 key too seldom, 0 too often" in text
    assert lost.rpartition("/")[2] in text.replace("\n", "").replace(" ", "")


def test_an_accuracy_of_90_percent_is_not_over_90_percent(observer: Witness) -> None:
    verdict, text = said(observer, ["test accuracy: 0.9000 (324 of 360)"])
    assert not verdict
    told = "324 of 360 images: not over 90%, so the exit code is 1; train for more --epochs"
    assert told in " ".join(text.split())


def test_a_script_that_printed_no_accuracy(observer: Witness) -> None:
    verdict, text = said(observer, [])
    assert not verdict
    assert "the script printed none" in text


def test_a_run_as_it_should_be(observer: Witness) -> None:
    verdict, text = said(observer, GOOD)
    assert verdict
    assert "95.0%" in text and "exit code" not in text
    assert "each of the 1,437 keys in the files was read 2 times" in text


def test_training_ends_when_the_example_queue_is_closed_and_empty() -> None:
    def look(seconds: float, size: int, closed: bool) -> Look:
        queue = Level("input_train/shuffle_batch", size, 10, 5, closed)
        return Look(seconds, (queue,), {}, None)

    looks = [look(1.0, 7, False), look(2.0, 3, True), look(3.0, 0, True), look(4.0, 0, True)]
    assert training_seconds(looks) == 2.0
