"""Values that differ are shown where they do, in the text, the page and the data of a report."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import queueio.compare as comparing
from queueio.compare.findings.case import Evidence
from queueio.compare.findings.shown import show_both
from queueio.compare.report.drawing import draw
from queueio.compare.report.result import as_data
from tests.compare.memory import Memory

LONG = b"the same in both " * 60
MANY = np.arange(40.0)


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        (b"a cat", b"a car", ("b'a cat'", "b'a car'")),
        (LONG + b"cat", LONG + b"car", ("cat' (1023 bytes)", "car' (1023 bytes)")),
        (LONG, LONG + b"s", ("in both ' (1020 bytes)", "in both s' (1021 bytes)")),
        (MANY, MANY + (MANY == 30), ("[… from [30]: 30, 31,", "[… from [30]: 31, 31,")),
        (np.float64(0.1), np.float64(0.1 + 1e-16), ("0.10000000000000001", "0.1000000000000001")),
        (None, LONG, ("–", "… (1020 bytes)")),
    ],
)
def test_two_values_that_differ_have_texts_that_do(old: Any, new: Any, said: Any) -> None:
    texts = show_both(old, new)
    assert all(part in text for part, text in zip(said, texts, strict=True)), texts
    drawn = draw(Evidence("example 0", "text", None, old, new))
    assert drawn.old != drawn.new, drawn


def test_a_report_of_long_texts_shows_what_changed() -> None:
    texts = np.array([LONG + b"%d" % n for n in range(9)], object)
    changed = texts.copy()
    changed[4] = LONG + b"x"
    result = comparing(Memory({"text": texts}), Memory({"text": changed}), cost=False)
    assert "both 4' (1021 bytes), new … from byte" in str(result), str(result)
    (evidence,) = as_data(result)["findings"][0]["evidence"]
    assert evidence["old"].endswith("both 4' (1021 bytes)"), evidence
