"""What each side costs: run alone, in short turns, so that the machine's noise hits both."""

from __future__ import annotations

import statistics
import threading
import time
from dataclasses import dataclass

from queueio.compare.sides.side import Side


@dataclass(frozen=True)
class Cost:
    """Medians over the turns. `peak_bytes` is the growth of resident memory in the worst turn."""

    rate: float  # examples per second, from the first batch on
    first_batch_seconds: float  # from building the pipeline
    cpu_per_thousand: float  # CPU seconds of all threads for 1,000 examples
    peak_bytes: int | None  # None without psutil
    turns: int
    note: str = ""  # how it was measured, if not in turns here


@dataclass(frozen=True)
class _Turn:
    examples: int
    first: float
    seconds: float
    cpu: float
    peak: int | None


def measure(old: Side, new: Side, seconds: float = 0.5, turns: int = 3) -> list[Cost | None]:
    """The cost of both sides; of a recording, what it says itself.

    Args:
      old, new: the sides; each is opened anew for each turn.
      seconds: how long a turn lasts, from its first batch on, unless the input ends before.
      turns: how many each side has, alternating.
    """
    kept: tuple[list[_Turn], list[_Turn]] = ([], [])
    for _ in range(turns):
        for side, mine in zip((old, new), kept, strict=True):
            if side.repeatable:
                mine.append(_turn(side, seconds))
    both = zip((old, new), kept, strict=True)
    return [_median(turns_of) if side.repeatable else side.cost() for side, turns_of in both]


def _turn(side: Side, seconds: float) -> _Turn:
    watch = _Memory()
    started, cpu = time.perf_counter(), time.process_time()
    first, count = 0.0, 0
    with watch, side.open() as stream:
        for batch in stream.batches():
            now = time.perf_counter() - started
            if not count:
                first, warm = now, batch.count
            count += batch.count
            if now - first > seconds:
                break
        elapsed = time.perf_counter() - started
        used = time.process_time() - cpu
    beyond = count - warm if count else 0
    return _Turn(beyond or count, first, elapsed - first if beyond else elapsed, used, watch.peak)


def _median(turns: list[_Turn]) -> Cost | None:
    turns = [t for t in turns if t.examples]
    if not turns:
        return None
    middle = statistics.median
    peaks = [t.peak for t in turns if t.peak is not None]
    return Cost(
        middle(t.examples / max(t.seconds, 1e-9) for t in turns),
        middle(t.first for t in turns),
        middle(1000 * t.cpu / t.examples for t in turns),
        max(peaks) if peaks else None,
        len(turns),
    )


class _Memory:
    """Samples the resident memory, every ten milliseconds, while it is entered."""

    def __init__(self) -> None:
        self.peak: int | None = None
        self._stop = threading.Event()

    def __enter__(self) -> _Memory:
        try:
            import psutil
        except ImportError:
            return self
        process = psutil.Process()
        before = process.memory_info().rss
        self.peak = 0

        def sample() -> None:
            while not self._stop.wait(0.01):
                self.peak = max(self.peak or 0, process.memory_info().rss - before)

        self._thread = threading.Thread(target=sample, daemon=True)
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        if self.peak is not None:
            self._thread.join()
