"""MIGRATION.md tells what the code says."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from docs.generate import GUIDE, USUAL, emitted, filled, headings, lessons


def test_the_generated_parts_of_the_guide_are_up_to_date() -> None:
    text = GUIDE.read_text()
    assert filled(text) == text, "run `make docs`"


def test_the_guide_has_every_stage_in_both_forms() -> None:
    text = GUIDE.read_text()
    for told in lessons().values():
        assert told.legacy in text and told.modern.removeprefix("none: ")[:40] in text, told.stage


@pytest.mark.long
def test_the_emitted_modules_that_the_docs_show_are_up_to_date() -> None:
    for file, source in emitted().items():
        assert file.read_text() == source, f"{file.name}: run `make docs`"


def test_every_link_within_the_guide_leads_to_a_heading() -> None:
    text = GUIDE.read_text()
    anchors = {anchor for _, _, anchor in headings(text)}
    assert set(re.findall(r"\]\(#([^)]+)\)", text)) <= anchors


def test_every_call_of_the_queue_world_is_found() -> None:
    from queueio import io, train

    text = GUIDE.read_text()
    table = text[text.index("## Find your call") : text.index("## What you will notice")]
    calls = " ".join(re.findall(r"^\| (.+?) \| ", table, re.MULTILINE))
    for name in [*train.__all__, *io.__all__]:
        assert re.search(rf"`(\w+\.)?{name}\b", calls), name


def test_every_stage_stands_once_and_the_usual_ones_come_first() -> None:
    told = lessons()
    text = GUIDE.read_text()
    places = {key: text.index(f"\n{each.summary}\n") for key, each in told.items()}
    assert all(text.count(f"\n{each.summary}\n") == 1 for each in told.values())
    assert sorted(told, key=places.__getitem__)[: len(USUAL)] == list(USUAL)
