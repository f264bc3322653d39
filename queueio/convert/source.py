"""A file of the user's as a tree: its statements, what names stand for, what gives them values."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Callable, Iterator
from functools import cached_property
from pathlib import Path
from typing import Any

Function = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda
_COMPOUND = (ast.If, ast.For, ast.While, ast.With, ast.Try, ast.FunctionDef, ast.ClassDef)
_PURE = {
    "tensorflow": {
        "gfile",
        "flags",
        "FLAGS",
        "app",
        "python_io",
        "tf_record_iterator",
        "file_io",
        "test",
        "latest_checkpoint",
        "get_checkpoint_state",
        "checkpoint_exists",
        "load_checkpoint",
        "load_variable",
        "list_variables",
        "summary_iterator",
        "config",
        "device_lib",
        "sysconfig",
    },
    "numpy": {"random", "load", "loadtxt", "genfromtxt", "fromfile", "fromregex", "memmap"},
    "os.path": {"exists", "isfile", "isdir", "getsize", "getmtime", "expanduser", "expandvars"},
    "math": set[str](),
    "functools": set[str](),
    "itertools": set[str](),
    "six": set[str](),
    "__future__": set[str](),
}
"""Modules whose functions are functions of their arguments, but for these parts of them."""


class Script:
    """One file of the user's, as a tree that knows its parents."""

    def __init__(self, path: str) -> None:
        self.path = path
        self.text = Path(path).read_text(encoding="utf-8-sig")
        self.tree = ast.parse(self.text)
        self.above = {
            child: node for node in ast.walk(self.tree) for child in ast.iter_child_nodes(node)
        }

    def code(self, node: ast.AST) -> str:
        """The node as it stands in the file; on one line, where it has several."""
        text = ast.get_source_segment(self.text, node) or ""
        return ast.unparse(node) if "\n" in text or not text else text

    def statement(self, line: int) -> ast.stmt | None:
        """The innermost statement that covers a line."""
        found = None
        for node in ast.walk(self.tree):
            if not isinstance(node, ast.stmt) or not node.lineno <= line <= (node.end_lineno or 0):
                continue
            if found is None or node.lineno >= found.lineno:
                found = node
        return found

    def function(self, node: ast.AST) -> ast.AST:
        """The function around a node, or the module."""
        while not isinstance(node, ast.Module):
            node = self.above[node]
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
                return node
        return node

    def around(self, node: ast.AST) -> list[ast.AST]:
        """The nodes that a node is in, up to its function, that one not."""
        found = []
        while not isinstance(node, (ast.Module, ast.FunctionDef, ast.AsyncFunctionDef)):
            node = self.above[node]
            found.append(node)
        return found[:-1]

    def headers(self, node: ast.AST, within: ast.AST) -> Iterator[ast.expr]:
        """The conditions and loops around a node, up to its function."""
        while node is not within and node in self.above:
            node = self.above[node]
            yield from header(node)

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


def header(node: ast.AST) -> list[ast.expr]:
    if isinstance(node, (ast.If, ast.While)):
        return [node.test]
    if isinstance(node, ast.For):
        return [node.iter]
    return []


def head(node: ast.AST) -> list[ast.expr]:
    """The expressions of a compound statement that stand outside of its body."""
    if isinstance(node, ast.With):
        return [item.context_expr for item in node.items]
    if isinstance(node, ast.FunctionDef):
        defaults = [*node.args.defaults, *node.args.kw_defaults]
        return [*node.decorator_list, *(each for each in defaults if each is not None)]
    if isinstance(node, ast.ClassDef):
        return [*node.decorator_list, *node.bases]
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
    """The expressions that decide what a statement binds."""
    if isinstance(statement, ast.For):
        return [statement.iter]
    if isinstance(statement, ast.With):
        return [item.context_expr for item in statement.items]
    if isinstance(statement, (ast.Assign, ast.AnnAssign, ast.AugAssign)):
        return [statement.value] if statement.value is not None else []
    if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call):
        call = statement.value  # what changes the name, and what it is given
        return [call.func, *call.args, *(k.value for k in call.keywords)]
    return [statement]


def bindings(name: str, function: ast.AST, source: Script) -> list[ast.stmt]:
    """The statements of a function's own body that give a name its value, or change it."""
    found: list[ast.stmt] = []
    for node in ast.walk(function):
        if not isinstance(node, ast.stmt) or node is function:
            continue
        if source.function(node) is not function:
            continue
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            if node.name == name:
                found.append(node)
        elif name in bound_by(node):
            found.append(node)
    return found


def bound_by(statement: ast.stmt) -> set[str]:
    if isinstance(statement, (ast.For, ast.AsyncFor)):
        return stored(statement.target)
    if isinstance(statement, ast.With):
        kept = [item.optional_vars for item in statement.items if item.optional_vars]
        return {name for each in kept for name in stored(each)}
    if isinstance(statement, ast.Assign):
        return {name for target in statement.targets for name in stored(target)}
    if isinstance(statement, (ast.AnnAssign, ast.AugAssign)):
        return stored(statement.target)
    if isinstance(statement, (ast.Global, ast.Nonlocal)):
        return set(statement.names)
    if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call):
        return changed_by(statement.value)
    return set()


def changed_by(call: ast.Call) -> set[str]:
    """The names that `names.append(…)`, `random.shuffle(names)` or `fill(names)` may change."""
    func, found = call.func, set[str]()
    if isinstance(func, ast.Attribute) and isinstance(func.value, ast.Name):
        found.add(func.value.id)
    own = isinstance(func, ast.Name) and (func.id == "setattr" or not hasattr(builtins, func.id))
    if own or (isinstance(func, ast.Attribute) and func.attr == "shuffle"):
        found |= {argument.id for argument in call.args if isinstance(argument, ast.Name)}
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


def changed_inside(name: str, source: Script) -> list[tuple[ast.stmt, ast.AST]]:
    """The statements in functions that change a module's name, each with its function."""
    found: list[tuple[ast.stmt, ast.AST]] = []
    for function in ast.walk(source.tree):
        if isinstance(function, ast.FunctionDef) and name not in parameters(function):
            bound = bindings(name, function, source)
            if any(isinstance(b, ast.Global) for b in bound) or not any(map(rebinds(name), bound)):
                found += [(b, function) for b in bound]
    return found


def rebinds(name: str) -> Callable[[ast.stmt], bool]:
    """Whether a statement makes the name a local one, where `name[0] = …` changes the object."""

    def does(statement: ast.stmt) -> bool:
        return not isinstance(statement, (ast.Expr, ast.Global, ast.Nonlocal)) and any(
            isinstance(n, ast.Name) and n.id == name and isinstance(n.ctx, ast.Store)
            for n in ast.walk(statement)
        )

    return does


def functions(node: ast.AST) -> list[Any]:
    return [n for n in ast.walk(node) if isinstance(n, Function)]


def parameters(function: Any) -> set[str]:
    args = getattr(function, "args", None)
    if args is None:
        return set()
    every = [*args.posonlyargs, *args.args, *args.kwonlyargs, args.vararg, args.kwarg]
    return {arg.arg for arg in every if arg is not None}


def targets(node: ast.AST) -> set[str]:
    """The names that comprehensions bind; what they run over is looked at by itself."""
    return {
        name
        for n in ast.walk(node)
        if isinstance(n, ast.comprehension)
        for name in stored(n.target)
    }


def names(node: ast.AST) -> set[str]:
    return {n.id for n in ast.walk(node) if isinstance(n, ast.Name)}


def reads_the_world(module: str, parts: list[str]) -> bool:
    """Whether `module.parts` may be another thing in another run."""
    dotted = [*module.removeprefix("queueio.v1").split("."), *parts]
    dotted = ["tensorflow", *dotted[1:]] if module.startswith("queueio.v1") else dotted
    for name, impure in _PURE.items():
        pure = name.split(".")
        if dotted[: len(pure)] == pure:
            return not impure.isdisjoint(dotted)
    return dotted not in (["os"], ["os", "path"])


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
