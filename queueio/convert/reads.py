"""How often each name of a script is read, in which function; and what is read no more."""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Sequence
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


class Readers:
    """Which lines may read what another gives a name; set_shape on a name does not count.

    A function that has a name of its own, by a parameter or an assignment, reads no other; nor
    does one function what is local to another.

    Args:
      tree: the script.
      gone: statements of it that are not there any more.
    """

    def __init__(self, tree: cst.Module, gone: Container[cst.CSTNode] = ()) -> None:
        visitor = _visited(tree, gone)
        self.found = visitor.found
        self._shared, self._own = visitor.shared, visitor.own

    def count(self, name: str, place: Place) -> int:
        """How often a name may be read that gets its value in a place.

        Args:
          name: the name.
          place: where the statement stands that gives it.
        """
        return sum(
            count
            for read, count in self.found.items()
            if read.name == name and self.sees(read, place)
        )

    def sees(self, read: NameRead, place: Place) -> bool:
        """Whether a name that is read may be the one that gets its value in a place.

        Args:
          read: the name, and where it is read.
          place: where a statement stands that gives it a value.
        """
        if read.name in self._shared:
            return True
        if read.place[: len(place)] != place:
            return False
        inner = (read.place[:depth] for depth in range(len(place) + 1, len(read.place) + 1))
        return not any(read.name in self._own.get(each, ()) for each in inner)


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
      before: the readers in the script as it was.
      now: those in the changed one.
    """

    def __init__(self, before: Readers, now: Readers) -> None:
        self._before = before
        self._gone = set(before.found - now.found)

    def add(self, statement: cst.BaseSmallStatement, place: Place, behind: int) -> None:
        """A statement has gone as well, with all that it read."""
        for name in _visited(cst.Module([cst.SimpleStatementLine([statement])])).names:
            self._gone.add(NameRead(place, name, behind))

    def __call__(self, names: Sequence[str], place: Place, behind: int) -> bool:
        """Whether one of these names, given its value in that place, was read there or within, by
        a line that did not stand before."""
        return any(
            read.name in names and self._before.sees(read, place) and read.behind <= behind
            for read in self._gone
        )


class Placed(cst.CSTVisitor):
    """Where a visitor of a tree is.

    Statements that are `gone` are passed over, and counted all the same: they have to be told
    apart by their places in the tree until the last one is found.
    """

    def __init__(self, tree: cst.Module, gone: Container[cst.CSTNode] = ()) -> None:
        super().__init__()
        self.place: Place = ()
        self._gone = gone
        self.behind = len(m.findall(tree, m.MatchIfTrue(_is_statement)))

    def on_visit(self, node: cst.CSTNode) -> bool:
        self.behind -= _is_statement(node)
        if isinstance(node, (cst.FunctionDef, cst.ClassDef)):
            self.place += (node.name.value,)
        return node not in self._gone and super().on_visit(node)

    def on_leave(self, original_node: cst.CSTNode) -> None:
        super().on_leave(original_node)
        if isinstance(original_node, (cst.FunctionDef, cst.ClassDef)):
            self.place = self.place[:-1]


class _Reads(Placed):
    """Counts the names that are read.

    Attributes:
      found: how often, and where.
      names: all that stand for variables, those included that get a value.
      own: of each function, the names that are its own.
      shared: those that a function declares to be another's, or reads where it is defined, in
        defaults and decorators; for these no place is told from another.
    """

    def __init__(self, tree: cst.Module, gone: Container[cst.CSTNode]) -> None:
        super().__init__(tree, gone)
        self.found: Counter[NameRead] = Counter()
        self.names: set[str] = set()
        self.own: dict[Place, set[str]] = {}
        self.shared: set[str] = set()
        self._others: set[cst.CSTNode] = set()  # parts of the syntax that are no variable
        self._inside: list[set[str]] = []  # the parameters of lambdas

    def _count(self, name: str, times: int) -> None:
        self.found[NameRead(self.place, name, self.behind)] += times

    def visit_Name(self, node: cst.Name) -> None:
        if node not in self._others and not any(node.value in each for each in self._inside):
            self.names.add(node.value)
            self._count(node.value, 1)

    def visit_AssignTarget(self, node: cst.AssignTarget) -> None:
        for name in targets(node.target):
            self._count(name, -1)

    def visit_Expr(self, node: cst.Expr) -> None:
        if m.matches(node, SHAPE):
            self._count(node.value.func.value.value, -1)  # type: ignore[attr-defined]

    def visit_Attribute(self, node: cst.Attribute) -> None:
        self._others.add(node.attr)

    def visit_Arg(self, node: cst.Arg) -> None:
        if node.keyword is not None:
            self._others.add(node.keyword)

    def visit_Param(self, node: cst.Param) -> None:
        self._others.add(node.name)

    def visit_Global(self, node: cst.Global) -> None:
        self.shared |= {each.name.value for each in node.names}

    def visit_Nonlocal(self, node: cst.Nonlocal) -> None:
        self.shared |= {each.name.value for each in node.names}

    def visit_FunctionDef(self, node: cst.FunctionDef) -> None:
        own = {param.name.value for param in _params(node.params)}
        for line in m.findall(node.body, m.AssignTarget()):
            own |= set(targets(line.target))  # type: ignore[attr-defined]
        within = m.findall(node.body, m.FunctionDef() | m.ClassDef() | m.Lambda())
        deeper = {n for each in within for n in m.findall(each, m.AssignTarget())}
        for line in deeper:  # they may be an inner function's alone
            own -= set(targets(line.target)) - {p.name.value for p in _params(node.params)}  # type: ignore[attr-defined]
        outside = [*node.decorators, *_defaults(node.params)]
        self.shared |= {n.value for each in outside for n in m.findall(each, m.Name())}  # type: ignore[attr-defined]
        # Of two functions of the same name it is not known which one a place means.
        self.own[self.place] = self.own.get(self.place, own) & own

    def visit_Lambda(self, node: cst.Lambda) -> None:
        outside = {n.value for each in _defaults(node.params) for n in m.findall(each, m.Name())}  # type: ignore[attr-defined]
        self._inside.append({param.name.value for param in _params(node.params)} - outside)

    def leave_Lambda(self, original_node: cst.Lambda) -> None:
        self._inside.pop()


def _params(params: cst.Parameters) -> list[cst.Param]:
    stars = [each for each in (params.star_arg, params.star_kwarg) if isinstance(each, cst.Param)]
    return [*params.posonly_params, *params.params, *params.kwonly_params, *stars]


def _defaults(params: cst.Parameters) -> list[cst.CSTNode]:
    """What is evaluated where the function is defined."""
    every = [part for each in _params(params) for part in (each.default, each.annotation)]
    return [part for part in every if part is not None]


def _visited(tree: cst.Module, gone: Container[cst.CSTNode] = ()) -> _Reads:
    visitor = _Reads(tree, gone)
    tree.visit(visitor)
    return visitor


def _is_statement(node: cst.CSTNode) -> bool:
    return isinstance(node, cst.BaseSmallStatement)
