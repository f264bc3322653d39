"""A file of the user's as a tree: its statements, what names stand for, what gives them values."""

from __future__ import annotations

import ast
import tokenize
from collections.abc import Iterator
from functools import cached_property
from typing import Any

Function = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda
TRIES = (ast.Try, getattr(ast, "TryStar", ast.Try))
_COMPOUND = (ast.If, ast.For, ast.While, ast.With, ast.Match, *TRIES, ast.FunctionDef, ast.ClassDef)


def above(tree: ast.AST) -> dict[ast.AST, ast.AST]:
    """Node → what it stands in, for all of a tree but its root."""
    return {child: node for node in ast.walk(tree) for child in ast.iter_child_nodes(node)}


class Script:
    """One file of the user's, as a tree that knows its parents."""

    def __init__(self, path: str) -> None:
        self.path = path
        with tokenize.open(path) as file:  # in the encoding that it declares
            self.text = file.read()
        self.tree = ast.parse(self.text)
        self.above = above(self.tree)
        self._covering: dict[int, list[ast.stmt]] = {}

    def code(self, node: ast.AST) -> str:
        """The node as it stands in the file; on one line, where it has several."""
        text = ast.get_source_segment(self.text, node) or ""
        return ast.unparse(node) if "\n" in text or not text else text

    def statement(self, line: int) -> ast.stmt | None:
        """The last of the innermost statements that cover a line."""
        return max(self.statements(line), key=_starts, default=None)

    def statements(self, line: int) -> list[ast.stmt]:
        """All of them: `a = 1; b = 2` are two."""
        if line not in self._covering:
            self._covering[line] = self._cover(line)
        return self._covering[line]

    def _cover(self, line: int) -> list[ast.stmt]:
        found = [
            node
            for node in ast.walk(self.tree)
            if isinstance(node, ast.stmt) and node.lineno <= line <= (node.end_lineno or 0)
        ]
        around = {above for node in found for above in self._all_above(node)}
        return [node for node in found if node not in around]

    def _all_above(self, node: ast.AST) -> Iterator[ast.AST]:
        while node in self.above:
            node = self.above[node]
            yield node

    def function(self, node: ast.AST) -> ast.AST:
        """The function around a node, or the module."""
        while not isinstance(node, ast.Module):
            node = self.above[node]
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
                return node
        return node

    def own(self, function: ast.AST) -> list[ast.stmt]:
        """The statements of a function's own body, or the module's."""
        return self._bodies.get(function, [])

    @cached_property
    def _bodies(self) -> dict[ast.AST, list[ast.stmt]]:
        found: dict[ast.AST, list[ast.stmt]] = {}
        for node in ast.walk(self.tree):
            if isinstance(node, ast.stmt):
                found.setdefault(self.function(node), []).append(node)
        return found

    @cached_property
    def bound(self) -> dict[ast.stmt, set[str]]:
        """The names that each statement binds."""
        return {n: bound_by(n) for n in ast.walk(self.tree) if isinstance(n, ast.stmt)}

    @cached_property
    def rebound(self) -> set[str]:
        """All names that statements bind, but for imports."""
        return {name for names in self.bound.values() for name in names}

    def around(self, node: ast.AST) -> list[ast.AST]:
        """The nodes that a node is in, up to its function, that one not."""
        found = []
        while not isinstance(node, (ast.Module, ast.FunctionDef, ast.AsyncFunctionDef)):
            node = self.above[node]
            found.append(node)
        return found[:-1]

    def statement_of(self, node: ast.AST) -> ast.stmt:
        """The innermost statement that a node is in."""
        while not isinstance(node, ast.stmt):
            node = self.above[node]
        return node

    def is_own(self, name: ast.Name, within: ast.AST) -> bool:
        """Whether a lambda within an expression binds a name in it, or a comprehension anywhere.

        What a comprehension gives its names stands in the same statement, and is looked at there.
        """
        node: ast.AST = name
        inside = True
        while not isinstance(node, ast.stmt):
            inside = inside and node is not within
            inner, node = node, self.above[node]
            is_lambda = inside and isinstance(node, ast.Lambda)
            if is_lambda and inner is node.body and name.id in parameters(node):  # type: ignore[attr-defined]
                return True
            generators: list[ast.comprehension] = getattr(node, "generators", [])
            first = bool(generators) and inner is generators[0]
            if any(name.id in stored(each.target) for each in generators) and not (
                first and name in ast.walk(generators[0].iter)
            ):
                return True
        return False

    def bound_around(self, node: ast.AST) -> set[str]:
        """The names that lambdas and comprehensions around an expression bind, in its statement."""
        found = set[str]()
        while not isinstance(node, ast.stmt):
            node = self.above[node]
            found |= parameters(node) if isinstance(node, ast.Lambda) else set()
            generators: list[ast.comprehension] = getattr(node, "generators", [])
            found |= {name for each in generators for name in stored(each.target)}
        return found

    @cached_property
    def importing(self) -> dict[str, list[ast.stmt]]:
        """The statements that import each name."""
        found: dict[str, list[ast.stmt]] = {}
        for node in ast.walk(self.tree):
            if isinstance(node, (ast.Import, ast.ImportFrom)):
                for alias in node.names:
                    name = alias.asname or alias.name.split(".")[0]
                    found.setdefault(name, []).append(node)
        return found

    @cached_property
    def defined(self) -> set[str]:
        """The names of its functions and classes."""
        kinds = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
        return {n.name for n in ast.walk(self.tree) if isinstance(n, kinds)}

    @cached_property
    def imports(self) -> dict[str, str]:
        """What each imported name stands for, dotted."""
        found = {}
        for node in ast.walk(self.tree):
            if isinstance(node, ast.Import):
                for alias in node.names:
                    whole = alias.name if alias.asname else alias.name.split(".")[0]
                    found[alias.asname or whole] = whole
            elif isinstance(node, ast.ImportFrom):
                for alias in node.names:
                    found[alias.asname or alias.name] = f"{node.module}.{alias.name}"
        return found

    @cached_property
    def aliases(self) -> dict[str, str]:
        """What other names of imported things stand for, as of `layers = tf.contrib.layers`."""
        every = [name for statement in self.bound for name in self.bound[statement]]
        taken = {name for function in functions(self.tree) for name in parameters(function)}
        found = {}
        for statement in self.bound:
            dotted = self.imported(statement.value) if isinstance(statement, ast.Assign) else ""
            if dotted and any(isinstance(n, ast.ClassDef) for n in self.around(statement)):
                continue  # an attribute, which other names lead to
            for target in statement.targets if dotted else ():  # type: ignore[attr-defined]
                name = target.id if isinstance(target, ast.Name) else ""
                if every.count(name) == 1 and name not in {*taken, *self.imports}:
                    found[name] = dotted
        return found

    def imported(self, node: ast.AST | None) -> str:
        """The dotted name of what is imported; "" of anything else."""
        parts: list[str] = []
        while isinstance(node, ast.Attribute):
            parts.insert(0, node.attr)
            node = node.value
        whole = self.imports.get(node.id, "") if isinstance(node, ast.Name) else ""
        return ".".join([whole, *parts]) if whole else ""

    @cached_property
    def classes(self) -> set[str]:
        """The names of its classes."""
        return {n.name for n in ast.walk(self.tree) if isinstance(n, ast.ClassDef)}


def _starts(statement: ast.stmt) -> tuple[int, int]:
    return statement.lineno, statement.col_offset


def header(node: ast.AST) -> list[ast.expr]:
    """What decides which statements of a compound one run, and how often."""
    if isinstance(node, (ast.If, ast.While)):
        return [node.test]
    if isinstance(node, ast.For):
        return [node.iter]
    if isinstance(node, ast.Match):
        asked = (n.value for c in node.cases for n in ast.walk(c.pattern)
                 if isinstance(n, ast.MatchValue))  # fmt: skip
        return [node.subject, *asked, *(c.guard for c in node.cases if c.guard is not None)]
    return []


def head(node: ast.AST) -> list[ast.expr]:
    """The expressions of a compound statement that stand outside of its body."""
    if isinstance(node, ast.With):
        return [item.context_expr for item in node.items]
    if isinstance(node, ast.FunctionDef):
        defaults = [*node.args.defaults, *node.args.kw_defaults]
        return [*node.decorator_list, *(each for each in defaults if each is not None)]
    if isinstance(node, ast.ClassDef):
        return [*node.decorator_list, *node.bases, *(k.value for k in node.keywords)]
    return header(node)


def nodes(node: ast.AST) -> Iterator[ast.AST]:
    """The nodes of a statement; of a compound one, those of its head."""
    for each in head(node) if isinstance(node, _COMPOUND) else [node]:
        yield from ast.walk(each)


def parts(node: ast.AST, settled: set[ast.AST]) -> list[ast.AST]:
    """The largest expressions of a statement that have none of the settled ones inside."""
    if node in settled:
        return []
    if isinstance(getattr(node, "ctx", None), ast.Store):  # of `a.b[i] = …` only i decides
        children: list[ast.AST] = [n.slice for n in ast.walk(node) if isinstance(n, ast.Subscript)]
    elif isinstance(node, _COMPOUND):
        children = [*head(node)]
    elif isinstance(node, ast.expr) and not any(n in settled for n in ast.walk(node)):
        return [node]
    else:
        children = list(ast.iter_child_nodes(node))
    return [part for child in children for part in parts(child, settled)]


def values(statement: ast.stmt) -> list[ast.AST]:
    """The expressions that decide what a statement binds or changes."""
    if isinstance(statement, _COMPOUND):
        return [*head(statement)]
    if isinstance(statement, (ast.Assign, ast.AnnAssign, ast.AugAssign)):
        every = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
        places = (n.slice for t in every for n in ast.walk(t) if isinstance(n, ast.Subscript))
        return [*places, *([statement.value] if statement.value is not None else [])]
    return [statement]


def bindings(name: str, function: ast.AST, source: Script) -> list[ast.stmt]:
    """The statements of a function's own body that give a name its value."""
    return [n for n in source.own(function) if name in source.bound[n]]


def bound_by(statement: ast.stmt) -> set[str]:
    """The names that a statement itself gives a value, or takes it from."""
    if isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        return {statement.name}
    if isinstance(statement, (ast.Global, ast.Nonlocal)):
        return set(statement.names)
    found, waiting = set[str](), [*ast.iter_child_nodes(statement)]
    while waiting:
        node = waiting.pop()
        if isinstance(node, (ast.stmt, ast.Lambda)):
            continue
        if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
            found.add(node.id)
        elif isinstance(node, (ast.ExceptHandler, ast.MatchAs, ast.MatchStar)):
            found |= {node.name} if node.name else set()
        elif isinstance(node, ast.MatchMapping):
            found |= {node.rest} if node.rest else set()
        children = ast.iter_child_nodes(node)
        own = isinstance(node, ast.comprehension)  # its names are its own
        waiting += [c for c in children if not (own and c is node.target)]  # type: ignore[attr-defined]
    return found


def stored(target: ast.AST) -> set[str]:
    """The names that an assignment changes: `a`, `a.b` and `a[0]` all change `a`."""
    if isinstance(target, ast.Name):
        return {target.id}
    if isinstance(target, (ast.Attribute, ast.Subscript, ast.Starred)):
        return stored(target.value)
    if isinstance(target, (ast.Tuple, ast.List)):
        return {name for element in target.elts for name in stored(element)}
    return set()


def functions(node: ast.AST) -> list[Any]:
    return [n for n in ast.walk(node) if isinstance(n, Function)]


def parameters(function: Any) -> set[str]:
    args = getattr(function, "args", None)
    if args is None:
        return set()
    every = [*args.posonlyargs, *args.args, *args.kwonlyargs, args.vararg, args.kwarg]
    return {arg.arg for arg in every if arg is not None}


def names(node: ast.AST) -> set[str]:
    return {n.id for n in ast.walk(node) if isinstance(n, ast.Name)}


def names_in(text: str) -> set[str]:
    """All names that a script gives to anything."""
    found = set[str]()
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Name):
            found.add(node.id)
        elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            found |= {node.name, *parameters(node)}
        elif isinstance(node, ast.alias):
            found.add((node.asname or node.name).split(".")[0])
    return found


def last_part(func: ast.expr) -> str:
    """The last part of a function's name."""
    if isinstance(func, ast.Attribute):
        return func.attr
    return func.id if isinstance(func, ast.Name) else ""
