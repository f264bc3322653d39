"""Parameters to which every call of their function, in its own file, gives the same literal.

Names stand for it too, and plain sums of it, and what the calls of the caller give it.

What other files give, and what these calls give once somebody has edited them, is seen only when
the function runs: whoever relies on such a value has the changed script compare it there.
"""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Collection, Iterator
from functools import cached_property
from typing import Any

import numpy as np

from queueio.convert.changes import Changes
from queueio.convert.flow import given
from queueio.convert.source import Script, bindings, functions, parameters

_PLAIN = (bool, int, float, str, bytes, type(None))
_COMPUTED: dict[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
}
_NUMBERS = frozenset(np.dtype(code).name for code in "bhilqBHILQefd?")
CHECKING = frozenset({"ValueError", "repr"})
"""What the changed script compares with; where it gives these names another meaning, it cannot."""


class GivenValues:
    """The calls of a function in its file, and what they give its parameters.

    Args:
      function: the function.
      source: its file.
      changes: what changes the objects of that file.
      asking: functions that it calls, of which the values are asked for.
    """

    def __init__(
        self, function: ast.AST, source: Script, changes: Changes, asking: Collection[ast.AST] = ()
    ) -> None:
        self._function, self._source, self._changes = function, source, changes
        self._asking = {*asking, function}
        self._found: dict[str, dict[str, ast.Call]] = {}
        self._constants: dict[tuple[ast.AST, str], str] = {}

    def value(self, name: str) -> str:
        """The `repr` of what each call gives to a parameter; "" where that cannot be said."""
        found = self._values(name)
        return next(iter(found)) if len(found) == 1 else ""

    def constant(self, name: str) -> dict[str, str]:
        """The `repr` of a constant of the module that the function sees by its name; {} for none.

        By the name, or by what gives the values of an array: `MEAN.tolist()`.
        """
        seen = self._binding(name, self._function) if self._can_check else None
        if not isinstance(seen, ast.Module):
            return {}
        value = self._constant(name, seen)
        if value or self._is_shared(name) or self._changes.of(seen, name):
            return {name: value} if value else {}
        array = _array(self._only(name, seen), self._source)
        return {f"{name}.tolist()": array} if array else {}

    def part(self, node: ast.AST, reader: ast.AST) -> str:
        """The `repr` of a constant in a class or dict of it, as `Config.WIDTH`, `SIZES["w"]`.

        "" also where the name means something else in the function that reads it.
        """
        root, module = getattr(node, "value", None), self._source.tree
        if not (isinstance(root, ast.Name) and self._can_check):
            return ""
        bound = bindings(root.id, module, self._source)
        changed = root.id in self._source.importing or self._changes.of(module, root.id)
        owners = {self._binding(root.id, scope) for scope in (self._function, reader)}
        if owners != {module} or len(bound) != 1 or changed or self._is_shared(root.id):
            return ""
        values = _stored(bound[0], node)
        return self._value(values[0], module) if len(values) == 1 else ""

    def differences(self, name: str) -> str:
        """Two calls that give it different values, as told; "" where there are none."""
        told = [
            f"line {call.lineno}: `{self._source.code(call)}` gives {value}"
            for value, call in self._values(name).items()
        ]
        return ", ".join(told[:2]) if len(told) > 1 else ""

    def _values(self, name: str) -> dict[str, ast.Call]:
        """What the calls give a parameter, each value with the first of them; {} if unknown.

        By `repr`: 4, 4.0 and True are equal, and make other tensors.
        """
        if name not in self._found:
            every = [(self._given(call, name), call) for call in self._calls]
            known = all(value for value, _ in every) and self._keeps(name)
            if any("[" in value for value, _ in every):
                known = known and not self._changes.of(self._function, name)
            first = dict(reversed(every)) if known else {}
            self._found[name] = {value: first[value] for value, _ in every if known}
        return self._found[name]

    def _keeps(self, name: str) -> bool:
        """Whether a parameter holds what it was given all through the function."""
        bound = bindings(name, self._function, self._source)
        return not (bound or name in self._source.importing or self._is_shared(name))

    @cached_property
    def _calls(self) -> list[ast.Call]:
        """All calls of the function; none where it may be called in ways that nobody sees."""
        if not self._is_plain():
            return []
        found = []
        for use in self._uses():
            call = self._source.above[use]
            if not (isinstance(call, ast.Call) and call.func is use) or _is_open(call):
                return []
            found.append(call)
        return sorted(found, key=lambda call: (call.lineno, call.col_offset))

    def _is_plain(self) -> bool:
        """Whether its name stands for the function alone, and calls reach it as it is written."""
        function, source = self._function, self._source
        if not isinstance(function, ast.FunctionDef) or function.decorator_list:
            return False
        around = source.function(function)
        return (
            not isinstance(source.above[function], ast.ClassDef)
            and bindings(function.name, around, source) == [function]
            and function.name not in {*source.importing, *parameters(around)}
            and not self._is_shared(function.name)
            and self._can_check
        )

    @cached_property
    def _can_check(self) -> bool:
        """Whether what the changed script compares with means in this file what it does."""
        own = {name for each in functions(self._source.tree) for name in parameters(each)}
        return CHECKING.isdisjoint({*self._source.rebound, *self._source.importing, *own})

    def _uses(self) -> Iterator[ast.Name]:
        """Where the function's name stands for it, and not for a local name of another one."""
        name = self._function.name  # type: ignore[attr-defined]
        home = self._source.function(self._function)
        for node in ast.walk(self._source.tree):
            if isinstance(node, ast.Name) and node.id == name and self._owner(node) is home:
                yield node

    def _owner(self, name: ast.Name) -> ast.AST | None:
        """The function that a name belongs to, or the module; None: a lambda or comprehension."""
        source = self._source
        if source.is_own(name, source.statement_of(name)):
            return None
        return self._binding(name.id, source.function(name))

    def _binding(self, name: str, scope: ast.AST) -> ast.AST:
        """The function, from one outwards, that a name read in it belongs to, or the module."""
        while not isinstance(scope, ast.Module):
            if name in parameters(scope) or bindings(name, scope, self._source):
                break
            scope = self._source.function(scope)
        return scope

    def _is_shared(self, name: str) -> bool:
        """Whether a function gives an outer name a value."""
        kinds = (ast.Global, ast.Nonlocal)
        return any(isinstance(n, kinds) and name in n.names for n in ast.walk(self._source.tree))

    def _given(self, call: ast.Call, name: str) -> str:
        """The `repr` of what a call gives a parameter; "" where that is no literal."""
        args = self._function.args  # type: ignore[attr-defined]
        placed = [arg.arg for arg in [*args.posonlyargs, *args.args]]
        for keyword in call.keywords:
            if keyword.arg == name in {*placed, *(arg.arg for arg in args.kwonlyargs)}:
                return self._value(keyword.value)
        if name in placed[: len(call.args)]:
            return self._value(call.args[placed.index(name)])
        defaults = dict(zip(reversed(placed), reversed(args.defaults), strict=False))
        defaults |= {a.arg: d for a, d in zip(args.kwonlyargs, args.kw_defaults, strict=True) if d}
        around = self._source.function(self._function)  # where its defaults are evaluated
        return self._value(defaults[name], around) if name in defaults else ""

    def _value(self, node: ast.AST | None, scope: ast.AST | None = None) -> str:
        """The `repr` of what an expression in a function always gives; "" where that is unknown."""
        if isinstance(node, ast.Name):
            owner = self._binding(node.id, scope) if scope else self._owner(node)
            return self._constant(node.id, owner) if owner else ""
        if isinstance(node, ast.BinOp):
            return _computed(self._value(node.left, scope), node.op, self._value(node.right, scope))
        if isinstance(node, (ast.List, ast.Tuple)):
            parts = [self._value(each, scope) for each in node.elts]
            kind = type(node)(elts=[_tree(part) for part in parts if part], ctx=ast.Load())
            return _literal(kind) if all(parts) else ""
        return _literal(node)

    def _constant(self, name: str, owner: ast.AST) -> str:
        """The `repr` of what a name of a function always stands for; "" where that is unknown."""
        if (owner, name) not in self._constants:
            self._constants[owner, name] = ""  # while it is asked for, as in `a = a + 1`
            self._constants[owner, name] = self._bound(name, owner)
        return self._constants[owner, name]

    def _bound(self, name: str, owner: ast.AST) -> str:
        """The same, read anew."""
        if name in self._source.importing or self._is_shared(name):
            return ""
        if name in parameters(owner):
            return self._from_callers(name, owner)
        value = self._value(self._only(name, owner))
        return "" if "[" in value and self._changes.of(owner, name) else value

    def _only(self, name: str, owner: ast.AST) -> ast.AST | None:
        """The expression that gives a name of a function its value, where it is the only one."""
        bound = bindings(name, owner, self._source)
        if len(bound) != 1 or not isinstance(bound[0], (ast.Assign, ast.AnnAssign)):
            return None
        stored = [v for t, v in given(bound[0]) if isinstance(t, ast.Name) and t.id == name]
        return stored[0] if len(stored) == 1 else None

    def _from_callers(self, name: str, owner: ast.AST) -> str:
        """The same of a parameter of another function."""
        if owner in self._asking:
            return ""
        return GivenValues(owner, self._source, self._changes, self._asking).value(name)


def _array(node: ast.AST | None, source: Script) -> str:
    """The `repr` of the values that numpy makes of a literal, `np.array([1, 2])`; "" if unknown."""
    if not isinstance(node, ast.Call) or not node.args or not _literal(node.args[0]):
        return ""
    dtypes = [*node.args[1:], *(k.value for k in node.keywords if k.arg == "dtype")]
    kind, *dtype = (source.imported(each).removeprefix("numpy.") for each in (node.func, *dtypes))
    more = len(node.args) + len(node.keywords) - 1
    if kind not in {"array", "asarray", *_NUMBERS} or not more == len(_NUMBERS & {*dtype}) <= 1:
        return ""
    try:
        made = np.array(ast.literal_eval(node.args[0]), *(dtype or _NUMBERS & {kind}))
    except (ValueError, TypeError, OverflowError):
        return ""
    return _literal(_tree(repr(made.tolist())))


def _stored(holder: ast.stmt, node: ast.AST) -> list[ast.AST | None]:
    """What a class has under the attribute that is read, or a dict under the key."""
    if isinstance(node, ast.Attribute) and _is_plain_class(holder):
        pairs = [pair for each in holder.body for pair in given(each)]  # type: ignore[attr-defined]
        return [v for t, v in pairs if isinstance(t, ast.Name) and t.id == node.attr]
    dicts = [value for _, value in given(holder) if isinstance(value, ast.Dict)]
    if not isinstance(node, ast.Subscript) or len(dicts) != 1 or None in dicts[0].keys:
        return []
    key, entries = _literal(node.slice), zip(dicts[0].keys, dicts[0].values, strict=True)
    return [value for k, value in entries if key and _literal(k) == key]


def _is_plain_class(holder: ast.stmt) -> bool:
    """Whether its attributes are what its body says: those of an Enum are not."""
    return (
        isinstance(holder, ast.ClassDef)
        and not (holder.keywords or holder.decorator_list)
        and all(isinstance(base, ast.Name) and base.id == "object" for base in holder.bases)
    )


def _computed(left: str, how: ast.operator, right: str) -> str:
    """The `repr` of a sum, product, … of two values given by theirs; "" where that is unknown."""
    if not (left and right and type(how) in _COMPUTED):
        return ""
    one, other = ast.literal_eval(left), ast.literal_eval(right)
    numbers = isinstance(one, (int, float)) and isinstance(other, (int, float))
    if not numbers and not (isinstance(how, ast.Add) and type(one) is type(other)):
        return ""
    try:
        return _literal(_tree(repr(_COMPUTED[type(how)](one, other))))
    except (ArithmeticError, TypeError):
        return ""


def _tree(code: str) -> ast.expr:
    return ast.parse(code, mode="eval").body


def _is_open(call: ast.Call) -> bool:
    """Whether a call has `*args` or `**kwargs`."""
    return any(isinstance(a, ast.Starred) for a in call.args) or any(
        k.arg is None for k in call.keywords
    )


def _literal(node: ast.AST | None) -> str:
    """The `repr` of a number, a text, True, False, None, or a list or tuple of such; or ""."""
    if not isinstance(node, ast.expr):
        return ""
    try:
        value = ast.literal_eval(node)
    except (ValueError, TypeError, MemoryError, RecursionError):
        return ""
    return repr(value) if _is_plain(value) else ""


def _is_plain(value: object) -> bool:
    if isinstance(value, (list, tuple)):
        return all(map(_is_plain, value))
    return isinstance(value, _PLAIN)
