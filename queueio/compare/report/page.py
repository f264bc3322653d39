"""The HTML report: one file, no script, no network."""

from __future__ import annotations

from typing import Any

from queueio.compare.findings import Finding
from queueio.compare.report.drawing import Drawing, draw
from queueio.compare.report.outcome import Outcome
from queueio.compare.report.summary import SideSummary, rows_of
from queueio.errors import message

DRAWN = 12
TERMS = {
    "epoch borders": "sharp where each epoch is complete before the next one begins, blurred where"
    " examples of two epochs mix.",
    "mixes like a pool of": "the size of the shuffle pool that would mix the examples as this side"
    " does; in brackets between what it lies in 95 of 100 cases.",
    "displacement": "how many places an example comes out away from where the reference order has"
    " it, on average; 0 is no shuffling.",
    "Kendall's tau": "how much of the reference order is left: 1 where all pairs of examples come"
    " in the same order, about 0 where half of them do, -1 where the order is turned round.",
    "autocorrelation": "how near to one another in the reference order two examples are that come"
    " out one after the other: 1 in an unshuffled stream, about 0 in a well shuffled one.",
    "files per batch": "from how many files a batch takes its examples, on average.",
    "repeat distance, least": "how many places after an example it comes again, where they are"
    " fewest.",
}
"""What the rows of the table mean that do not say it themselves."""
_MARKS = {"same": "=", "different": "≠", "alone": "+", "unknown": "?"}


def render(result: Outcome) -> str:
    """The report's HTML text.

    Raises:
      ImportError: jinja2 or matplotlib is missing.
    """
    try:
        import jinja2

        from queueio.compare.report.plots import plots

        made = plots(result)
    except ImportError as problem:
        what = f"the report needs {problem.name}, which is not installed"
        raise ImportError(message(what, do="pip install 'tf-queueio[report]'")) from problem
    # Names of files and examples come from data: everything is escaped, and the page's own policy
    # forbids scripts and requests should an escape ever be forgotten.
    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("queueio.compare.report", "."),
        autoescape=True, trim_blocks=True, lstrip_blocks=True, undefined=jinja2.StrictUndefined,
    )  # fmt: skip
    rows = rows_of(result.old, result.new)
    return environment.get_template("report.html.j2").render(
        result=result,
        tone="good" if result.ok else "bad" if result.level == "different" else "warn",
        findings=[_finding(f) for f in result.findings],
        rows=rows,
        terms=[(name, TERMS[name]) for name, _, _ in rows if name in TERMS],
        components=_components(result.old, result.new),
        plots=made,
        stages=result.stages,
        marks=_MARKS,
        facts=_facts(result),
    )


def _finding(finding: Finding) -> dict[str, Any]:
    drawings: list[Drawing] = [draw(e) for e in finding.evidence[:DRAWN]]
    return {"finding": finding, "drawings": drawings, "more": len(finding.evidence) - len(drawings)}


def _components(old: SideSummary, new: SideSummary) -> list[tuple[str, str]]:
    size = max(len(old.components), len(new.components))
    padded = [side.components + ["–"] * (size - len(side.components)) for side in (old, new)]
    return list(zip(*padded, strict=True))


def _facts(result: Outcome) -> list[tuple[str, str]]:
    """How it was run."""
    versions = [
        (f"{name} side's versions", ", ".join(f"{k} {v}" for k, v in side.versions.items()))
        for name, side in _named(result)
    ]
    given = {k: v for k, v in result.how.items() if k not in ("command", "seconds") and v}
    return [
        ("command", str(result.how.get("command", ""))),
        ("options", ", ".join(f"{k}={v}" for k, v in given.items()) or "none"),
        *((f"{name} side's seeds", side.seeds or "not known") for name, side in _named(result)),
        ("took", f"{result.how.get('seconds', 0)} s"),
        *versions,
        ("matched by", "128-bit digests of all examples"),
    ]


def _named(result: Outcome) -> list[tuple[str, SideSummary]]:
    return [("old", result.old), ("new", result.new)]
