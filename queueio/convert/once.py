"""What gives something else when it is evaluated a second time: `next(names)`, a random draw.

The changed script gives `input_fn` an expression of its own where the batch is made. The line that
had it may stay: then it is evaluated twice.
"""

from __future__ import annotations

import ast

from queueio.convert.changes import Changes
from queueio.convert.source import Script, bindings, last_part

TAKES = {"next", "pop", "popleft", "popitem", "readline"}
"""Functions and methods that give something else at each call."""
_DRAWS = {"choice", "choices", "permutation", "permuted", "rand", "randint", "randn", "random",
          "randrange", "sample", "shuffle", "uniform"}  # fmt: skip
_ASKS = {"input", "raw_input", "read", "readlines"}


def taking(node: ast.AST, source: Script, changes: Changes) -> str:
    """What of an expression, or of the script's functions that it names, may give something else
    the second time; "" for nothing.

    Args:
      node: the expression.
      source: its file.
      changes: what changes the objects of that file.
    """
    waiting, seen = [node], {node}
    while waiting:
        current = waiting.pop()
        for part in ast.walk(current):
            if isinstance(part, (ast.Global, ast.Nonlocal)) or _takes(part, source):
                return source.code(part)
            named = {getattr(part, "attr", getattr(part, "id", ""))}
            found = [f for f in ast.walk(source.tree) if getattr(f, "name", None) in named]
            functions = [f for f in found if isinstance(f, ast.FunctionDef) and f not in seen]
            for function in functions:
                if _changes_outer(function, source, changes):
                    return source.code(part)
            seen.update(functions)
            waiting += functions
    return ""


def _takes(node: ast.AST, source: Script) -> bool:
    if not isinstance(node, ast.Call):
        return False
    if "random" in source.imported(node.func).split(".") or last_part(node.func) in _DRAWS:
        return True
    return last_part(node.func) in TAKES | _ASKS and not _of_its_own(node.func, source)


def _of_its_own(func: ast.expr, source: Script) -> bool:
    """Whether it is a method of what is made anew each time: `open(path).read`, a local name."""
    of = func.value if isinstance(func, ast.Attribute) else None
    function = source.function(func)
    if not isinstance(of, ast.Name) or isinstance(function, ast.Module):
        return isinstance(of, ast.Call)
    return bool(bindings(of.id, function, source))


def _changes_outer(function: ast.FunctionDef, source: Script, changes: Changes) -> bool:
    """Whether a function changes an object that is there before it is called."""
    names = {n.id for n in ast.walk(function) if isinstance(n, ast.Name)} & source.rebound
    owners = {name: changes.owner(name, function) for name in names}
    return any(
        change.function is function
        for name, owner in owners.items()
        if owner is not function
        for change in changes.of(owner, name)
    )
