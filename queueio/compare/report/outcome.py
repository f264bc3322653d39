"""The outcome: a verdict in one sentence, the findings, the measurements."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from queueio.compare.findings import Case, Finding
from queueio.compare.findings.case import DIFFERENT, NOTE, UNKNOWN
from queueio.compare.reading.difference import FETCHED
from queueio.compare.report.summary import SideSummary, table
from queueio.words import times

IDENTICAL_STREAM = "identical stream"
IDENTICAL_EXAMPLES = "identical examples"
DRAWN = "identical but for what is drawn"  # whose distributions agree
NOT_COMPARED = "not compared"
IGNORED = "identical but for what is ignored"
UNDECIDED = "undecided"  # interrupted before the examples had come together


@dataclass
class Outcome:
    """What a comparison came to.

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
        batches = times(self.old.batches, "batch", "batches")
        if self.level == IGNORED:
            return f"No fault but what is ignored. {self.ignored[0].sentence}"
        if self.level == DRAWN:
            return self._drawn(count)
        if self.level == IDENTICAL_STREAM:
            return f"Identical stream: {count} in {batches}, in the same order."
        if any(f.code == "tolerance" for f in self.findings):
            near = f"rtol={self.how.get('rtol', 0):g}, atol={self.how.get('atol', 0):g}"
            return f"Identical examples: the same {count} on both sides, within {near}."
        if self.case is not None and self.case.varies:
            return f"Identical examples: {self._varying()}."
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
            else f"{who}, each from distributions that agree{self._together(case)}."
        )
        if case.filtered:
            return f"How many examples come varies from run to run, on both sides alike. {agree}"
        if case.varies:
            return f"Identical examples: {self._varying()}; but for {agree}"
        if case.whole is case.both:
            return f"As many examples on both sides, {self.old.examples:,}. {agree}"
        return f"Identical examples: the same {count} on both sides, but for {agree}"

    def _varying(self) -> str:
        assert self.case is not None and self.case.often is not None
        different = times(len(self.case.often.lanes), "example")
        return (
            f"the same {different} on both sides; how often each comes varies from run to run, on "
            "both sides alike"
        )

    def _together(self, case: Case) -> str:
        """What is known of draws of one example, or of one batch, that belong together."""
        unseen = dict.fromkeys(part for j in case.judgements for part in j.unseen)
        if unseen:
            return f"; whether draws {' and '.join(unseen)} belong together was not judged"
        return ", and so do the draws of a batch" + (
            " and those of an example" if len(case.judgements) > 1 else ""
        )

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
        lines += ["", *table(self.old, self.new)]
        return "\n".join(lines)


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
    exact = case.difference.empty and case.both.same_order and not case.near
    if exact and case.both.interrupted:
        return IDENTICAL_STREAM
    if exact and case.old.sizes == case.new.sizes:
        return IDENTICAL_STREAM
    return IDENTICAL_EXAMPLES
