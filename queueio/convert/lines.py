"""Lines of a script on which several statements may stand, with `;` between them."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

import libcst as cst

Line = TypeVar("Line", cst.SimpleStatementLine, cst.SimpleStatementSuite)


def without(line: Line, goes: Callable[[cst.BaseSmallStatement], bool]) -> Line | None:
    """A line without those of its statements that go; None where none stays."""
    kept: list[cst.BaseSmallStatement] = [each for each in line.body if not goes(each)]
    if len(kept) == len(line.body):
        return line
    if not kept:
        return None
    last = kept[-1].with_changes(semicolon=cst.MaybeSentinel.DEFAULT)
    return line.with_changes(body=[*kept[:-1], last])


def told(statement: cst.BaseSmallStatement) -> str:
    """A statement as it stands, on one line."""
    bare = statement.with_changes(semicolon=cst.MaybeSentinel.DEFAULT)
    return " ".join(cst.Module([]).code_for_node(bare).split())
