"""A prediction in words: a table, now beside then, and a sentence."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Console
from rich.table import Table

from queueio.schedule.whatif.changes import KNOBS, KnobChange, Knobs
from queueio.schedule.whatif.measure import Figures, Filling
from queueio.schedule.whatif.predict import Prediction
from queueio.words import times

ALIKE = 0.05
"""Rates that differ by less than this part are told as one."""
WAITS = 0.1
"""A program that waits for a smaller part of its time is not said to wait."""


def show_knobs(known: dict[str, Knobs], now: Figures, console: Console) -> None:
    """Prints what can be changed, and what it is today.

    Args:
      known: by queue, its figures.
      now: those of the run.
      console: where to.
    """
    table = Table("what can be changed", "today", box=None, pad_edge=False)
    for queue, knobs in known.items():
        for knob in KNOBS:
            value = getattr(knobs, knob)
            if value is not None:
                table.add_row(f"--set {queue}.{knob}=", f"{value:,}")
    console.print(table)
    console.print(f"today: {now.examples:,.0f} examples/s. {bottleneck(now)}")


def show(
    found: Prediction, changes: Sequence[KnobChange], real: Figures | None, out: Console
) -> None:
    """Prints a prediction, beside what was measured, if it was.

    Args:
      found: the prediction.
      changes: what it is for.
      real: the figures of a run with the changes.
      out: where to.
    """
    heads = ["", "now", "predicted", *(["measured", "difference"] if real else [])]
    table = Table(*heads, box=None, pad_edge=False)
    for column in table.columns[1:]:
        column.justify = "right"
    for row in _rows(found, real):
        table.add_row(*row)
    out.print(table)
    for said in found.assumes:
        out.print(f"assumes: {said}", soft_wrap=True)
    out.print(verdict(found, changes), soft_wrap=True)


def verdict(found: Prediction, changes: Sequence[KnobChange]) -> str:
    """What the changes bring, in a sentence, and what then is in the way.

    Args:
      found: the prediction.
      changes: what it is for.
    """
    by = found.then.examples / found.now.examples if found.now.examples else 1.0
    what = ", ".join(map(str, changes))
    brings = "changes little" if abs(by - 1) < ALIKE else f"gives {by:.2f} times the rate"
    return f"{what} {brings}. {bottleneck(found.then)}"


def bottleneck(seen: Figures) -> str:
    """Who is in the way: who fills the queue that the program waits for, or the program.

    Args:
      seen: of a run.
    """
    share = max((seen.waits[name] for name in seen.program), default=0.0)
    if share < WAITS:
        return f"The program waits {share:.0%} of its time: it is the bottleneck itself."
    fill = [kind for kind in seen.waits if kind not in seen.program]
    slow = min(fill, key=lambda kind: seen.waits[kind], default="")
    if not slow:
        return f"The program waits {share:.0%} of its time, and nobody was seen to fill its queue."
    count = seen.threads[slow]
    return (
        f"The program waits {share:.0%} of its time: the bottleneck is {_short(slow)},"
        f" {times(count, 'thread')}."
    )


def _rows(found: Prediction, real: Figures | None) -> list[list[str]]:
    now, then, other = found.now, found.then, found.other
    rows = [
        _rate("examples/s", now.examples, (then.examples, other.examples), real and real.examples),
        _rate("steps/s", now.steps, (then.steps, other.steps), real and real.steps),
    ]
    for name, level in now.levels.items():
        cells = [_level(level), _level(then.levels.get(name))]
        cells += [_level(real.levels.get(name)), ""] if real else []
        rows.append([f"{name}: mean level (least-most)", *cells])
    for name in now.waits:
        shares = [seen.waits.get(name) for seen in (now, then, real) if seen]
        cells = ["-" if share is None else f"{share:.0%}" for share in shares]
        rows.append([f"{_short(name)}: waits", *cells, *([""] if real else [])])
    return rows


def _rate(name: str, now: float, then: tuple[float, float], real: float | None) -> list[str]:
    low, high = sorted(then)
    told = _number(then[0]) if high <= low * (1 + ALIKE) else f"{_number(low)}-{_number(high)}"
    row = [name, _number(now), told]
    if real is not None:
        row += [_number(real), f"{difference(then, real):+.0%}"]
    return row


def difference(then: tuple[float, float], real: float) -> float:
    """How far off a prediction is, as a part of what was measured; 0 inside of a range.

    Args:
      then: the rate as it is predicted, under both assumptions.
      real: the rate that was measured.
    """
    low, high = sorted(then)
    near = then[0] if high <= low * (1 + ALIKE) else min(max(real, low), high)
    return near / real - 1 if real else 0.0


def _number(value: float) -> str:
    return f"{value:,.0f}" if value >= 100 else f"{value:,.1f}"


def _level(level: Filling | None) -> str:
    return "-" if level is None else f"{level.mean:,.0f} ({level.least:,}-{level.most:,})"


def _short(name: str) -> str:
    return name.rpartition("; ")[2]
