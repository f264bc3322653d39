"""A progress bar with rate and time left, on standard error."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager


@contextmanager
def progress_of(limit: int | None) -> Iterator[Callable[[int, int], None]]:
    """Gives a function to call with the examples seen of the old and the new side."""
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
        tasks = [bar.add_task(name, total=limit, rate="") for name in ("old", "new")]

        def tick(*seen: int) -> None:
            for task, count in zip(tasks, seen, strict=True):
                speed = bar.tasks[task].speed
                bar.update(task, completed=count, rate=f"{speed:,.0f}/s" if speed else "")

        yield tick
