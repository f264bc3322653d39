"""Sentences say how many there are of a thing as people do."""

from __future__ import annotations

import re
from pathlib import Path

from queueio.words import stage, times

PACKAGE = Path(__file__).resolve().parents[1] / "queueio"


def test_one_is_one_and_all_others_are_several() -> None:
    assert [times(n, "call") for n in (0, 1, 2)] == ["0 calls", "1 call", "2 calls"]
    assert [times(n, "batch", "batches") for n in (1, 1234)] == ["1 batch", "1,234 batches"]


def test_no_sentence_makes_its_plurals_by_itself() -> None:
    by_hand = re.compile(r"""["']e?s["'] (if|\* \()|["']["'] if [^:\n]+ else ["']e?s["']""")
    own = [str(f) for f in sorted(PACKAGE.rglob("*.py")) if by_hand.search(f.read_text("utf-8"))]
    assert own == []


def test_a_queue_is_called_by_a_scope_only_where_that_is_its_own() -> None:
    called = {
        "shuffle_batch/random_shuffle_queue": "shuffle_batch",
        "input/batch_1/fifo_queue": "input/batch_1",
        "input/batch/queueio/ready": "input/batch",
        "input_producer": "input_producer",
        "input/input_producer": "input/input_producer",
        "input/mine": "input/mine",
        "input/fifo_queue_1": "input/fifo_queue_1",
        "fifo_queue": "fifo_queue",
    }
    assert {queue: stage(queue) for queue in called} == called
