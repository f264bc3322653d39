"""Expressions of Python, and how a line that is too long is broken: as ruff breaks it."""

from __future__ import annotations

import ast
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

WIDTH = 88
# Python's precedence, loosest last.
ATOM, UNARY, PRODUCT, SUM, COMPARISON, LAMBDA = range(6)


@dataclass(frozen=True)
class Code:
    """An expression.

    Attributes:
      flat: its text on one line.
      level: how loosely its outermost operator binds.
      head: what stands before its last bracket, with the bracket.
      items: what stands inside of that bracket.
      close: the closing bracket.
      call: whether the bracket is that of a call: its items may share one line.
      part: for `columns[2]`, an element of a list: the list, 2, and how many elements it has.
    """

    flat: str
    level: int = ATOM
    head: str = ""
    items: tuple[Code, ...] = ()
    close: str = ""
    call: bool = False
    part: tuple[str, int, int] | None = None

    def __str__(self) -> str:
        return self.flat

    def prefixed(self, prefix: str) -> Code:
        """`prefix` and this, as one item of a list."""
        return replace(self, flat=prefix + self.flat, head=prefix + self.head)

    def at(self, level: int) -> str:
        """The text as an operand: in parentheses if it binds more loosely than `level`."""
        return f"({self.flat})" if self.level > level else self.flat

    def lines(self, indent: int = 0, before: str = "", after: str = "") -> list[str]:
        """The lines of `before` + this + `after`, indented by `indent` spaces."""
        edge = " " * indent
        line = edge + before + self.flat + after
        if len(line) <= WIDTH or not self.items:
            return [line]
        inner = ", ".join(item.flat for item in self.items)
        first, last = edge + before + self.head, edge + self.close + after
        if self.call and len(edge) + 4 + len(inner) <= WIDTH:
            return [first, f"{edge}    {inner}", last]
        comma = "," if len(self.items) > 1 or not self.call else ""
        body = [line for item in self.items for line in item.lines(indent + 4, after=comma)]
        return [first, *body, last]


def code(value: Any) -> Code:
    """A Code as it is; a string as an expression; anything else by its Python literal."""
    if isinstance(value, Code):
        return value
    if isinstance(value, str):
        return parsed(value) if "(" in value else Code(value)
    if isinstance(value, (tuple, list)):
        return sequence(value, "[]" if isinstance(value, list) else "()")
    return number(value)


def number(value: Any) -> Code:
    """A number's own literal, without the `+` of `1e+38`; Python has none of `inf` and `nan`."""
    if isinstance(value, float) and not math.isfinite(value):
        return Code(f'float("{value}")')
    spelled = repr(value).replace("e+", "e")
    return Code(spelled, UNARY if spelled.startswith("-") else ATOM)


def call(function: Any, *args: Any, **kwargs: Any) -> Code:
    """`function(args, kwargs)`; keyword arguments that are None are left out."""
    items = [code(arg) for arg in args]
    items += [code(v).prefixed(f"{k}=") for k, v in kwargs.items() if v is not None]
    head = f"{function}("
    return Code(f"{head}{', '.join(i.flat for i in items)})", ATOM, head, tuple(items), ")", True)


def sequence(items: Iterable[Any], brackets: str = "()") -> Code:
    """A tuple or list."""
    parts = tuple(code(item) for item in items)
    inner = ", ".join(part.flat for part in parts)
    if brackets == "()" and len(parts) == 1:
        inner += ","
    return Code(f"{brackets[0]}{inner}{brackets[1]}", ATOM, brackets[0], parts, brackets[1])


def mapping(items: dict[str, Any]) -> Code:
    """A dict; its keys are expressions."""
    parts = tuple(code(value).prefixed(f"{key}: ") for key, value in items.items())
    inner = ", ".join(part.flat for part in parts)
    return Code(f"{{{inner}}}", ATOM, "{", parts, "}")


def binary(operator: str, left: Code, right: Code, level: int) -> Code:
    """`left operator right`; comparisons do not chain."""
    own = level - 1 if level == COMPARISON else level
    return Code(f"{left.at(own)} {operator} {right.at(level - 1)}", level)


def negative(value: Code) -> Code:
    """`-value`."""
    return Code(f"-{value.at(UNARY - 1)}", UNARY)


def attribute(value: Code, name: str) -> Code:
    """`value.name`."""
    return Code(f"{value.at(ATOM)}.{name}")


def subscript(value: Code, index: str) -> Code:
    """`value[index]`."""
    return Code(f"{value.at(ATOM)}[{index}]")


def function(parameters: Sequence[str], body: Code) -> Code:
    """`lambda parameters: body`."""
    head = f"lambda {', '.join(parameters)}: " if parameters else "lambda: "
    return replace(body.prefixed(head), level=LAMBDA)


def parsed(text: str) -> Code:
    """An expression given as text, which can be broken at the brackets that end it."""
    return _tree(text, ast.parse(text, mode="eval").body)


def _tree(text: str, node: ast.expr) -> Code:
    whole = ast.get_source_segment(text, node) or text
    if isinstance(node, ast.Lambda):
        inner = _tree(text, node.body)
        return replace(inner.prefixed(whole[: len(whole) - len(inner.flat)]), level=LAMBDA)
    if isinstance(node, ast.Call):
        items = [_tree(text, arg) for arg in node.args]
        items += [_tree(text, k.value).prefixed(f"{k.arg}=") for k in node.keywords]
        head = f"{ast.get_source_segment(text, node.func)}("
        return Code(whole, ATOM, head, tuple(items), ")", True)
    if isinstance(node, (ast.List, ast.Tuple)) and whole[0] in "[(":
        items = [_tree(text, item) for item in node.elts]
        return Code(whole, ATOM, whole[0], tuple(items), whole[-1])
    return Code(whole, ATOM if isinstance(node, (ast.Name, ast.Attribute)) else COMPARISON)
