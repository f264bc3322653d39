"""Where a value goes in a script: through names, attributes, arguments, defaults and returns."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterator
from typing import Any

from queueio.convert.source import Function, functions, last_part, parameters

KEEPING = {"append", "extend", "insert", "add", "update", "setdefault"}
"""Methods by which an object keeps what they are given."""


class Flow:
    """Which names, in which function, and which attributes hold what is followed.

    Subclasses say in `_holds` which expressions give it. Attributes are known by their names alone,
    whatever object they are of.
    """

    def __init__(self, tree: ast.Module) -> None:
        self._scopes: list[ast.AST] = [tree, *functions(tree)]
        self._named: dict[str, list[ast.AST]] = defaultdict(list)
        self._held: set[tuple[ast.AST | None, str]] = set()
        self._returning: set[ast.AST] = set()
        self._own = {scope: list(_within(scope)) for scope in self._scopes}
        for scope in self._scopes:
            if isinstance(scope, (ast.FunctionDef, ast.AsyncFunctionDef)):
                self._named[scope.name].append(scope)
        self._made = {
            part: each.name
            for each in ast.walk(tree)
            if isinstance(each, ast.ClassDef)
            for part in each.body
            if isinstance(part, ast.FunctionDef) and part.name == "__init__"
        }
        for part, name in self._made.items():
            self._named[name].append(part)
        self._bound = {scope: parameters(scope) | _stored(self._own[scope])
                       for scope in self._scopes}  # fmt: skip
        self._at: dict[ast.AST, str] = {}
        for scope in self._scopes:
            self._at |= _versions(scope, self._own, self._bound)

    def _settle(self) -> None:
        """Follows what is held until nothing more holds it."""
        size = -1
        while size != len(self._held) + len(self._returning):
            size = len(self._held) + len(self._returning)
            for scope in self._scopes:
                self._spread(scope)

    def _holds(self, node: ast.AST | None, scope: ast.AST) -> bool:
        raise NotImplementedError

    def _holds_name(self, node: ast.Name, scope: ast.AST) -> bool:
        at_home, name = node.id in self._bound[scope], self._at.get(node, node.id)
        return any((place, name) in self._held
                   for place in ([scope] if at_home else self._scopes))  # fmt: skip

    def _spread(self, scope: ast.AST) -> None:
        """What one function hands on."""
        for node in self._own[scope]:
            for target, value in given(node):
                if self._holds(value, scope):
                    self._hold(target, scope)
            if isinstance(node, (ast.Return, ast.Yield)) and self._holds(node.value, scope):
                self._returning.add(scope)
            if isinstance(node, ast.Lambda) and self._holds(node.body, node):
                self._returning.add(node)
            if isinstance(node, Function):
                for name, default in _defaults(node):
                    if self._holds(default, scope):
                        self._held.add((node, name))
            if isinstance(node, ast.Call):
                self._hand_over(node, scope)

    def _hand_over(self, call: ast.Call, scope: ast.AST) -> None:
        for place, each in enumerate(call.args):
            if self._holds(each, scope):
                for function in self._named[last_part(call.func)]:
                    of_object = isinstance(call.func, ast.Attribute) or function in self._made
                    for name in _parameter(function, place, of_object):
                        self._held.add((function, name))
                self._hold_changed(call.func, scope)
        for keyword in call.keywords:
            if self._holds(keyword.value, scope):
                for function in self._named[last_part(call.func)]:
                    named = {keyword.arg} if keyword.arg else parameters(function)
                    self._held |= {(function, name) for name in named if name}

    def _hold_changed(self, func: ast.expr, scope: ast.AST) -> None:
        """As `names.append(…)` changes names, where a function is given what is held."""
        if not isinstance(func, ast.Attribute) or self._named[func.attr]:
            return
        if isinstance(func.value, ast.Name) and func.value.id in self._bound[scope]:
            self._hold(func.value, scope)

    def _hold(self, target: ast.AST, scope: ast.AST) -> None:
        if isinstance(target, ast.Attribute):
            self._held.add((None, target.attr))
        elif isinstance(target, ast.Name):
            self._held.add((scope, self._at.get(target, target.id)))
        elif isinstance(target, (ast.Tuple, ast.List)):
            for element in target.elts:
                self._hold(element, scope)
        elif isinstance(target, (ast.Subscript, ast.Starred)):
            self._hold(target.value, scope)


def given(node: ast.AST) -> Iterator[tuple[ast.AST, ast.AST | None]]:
    """What a node gives a value to, and that value."""
    if isinstance(node, ast.Assign):
        for target in node.targets:
            yield from _pairs(target, node.value)
    elif isinstance(node, (ast.AnnAssign, ast.AugAssign, ast.NamedExpr)):
        yield node.target, node.value
    elif isinstance(node, (ast.For, ast.AsyncFor, ast.comprehension)):
        yield node.target, node.iter
    elif isinstance(node, ast.withitem) and node.optional_vars is not None:
        yield node.optional_vars, node.context_expr


def _pairs(target: ast.AST, value: ast.AST) -> Iterator[tuple[ast.AST, ast.AST]]:
    """`a, b = c, d` gives each its own."""
    kinds = (ast.Tuple, ast.List)
    if isinstance(target, kinds) and isinstance(value, kinds):
        plain = not any(isinstance(e, ast.Starred) for e in [*target.elts, *value.elts])
        if plain and len(target.elts) == len(value.elts):
            for one, other in zip(target.elts, value.elts, strict=True):
                yield from _pairs(one, other)
            return
    yield target, value


def _defaults(function: Any) -> Iterator[tuple[str, ast.expr]]:
    """The parameters of a function that have a default, with it."""
    args = function.args
    placed = [*args.posonlyargs, *args.args]
    last = placed[len(placed) - len(args.defaults) :]
    for arg, default in zip(last, args.defaults, strict=True):
        yield arg.arg, default
    for arg, default in zip(args.kwonlyargs, args.kw_defaults, strict=True):
        if default is not None:
            yield arg.arg, default


def _versions(
    scope: ast.AST, own: dict[ast.AST, list[ast.AST]], bound: dict[ast.AST, set[str]]
) -> dict[ast.AST, str]:
    """Names of a function by what they hold where: `x = f(x)` makes another one of `x`.

    Only of names that are given values one after the other, in no branch or loop, and are read by
    no other function.
    """
    straight = list(_straight(getattr(scope, "body", [])))
    simple = (ast.Assign, ast.AnnAssign, ast.withitem)
    plain = {id(n) for s in straight if isinstance(s, simple) for n in ast.walk(s)}
    here = [n for n in own[scope] if isinstance(n, ast.Name)]
    tied = {n.id for n in here if isinstance(n.ctx, ast.Store) and id(n) not in plain}
    for other in own:
        read = {n.id for n in own[other] if isinstance(n, ast.Name)}
        tied |= read - bound[other] if other is not scope else set()
    found: dict[ast.AST, str] = {}
    count: dict[str, int] = {}
    for statement in straight:
        within = [n for n in ast.walk(statement) if isinstance(n, ast.Name) and n.id not in tied]
        for node in sorted(within, key=lambda n: isinstance(n.ctx, ast.Store)):
            if isinstance(node.ctx, ast.Store) and id(node) in plain:
                count[node.id] = count.get(node.id, 0) + 1
            number = count.get(node.id, 0)
            found[node] = f"{node.id} {number}" if number else node.id
    return found


def _straight(body: Any) -> Iterator[ast.AST]:
    """The statements of a body in their order, with those in `with` and what these bind."""
    for statement in body if isinstance(body, list) else []:
        if isinstance(statement, (ast.With, ast.AsyncWith)):
            yield from statement.items
            yield from _straight(statement.body)
        else:
            yield statement


def _within(scope: ast.AST) -> Iterator[ast.AST]:
    """The nodes of a function's own body; a lambda in it is a node, its body is not."""
    body = scope.body if isinstance(scope.body, list) else [scope.body]  # type: ignore[attr-defined]
    waiting = list(body)
    while waiting:
        node = waiting.pop()
        yield node
        if not isinstance(node, Function):
            waiting += ast.iter_child_nodes(node)


def _stored(nodes: list[ast.AST]) -> set[str]:
    return {n.id for n in nodes if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}


def _parameter(function: ast.AST, place: int, of_object: bool) -> set[str]:
    """The names that an argument may get in a function; `of_object`: it may be a method."""
    args = function.args  # type: ignore[attr-defined]
    ordered = [arg.arg for arg in [*args.posonlyargs, *args.args]]
    places = {place, place + 1} if of_object else {place}
    found = {ordered[at] for at in places if at < len(ordered)}
    return found | ({args.vararg.arg} if args.vararg else set())
