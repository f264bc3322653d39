"""Show a run while it goes on: a live table on a terminal, plain lines anywhere else."""

from __future__ import annotations

from math import ceil
from types import TracebackType
from typing import TYPE_CHECKING

from rich.console import Console, Group
from rich.live import Live
from rich.table import Table
from rich.text import Text

from queueio.demo.witness import kind_of, pipeline_of
from queueio.words import times

if TYPE_CHECKING:
    from queueio.demo.witness import Look
    from queueio.schedule.events import Level

SECONDS_BETWEEN_LINES = 0.5
WIDTH_WITHOUT_BARS = 71
BAR_WIDTHS = (8, 40)
LEVELS = (
    (0.0, "empty"),
    (0.125, "nearly empty"),
    (0.375, "a quarter full"),
    (0.625, "half full"),
    (0.875, "three quarters full"),
    (0.9999, "nearly full"),
)


def in_words(queue: Level) -> str:
    """How full a queue is, and what follows from it."""
    if queue.closed:
        return "closed: its input has ended" if queue.size else "closed and empty"
    if queue.kept and queue.size <= queue.kept:
        return f"the next batch must leave {queue.kept:,}"
    if 0 <= queue.capacity <= queue.size:
        return "full: its threads wait"
    return next(word for level, word in LEVELS if queue.size <= level * abs(queue.capacity))


class Screen:
    """What a run prints; this base class prints plain lines."""

    def __init__(self, console: Console) -> None:
        self.console = console
        self._next_line = 0.0
        self._printed: dict[str, str] = {}

    def __enter__(self) -> Screen:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        at: TracebackType | None,
    ) -> None:
        """Leaves what was printed."""

    def script_says(self, line: str) -> None:
        self.console.print(Text.assemble(("script │ ", "dim"), line), soft_wrap=True)

    def look(self, look: Look) -> None:
        if look.seconds >= self._next_line:
            self._next_line = look.seconds + SECONDS_BETWEEN_LINES
            for pipeline, line in plain_lines(look).items():
                if self._printed.get(pipeline) != line:
                    self._printed[pipeline] = line
                    self.console.print(Text(f"{look.seconds:4.1f} s │ {line}"), soft_wrap=True)


class LiveScreen(Screen):
    """A table that is drawn again and again, below what the script prints."""

    def __init__(self, console: Console) -> None:
        super().__init__(console)
        self._live = Live(console=console, refresh_per_second=20, redirect_stdout=False)

    def __enter__(self) -> Screen:
        self._live.__enter__()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        at: TracebackType | None,
    ) -> None:
        self._live.__exit__(kind, error, at)

    def look(self, look: Look) -> None:
        self._live.update(Group("", stages(look, bar_width(self.console.width))))


def plain_lines(look: Look) -> dict[str, str]:
    """One look in one line for each pipeline: its stages in the order in which the data flows."""
    lines = {}
    for pipeline, queues in by_pipeline(look).items():
        parts = []
        for queue in queues:
            if not queue.files and pipeline in look.read:
                parts.append(f"{times(look.read[pipeline], 'record')} read")
            held = f"{queue.size:,} of {queue.capacity:,}"
            parts.append(f"{kind_of(queue)} {held} ({in_words(queue)})")
        lines[pipeline] = f"{pipeline}: " + " → ".join(parts)
    if look.step is not None:
        lines["trainer"] = f"trainer: step {look.step:,}"
    return lines


def bar_width(console_width: int) -> int:
    """The columns that are left for bars, within reason."""
    least, most = BAR_WIDTHS
    return max(least, min(most, console_width - WIDTH_WITHOUT_BARS))


def stages(look: Look, width: int) -> Table:
    """One look as a table: a row for each stage, with a bar of `width` columns for each queue."""
    table = Table.grid(padding=(0, 2))
    table.add_column(style="bold", no_wrap=True)
    table.add_column(width=width)
    table.add_column(justify="right", no_wrap=True, min_width=14)
    table.add_column(style="dim", no_wrap=True, min_width=31)
    for pipeline, queues in by_pipeline(look).items():
        table.add_row(Text(pipeline, style="bold cyan"))
        for queue in queues:
            if not queue.files and pipeline in look.read:
                table.add_row("  ↓ reader", "", f"{look.read[pipeline]:,} read", "")
            table.add_row(
                ("    " if queue.files else "  ↓ ") + kind_of(queue),
                bar(queue.size / queue.capacity, width),
                f"{queue.size:,} of {queue.capacity:,}",
                in_words(queue),
            )
    if look.step is not None:
        table.add_row(Text("trainer", style="bold cyan"), "", f"step {look.step:,}", "")
    return table


def bar(part: float, width: int) -> Text:
    """A bar of `width` columns, filled in part; only nought looks like nought."""
    filled = min(width, ceil(part * width))
    return Text.assemble(("█" * filled, "green"), ("░" * (width - filled), "dim"))


def by_pipeline(look: Look) -> dict[str, list[Level]]:
    """The queues, grouped by the scope they were built in, each in the order of the flow."""
    groups: dict[str, list[Level]] = {}
    for queue in look.levels:
        groups.setdefault(pipeline_of(queue.name), []).append(queue)
    return groups


def sparkline(values: list[float], width: int) -> str:
    """Values from 0 to 1 as bars, evenly thinned out to `width` of them."""
    step = max(1.0, len(values) / width)
    chosen = [values[int(n * step)] for n in range(min(width, len(values)))]
    return "".join("▁▂▃▄▅▆▇█"[min(7, int(value * 8))] for value in chosen)
