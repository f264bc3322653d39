"""Values as the report shows them: images as images, text as text, numbers with marks."""

from __future__ import annotations

import base64
import io
from dataclasses import dataclass
from typing import Any

import numpy as np

from queueio.compare.findings.case import Evidence
from queueio.compare.findings.shown import first_difference, show, show_both

Array = np.ndarray[Any, Any]
NUMBERS = 48
TEXT = 400


@dataclass(frozen=True)
class MarkedText:
    """A bit of text, marked if it differs."""

    text: str
    marked: bool = False


@dataclass(frozen=True)
class Drawing:
    """One piece of evidence for the template: pictures (data URIs) or pieces of text."""

    title: str
    old: list[MarkedText]
    new: list[MarkedText]
    pictures: tuple[str | None, str | None, str | None] | None = None  # old, new, where they differ


def draw(evidence: Evidence) -> Drawing:
    """The evidence as pictures if it has an image's shape, else as text."""
    index = f"[{', '.join(map(str, evidence.index))}]" if evidence.index else ""
    title = " · ".join(t for t in (evidence.where, f"{evidence.component}{index}") if t)
    seen = evidence.whole or (evidence.old, evidence.new)
    if any(is_image(v) for v in seen):
        captions = pieces(evidence.old, evidence.new) if evidence.whole else _captions(evidence)
        return Drawing(title, *captions, _pictures(*seen))
    return Drawing(title, *pieces(evidence.old, evidence.new))


def is_image(value: Any) -> bool:
    """Whether an array has an image's shape: rows, columns, and 1, 3 or 4 channels or none."""
    if not isinstance(value, np.ndarray) or value.dtype.kind not in "buif":
        return False
    if value.ndim == 2:
        return bool(min(value.shape) >= 8)
    return value.ndim == 3 and min(value.shape[:2]) >= 4 and value.shape[2] in (1, 3, 4)


def _captions(evidence: Evidence) -> tuple[list[MarkedText], list[MarkedText]]:
    return tuple([MarkedText(_caption(v))] for v in (evidence.old, evidence.new))  # type: ignore


def _caption(value: Any) -> str:
    if value is None:
        return "absent"
    shape = " × ".join(map(str, value.shape))
    return f"{shape} {value.dtype}, {show(value.min())} to {show(value.max())}"


def _pictures(old: Any, new: Any) -> tuple[str | None, str | None, str | None]:
    ranges = [_range(v) for v in (old, new)]
    drawn = [None if v is None else _png(v, r) for v, r in zip((old, new), ranges, strict=True)]
    differ = None
    if old is not None and new is not None and old.shape == new.shape:
        unequal = (old != new) & ~((old != old) & (new != new))
        flat = unequal.any(axis=-1) if unequal.ndim == 3 else unequal
        paper, ink = np.array([236, 235, 233]), np.array([190, 18, 60])
        differ = _png(np.where(flat[..., None], ink, paper), (0.0, 255.0))
    return drawn[0], drawn[1], differ


def _range(value: Any) -> tuple[float, float]:
    if value is None or value.dtype == np.uint8:
        return 0.0, 255.0
    finite = value[np.isfinite(value)] if value.dtype.kind == "f" else value
    return (float(finite.min()), float(finite.max())) if finite.size else (0.0, 1.0)


def _png(image: Array, limits: tuple[float, float]) -> str:
    from matplotlib.image import imsave

    low, high = limits
    scaled = (image.astype(np.float64) - low) / ((high - low) or 1.0)
    scaled = np.clip(np.nan_to_num(scaled), 0, 1)
    if scaled.ndim == 3 and scaled.shape[2] == 1:
        scaled = scaled[..., 0]
    if scaled.ndim == 2:
        scaled = np.repeat(scaled[..., None], 3, axis=2)
    buffer = io.BytesIO()
    imsave(buffer, scaled, format="png")
    return "data:image/png;base64," + base64.b64encode(buffer.getvalue()).decode("ascii")


def pieces(old: Any, new: Any) -> tuple[list[MarkedText], list[MarkedText]]:
    """Both values as text, what differs marked."""
    if isinstance(old, bytes) and isinstance(new, bytes):
        return _long_text_pieces(old, new)
    if _both_arrays(old, new):
        if old.size == 1 and isinstance(old.item(), bytes) and isinstance(new.item(), bytes):
            return _long_text_pieces(old.item(), new.item())
        return _number_pieces(old, new)
    if isinstance(old, np.number) and isinstance(new, np.number):
        texts = show_both(old, new)
        return [MarkedText(texts[0])], [MarkedText(texts[1])]
    return _alone(old), _alone(new)


def _both_arrays(old: Any, new: Any) -> bool:
    arrays = isinstance(old, np.ndarray) and isinstance(new, np.ndarray)
    return arrays and old.shape == new.shape and old.size > 0


def _alone(value: Any) -> list[MarkedText]:
    if isinstance(value, np.ndarray) and value.size == 1:
        value = value.item()
    if isinstance(value, bytes):
        return [MarkedText(text_of(value))]
    return [MarkedText("absent" if value is None else show(value))]


def text_of(raw: bytes) -> str:
    """Bytes as text; what is no text, and what would not be seen, is escaped."""
    text = raw[:TEXT].decode("utf-8", "backslashreplace")
    shown = "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)
    return shown + ("…" if len(raw) > TEXT else "")


def _long_text_pieces(old: bytes, new: bytes) -> tuple[list[MarkedText], list[MarkedText]]:
    """Texts from shortly before the first difference, where that is not near the beginning."""
    begin = first_difference(old, new) - TEXT // 4
    if begin <= TEXT // 2:
        return _text_pieces(text_of(old), text_of(new))
    pieces = _text_pieces(text_of(old[begin:]), text_of(new[begin:]))
    left_out = MarkedText(f"… {begin:,} bytes … ")
    return [left_out, *pieces[0]], [left_out, *pieces[1]]


def _text_pieces(old: str, new: str) -> tuple[list[MarkedText], list[MarkedText]]:
    """The common beginning and end plain, the rest marked."""
    start = 0
    while start < min(len(old), len(new)) and old[start] == new[start]:
        start += 1
    end = 0
    while end < min(len(old), len(new)) - start and old[-1 - end] == new[-1 - end]:
        end += 1
    return _three(old, start, end), _three(new, start, end)


def _three(text: str, start: int, end: int) -> list[MarkedText]:
    stop = len(text) - end
    parts = [MarkedText(text[:start]), MarkedText(text[start:stop], True), MarkedText(text[stop:])]
    return [p for p in parts if p.text]


def _number_pieces(old: Array, new: Array) -> tuple[list[MarkedText], list[MarkedText]]:
    """Entries one by one, from shortly before the first that differs."""
    a, b = old.reshape(-1), new.reshape(-1)
    marks = (a != b) & ~((a != a) & (b != b))
    first = int(np.argmax(marks)) if marks.any() else 0
    start = max(0, first - 4) if a.size > NUMBERS else 0
    chosen = slice(start, start + NUMBERS)
    marked = zip(a[chosen][marks[chosen]], b[chosen][marks[chosen]], strict=True)
    digits = 17 if any(show(x) == show(y) for x, y in marked) else 9
    return _entries(a, marks, chosen, digits), _entries(b, marks, chosen, digits)


def _entries(values: Array, marks: Array, chosen: slice, digits: int) -> list[MarkedText]:
    found = [MarkedText("… ")] if chosen.start else []
    for value, marked in zip(values[chosen], marks[chosen], strict=True):
        text = text_of(value) if isinstance(value, bytes) else show(value, digits)
        found += [MarkedText(text, bool(marked)), MarkedText("  ")]
    if values.size > chosen.stop:
        found.append(MarkedText(f"… {values.size:,} values"))
    return found
