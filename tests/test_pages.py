"""Pages are read by all: on paper, in the dark, with a keyboard and by ear."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

PACKAGE = Path(__file__).resolve().parent.parent / "queueio"
PAGES = ("learn/course.html.j2", "compare/report/report.html.j2", "schedule/replay/replay.html")
COURSE = (PACKAGE / PAGES[0]).read_text(encoding="utf-8")


@pytest.mark.parametrize("page", PAGES)
def test_a_page_says_where_its_content_begins_and_has_no_heading_without_words(page: str) -> None:
    text = (PACKAGE / page).read_text(encoding="utf-8")
    assert text.index("<main>") < text.index("<h1>") < text.index("</main>")
    assert not re.search(r"<th[^>]*>(\{%[^%]*%\}[^<]*)?</th>", text)


def test_the_code_of_a_printed_course_is_whole_and_a_keyboard_can_scroll_it() -> None:
    assert re.search(r"@media print \{.*pre \{ white-space: pre-wrap", COURSE)
    assert "<pre>" not in COURSE and '<pre tabindex="0">' in COURSE


def test_a_printed_picture_of_a_pipeline_is_whole() -> None:
    style = PACKAGE.parent / "docs" / "site" / "pages" / "extra.css"
    text = style.read_text(encoding="utf-8")
    assert re.search(r"@media print \{ \S+ img\.pipeline \{ max-width: 100%", text)


def test_the_colours_of_epochs_are_told_where_a_reader_forces_colours_of_its_own() -> None:
    style = (PACKAGE / "schedule/replay/replay.css").read_text(encoding="utf-8")
    assert re.search(r"\.dot \{[^}]*forced-color-adjust: none", style)


@pytest.mark.parametrize("scheme", [0, 1], ids=["light", "dark"])
def test_what_a_course_lets_one_click_is_legible_on_its_paper(scheme: int) -> None:
    accent, paper = (
        re.findall(rf"--{name}: #(\w+)", COURSE)[scheme] for name in ("accent", "paper")
    )
    bright, dim = sorted((_luminance(accent), _luminance(paper)), reverse=True)
    assert (bright + 0.05) / (dim + 0.05) >= 4.5  # WCAG 2, level AA


@pytest.mark.parametrize("scheme", [0, 1], ids=["light", "dark"])
def test_the_letter_of_a_thread_is_legible_whatever_the_thread_does(scheme: int) -> None:
    style = (PACKAGE / "schedule/replay/replay.css").read_text(encoding="utf-8")

    def contrast(text: str, behind: str) -> float:
        colours = (re.findall(rf"--{name}: #(\w+)", style)[scheme] for name in (text, behind))
        dim, bright = sorted(map(_luminance, colours))
        return (bright + 0.05) / (dim + 0.05)

    assert "opacity" not in style
    assert ".chip.done { fill: none;" in style
    assert ".chip.done + .letter { fill: var(--soft);" in style
    for text, behind in (("paper", "busy"), ("paper", "wait"), ("soft", "raised")):
        assert contrast(text, behind) >= 4.5


def _luminance(colour: str) -> float:
    digits = colour if len(colour) == 6 else "".join(2 * digit for digit in colour)
    parts = [int(digits[at : at + 2], 16) / 255 for at in (0, 2, 4)]
    red, green, blue = (p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue
