"""What `queueio compare` says while it runs, on standard error."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from queueio.words import times

Tick = Callable[[int, int, "int | None", Sequence[bool]], None]
LONG = 10.0  # seconds after which it is said what takes so long


@contextmanager
def progress_of() -> Iterator[Tick]:
    """Gives a function to call with the examples seen of each side, those expected of both, and
    which sides have stopped.

    On a terminal there is a bar with rate and time left (without an expected number no time left);
    elsewhere a line at once. After ten seconds a line says which side goes on.
    """
    if not sys.stderr.isatty():
        print("queueio compare: reading both sides", file=sys.stderr, flush=True)
        yield Notice(lambda text: print(text, file=sys.stderr, flush=True))
        return
    with _bar() as (bar, tick):
        notice = Notice(bar.console.print)

        def both(old: int, new: int, expected: int | None, stopped: Sequence[bool]) -> None:
            tick(old, new, expected)
            notice(old, new, expected, stopped)

        yield both


class Notice:
    """Says once, after a while, which side goes on, and how to make it shorter."""

    def __init__(self, say: Callable[[str], Any], seconds: float = LONG) -> None:
        self.say, self.due = say, time.monotonic() + seconds
        self.said = False

    def __call__(self, old: int, new: int, expected: int | None, stopped: Sequence[bool]) -> None:
        if self.said or time.monotonic() < self.due:
            return
        self.said = True
        self.say(f"queueio compare: {_going_on(old, new, stopped)}. If that may never end, stop "
                 "it (Ctrl-C says what is known) and give --limit N or --epochs N.")  # fmt: skip


def _going_on(old: int, new: int, stopped: Sequence[bool]) -> str:
    counts = {"old": old, "new": new}
    on, ended = (next((n for n, s in zip(counts, stopped, strict=True) if s == end), None)
                 for end in (False, True))  # fmt: skip
    if on and ended:
        ends = f"the {ended} one ended after {counts[ended]:,}"
        return f"the {on} side goes on after {times(counts[on], 'example')}; {ends}"
    return f"both sides go on, after {old:,} and {new:,} examples"


@contextmanager
def _bar() -> Iterator[tuple[Any, Callable[[int, int, int | None], None]]]:
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        Progress,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )

    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        TextColumn("{task.completed:,.0f} examples"),
        TextColumn("{task.fields[rate]}"),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        tasks = [bar.add_task(name, total=None, rate="") for name in ("old", "new")]

        def tick(old: int, new: int, expected: int | None) -> None:
            for task, count in zip(tasks, (old, new), strict=True):
                speed = bar.tasks[task].speed
                rate = f"{speed:,.0f}/s" if speed else ""
                bar.update(task, completed=count, total=expected, rate=rate)

        yield bar, tick
