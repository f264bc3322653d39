"""The drawing: one SVG file that needs nothing else, the data flowing down through the stages."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from xml.sax.saxutils import escape, quoteattr

from queueio.explain.account import Account
from queueio.explain.layout import LINE, PAD, SLOTS, Box, Words, arrow_words, note, place

_STYLE = """
  text { font-family: "DejaVu Sans Mono", Menlo, Consolas, monospace; font-size: 11px; }
  .title { font-size: 14px; font-weight: bold; }
  .name { fill: #555; } .with { fill: #1d4ed8; } .line { fill: #92400e; }
  .lesson { fill: #374151; font-style: italic; } .form { fill: #86198f; }
  .emits { fill: #166534; } .refusal { fill: #991b1b; } .heading { font-weight: bold; }
  .box { fill: #f8fafc; stroke: #475569; } .queue .box { fill: #eff6ff; stroke: #1d4ed8; }
  .slot { fill: #fff; stroke: #1d4ed8; } .kept { fill: #93c5fd; stroke: #1d4ed8; }
  .refused .box { fill: #fef2f2; stroke: #b91c1c; stroke-width: 2; }
  .arrow { stroke: #475569; stroke-width: 1.5; fill: none; marker-end: url(#head); }
"""
_MARGIN, _SLOT = 24, 15


def draw(accounts: Sequence[Account]) -> str:
    """An SVG of the pipelines, side by side.

    Queues show their slots; the filled ones are the share that `min_after_dequeue` keeps.
    """
    parts: list[str] = []
    left, bottom = float(_MARGIN), 0.0
    for account in accounts:
        boxes, right, low = _pipeline(account, left)
        parts += boxes
        left, bottom = right + 2 * _MARGIN, max(bottom, low)
    width, height = left - _MARGIN, bottom + _MARGIN
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0f}" height="{height:.0f}"'
            f' viewBox="0 0 {width:.0f} {height:.0f}" role="img">',
            f"<title>{escape(_name(accounts))}</title>",
            f"<style>{_STYLE}</style>",
            '<defs><marker id="head" viewBox="0 0 10 10" refX="9" refY="5" markerWidth="7"'
            ' markerHeight="7" orient="auto"><path d="M0 0L10 5L0 10z" fill="#475569"/></marker>',
            "</defs>",
            f'<rect width="{width:.0f}" height="{height:.0f}" fill="#fff"/>',
            *parts,
            "</svg>\n",
        ]
    )


def _name(accounts: Sequence[Account]) -> str:
    """What a screen reader says of the drawing."""
    named = ", ".join(account.name for account in accounts if account.name)
    return f"Queue pipelines, from file to batch{': ' if named else ''}{named}"


def _pipeline(account: Account, left: float) -> tuple[list[str], float, float]:
    """The elements of one pipeline, its right edge and its lower one."""
    heading = Words(f"Pipeline {account.name}", "heading")
    parts = [_text(heading, left, _MARGIN + LINE)]
    top, right = float(_MARGIN + 2 * LINE), left + heading.width
    if account.refusal is not None:
        why = note(f"Refused: {account.refusal}", left, top)
        parts += _box(why)
        top, right = why.bottom + _MARGIN, max(right, left + why.width)
    refused = account.refusal.op_name if account.refusal else None
    last, edge = place(account.last, left, top)
    for box in last.walk():
        parts += _box(box, refused=box.stage is not None and box.stage.name == refused)
        for source in box.inputs:
            parts += _arrow(source, box)
    return parts, max(right, edge), last.bottom


def _box(box: Box, refused: bool = False) -> Iterator[str]:
    kind = "queue" if box.is_queue else "stage" if box.stage else "note"
    name = f" data-name={quoteattr(box.stage.name)}" if box.stage else ""
    yield f'<g class="{kind}{" refused" if refused or not box.stage else ""}"{name}>'
    yield (
        f'<rect class="box" x="{box.x:.1f}" y="{box.y:.1f}" width="{box.width:.1f}"'
        f' height="{box.height:.1f}" rx="6"/>'
    )
    top = box.y + PAD
    if box.is_queue:
        yield from _slots(box, top)
        top += SLOTS + PAD
    for number, words in enumerate(box.words):
        yield _text(words, box.x + PAD, top + number * LINE + 12)
    yield "</g>"


def _slots(box: Box, top: float) -> Iterator[str]:
    """A row of slots: one for each element, or as many as there is room for."""
    assert box.stage is not None
    room = box.width - 2 * PAD
    capacity = max(1, box.stage.capacity or 0)
    bounded = (box.stage.capacity or 0) > 0
    count = min(int(room // _SLOT), capacity) if bounded else int(room // _SLOT)
    kept = min(count, round(count * box.stage.min_after_dequeue / capacity))
    for number in range(count):
        kind = "kept" if number >= count - kept else "slot"
        x, wide = box.x + PAD + number * room / count, room / count
        yield (
            f'<rect class="{kind}" x="{x:.1f}" y="{top:.1f}" width="{wide:.1f}" height="{SLOTS}"/>'
        )


def _arrow(source: Box, target: Box) -> Iterator[str]:
    """From a stage down into the one that takes from it, with what flows beside it."""
    assert source.stage is not None
    start, end = source.bottom, target.y - 1
    half = (start + end) / 2
    # Into the box even where it is narrower than what feeds it.
    reach = target.width / 2 - PAD
    x = min(max(source.middle, target.middle - reach), target.middle + reach)
    bend = "" if abs(x - source.middle) < 1 else f"V{half + 12:.1f}H{x:.1f}"
    yield f'<path class="arrow" d="M{source.middle:.1f} {start:.1f}{bend}V{end:.1f}"/>'
    for number, words in enumerate(arrow_words(source.stage)):
        yield _text(words, source.middle + PAD, start + 13 + number * 13)


def _text(words: Words, x: float, y: float) -> str:
    return f'<text class="{words.style}" x="{x:.1f}" y="{y:.1f}">{escape(words.text)}</text>'
