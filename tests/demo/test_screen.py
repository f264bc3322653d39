"""What the demo says about a queue, beside its number."""

from __future__ import annotations

from dataclasses import replace
from io import StringIO

import pytest
from rich.console import Console

from queueio.demo.screen import bar, bar_width, in_words, plain_lines, sparkline, stages
from queueio.demo.witness import Look
from queueio.schedule.events import Level

FILES = Level("input/input_producer", 0, 32, files=True)
EXAMPLES = Level("input/shuffle_batch", 0, 100, 40)


@pytest.mark.parametrize(
    "queue, size, closed, words",
    [
        (FILES, 0, True, "closed and empty"),
        (FILES, 3, True, "closed: its input has ended"),
        (FILES, 0, False, "empty"),
        (FILES, 1, False, "nearly empty"),
        (FILES, 16, False, "half full"),
        (FILES, 31, False, "nearly full"),
        (FILES, 32, False, "full: its threads wait"),
        (EXAMPLES, 40, False, "the next batch must leave 40"),
        (EXAMPLES, 50, False, "half full"),
        (EXAMPLES, 30, True, "closed: its input has ended"),
    ],
)
def test_a_queue_in_words(queue: Level, size: int, closed: bool, words: str) -> None:
    assert in_words(replace(queue, size=size, closed=closed)) == words


def test_a_line_tells_the_stages_in_the_order_of_the_flow() -> None:
    look = Look(1.0, (replace(FILES, size=32), replace(EXAMPLES, size=50)), {"input": 1234}, 7)
    lines = plain_lines(look)
    stages = lines["input"].split(" → ")
    assert [stage.split(" (")[0] for stage in stages] == [
        "input: filename queue 32 of 32",
        "1,234 records read",
        "example queue 50 of 100",
    ]
    assert lines["trainer"] == "trainer: step 7"
    assert " → 1 record read → " in plain_lines(replace(look, read={"input": 1}))["input"]


@pytest.mark.parametrize("width", [80, 200])
def test_the_live_table_cuts_nothing_off(width: int) -> None:
    queue = Level("input/input_producer", 1000, 1150, closed=True, files=True)
    look = Look(1.0, (queue, replace(EXAMPLES, size=40)), {"input": 1234567}, 7)
    console = Console(file=StringIO(), width=width)
    console.print(stages(look, bar_width(width)))
    text = console.file.getvalue()  # type: ignore[attr-defined]
    assert "…" not in text
    for words in ("filename queue", "1,000 of 1,150", "closed: its input has ended", "must leave"):
        assert words in text


def test_a_bar_shows_even_one_element() -> None:
    assert bar(0.001, 8).plain.startswith("█░")
    assert "█" not in bar(0.0, 8).plain
    assert "░" not in bar(1.0, 8).plain


def test_a_sparkline_is_thinned_out_but_keeps_its_beginning() -> None:
    assert sparkline([0.0, 1.0], 10) == "▁█"
    assert sparkline([1.0] + [0.0] * 99, 10) == "█" + "▁" * 9
