"""Whether an expression of a script may give another value in another call or run.

A name counts as fixed only if that can be seen: each statement that gives it a value, or changes
the object that it stands for under whichever name, runs alike in each run and has values that are
fixed themselves.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from queueio.convert.changes import Mutation
from queueio.convert.conditions import conditions
from queueio.convert.making import Making, is_implied
from queueio.convert.once import TAKES
from queueio.convert.purity import is_asked, is_known, is_outside, tells_the_time
from queueio.convert.sets import is_unordered
from queueio.convert.source import Script, bindings, last_part, nodes, parameters, values


@dataclass(frozen=True)
class Cause:
    """Why an expression may give something else: what in it varies, and where that comes from."""

    code: str
    root: str = ""

    def rooted(self, node: ast.AST) -> Cause:
        """With the place that it comes from, if that is not known yet."""
        line = getattr(node, "lineno", 0)
        return self if self.root else Cause(self.code, f"line {line}: `{self.code}`")

    def __str__(self) -> str:
        return f"{self.code} ({self.root})" if self.root else self.code


class Variation:
    """Says of the expressions of one file whether they are fixed.

    Args:
      making: the statements that made the pipeline; these are read by themselves.
      source: the file.
      checked: whether a parameter of the home counts as fixed where all calls of it in the file
        give it the same literal. The changed script must then check that it has that value, and
        that constants of the module still have theirs: somebody may edit `IMAGE_SIZE = 28`.

    Attributes:
      relied_on: these parameters and constants, as far as it was asked for them, with the `repr` of
        their values.
    """

    def __init__(self, making: Making, source: Script, checked: bool = False) -> None:
        self._all, self._source, self._checked = making, source, checked
        self.relied_on: dict[str, str] = {}
        self._fixed: set[Any] = set()

    def of(self, node: ast.AST, function: ast.AST) -> Cause | None:
        """What in an expression of a function another call or run may change."""
        # Each name is asked once: along every path through code that names itself in many places
        # takes for ever. The first cause ends it all, so without one all that was asked is fixed.
        seen = set(self._fixed)
        found = self._condition(node, function, seen)
        self._fixed = self._fixed if found else seen
        return found

    def in_between(self, statement: ast.stmt, name: str) -> bool:
        """Whether a statement of the home, or a function that it names, changes a name's object."""
        called = {getattr(n, "attr", getattr(n, "id", None)) for n in ast.walk(statement)}
        owner = self._all.changes(self._source).owner(name, self._all.home)
        return any(
            change.statement is statement or getattr(change.function, "name", "") in called
            for change in self._changes(name, [], owner)
        )

    def _condition(self, node: ast.AST, function: ast.AST, seen: set[Any]) -> Cause | None:
        if isinstance(node, (ast.Import, ast.ImportFrom)) and _may_be_missing(node):
            return Cause(self._source.code(node))
        return self._varies(node, function, seen)

    def _varies(self, node: ast.AST, function: ast.AST, seen: set[Any]) -> Cause | None:
        for part in nodes(node):
            if tells_the_time(part):
                return Cause(self._source.code(part))
            if is_unordered(part, self._source):
                code = self._source.code(part)
                why = f"`{code}`, a set, whose order may be another one in each run"
                return Cause(code, f"line {part.lineno}: {why}")  # type: ignore[attr-defined]
            if isinstance(part, (ast.Attribute, ast.Name)):
                above = self._source.above.get(part)
                if isinstance(above, ast.Attribute):
                    continue  # the whole chain was or will be looked at
                found = self._chain(part, function, node, seen)
                if found:
                    return found
        return None

    def _chain(
        self, node: ast.expr, function: ast.AST, within: ast.AST, seen: set[Any]
    ) -> Cause | None:
        parts: list[str] = []
        root: ast.AST = node
        while isinstance(root, ast.Attribute):
            parts.insert(0, root.attr)
            root = root.value
        code = self._source.code(node)
        asking = Cause(code) if is_asked(node, self._source) else None
        if not isinstance(root, ast.Name) or not isinstance(root.ctx, ast.Load):
            return asking  # a method of something that is looked at by itself
        if self._source.is_own(root, within):
            return asking
        imported = self._source.imports.get(root.id, self._source.aliases.get(root.id))
        if imported is not None and is_outside(node, imported, parts, self._source):
            return Cause(code)
        if imported is not None:
            found = self._import(root.id, seen)
            if found:
                return Cause(code, found.root)
            # Another name is bound once, and what it stands for was looked at with the import's.
            if root.id not in self._source.rebound or root.id in self._source.aliases:
                return None
        lambdas = [n for n in self._source.around(root) if isinstance(n, ast.Lambda)]
        found = self._name(root.id, function, seen, at_once=not lambdas, parts=parts)
        if found and imported is None and isinstance(node, ast.Attribute):
            above = self._source.above.get(node)
            called = isinstance(above, ast.Call) and above.func is node
            if called and node.attr not in self._source.defined:
                code = self._source.code(node.value)  # the object varies, not its method
        if found is None:
            self._rely_on(node, function)
            return asking if imported is None else None
        return Cause(code, found.root)

    def _rely_on(self, node: ast.expr, reader: ast.AST) -> None:
        """Notes a constant of a class or dict, `Config.WIDTH` or `SIZES["width"]`."""
        above = self._source.above.get(node)
        part = above if isinstance(above, ast.Subscript) and above.value is node else node
        if self._checked and self._source is self._all.script:
            value, code = self._all.given_values.part(part, reader), ast.unparse(part)
            # It stands within an f-string of the check, too.
            self.relied_on |= {code: value} if value and not set('"\\{}') & set(code) else {}

    def _comes_later(self, statement: ast.stmt) -> bool:
        """Whether a statement of the home runs after the batch call only."""
        source, call = self._source, self._all.call
        if source is not self._all.script or source.function(statement) is not self._all.home:
            return False
        loops = [n for n in source.around(call) if isinstance(n, (ast.For, ast.While))]
        again = any(loop in source.around(statement) for loop in loops)
        return statement.lineno > (call.end_lineno or call.lineno) and not again

    def _import(self, name: str, seen: set[Any]) -> Cause | None:
        """Why another of several imports of a name may be the one that it stands for."""
        importing = self._source.importing.get(name, [])
        # What decides between them may use the name itself: `tf.disable_v2_behavior()` in a `try`.
        if len(importing) < 2 or ("imported", name) in seen:
            return None
        seen.add(("imported", name))
        for each in importing:
            found = self._hangs(each, self._source.function(each), seen)
            if found:
                return found
        return None

    def _name(
        self, name: str, function: ast.AST, seen: set[Any], at_once: bool = False,
        parts: Iterable[str] = (),
    ) -> Cause | None:  # fmt: skip
        """Why a name may hold another value in another call or run; None where it may not.

        `at_once`: whether it is read where it stands, and not when a function is called.
        `parts`: the attributes by which the expression goes on from it.
        """
        key = name, function, at_once
        if key in seen:
            return None
        seen.add(key)
        if self._turns(name, function):
            return Cause(name)
        bound = bindings(name, function, self._source)
        if at_once:
            bound = [each for each in bound if not self._comes_later(each)] or bound
        if isinstance(function, ast.Module):
            return self._global(name, bound, function, seen, set(parts))
        outer = any(isinstance(b, (ast.Global, ast.Nonlocal)) for b in bound)
        if name in parameters(function) and function in self._all.around_home:
            return self._parameter(name) if function is self._all.home else Cause(name)
        if not outer and (bound or name in parameters(function)):
            if function in self._all.around_home and function is not self._all.home:
                return self._global(name, bound, function, seen, set(parts))
            return self._given(name, bound, function, seen)
        return self._name(name, self._source.function(function), seen, parts=parts)

    def _parameter(self, name: str) -> Cause | None:
        """The same of a parameter of the home."""
        any_name = self._all.rewriting(self._source) is not None
        value = "" if any_name or not self._checked else self._all.given_values.value(name)
        if not value:
            return Cause(name, self._all.given_values.differences(name) if self._checked else "")
        self.relied_on[name] = value
        return None

    def _global(
        self, name: str, bound: list[ast.stmt], module: ast.AST, seen: set[Any], parts: set[str]
    ) -> Cause | None:
        """The same of a name of the module, or of a function around the home, or of none."""
        if not bound:
            known = is_known(name) or name in self._source.imports
            return None if known else Cause(name)
        made = [
            c for c in self._changes(name, bound, module) if c.statement not in self._all.statements
        ]  # which are read themselves
        changes = [c.statement for c in made]
        if len({*bound, *changes}) > 1 and module is not self._all.home:
            # The function may be called before and after it. First what sets this very attribute.
            near = [c.statement for c in made if c.attributes & parts]
            last = (near or [*bound, *changes])[-1]
            return Cause(self._source.code(last).split("\n")[0]).rooted(last)
        found = self._given(name, bound, module, seen)
        if self._checked and not found and self._source is self._all.script:
            self.relied_on |= self._all.given_values.constant(name)
        return found

    def _changes(self, name: str, bound: list[ast.stmt], function: ast.AST) -> list[Mutation]:
        """What may change the object that a name stands for, as far as the pipeline reads it."""
        if self._all.changes(self._source).is_constant(name, bound):
            return []
        return [
            change
            for change in self._all.changes(self._source).of(function, name)
            if self._all.reads(change.attributes)
        ]

    def _given(
        self, name: str, bound: list[ast.stmt], function: ast.AST, seen: set[Any]
    ) -> Cause | None:
        """Why what gives a name its value, or changes it, may do otherwise."""
        any_name = self._all.rewriting(self._source)
        if any_name is not None:
            return Cause(self._source.code(any_name)).rooted(any_name)
        for inside in ast.walk(function):
            if isinstance(inside, (ast.Global, ast.Nonlocal)) and name in inside.names:
                return Cause(self._source.code(inside)).rooted(inside)
        for each in bound:
            found = self._binding(each, function, seen)
            if found:
                return found
        for change in self._changes(name, bound, function):
            found = self._changing(change, function, seen)
            if found:
                return found
        return None

    def _changing(self, change: Mutation, owner: ast.AST | None, seen: set[Any]) -> Cause | None:
        """Why a change may be another one; `owner` is the function with the name it bears on."""
        statement, function = change.statement, change.function
        if statement in self._all.statements:
            return None  # as below
        if change.later:
            return Cause(self._source.code(statement)).rooted(statement)
        found = self._binding(statement, function, seen)
        return found or (None if function is owner else self._called(function, seen))

    def _called(self, function: ast.AST, seen: set[Any]) -> Cause | None:
        """Why a function may be called in one run and not in another."""
        always = isinstance(function, ast.Module) or function is self._all.home
        if always or ("called", function) in seen:
            return None
        seen.add(("called", function))
        name = getattr(function, "name", "")
        for node in ast.walk(self._source.tree):
            if name != (node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", "")):
                continue
            statement = self._source.statement_of(node)
            around = self._source.function(statement)
            found = self._hangs(statement, around, seen) or self._picked(node, around, seen)
            if found or (around is not function and (found := self._called(around, seen))):
                return found
        return None

    def _picked(self, node: ast.AST, function: ast.AST, seen: set[Any]) -> Cause | None:
        """Why an expression may decide otherwise whether a part of it is evaluated."""
        while not isinstance(node, ast.stmt):
            node = self._source.above[node]
            if isinstance(node, ast.Lambda):
                return Cause(self._source.code(node)).rooted(node)
            if isinstance(node, (ast.IfExp, ast.BoolOp, ast.comprehension)):
                found = self._varies(node, function, seen)
                if found:
                    return found.rooted(node)
        return None

    def _turns(self, name: str, function: ast.AST) -> bool:
        """Whether a loop around the batch call gives a name another value in each turn."""
        if self._source is not self._all.script or function is not self._all.home:
            return False
        around = [
            node
            for node in self._source.around(self._all.call)
            if isinstance(node, (ast.For, ast.While))
        ]
        if not around:
            return False
        bound = bindings(name, function, self._source)
        if any(each in around for each in bound):
            return True
        changes = self._changes(name, bound, function)
        for each in [*bound, *(c.statement for c in changes if c.function is function)]:
            if any(loop in self._source.around(each) for loop in around):
                given = [node for value in values(each) for node in ast.walk(value)]
                used = any(isinstance(n, ast.Name) and n.id == name for n in given)
                takes = any(isinstance(n, ast.Call) and last_part(n.func) in TAKES for n in given)
                if used or takes or isinstance(each, ast.AugAssign):
                    return True
        return any(change.function is not function for change in changes)

    def _hangs(self, statement: ast.stmt, function: ast.AST, seen: set[Any]) -> Cause | None:
        """Why a statement may run in one run and not in another."""
        for each in conditions(self._source, statement, function, self._all.call, jumps=True):
            found = self._condition(each, self._source.function(each), seen)
            if found:
                return found.rooted(each)
        return None

    def _binding(self, statement: ast.stmt, function: ast.AST, seen: set[Any]) -> Cause | None:
        if statement in self._all.statements:
            return None  # it makes ops of the pipeline, and is read by itself
        found = self._hangs(statement, function, seen)
        if found:
            return found
        if isinstance(statement, ast.FunctionDef):
            return self._function_varies(statement, function, seen)
        if isinstance(statement, ast.ClassDef):
            return self._class_varies(statement, function, seen)
        return self._first(values(statement), function, seen)

    def _first(self, parts: Iterable[ast.AST], function: ast.AST, seen: set[Any]) -> Cause | None:
        for part in parts:
            found = self._varies(part, function, seen)
            if found:
                return found.rooted(part)
        return None

    def _function_varies(
        self, made: ast.FunctionDef, around: ast.AST, seen: set[Any]
    ) -> Cause | None:
        """Whether a function gives another result; one that makes ops is read by itself."""
        if self._all.makes_ops(made):
            return None
        found = self._first([made], around, seen)
        if found:
            return found
        for inside in ast.walk(made):
            if isinstance(inside, ast.stmt) and inside is not made:
                found = self._first([inside], self._source.function(inside), seen)
                if found:
                    return found
        return None

    def _class_varies(self, made: ast.ClassDef, around: ast.AST, seen: set[Any]) -> Cause | None:
        """Whether what the pipeline reads of a class, or of its objects, may be another thing."""
        found = self._first([made], around, seen)
        for part in ast.walk(made):
            if found:
                break
            if not isinstance(part, ast.stmt) or part is made:
                continue
            if self._source.function(part) is not around:
                continue  # in a method
            found = self._hangs(part, around, seen)
            if isinstance(part, ast.FunctionDef):
                found = found or self._method_varies(part, around, seen)
            elif not isinstance(part, ast.ClassDef):
                found = found or self._first([part], around, seen)
        return found

    def _method_varies(
        self, made: ast.FunctionDef, around: ast.AST, seen: set[Any]
    ) -> Cause | None:
        """Whether a method gives another result, or its object another attribute."""
        begins = made.name == "__init__"
        if (self._all.reads([made.name]) or is_implied(made.name)) and not begins:
            found = self._function_varies(made, around, seen)
            if found:
                return found
        for first in [*made.args.posonlyargs, *made.args.args][:1]:
            for change in self._changes(first.arg, [], made):
                if begins and change.function is made:
                    found = self._binding(change.statement, made, seen)
                else:
                    found = self._changing(change, None, seen)
                if found:
                    return found
        return None


def _may_be_missing(node: ast.Import | ast.ImportFrom) -> bool:
    """Whether an import may fail on another machine."""
    names = [a.name for a in node.names] if isinstance(node, ast.Import) else [node.module or ""]
    there = {*sys.stdlib_module_names, "numpy", "tensorflow", "queueio"}
    return not {name.split(".")[0] for name in names} <= there
