"""What one side delivered and took, and both side by side."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from queueio.compare.mixing.order import Mixing, pool_in_words
from queueio.compare.mixing.pool import rounded
from queueio.compare.reading.scan import Scan
from queueio.compare.sides.cost import Cost


@dataclass
class SideSummary:
    """What one side delivered, and what it took. Times are in seconds, memory in bytes."""

    label: str
    kind: str
    components: list[str]
    examples: int
    batches: int
    batch_sizes: dict[int, int]
    end: str
    seconds: float
    first_batch_seconds: float
    digest_seconds: float
    versions: dict[str, str]
    seeds: str = ""
    mixing: Mixing | None = None
    cost: Cost | None = None


def summary(scan: Scan, full: list[str]) -> SideSummary:
    """The summary of one side's first pass."""
    sizes: dict[int, int] = {}
    for size in scan.sizes:
        sizes[size] = sizes.get(size, 0) + 1
    return SideSummary(
        scan.side.label,
        scan.side.kind,
        full,
        scan.examples,
        len(scan.sizes),
        sizes,
        str(scan.end),
        scan.seconds,
        scan.first_batch_seconds,
        scan.digest_seconds,
        scan.side.versions(),
        scan.seeds,
    )


def table(old: SideSummary, new: SideSummary) -> list[str]:
    """The measurements as lines of text."""
    rows = [("", "old", "new"), *rows_of(old, new)]
    widths = [max(len(row[i]) for row in rows) for i in (0, 1)]
    return [f"{a:<{widths[0]}}  {b:<{widths[1]}}  {c}".rstrip() for a, b, c in rows]


def rows_of(old: SideSummary, new: SideSummary) -> list[tuple[str, str, str]]:
    """The measurements side by side, as text."""
    rows: list[tuple[str, str, str]] = []
    for name, of in _ROWS.items():
        a, b = of(old), of(new)
        if a or b:
            rows.append((name, a or "–", b or "–"))
    return rows


def _number(value: float | None) -> str:
    return "" if value is None else rounded(value)


def _cost(side: SideSummary, name: str, form: str, unit: float = 1.0) -> str:
    if side.cost is None or getattr(side.cost, name) is None:
        return ""
    return form.format(getattr(side.cost, name) / unit)


_ROWS: dict[str, Any] = {
    "side": lambda s: f"{s.label} ({s.kind})",
    "examples": lambda s: f"{s.examples:,}",
    "batches": lambda s: ", ".join(
        f"{n:,} of {size}" for size, n in sorted(s.batch_sizes.items(), key=lambda i: -i[1])[:4]
    ),
    "end": lambda s: s.end,
    "epochs": lambda s: f"{s.mixing.epochs}" if s.mixing else "",
    "epoch borders": lambda s: (s.mixing.borders or "") if s.mixing else "",
    "mixes like a pool of": lambda s: pool_in_words(s.mixing) if s.mixing else "",
    "displacement": lambda s: _number(s.mixing.displacement) if s.mixing else "",
    "Kendall's tau": lambda s: _number(s.mixing.tau) if s.mixing else "",
    "autocorrelation": lambda s: _number(s.mixing.autocorrelation) if s.mixing else "",
    "files per batch": lambda s: _number(s.mixing.files_per_batch) if s.mixing else "",
    "repeat distance, least": lambda s: (
        f"{s.mixing.repeat_distance[0]:,}" if s.mixing and s.mixing.repeat_distance else ""
    ),
    "cost": lambda s: s.cost.note if s.cost else "",
    "examples per second": lambda s: _cost(s, "rate", "{:,.0f}"),
    "first batch after, s": lambda s: _cost(s, "first_batch_seconds", "{:.3f}"),
    "CPU seconds per 1,000": lambda s: _cost(s, "cpu_per_thousand", "{:.4f}"),
    "peak memory added, MB": lambda s: _cost(s, "peak_bytes", "{:,.0f}", 1e6),
}
