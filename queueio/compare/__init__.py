"""Run two input pipelines side by side and say whether they deliver the same examples.

    run.py    compare(old, new)
    sides/      what gives examples                          -> Side
    look.py   the passes over both sides                     -> Case
    look_drawn.py   and over what they draw
    reading/    what comes, as digests; what differs, whole
    match/      which example is which
    draws/      what is drawn anew in each run
    mixing/     what shuffling does
    findings/ what is wrong, by name                         -> Findings
    report/   the verdict, as text, JSON and HTML            -> Result
    stages.py   where two plans first differ

Each stands on those above it only. `queueio.compare(old, new)` is this package called as a
function; see `compare` in run.py for what it takes. The package is callable so that the short name
works beside imports of its modules, such as `from queueio.compare.report.result import Result`.
"""

from __future__ import annotations

import sys
import types
from typing import Any


class _Callable(types.ModuleType):
    """A package that can be called, as the function `queueio.compare.run.compare`."""

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        from queueio.compare.run import compare

        return compare(*args, **kwargs)


sys.modules[__name__].__class__ = _Callable
