"""Where variables of a script are read by names that stand in no code: `globals()[name]`, `eval`.

What is removed from a script may still be asked for in such a place, which the tried calls need not
reach. Where the text tells the names, as in `'{x}'.format(**locals())`, these are kept, else all.
"""

from __future__ import annotations

import ast
import re
import string
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from queueio.convert.other_queues import files_of
from queueio.convert.source import above, last_part, parameters

_NAMESPACES = {"globals", "locals", "vars", "dir"}
_LOCAL = _NAMESPACES - {"globals"}
_TEXTS = {"eval", "exec", "execfile"}
_FRAMES = {"f_globals", "f_locals", "__globals__", "func_globals"}
_OF_FRAMES = {"getargvalues", "getclosurevars"}
_ONE = {"get", "pop", "setdefault", "__getitem__", "__contains__"}
_SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Module)
_MAIN = "__main__"
Names = frozenset[str] | None
"""The names that may be read; None for any."""
_NONE: frozenset[str] = frozenset()


@dataclass(frozen=True)
class ByName:
    """A place that reads variables of the script, as ``line 7 of the new script: `…` ``."""

    where: str
    names: Names


def read_by_name(text: str, folder: Path | None, package: str = "") -> list[ByName]:
    """All such places of a script, and of the files beside it that it imports.

    Args:
      text: the script.
      folder: that of the script, whose modules it may import; None to look at none.
      package: the dotted name of the package in that folder which the script is in, if it is.
    """
    found = []
    for file, tree in files_of(text, folder, package):
        at = _NameReads(tree, own=not file)
        for node, names in at.found():
            line = getattr(node, "lineno", 0)
            where = f"{file}, line {line}" if file else f"line {line} of the new script"
            found.append(ByName(f"{where}: `{at.shown(node)}`", names))
    return found


class _NameReads:
    """What of one file reads the script's variables; `own`: whether it is the script itself."""

    def __init__(self, tree: ast.AST, own: bool) -> None:
        self._tree, self._own = tree, own
        self._above = above(tree)
        self._bound = _bound(tree)
        self._mains = {
            alias.asname or _MAIN
            for node in ast.walk(tree)
            if isinstance(node, ast.Import)
            for alias in node.names
            if alias.name == _MAIN
        }

    def found(self) -> Iterator[tuple[ast.AST, Names]]:
        """The nodes that read, and what."""
        for node in ast.walk(self._tree):
            names = self._names(node)
            if names is None or names:
                yield node, names

    def shown(self, node: ast.AST) -> str:
        """The expression around a node, cut where it is long."""
        while isinstance(self._above.get(node), (ast.expr, ast.keyword)):
            node = self._above[node]
        code = ast.unparse(node)
        return code if len(code) < 60 else f"{code[:60]}…"

    def _names(self, node: ast.AST) -> Names:
        if isinstance(node, ast.Name):
            return self._named(node)
        if isinstance(node, ast.Attribute):
            if node.attr in _FRAMES:
                return self._of_namespace(node)
            of_sys = node.attr == "modules" and last_part(node.value) == "sys"
            return self._of_modules(node) if of_sys else None if node.attr in _OF_FRAMES else _NONE
        if isinstance(node, ast.Constant):
            return self._of_text(node)
        if isinstance(node, ast.ImportFrom) and node.module == _MAIN:
            every = frozenset(alias.name for alias in node.names)
            return None if "*" in every else every
        return _NONE

    def _named(self, node: ast.Name) -> Names:
        if node.id in self._mains:
            return self._of_module(node)
        if not self._own or not isinstance(node.ctx, ast.Load) or node.id in self._bound:
            return _NONE
        above = self._above.get(node)
        call = above if isinstance(above, ast.Call) and above.func is node else None
        if node.id in _TEXTS:
            return self._evaluated(call) if call else None
        if node.id not in _NAMESPACES or (call and call.args):
            return _NONE
        names = self._of_namespace(call) if call else None
        return self._within(node) if names is None and node.id in _LOCAL else names

    def _within(self, node: ast.AST) -> Names:
        """The names of the function around a node; any, where that is the module."""
        while not isinstance(node, _SCOPES):
            node = self._above[node]
        return None if isinstance(node, ast.Module) else frozenset(_bound(node))

    def _evaluated(self, call: ast.Call) -> Names:
        """What the text of an `eval` names; one with a dict of its own sees nothing else."""
        given = call.args[1:]
        if given and all(isinstance(e, ast.Dict) and None not in e.keys for e in given):
            return _NONE
        text = call.args[0] if call.args else None
        if not (isinstance(text, ast.Constant) and isinstance(text.value, str)):
            return None
        try:
            tree = ast.parse(text.value.strip())
        except SyntaxError:
            return None
        inner = [names for _, names in _NameReads(tree, own=True).found()]
        every = frozenset(n.id for n in ast.walk(tree) if isinstance(n, ast.Name))
        return None if None in inner else every.union(*(names or _NONE for names in inner))

    def _of_text(self, node: ast.Constant) -> Names:
        """What a text does that names the running script, or a frame's variables."""
        if node.value in _FRAMES:
            return None
        if not (isinstance(node.value, str) and _MAIN in node.value):
            return _NONE
        above = self._above.get(node)
        while isinstance(above, (ast.Tuple, ast.List, ast.Set)):
            above = self._above.get(above)
        if isinstance(above, (ast.Compare, ast.Expr, ast.Subscript)):
            return _NONE  # `__name__ == …`, a docstring; sys.modules are looked at by themselves
        if isinstance(above, ast.Call) and last_part(above.func) in ("import_module", "__import__"):
            return self._of_module(above)
        return _NONE if isinstance(above, ast.keyword) and above.arg == "run_name" else None

    def _of_modules(self, node: ast.AST) -> Names:
        """What is read of `sys.modules`."""
        above = self._above.get(node)
        if isinstance(above, ast.Subscript) and above.value is node:
            which = above.slice
            if isinstance(which, ast.Name) and which.id == "__name__":
                return self._of_module(above) if self._own else _NONE
            if isinstance(which, ast.Constant):
                return self._of_module(above) if which.value == _MAIN else _NONE
        return _NONE if isinstance(above, ast.Compare) else None

    def _of_module(self, node: ast.AST) -> Names:
        """What is read of the script as a module."""
        above = self._above.get(node)
        if isinstance(above, ast.Attribute):
            named = frozenset({above.attr})
            return self._of_namespace(above) if above.attr == "__dict__" else named
        if isinstance(above, ast.Call) and last_part(above.func) in ("getattr", "hasattr"):
            return _constant(above.args[1]) if len(above.args) > 1 else None
        return None

    def _of_namespace(self, node: ast.AST) -> Names:
        """What is read of a dict that has the variables by their names."""
        above = self._above.get(node)
        if isinstance(above, ast.Subscript) and above.value is node:
            return _NONE if isinstance(above.ctx, ast.Store) else _constant(above.slice)
        if isinstance(above, ast.Attribute):
            call = self._above.get(above)
            if above.attr == "update":
                return _NONE
            known = above.attr in _ONE and isinstance(call, ast.Call) and call.args
            return _constant(call.args[0]) if known else None  # type: ignore[union-attr]
        if isinstance(above, ast.Compare):
            return _constant(above.left)
        if isinstance(above, ast.BinOp) and isinstance(above.op, ast.Mod):
            text = _text(above.left)
            return None if text is None else frozenset(re.findall(r"%\((\w+)\)", text))
        return self._formatted(above)

    def _formatted(self, above: ast.AST | None) -> Names:
        """What a format names that is given the variables: `'{x}'.format(**locals())`."""
        call = self._above.get(above) if isinstance(above, ast.keyword) else above
        if not (isinstance(call, ast.Call) and last_part(call.func) in ("format", "format_map")):
            return None
        text = _text(call.func.value) if isinstance(call.func, ast.Attribute) else None
        return None if text is None else _fields(text)


def _bound(tree: ast.AST) -> set[str]:
    """The names that get a value somewhere in a tree."""
    found = parameters(tree)
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
            found.add(node.id)
        elif isinstance(node, ast.alias):
            found.add((node.asname or node.name).split(".")[0])
        elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            found |= {node.name, *parameters(node)}
    return found


def _text(node: ast.AST) -> str | None:
    known = isinstance(node, ast.Constant) and isinstance(node.value, str)
    return str(node.value) if known else None  # type: ignore[attr-defined]


def _constant(node: ast.AST) -> Names:
    text = _text(node)
    return None if text is None else frozenset({text})


def _fields(text: str) -> Names:
    """The names in a format, those of its widths included."""
    found = set[str]()
    try:
        for _, field, spec, _ in string.Formatter().parse(text):
            first = re.match(r"\w*", field or "")
            found |= {first.group()} if first else set()
            found |= (_fields(spec) or _NONE) if spec else set()
    except ValueError:
        return None
    return frozenset(found)
