"""Names of variables: the user's own where a line of their script assigned them."""

from __future__ import annotations

import ast
import builtins
import functools
import keyword
import linecache
import re
import weakref
from typing import Any

from queueio.emit.spelling.variables import stem
from queueio.graph.origin import Origin
from queueio.graph.origin import origin as made_at

_BUILT_IN = frozenset(keyword.kwlist) | frozenset(dir(builtins))
HELPERS = frozenset(
    ("by_priority", "entries", "entries_of", "keyed_records", "lines_of", "next_batch",
     "numbered_lines", "numbered_records", "opened", "spaced_records")
)  # fmt: skip
"""Functions that a module may have above `input_fn`, where an argument would hide them."""
_TAKEN = _BUILT_IN | {"tf", "np", "dataset", "Path", "byte_strings"} | HELPERS

STANDS_FOR: weakref.WeakKeyDictionary[Any, Any] = weakref.WeakKeyDictionary()
"""For an op of a graph that queueio traced, the user's op that it does the work of."""

CALLED: weakref.WeakKeyDictionary[Any, str] = weakref.WeakKeyDictionary()
"""For an op, the user's name for what it gives, where its line alone does not tell."""


class Names:
    """The names in use in one function."""

    def __init__(self, outer: Names | None = None) -> None:
        self._used: set[str] = set(outer._used) if outer else set(_TAKEN)

    def fresh(self, wanted: str) -> str:
        """`wanted` as a variable, with a number behind it if it is in use."""
        base = snake(wanted)
        name, number = f"{base}_" if base in _BUILT_IN else base, 2
        while name in self._used:
            name, number = f"{base}_{number}", number + 1
        self._used.add(name)
        return name


def snake(text: str) -> str:
    """`DecodeRaw_1` as `decode_raw`; what cannot be a name becomes `value`."""
    last = stem(text.split("/")[-1]) or text
    spaced = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", last)
    name = re.sub(r"\W+|_+", "_", spaced).strip("_").lower()
    name = re.sub(r"^(\d)", r"value_\1", name)
    return name or "value"


def origin(op: Any) -> Origin:
    """Where `op` was made, or the op of the user's graph that it was traced from."""
    op = getattr(op, "op", op)
    return made_at(STANDS_FOR.get(op, op))


def assigned(op: Any) -> tuple[str, ...]:
    """The names that the user's statement assigns, if it is where `op` was made."""
    return (CALLED[op],) if op in CALLED else targets_at(origin(op))


def own_name(op: Any) -> str:
    """The one variable that the user's statement assigns; "" where that is none or several."""
    names = assigned(op)
    return names[0] if len(names) == 1 else ""


def own_names(op: Any) -> list[str]:
    """The variables that it assigns, without what is no plain name: `row["a"], image = …`."""
    return [name for name in assigned(op) if name]


@functools.lru_cache(maxsize=4096)
def targets_at(where: Origin) -> tuple[str, ...]:
    """The plain names on the left of the statement at a line; one for each part of a tuple.

    None where two statements share the line (`a = f(); b = g()`): an op tells its line only.
    """
    match _covering(where):
        case [ast.Assign(targets=[target])]:
            pass
        case _:
            return ()
    parts = target.elts if isinstance(target, (ast.Tuple, ast.List)) else [target]
    return tuple(_name(part) for part in parts)


def statement_at(where: Origin) -> tuple[str | None, int]:
    """The file, and the line at which the statement begins."""
    found = _covering(where)
    return where.filename, found[-1].lineno if found else where.lineno


def _name(target: ast.expr) -> str:
    if isinstance(target, ast.Name):
        return target.id
    if isinstance(target, ast.Attribute):
        return target.attr
    return ""


def _covering(where: Origin) -> list[ast.stmt]:
    """The simple statements that cover a line of the user's file: side by side, none in another."""
    if where.filename is None:
        return []
    return [
        node
        for node in _statements(where.filename)
        if node.lineno <= where.lineno <= (node.end_lineno or node.lineno)
    ]


@functools.lru_cache(maxsize=64)
def _statements(filename: str) -> list[ast.stmt]:
    try:
        tree = ast.parse("".join(linecache.getlines(filename)))
    except (SyntaxError, ValueError):
        return []
    return [n for n in ast.walk(tree) if isinstance(n, (ast.Assign, ast.Expr, ast.Return))]
