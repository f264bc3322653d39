"""Whether a script may still take from its readers, once the batch is made by the new module.

What flows out of a producer of file names is followed through names, attributes, arguments and
returns. It is read where it reaches a session call, a summary, or a function elsewhere that is
given a session, too. Where that cannot be told it counts as read.
"""

from __future__ import annotations

import ast
import builtins

from queueio.convert.flow import KEEPING, Flow, given
from queueio.convert.source import last_part, names

PRODUCERS = frozenset({"string_input_producer", "input_producer", "range_input_producer",
                       "slice_input_producer", "limit_epochs"})  # fmt: skip
_READING = {"run", "eval", "partial_run", "make_callable", "SessionRunArgs", "train", "fit",
            "evaluate", "predict", "add_to_collection"}  # fmt: skip
"""The last parts of the names of functions that evaluate what they are given, now or later."""
_CHANGING = {*KEEPING, "start_queue_runners"}
"""Functions that keep what they are given, or have no use for it."""
_KNOWN_BEFORE = {"shape", "get_shape", "set_shape", "dtype", "name", "graph", "device"}
"""What a tensor tells without being evaluated."""


def still_read(text: str) -> str:
    """The first place that may evaluate what a producer gives: ``line 7: `…` ``; or ""."""
    return _Reading(ast.parse(text)).first()


class _Reading(Flow):
    """Which names, in which function, hold what comes from a producer."""

    def __init__(self, tree: ast.Module) -> None:
        super().__init__(tree)
        self._tensorflow = {
            (alias.asname or alias.name).split(".")[0]
            for node in ast.walk(tree)
            if isinstance(node, ast.Import)
            for alias in node.names
            if alias.name.split(".")[0] in ("tensorflow", "queueio")
        }
        self._sessions = {
            name
            for node in ast.walk(tree)
            for target, value in given(node)
            if _makes_session(value)
            for name in names(target)
        }
        self._settle()

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

    def _hold_changed(self, func: ast.expr, scope: ast.AST) -> None:
        if last_part(func) not in _READING:
            super()._hold_changed(func, scope)

    def _holds(self, node: ast.AST | None, scope: ast.AST) -> bool:
        """Whether what an expression gives may come from a producer."""
        if node is None or isinstance(node, ast.Constant):
            return False
        if isinstance(node, ast.Name):
            return self._holds_name(node, scope)
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


def _makes_session(value: ast.AST | None) -> bool:
    return isinstance(value, ast.Call) and last_part(value.func).lower().endswith("session")
