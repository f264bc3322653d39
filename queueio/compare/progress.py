"""A progress bar with rate and time left, on standard error."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

Tick = Callable[[int, int, "int | None"], None]


@contextmanager
def progress_of() -> Iterator[Tick]:
    """Gives a function to call with the examples seen of each side, and expected of both.

    Without an expected number there is a rate, and no time left.
    """
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

        yield tick
