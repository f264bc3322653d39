"""Modules that switch TensorFlow 2's behaviour off when they are imported: but once in a process.

So a script that imports one which the other side has imported before would not be switched by it,
though it is when it runs alone.
"""

from __future__ import annotations

import ast
import importlib.util
import sys
from collections.abc import Iterator

from queueio.graph.origin import is_user_code

SWITCH = "disable_v2_behavior"
DROP_IN = "queueio.v1"


def switched_before(path: str, package: str = "", seen: set[str] | None = None) -> bool:
    """Whether a file imports what has switched TensorFlow 2's behaviour off already."""
    seen = set() if seen is None else seen
    for name in _imported(tree_of(path), package):
        module = sys.modules.get(name)
        if name == DROP_IN and module is not None:
            return True
        source = getattr(module, "__file__", None)
        if not source or source in seen or not is_user_code(source):
            continue
        seen.add(source)
        inner = getattr(module, "__package__", None) or ""
        if _calls_switch(tree_of(source)) or switched_before(source, inner, seen):
            return True
    return False


def tree_of(path: str) -> ast.Module:
    """The code of a file; none where it cannot be read."""
    try:
        with open(path, "rb") as file:
            return ast.parse(file.read())
    except (OSError, SyntaxError, ValueError):  # running it will tell
        return ast.Module([], [])


def _on_import(tree: ast.AST) -> Iterator[ast.AST]:
    """What runs when a file is imported, but for what runs only if it is the main program."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)):
            continue
        if isinstance(node, ast.If) and "__name__" in ast.unparse(node.test):
            continue
        yield node
        yield from _on_import(node)


def _imported(tree: ast.Module, package: str) -> Iterator[str]:
    """The modules that a file may import, as absolute names."""
    for node in _on_import(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            name = "." * node.level + (node.module or "")
            if node.level and not package:
                continue
            name = importlib.util.resolve_name(name, package) if node.level else name
            yield name
            yield from (f"{name}.{alias.name}" for alias in node.names)


def _calls_switch(tree: ast.Module) -> bool:
    calls = (node.func for node in _on_import(tree) if isinstance(node, ast.Call))
    return any(getattr(f, "attr", getattr(f, "id", "")) == SWITCH for f in calls)
