"""The outcome: a verdict in one sentence, the findings, the measurements."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass, field
from typing import Any

from queueio.compare.cost import Cost
from queueio.compare.difference import FETCHED
from queueio.compare.findings import Case, Finding
from queueio.compare.findings.case import DIFFERENT, NOTE, UNKNOWN, WORSE, show, times
from queueio.compare.order import Mixing, told
from queueio.compare.pool import Interval, rounded
from queueio.compare.scan import Scan

IDENTICAL_STREAM = "identical stream"
IDENTICAL_EXAMPLES = "identical examples"
DRAWN = "identical but for what is drawn"  # whose distributions agree
NOT_COMPARED = "not compared"
IGNORED = "identical but for what is ignored"
UNDECIDED = "undecided"  # interrupted before the examples had come together


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


@dataclass
class Result:
    """The outcome of a comparison.

    `level` is "identical stream", "identical examples", "identical but for what is drawn",
    "identical but for what is ignored",
    "different" or "not compared" (or, interrupted, "undecided"); `ok` is false as well when
    the examples are the same but delivered worse (not shuffled, static shape lost, …).
    """

    level: str
    findings: list[Finding]
    old: SideSummary
    new: SideSummary
    interrupted: bool = False
    method: str = "sketch"
    failure_probability: float = 0.0
    how: dict[str, Any] = field(default_factory=dict)
    stages: Any = None
    ignored: list[Finding] = field(default_factory=list)
    case: Case | None = field(default=None, repr=False)

    @property
    def ok(self) -> bool:
        return self.level not in (DIFFERENT, NOT_COMPARED, UNDECIDED) and all(
            f.severity == NOTE for f in self.findings
        )

    @property
    def verdict(self) -> str:
        """One sentence, with what matters most."""
        so_far = "So far (interrupted): " if self.interrupted else ""
        return so_far + self._verdict()

    def _verdict(self) -> str:
        count = times(self.old.examples, "example")
        if self.level == DIFFERENT:
            return f"Different: {self._first()}{self._sampled()}"
        if self.level == UNDECIDED:
            return (
                f"undecided: the old side delivered {count}, the new one {self.new.examples:,}, "
                "in another order, and some have come from one side only."
            )
        if self.level == NOT_COMPARED:
            return self._first()
        if not self.ok:
            return f"Identical examples, but delivered worse: {self._first()}"
        batches = f"{self.old.batches:,} batch" + ("es" if self.old.batches != 1 else "")
        if self.level == IGNORED:
            return f"No fault but what is ignored. {self.ignored[0].sentence}"
        if self.level == DRAWN:
            return self._drawn(count)
        if self.level == IDENTICAL_STREAM:
            return f"Identical stream: {count} in {batches}, in the same order."
        if any(f.code == "tolerance" for f in self.findings):
            near = f"rtol={self.how.get('rtol', 0):g}, atol={self.how.get('atol', 0):g}"
            return f"Identical examples: the same {count} on both sides, within {near}."
        same = self.case is not None and self.case.both.same_order
        how = "in other batches" if same else "in another order"
        return f"Identical examples: the same {count} on both sides, {how}."

    def _drawn(self, count: str) -> str:
        assert self.case is not None
        case = self.case
        drawn = [case.form.old.schema.titles[j.component] for j in case.judgements]
        exact = all(j.kind == "same" for j in case.judgements)
        who = "" if case.drawn.both else f" of the {'old' if case.drawn.old else 'new'} side"
        agree = f"{', '.join(drawn)}: drawn anew in each run" + (
            ", the same where both draw the same."
            if exact
            else f"{who}, each from distributions that agree."
        )
        if case.whole is case.both:
            return f"As many examples on both sides, {self.old.examples:,}. {agree}"
        return f"Identical examples: the same {count} on both sides, but for {agree}"

    def _sampled(self) -> str:
        """Says so, where not all that differs was looked at."""
        if self.case is None or not self.case.sampled:
            return ""
        return f" More than {FETCHED:,} examples differ, so only a sample was looked at."

    def _first(self) -> str:
        rest = len([f for f in self.findings if f.severity != NOTE]) - 1
        more = f" And {times(rest, 'other finding')}." if rest > 0 else ""
        return self.findings[0].sentence + more

    def __str__(self) -> str:
        lines = [self.verdict]
        for number, finding in enumerate(self.findings, 1):
            lines += ["", f"{number}. [{finding.code}] {finding.sentence}"]
            lines += [f"     {e}" for e in finding.evidence[:6]]
        if self.stages is not None and self.stages.first:
            lines += ["", f"The first stage that differs: {self.stages.first}"]
        lines += ["", *_table(self.old, self.new)]
        return "\n".join(lines)

    def to_json(self, path: str | os.PathLike[str] | None = None) -> str:
        """The result as JSON text; written to `path` too, if given."""
        text = json.dumps(as_data(self), indent=1, sort_keys=True)
        if path is not None:
            with open(path, "w", encoding="utf-8") as file:
                file.write(text + "\n")
        return text

    def to_html(self, path: str | os.PathLike[str]) -> None:
        """Writes the report: one file that needs no network.

        Raises:
          ImportError: jinja2 or matplotlib is missing (`pip install queueio[report]`).
        """
        from queueio.compare.report import render

        html = render(self)
        with open(path, "w", encoding="utf-8") as file:
            file.write(html)


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


def level_of(case: Case, findings: list[Finding], ignored: list[Finding]) -> str:
    """The strongest claim that what was seen allows."""
    if any(f.severity == DIFFERENT for f in findings):
        return DIFFERENT
    if any(f.severity == UNKNOWN for f in findings):
        return NOT_COMPARED
    if case.both.interrupted and not case.difference.empty:
        return UNDECIDED
    if case.judgements:
        return DRAWN
    if any(f.severity == DIFFERENT for f in ignored):
        return IGNORED
    exact = case.difference.empty and case.both.same_order
    if exact and case.both.interrupted:
        return IDENTICAL_STREAM
    if exact and case.old.sizes == case.new.sizes:
        return IDENTICAL_STREAM
    return IDENTICAL_EXAMPLES


def _table(old: SideSummary, new: SideSummary) -> list[str]:
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
    "mixes like a pool of": lambda s: told(s.mixing) if s.mixing else "",
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


def as_data(result: Result) -> dict[str, Any]:
    """The result as plain data."""
    return {
        "ok": result.ok,
        "level": result.level,
        "verdict": result.verdict,
        "interrupted": result.interrupted,
        "findings": [_finding_data(f) for f in result.findings],
        "old": _side_data(result.old),
        "new": _side_data(result.new),
        "method": result.method,
        "failure_probability": result.failure_probability,
        "how": result.how,
        "stages": result.stages.as_data() if result.stages is not None else None,
    }


def _finding_data(finding: Finding) -> dict[str, Any]:
    evidence = [
        {
            "where": e.where,
            "component": e.component,
            "index": list(e.index) if e.index is not None else None,
            "old": None if e.old is None else show(e.old),
            "new": None if e.new is None else show(e.new),
        }
        for e in finding.evidence
    ]
    plain = {"code": finding.code, "severity": finding.severity, "sentence": finding.sentence}
    return {**plain, "count": finding.count, "evidence": evidence}


def _side_data(side: SideSummary) -> dict[str, Any]:
    data = {k: v for k, v in vars(side).items() if k not in ("mixing", "cost")}
    data["batch_sizes"] = {str(k): v for k, v in side.batch_sizes.items()}
    data["cost"] = None if side.cost is None else vars(side.cost)
    if side.mixing is not None:
        known = {k: v for k, v in vars(side.mixing).items() if k != "positions"}
        data["mixing"] = {k: vars(v) if isinstance(v, Interval) else v for k, v in known.items()}
    return data


__all__ = ["IDENTICAL_EXAMPLES", "IDENTICAL_STREAM", "WORSE", "Result", "level_of", "summary"]
