"""Whether a script may still take from its readers, once the batch is made by the new module.

What flows out of a producer of file names is followed through names, attributes, arguments and
returns. It is read where it reaches a session call, a summary, or a function elsewhere that is
given a session, too. Where that cannot be told it counts as read.
"""

from __future__ import annotations

import ast
import builtins
from collections import defaultdict
from collections.abc import Iterator
from typing import Any

from queueio.convert.source import Function, functions, last_part, names, parameters

PRODUCERS = frozenset({"string_input_producer", "input_producer", "range_input_producer",
                       "slice_input_producer", "limit_epochs"})  # fmt: skip
_READING = {"run", "eval", "partial_run", "make_callable", "SessionRunArgs", "train", "fit",
            "evaluate", "predict", "add_to_collection"}  # fmt: skip
"""The last parts of the names of functions that evaluate what they are given, now or later."""
_CHANGING = {"append", "extend", "insert", "add", "update", "setdefault", "start_queue_runners"}
"""Functions that keep what they are given, or have no use for it."""
_KNOWN_BEFORE = {"shape", "get_shape", "set_shape", "dtype", "name", "graph", "device"}
"""What a tensor tells without being evaluated."""


def still_read(text: str) -> str:
    """The first place that may evaluate what a producer gives: ``line 7: `…` ``; or ""."""
    return _Flow(ast.parse(text)).first()


class _Flow:
    """Which names, in which function, hold what comes from a producer."""

    def __init__(self, tree: ast.Module) -> None:
        self._scopes: list[ast.AST] = [tree, *functions(tree)]
        self._named: dict[str, list[ast.AST]] = defaultdict(list)
        self._held: set[tuple[ast.AST | None, str]] = set()
        self._returning: set[ast.AST] = set()
        self._own = {scope: list(_within(scope)) for scope in self._scopes}
        for scope in self._scopes:
            if isinstance(scope, (ast.FunctionDef, ast.AsyncFunctionDef)):
                self._named[scope.name].append(scope)
        self._tensorflow = {
            (alias.asname or alias.name).split(".")[0]
            for node in ast.walk(tree)
            if isinstance(node, ast.Import)
            for alias in node.names
            if alias.name.split(".")[0] in ("tensorflow", "queueio")
        }
        self._bound = {scope: parameters(scope) | _stored(self._own[scope])
                       for scope in self._scopes}  # fmt: skip
        self._at: dict[ast.AST, str] = {}
        for scope in self._scopes:
            self._at |= _versions(scope, self._own, self._bound)
        self._sessions = {
            name
            for node in ast.walk(tree)
            for target, value in _given(node)
            if _makes_session(value)
            for name in names(target)
        }
        size = -1
        while size != len(self._held) + len(self._returning):
            size = len(self._held) + len(self._returning)
            for scope in self._scopes:
                self._spread(scope)

    def first(self) -> str:
        calls = [
            (node.lineno, node)
            for scope in self._scopes
            for node in self._own[scope]
            if isinstance(node, ast.Call) and self._reads(node, scope)
        ] + [
            (call.lineno, call)
            for scope in self._scopes
            for node in self._own[scope]
            if isinstance(node, ast.Expr)  # of what a function elsewhere gives, nothing is kept
            for call in ast.walk(node.value)
            if isinstance(call, ast.Call)
            and self._is_elsewhere(call)
            and any(self._holds(each, scope) for each in _arguments(call))
        ]
        if not calls:
            return ""
        line, call = min(calls, key=lambda found: found[0])
        return f"line {line}: `{ast.unparse(call)}`"

    def _spread(self, scope: ast.AST) -> None:
        """What one function hands on."""
        for node in self._own[scope]:
            for target, value in _given(node):
                if self._holds(value, scope):
                    self._hold(target, scope)
            if isinstance(node, (ast.Return, ast.Yield)) and self._holds(node.value, scope):
                self._returning.add(scope)
            if isinstance(node, ast.Lambda) and self._holds(node.body, node):
                self._returning.add(node)
            if isinstance(node, ast.Call):
                self._hand_over(node, scope)

    def _hand_over(self, call: ast.Call, scope: ast.AST) -> None:
        for place, given in enumerate(call.args):
            if self._holds(given, scope):
                for function in self._named[last_part(call.func)]:
                    for name in _parameter(function, place, isinstance(call.func, ast.Attribute)):
                        self._held.add((function, name))
                self._hold_changed(call.func, scope)
        for keyword in call.keywords:
            if self._holds(keyword.value, scope):
                for function in self._named[last_part(call.func)]:
                    named = {keyword.arg} if keyword.arg else parameters(function)
                    self._held |= {(function, name) for name in named if name}

    def _hold_changed(self, func: ast.expr, scope: ast.AST) -> None:
        """As `names.append(…)` changes names, where a function is given what is held."""
        if not isinstance(func, ast.Attribute) or func.attr in _READING or self._named[func.attr]:
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

    def _holds(self, node: ast.AST | None, scope: ast.AST) -> bool:
        """Whether what an expression gives may come from a producer."""
        if node is None or isinstance(node, ast.Constant):
            return False
        if isinstance(node, ast.Name):
            at_home, name = node.id in self._bound[scope], self._at.get(node, node.id)
            return any((place, name) in self._held
                       for place in ([scope] if at_home else self._scopes))  # fmt: skip
        if isinstance(node, ast.Attribute):
            if node.attr in _KNOWN_BEFORE:
                return False
            return (None, node.attr) in self._held or self._holds(node.value, scope)
        if isinstance(node, ast.Call):
            name = last_part(node.func)
            if name in PRODUCERS or any(f in self._returning for f in self._named[name]):
                return True
            if name in _KNOWN_BEFORE:
                return False
        return any(self._holds(child, scope) for child in ast.iter_child_nodes(node))

    def _reads(self, call: ast.Call, scope: ast.AST) -> bool:
        name = last_part(call.func)
        if name in _CHANGING:
            return False
        given = _arguments(call)
        if name == "eval" and isinstance(call.func, ast.Attribute):
            given.append(call.func.value)
            if _is_looked_up(call.func.value):
                return True
        if not any(self._holds(each, scope) for each in given):
            return False
        if name in _READING or "summary" in ast.unparse(call.func):
            return not self._named[name]
        with_session = any(names(each) & self._sessions for each in given)
        return with_session and not self._named[name] and not hasattr(builtins, name)

    def _is_elsewhere(self, call: ast.Call) -> bool:
        """Whether nothing is known of a function: no builtin, none of TensorFlow or the script."""
        name = last_part(call.func)
        root = next((n.id for n in ast.walk(call.func) if isinstance(n, ast.Name)), "")
        known = name in _CHANGING | _KNOWN_BEFORE or self._named[name] or root in self._tensorflow
        return not (known or (isinstance(call.func, ast.Name) and hasattr(builtins, name)))


def _arguments(call: ast.Call) -> list[ast.expr]:
    return [*call.args, *(keyword.value for keyword in call.keywords)]


def _is_looked_up(node: ast.expr) -> bool:
    """Whether only the run tells which tensor it is, as of `getattr(model, name)`."""
    found = [n for n in ast.walk(node) if isinstance(n, ast.Call)]
    return any(last_part(n.func) in ("getattr", "vars", "globals", "locals") for n in found)


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


def _given(node: ast.AST) -> Iterator[tuple[ast.AST, ast.AST | None]]:
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


def _stored(nodes: list[ast.AST]) -> set[str]:
    return {n.id for n in nodes if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}


def _parameter(function: ast.AST, place: int, of_object: bool) -> set[str]:
    """The names that an argument may get in a function; `of_object`: it may be a method."""
    args = function.args  # type: ignore[attr-defined]
    ordered = [arg.arg for arg in [*args.posonlyargs, *args.args]]
    places = {place, place + 1} if of_object else {place}
    found = {ordered[at] for at in places if at < len(ordered)}
    return found | ({args.vararg.arg} if args.vararg else set())


def _makes_session(value: ast.AST | None) -> bool:
    return isinstance(value, ast.Call) and last_part(value.func).lower().endswith("session")
