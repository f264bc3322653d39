"""What `compare` returns: the outcome, which can be written as JSON and as a page."""

from __future__ import annotations

import html
import json
import os
from typing import Any

import numpy as np

from queueio import outputs
from queueio.compare.findings import Finding
from queueio.compare.findings.shown import show_both
from queueio.compare.mixing.pool import Interval
from queueio.compare.report.outcome import Outcome
from queueio.compare.report.summary import SideSummary


class Result(Outcome):
    """The outcome of a comparison."""

    def __repr__(self) -> str:
        return f"<Result: {self.verdict}>"

    def _repr_html_(self) -> str:
        """The report as a page within the notebook; without what draws it, its text."""
        try:
            from queueio.compare.report.page import render

            page = html.escape(render(self))
        except ImportError:
            return f"<pre>{html.escape(str(self))}</pre>"
        return f'<iframe sandbox srcdoc="{page}" style="width:100%;height:36em;border:0"></iframe>'

    def to_json(self, path: str | os.PathLike[str] | None = None) -> str:
        """The result as JSON text; written to `path` too, if given."""
        text = json.dumps(as_data(self), indent=1, sort_keys=True)
        if path is not None:
            outputs.write(path, text + "\n")
        return text

    def to_html(self, path: str | os.PathLike[str]) -> None:
        """Writes the report: one file that needs no network.

        Raises:
          ImportError: jinja2 or matplotlib is missing (`pip install queueio[report]`).
        """
        from queueio.compare.report.page import render

        page = render(self)
        outputs.write(path, page)


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
        "how": result.how,
        "stages": result.stages.as_data() if result.stages is not None else None,
    }


def _finding_data(finding: Finding) -> dict[str, Any]:
    evidence = [
        {
            "where": e.where,
            "component": e.component,
            "index": list(e.index) if e.index is not None else None,
            "old": None if e.old is None else old,
            "new": None if e.new is None else new,
        }
        for e in finding.evidence
        for old, new in [show_both(e.old, e.new)]
    ]
    plain = {"code": finding.code, "severity": finding.severity, "sentence": finding.sentence}
    return {**plain, "count": finding.count, "evidence": evidence}


def _side_data(side: SideSummary) -> dict[str, Any]:
    data = {k: v for k, v in vars(side).items() if k not in ("mixing", "cost")}
    data["batch_sizes"] = {str(k): v for k, v in side.batch_sizes.items()}
    data["cost"] = None if side.cost is None else vars(side.cost)
    if side.mixing is not None:
        known = {k: v for k, v in vars(side.mixing).items() if not isinstance(v, np.ndarray)}
        data["mixing"] = {k: vars(v) if isinstance(v, Interval) else v for k, v in known.items()}
    return data
