"""Sets of a script whose order may reach its pipeline: for texts it is another one in each run.

Python hashes texts by a number that it draws when it starts. What asks a set for its members alone
(`sorted(found)`, `name in known`) sees nothing of that.
"""

from __future__ import annotations

import ast

from queueio.convert.source import Script

_MADE = {"set", "frozenset"}
_BLIND = {"sorted", "len", "min", "max", "any", "all", "bool", *_MADE}
"""Builtins that give the same whatever the order is; the last two give sets anew."""
_TELLING = {"add", "clear", "discard", "isdisjoint", "issubset", "issuperset", "remove", "update"}
_GIVING = {"copy", "difference", "intersection", "symmetric_difference", "union"}
"""Methods of sets that give another set; those above give no order either."""
_JOINING = (ast.BitOr, ast.BitAnd, ast.BitXor, ast.Sub)


def is_unordered(node: ast.AST, source: Script) -> bool:
    """Whether an expression makes a set of which something takes the members in their order."""
    return _is_set(node, source) and not _is_blind(node, source, set())


def _is_set(node: ast.AST, source: Script) -> bool:
    """Whether an expression makes a set, if not one of numbers, whose order is always the same."""
    if isinstance(node, ast.Set):
        return not all(map(_is_number, node.elts))
    if isinstance(node, ast.Call) and _calls(node, _MADE, source):
        given = node.args[0] if node.args else None
        numbers = isinstance(given, (ast.List, ast.Tuple)) and all(map(_is_number, given.elts))
        counts = isinstance(given, ast.Call) and _calls(given, {"range"}, source)
        return not (numbers or counts)
    return isinstance(node, ast.SetComp)


def _is_number(node: ast.AST) -> bool:
    value = node.operand if isinstance(node, ast.UnaryOp) else node
    return isinstance(value, ast.Constant) and isinstance(value.value, (bool, int, float))


def _calls(call: ast.Call, names: set[str], source: Script) -> bool:
    """Whether a call is one of these builtins."""
    name = call.func.id if isinstance(call.func, ast.Name) else ""
    return name in names and name not in {*source.rebound, *source.importing}


def _is_blind(node: ast.AST, source: Script, seen: set[str]) -> bool:
    """Whether nothing that is done with a set, or with what is made of it, sees its order."""
    above = source.above[node]
    if isinstance(above, ast.Call) and node in above.args:
        # By a key, several members may be first.
        blind = _calls(above, _BLIND, source) and not above.keywords
        return blind or getattr(above.func, "attr", "") in _TELLING | _GIVING
    if isinstance(above, ast.Attribute):
        call = source.above[above]
        gives = above.attr in _GIVING and _is_blind(call, source, seen)
        return isinstance(call, ast.Call) and (above.attr in _TELLING or gives)
    if isinstance(above, ast.BinOp):
        return isinstance(above.op, _JOINING) and _is_blind(above, source, seen)
    if isinstance(above, ast.comprehension):
        whole = source.above[above]
        return not isinstance(whole, ast.DictComp) and (
            isinstance(whole, ast.SetComp) or _is_blind(whole, source, seen)
        )
    if isinstance(above, (ast.Assign, ast.AnnAssign)):
        return _is_blind_by_name(above, source, seen)
    asked = isinstance(above, (ast.IfExp, ast.If, ast.While)) and above.test is node
    return asked or isinstance(above, (ast.Compare, ast.Expr))


def _is_blind_by_name(
    statement: ast.Assign | ast.AnnAssign, source: Script, seen: set[str]
) -> bool:
    """The same of all uses of the names that a statement gives to it."""
    targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
    if not all(isinstance(target, ast.Name) for target in targets):
        return False
    names = {target.id for target in targets if isinstance(target, ast.Name)} - seen
    seen |= names
    return all(
        _is_blind(node, source, seen)
        for node in ast.walk(source.tree)
        if isinstance(node, ast.Name) and node.id in names and isinstance(node.ctx, ast.Load)
    )
