"""Whether a statement runs: what decides that, once its function is called."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from queueio.convert.source import TRIES, Script, head, header, last_part

_STEADY = {
    "MonitoredSession", "MonitoredTrainingSession", "InteractiveSession", "Session", "as_default",
    "closing", "colocate_with", "container", "control_dependencies", "device", "managed_session",
    "SingularMonitoredSession", "name_scope", "op_scope", "open", "variable_op_scope",
    "variable_scope",
}  # fmt: skip
"""Context managers that change no value, whatever they are given."""
_LEAVES = {"exit", "_exit", "abort"}


def conditions(
    source: Script, statement: ast.stmt, within: ast.AST, call: ast.stmt, *, jumps: bool
) -> Iterator[ast.AST]:
    """What must be the same in each run for a statement to run as often: expressions, and
    statements that must or must not raise.

    Args:
      source: its file.
      statement: the statement.
      within: the function, or the loop, in which it is looked at.
      call: the batch call's statement, in whichever file. An `if` or `try` in which it stands
        behind the statement decides nothing: where the statement is not reached, the call is not.
      jumps: whether to look at what leads out of loops around it, and out of the function.
    """
    child: ast.AST = statement
    if jumps:
        yield from _jumps(source, statement, call)
    while child is not within and child in source.above:
        node = source.above[child]
        if not (isinstance(node, ast.If) and _leads_to(call, child, node, source)):
            yield from header(node)
        if isinstance(node, ast.With):
            yield from (i.context_expr for i in node.items if not _is_steady(i, source))
        if _swallows(node, source) and not _leads_to(call, child, node, source):
            yield from _raising(node, child)
        if jumps:
            yield from _jumps(source, node, call)
        child = node
    home = source.function(call) if call in source.above else None
    if jumps and isinstance(within, ast.FunctionDef) and within is not home:
        for end in (n for n in source.own(within) if isinstance(n, ast.Return)):
            yield from conditions(source, end, within, call, jumps=False)


def _jumps(source: Script, loop: ast.AST, call: ast.stmt) -> Iterator[ast.AST]:
    """What decides whether a loop ends early; nothing for what is none."""
    for jump in ast.walk(loop) if isinstance(loop, (ast.For, ast.While)) else ():
        if isinstance(jump, (ast.Break, ast.Continue)):
            yield from conditions(source, jump, loop, call, jumps=False)


def is_guarded(source: Script, statement: ast.stmt, within: ast.AST, call: ast.stmt) -> bool:
    """Whether the script goes on where a statement raises, and makes its batches without it."""
    child: ast.AST = statement
    while child is not within:
        node = source.above[child]
        if _swallows(node, source) and not _leads_to(call, child, node, source):
            return True
        child = node
    return False


def _is_steady(item: ast.withitem, source: Script) -> bool:
    made = item.context_expr
    name = last_part(made.func if isinstance(made, ast.Call) else made)
    return name in _STEADY and name not in source.defined


def _swallows(node: ast.AST, source: Script) -> bool:
    """Whether what raises in it may be followed by what stands behind it."""
    if isinstance(node, ast.With):
        return not all(_is_steady(item, source) for item in node.items)
    if not isinstance(node, TRIES):
        return False
    jumps = (ast.Return, ast.Break, ast.Continue)
    ends = any(isinstance(n, jumps) for s in node.finalbody for n in ast.walk(s))
    return ends or not all(_leaves(handler) for handler in node.handlers)


def _leaves(handler: ast.ExceptHandler) -> bool:
    last = handler.body[-1]
    if isinstance(last, ast.Expr) and isinstance(last.value, ast.Call):
        return last_part(last.value.func) in _LEAVES
    return isinstance(last, ast.Raise)


def _leads_to(call: ast.stmt, child: ast.AST, node: ast.AST, source: Script) -> bool:
    """Whether the batch call stands behind a statement in the same part of a `try` or `with`."""
    at: ast.AST = call
    while at in source.above and source.above[at] is not node:
        at = source.above[at]
    if at not in source.above or child.lineno > call.lineno:  # type: ignore[attr-defined]
        return False
    return any(child in part and at in part for part in _parts(node))


def _parts(node: ast.AST) -> list[list[ast.AST]]:
    parts = [getattr(node, name, []) for name in ("body", "orelse", "finalbody")]
    return [*parts, *([handler] for handler in getattr(node, "handlers", []))]


def _raising(node: ast.AST, child: ast.AST) -> Iterator[ast.AST]:
    """What may raise in the body of a `try` or `with`, where that decides whether `child` runs."""
    if child in getattr(node, "finalbody", []):
        return
    for each in node.body:  # type: ignore[attr-defined]
        for inner in ast.walk(each):
            if isinstance(inner, ast.stmt):
                whole = any(isinstance(n, ast.stmt) for n in ast.iter_child_nodes(inner))
                yield from head(inner) if whole else (inner,)
