"""Under which tests and handlers each part of a file runs."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace

from queueio.check.guarding import caught_by, conditions, suppressed_by
from queueio.check.names import Guards, Has, Name, NameScope, NameUse, Tried
from queueio.check.spelling import Find, Spelling


class Branches(ast.NodeVisitor):
    """Visits `try`, `with`, `if` and their like; what visits the rest finds `guards` set.

    Attributes:
      scope: the one that is visited.
      guards: what holds there.
      uses: of names, in the order of the file.
    """

    def __init__(self, find: Find) -> None:
        """Args: find: as for Spelling."""
        self.spelling = Spelling(find)
        self.scope, self.guards = NameScope(), Guards()
        self.uses: list[NameUse] = []
        self.body = self._bodies = 0

    def visit_Try(self, node: ast.Try) -> None:
        caught = frozenset[str]().union(*(caught_by(each) for each in node.handlers))
        before = len(self.uses)
        with self._caught(caught):
            self._visit_all(node.body)
        uses = tuple(use for use in self.uses[before:] if use.body == self.body)
        tried = Tried(uses, succeeds=False, is_known=all(map(self._is_known, node.body)))
        with self.where(tried):
            self._visit_all(node.handlers)
        with self.where(replace(tried, succeeds=True)):
            self._visit_all(node.orelse)
        self._visit_all(node.finalbody)

    def visit_TryStar(self, node: ast.AST) -> None:
        self.visit_Try(node)  # type: ignore[arg-type]

    def _is_known(self, statement: ast.stmt) -> bool:
        """Whether a statement can fail by a name of TF1's only."""
        if isinstance(statement, ast.Import):
            return all(map(self._is_there, (alias.name for alias in statement.names)))
        if isinstance(statement, ast.ImportFrom):
            target = self.spelling.target(statement.module or "", statement.level)
            return isinstance(target, Name)
        if isinstance(statement, ast.Assign):
            value = statement.value
            values = value.elts if isinstance(value, ast.Tuple) else [value]
            return all(isinstance(v, ast.Constant) or self.spelling.of(v) for v in values)
        return isinstance(statement, ast.Pass)

    def _is_there(self, module: str) -> bool:
        return module in sys.stdlib_module_names or isinstance(self.spelling.target(module), Name)

    def visit_With(self, node: ast.With) -> None:
        self._visit_all(node.items)
        with self._caught(frozenset[str]().union(*map(suppressed_by, node.items))):
            self._visit_all(node.body)

    def visit_If(self, node: ast.If) -> None:
        self.visit(node.test)
        for branch, holds in ((node.body, True), (node.orelse, False)):
            with self.where(*self.known(node.test, holds)):
                self._visit_all(branch)

    def visit_IfExp(self, node: ast.IfExp) -> None:
        self.visit(node.test)
        for branch, holds in ((node.body, True), (node.orelse, False)):
            with self.where(*self.known(node.test, holds)):
                self.visit(branch)

    def visit_BoolOp(self, node: ast.BoolOp) -> None:
        known: tuple[Has, ...] = ()
        for each in node.values:
            with self.where(*known):
                self.visit(each)
            known += self.known(each, isinstance(node.op, ast.And))

    def _visit_all(self, nodes: Iterable[ast.AST]) -> None:
        for node in nodes:
            self.visit(node)

    def known(self, test: ast.expr, holds: bool) -> tuple[Has, ...]:
        """What is known of names where a test holds, or does not."""
        return conditions(test, holds, self.spelling.of, self.scope)

    @contextmanager
    def where(self, *more: Has | Tried) -> Iterator[None]:
        """Code that runs where these hold, too."""
        with self._under(replace(self.guards, conditions=self.guards.conditions + more)):
            yield

    @contextmanager
    def _caught(self, more: frozenset[str]) -> Iterator[None]:
        with self._under(replace(self.guards, caught=self.guards.caught | more)):
            yield

    @contextmanager
    def later(self) -> Iterator[None]:
        """The body of a function runs when it is called, where nothing here is caught."""
        before, self._bodies = self.body, self._bodies + 1
        self.body = self._bodies
        with self._under(replace(self.guards, caught=frozenset())):
            yield
        self.body = before

    @contextmanager
    def _under(self, guards: Guards) -> Iterator[None]:
        before, self.guards = self.guards, guards
        yield
        self.guards = before
