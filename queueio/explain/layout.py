"""Where everything stands in a drawing: the stages of one pipeline, the sources at the top."""

from __future__ import annotations

import textwrap
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass

from queueio.explain.stage import ToldStage

SIZE, TITLE = 11, 14
"""Heights of the two kinds of text, in pixels."""
LINE, PAD, SLOTS = 16, 12, 22
"""Heights of a line of text, of the edge around it, and of a queue's slots."""
_EM = 0.62
"""A monospaced character's width at a size of 1; DejaVu Sans Mono, the widest, has 0.602."""
_COLUMNS = 58
_BETWEEN, _BESIDE = 46, 34


@dataclass(frozen=True)
class Words:
    """A line of text in a box; `style` is a class of the drawing's style sheet."""

    text: str
    style: str

    @property
    def size(self) -> int:
        return TITLE if self.style == "title" else SIZE

    @property
    def width(self) -> float:
        """In pixels, at most."""
        return sum(2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in self.text) * (
            _EM * self.size
        )


@dataclass(frozen=True)
class Box:
    """A box of text; `inputs` are those whose arrows end in it."""

    words: tuple[Words, ...]
    stage: ToldStage | None
    x: float
    y: float
    width: float
    height: float
    inputs: tuple[Box, ...] = ()

    @property
    def is_queue(self) -> bool:
        return self.stage is not None and self.stage.capacity is not None

    @property
    def middle(self) -> float:
        return self.x + self.width / 2

    @property
    def bottom(self) -> float:
        return self.y + self.height

    def walk(self) -> Iterator[Box]:
        """This box and all above it."""
        yield self
        for box in self.inputs:
            yield from box.walk()


def place(stage: ToldStage, left: float, top: float) -> tuple[Box, float]:
    """The boxes of a pipeline, and how far to the right they reach."""
    width = _span(stage)
    return _place(stage, left, top + _depth(stage), width), left + width


def note(text: str, left: float, top: float, style: str = "refusal") -> Box:
    """A box of plain text."""
    words = tuple(Words(line, style) for line in _wrapped(text))
    return Box(words, None, left, top, _width(words), _height(words, False))


def arrow_words(stage: ToldStage) -> tuple[Words, ...]:
    """What a stage emits, to stand beside its arrow: two lines at most."""
    shown = stage.emits[:2]
    more = f" and {len(stage.emits) - 2} more" if len(stage.emits) > 2 else ""
    lines = [*shown[:-1], shown[-1] + more] if shown else []
    return tuple(
        Words(textwrap.shorten(line, _COLUMNS, placeholder=" …"), "emits") for line in lines
    )


def _place(stage: ToldStage, left: float, bottom: float, width: float) -> Box:
    """The box of a stage at the bottom of its strip, those above it side by side."""
    words = _words(stage)
    wide, high = _width(words), _height(words, stage.capacity is not None)
    spans = [_span(source) for source in stage.inputs]
    at = left + (width - sum(spans) - _BESIDE * max(0, len(spans) - 1)) / 2
    above = []
    for source, span in zip(stage.inputs, spans, strict=True):
        above.append(_place(source, at, bottom - high - _BETWEEN, span))
        at += span + _BESIDE
    x = left + (width - wide) / 2
    return Box(words, stage, x, bottom - high, wide, high, tuple(above))


def _span(stage: ToldStage) -> float:
    """The width of the strip of a stage and of all above it."""
    beside = max((words.width for words in arrow_words(stage)), default=0.0) + PAD
    above = [_span(source) for source in stage.inputs]
    return max(_width(_words(stage)), 2 * beside, sum(above) + _BESIDE * max(0, len(above) - 1))


def _depth(stage: ToldStage) -> float:
    high = _height(_words(stage), stage.capacity is not None)
    return high + max((_depth(source) + _BETWEEN for source in stage.inputs), default=0.0)


def _words(stage: ToldStage) -> tuple[Words, ...]:
    """What stands in a stage's box."""
    parts = [
        (stage.title, "title"),
        (stage.name, "name"),
        (", ".join(stage.parameters), "with"),
        (str(stage.origin), "line"),
        *((does, "lesson") for does, _ in stage.teaching[:1]),
        *((form, "form") for form in stage.form.splitlines()[:6]),
    ]
    return tuple(Words(line, style) for text, style in parts for line in _wrapped(text))


def _wrapped(text: str) -> list[str]:
    shown = "".join(c if c.isprintable() else " " for c in text)
    # Spaces at the start of a text are not drawn, unless they may not break.
    return textwrap.wrap(shown, _COLUMNS, subsequent_indent="\u00a0\u00a0", break_on_hyphens=False)


def _width(words: tuple[Words, ...]) -> float:
    return max((each.width for each in words), default=0.0) + 2 * PAD


def _height(words: tuple[Words, ...], is_queue: bool) -> float:
    return len(words) * LINE + 2 * PAD + (SLOTS + PAD if is_queue else 0)
