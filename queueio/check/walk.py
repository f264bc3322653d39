"""Reads a file: which names it asks for, where, and what its variables may be.

Nothing of the file runs. What a variable is, is told from imports and from assignments of dotted
names; all that a scope assigns to it counts, in whatever order.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from contextlib import contextmanager

from queueio.check.branches import Branches
from queueio.check.guarding import called
from queueio.check.names import Binding, Name, NameScope, NameUse, OwnModule, Spelled
from queueio.check.spelling import Find

_Function = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda
_Comprehension = ast.ListComp | ast.SetComp | ast.GeneratorExp | ast.DictComp


class FileWalk(Branches):
    """The names of one file.

    Attributes:
      sets: names that the file gives to a module of TensorFlow's itself.
      stars: lines of `from x import *`, where x is TensorFlow's, with x.
    """

    def __init__(self, find: Find) -> None:
        """Args: find: as for Spelling."""
        super().__init__(find)
        self.sets: list[NameUse] = []
        self.stars: list[tuple[int, Name]] = []

    # Imports.

    def visit_Import(self, node: ast.Import) -> None:
        for alias in node.names:
            target = self.spelling.target(alias.name)
            if isinstance(target, Name):
                self._use(node, Spelled(target), modules=len(target.parts))
            first = alias.name.partition(".")[0]
            bound = self.spelling.module(alias.name if alias.asname else first)
            self._bind(alias.asname or first, bound)

    def visit_ImportFrom(self, node: ast.ImportFrom) -> None:
        target = self.spelling.target(node.module or "", node.level)
        for alias in node.names:
            spelled = None
            if alias.name == "*":
                self._star(node, target)
                continue
            if isinstance(target, Name):
                spelled = Spelled(target.plus((alias.name,)))
                self._use(node, spelled, modules=len(target.parts))
            elif target is not None:
                spelled = Spelled(target, (alias.name,))
            self._bind(alias.asname or alias.name, spelled)

    def _star(self, node: ast.ImportFrom, target: Name | OwnModule | None) -> None:
        if target is None:
            return
        self.scope.module.stars.append(target)
        if isinstance(target, Name):
            self._use(node, Spelled(target), modules=len(target.parts))
            if target.root != "queueio":
                self.stars.append((node.lineno, target))

    # Expressions.

    def visit_Attribute(self, node: ast.Attribute) -> None:
        spelled = self.spelling.of(node)
        if spelled is None:
            self.generic_visit(node)
        elif isinstance(node.ctx, ast.Load):
            self._use(node, spelled)
            self._visit_arguments(node)
        else:
            self._set(node, spelled)
            self.visit(node.value)

    def visit_Call(self, node: ast.Call) -> None:
        spelled = self.spelling.of(node)
        if spelled is not None:
            is_import = not called(node, "getattr", 2, 3)
            parts = spelled.base.parts if isinstance(spelled.base, Name) else ()
            self._use(node, spelled, modules=len(parts) if is_import else None)
            self._visit_arguments(node)
            return
        if called(node, "setattr", 3) and (owner := self.spelling.of(node.args[0])):
            self._set(node, owner.plus(node.args[1].value))  # type: ignore[attr-defined]
        self.generic_visit(node)

    def visit_Name(self, node: ast.Name) -> None:
        if not isinstance(node.ctx, ast.Load):
            self._bind(node.id, None)

    def _visit_arguments(self, node: ast.expr) -> None:
        """What is inside an expression that spells a name: the default of a `getattr`."""
        while isinstance(node, ast.Attribute):
            node = node.value
        if isinstance(node, ast.Call):
            for each in node.args[2:]:
                self.visit(each)
            self._visit_arguments(node.args[0])

    # Assignments.

    def visit_Assign(self, node: ast.Assign) -> None:
        self.visit(node.value)
        for target in node.targets:
            self._assign(target, node.value)

    def visit_AnnAssign(self, node: ast.AnnAssign) -> None:
        self.visit(node.annotation)
        if node.value is not None:
            self.visit(node.value)
            self._assign(node.target, node.value)

    def visit_NamedExpr(self, node: ast.NamedExpr) -> None:
        self.visit(node.value)
        self._assign(node.target, node.value)

    def _assign(self, target: ast.expr, value: ast.expr) -> None:
        pair = isinstance(target, (ast.Tuple, ast.List)) and isinstance(value, ast.Tuple)
        if pair and len(target.elts) == len(value.elts):  # type: ignore[attr-defined]
            for one, other in zip(target.elts, value.elts, strict=True):  # type: ignore[attr-defined]
                self._assign(one, other)
        elif isinstance(value, ast.IfExp):
            for chosen, holds in ((value.body, True), (value.orelse, False)):
                with self.where(*self.known(value.test, holds)):
                    self._assign(target, chosen)
        elif isinstance(target, ast.Name):
            self._bind(target.id, self.spelling.of(value))
        else:
            self.visit(target)

    def _bind(self, name: str, value: Spelled | None) -> None:
        self.scope.bind(name, Binding(value, self.scope, self.guards))

    def _use(self, node: ast.AST, spelled: Spelled, modules: int | None = None) -> None:
        line = getattr(node, "end_lineno" if isinstance(node, ast.Attribute) else "lineno", 0)
        self.uses.append(NameUse(line, spelled, self.scope, self.guards, modules, self.body))

    def _set(self, node: ast.expr, spelled: Spelled) -> None:
        self.sets.append(NameUse(node.lineno, spelled, self.scope, self.guards))

    # Scopes.

    def visit_Global(self, node: ast.Global) -> None:
        self.scope.outer.update(node.names)

    def visit_FunctionDef(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
        self._bind(node.name, None)
        for each in [*node.decorator_list, *([node.returns] if node.returns else [])]:
            self.visit(each)
        self._function(node, node.body)

    visit_AsyncFunctionDef = visit_FunctionDef

    def visit_Lambda(self, node: ast.Lambda) -> None:
        self._function(node, [node.body])

    def _function(self, node: _Function, body: list[ast.stmt] | list[ast.expr]) -> None:
        self.visit(node.args)  # defaults and annotations
        arguments = node.args
        every = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
        with self._inside(NameScope(self.scope)), self.later():
            for each in [*every, arguments.vararg, arguments.kwarg]:
                if each is not None:
                    self._bind(each.arg, None)
            for part in body:
                self.visit(part)

    def visit_ClassDef(self, node: ast.ClassDef) -> None:
        self._bind(node.name, None)
        for each in [*node.decorator_list, *node.bases, *node.keywords]:
            self.visit(each)
        with self._inside(NameScope(self.scope, is_class=True)):
            for statement in node.body:
                self.visit(statement)

    def _comprehension(self, node: _Comprehension) -> None:
        with self._inside(NameScope(self.scope)):
            self.generic_visit(node)

    visit_ListComp = visit_SetComp = visit_GeneratorExp = visit_DictComp = _comprehension

    def visit_MatchAs(self, node: ast.MatchAs) -> None:
        if node.name:
            self._bind(node.name, None)
        self.generic_visit(node)

    @contextmanager
    def _inside(self, scope: NameScope) -> Iterator[None]:
        before, self.scope = self.scope, scope
        yield
        self.scope = before
