"""What a user may ask, and what is said to what cannot be."""

from __future__ import annotations

import pytest

from queueio.schedule.whatif.changes import KnobChange, Knobs, WhatIfError, from_text, resolved

KNOWN = {
    "shuffle_batch": Knobs(100, 20, 2, 32),
    "batch": Knobs(64, None, 1, 8),
    "list": Knobs(None, None, 1, None),
}


@pytest.mark.parametrize(
    ("text", "change"),
    [
        ("batch.capacity=10", KnobChange("batch", "capacity", 10)),
        ("a/b.min-after-dequeue=0", KnobChange("a/b", "min_after_dequeue", 0)),
        ("threads=4", KnobChange("", "threads", 4)),
    ],
)
def test_a_change_is_read(text: str, change: KnobChange) -> None:
    assert from_text(text) == change


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("batch.capcity=10", "--set batch.capacity=10"),
        ("batch", "is no change"),
        ("batch.size=big", "For instance: --set batch.[a-z_]+=[0-9]+"),
        ("batch.threads=0", "whole number of 1 or more"),
        ("batch.threads=two", "whole number"),
    ],
)
def test_what_is_no_change_is_refused_with_the_right_spelling(text: str, said: str) -> None:
    with pytest.raises(WhatIfError, match=said):
        from_text(text)


def test_a_queue_may_be_left_out_where_only_one_has_such_a_figure() -> None:
    asked = [KnobChange("", "min_after_dequeue", 10)]

    assert resolved(asked, KNOWN) == [KnobChange("shuffle_batch", "min_after_dequeue", 10)]


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (KnobChange("shuffle", "capacity", 9), "no queue 'shuffle'.*shuffle_batch, batch"),
        (KnobChange("", "capacity", 9), "of which queue.*shuffle_batch, batch"),
        (KnobChange("list", "capacity", 9), "list has no capacity"),
        (KnobChange("no", "threads", 9), "queues whose threads can be changed: "),
        (KnobChange("shuffle_batch", "capacity", 20), "has to exceed min_after_dequeue, 20"),
    ],
)
def test_a_change_that_cannot_be_is_refused_with_the_queues_that_are(
    change: KnobChange, said: str
) -> None:
    with pytest.raises(WhatIfError, match=said):
        resolved([change], KNOWN)


def test_a_queue_of_names_is_not_said_to_be_missing() -> None:
    with pytest.raises(WhatIfError, match=r"^input_producer cannot be changed: it holds names"):
        resolved([KnobChange("input_producer", "capacity", 9)], KNOWN, {"input_producer": 0})
