"""How often each name of a script is read, in which function; and what is read no more."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

import libcst as cst
from libcst import matchers as m

Place = tuple[str, ...]
"""The names of the classes and functions that stand around a line, the outermost first."""

SHAPE = m.Expr(value=m.Call(func=m.Attribute(value=m.Name(), attr=m.Name("set_shape"))))
"""`name.set_shape(…)`, which reads nothing that a later line could miss."""


class NameRead(NamedTuple):
    """A name that is read: where, and how many statements of the script follow.

    They are counted from the end, where lines that come in or go before do not move them.
    """

    place: Place
    name: str
    behind: int


def reads_of(tree: cst.Module) -> Counter[NameRead]:
    """How often each name is read; set_shape on a name does not count.

    Args:
      tree: the script.
    """
    visitor = _Reads(tree)
    tree.visit(visitor)
    return visitor.found


def by_name(reads: Counter[NameRead]) -> Counter[str]:
    """How often each name is read anywhere.

    Args:
      reads: how often it is read in each place.
    """
    found: Counter[str] = Counter()
    for read, count in reads.items():
        found[read.name] += count
    return found


def targets(target: cst.BaseExpression) -> list[str]:
    """The names that an assignment gives a value to.

    Args:
      target: its left side.
    """
    if isinstance(target, cst.Name):
        return [target.value]
    if isinstance(target, (cst.Tuple, cst.List)):
        return [name for element in target.elements for name in targets(element.value)]
    return []


class ReadNoMore:
    """The names that lines of a script read before it was changed, and read no more.

    What no line read before was no part of a pipeline: another module may read it, or another
    program the op that it names in the saved graph.

    Args:
      before: what the script read.
      now: what the changed one reads.
    """

    def __init__(self, before: Counter[NameRead], now: Counter[NameRead]) -> None:
        self._gone = set(before - now)

    def add(self, statement: cst.BaseSmallStatement, place: Place, behind: int) -> None:
        """A statement has gone as well, with all that it read."""
        for name in m.findall(statement, m.Name()):
            self._gone.add(NameRead(place, name.value, behind))  # type: ignore[attr-defined]

    def __call__(self, names: Sequence[str], place: Place, behind: int) -> bool:
        """Whether one of these names, given its value in that place, was read there or within, by
        a line that did not stand before."""
        return any(
            read.name in names and read.place[: len(place)] == place and read.behind <= behind
            for read in self._gone
        )


class Placed(cst.CSTVisitor):
    """Where a visitor of a tree is."""

    def __init__(self, tree: cst.Module) -> None:
        super().__init__()
        self.place: Place = ()
        self.behind = len(m.findall(tree, m.MatchIfTrue(_is_statement)))

    def on_visit(self, node: cst.CSTNode) -> bool:
        self.behind -= _is_statement(node)
        if isinstance(node, (cst.FunctionDef, cst.ClassDef)):
            self.place += (node.name.value,)
        return super().on_visit(node)

    def on_leave(self, original_node: cst.CSTNode) -> None:
        super().on_leave(original_node)
        if isinstance(original_node, (cst.FunctionDef, cst.ClassDef)):
            self.place = self.place[:-1]


class _Reads(Placed):
    def __init__(self, tree: cst.Module) -> None:
        super().__init__(tree)
        self.found: Counter[NameRead] = Counter()

    def _count(self, name: str, times: int) -> None:
        self.found[NameRead(self.place, name, self.behind)] += times

    def visit_Name(self, node: cst.Name) -> None:
        self._count(node.value, 1)

    def visit_AssignTarget(self, node: cst.AssignTarget) -> None:
        for name in targets(node.target):
            self._count(name, -1)

    def visit_Expr(self, node: cst.Expr) -> None:
        if m.matches(node, SHAPE):
            self._count(node.value.func.value.value, -1)  # type: ignore[attr-defined]


def _is_statement(node: cst.CSTNode) -> bool:
    return isinstance(node, cst.BaseSmallStatement)
