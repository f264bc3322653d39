"""MIGRATION.md tells what the code says."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from docs.generate import GUIDE, emitted, filled, lessons


def test_the_generated_parts_of_the_guide_are_up_to_date() -> None:
    text = GUIDE.read_text()
    assert filled(text) == text, "run `make docs`"


def test_the_guide_has_every_stage_in_both_forms() -> None:
    text = GUIDE.read_text()
    for told in lessons():
        assert told.legacy in text and told.modern.removeprefix("none: ")[:40] in text, told.stage


def test_the_emitted_modules_that_the_docs_show_are_up_to_date() -> None:
    for file, source in emitted().items():
        assert file.read_text() == source, f"{file.name}: run `make docs`"
