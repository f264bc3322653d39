"""What a program does about a name that may be missing: `try`, `hasattr`."""

from __future__ import annotations

import ast
from collections.abc import Callable

from queueio.check.names import Has, NameScope, Spelled

# What `except` catches of a missing name. `except Exception` around training catches an
# AttributeError as well, but to end the program, not to do without the name.
_CATCHES = {
    "ImportError": {"ImportError", "ModuleNotFoundError"},
    "ModuleNotFoundError": {"ModuleNotFoundError"},
    "AttributeError": {"AttributeError"},
    "Exception": {"ImportError", "ModuleNotFoundError"},
    "BaseException": {"ImportError", "ModuleNotFoundError"},
}
_ENDS = ("exit", "quit", "sys.exit", "os._exit")


def caught_by(handler: ast.ExceptHandler) -> frozenset[str]:
    """Which exceptions of a missing name a handler makes good; none where it ends the program."""
    if _gives_up(handler.body[-1]):
        return frozenset()
    if handler.type is None:
        return frozenset(_CATCHES["Exception"])
    types = handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type]
    return frozenset().union(*(_CATCHES.get(ast.unparse(each), ()) for each in types))


def suppressed_by(item: ast.withitem) -> frozenset[str]:
    """The same for `with contextlib.suppress(ImportError)`."""
    call = item.context_expr
    if not isinstance(call, ast.Call) or _last(call.func) != "suppress":
        return frozenset()
    return frozenset().union(*(_CATCHES.get(ast.unparse(each), ()) for each in call.args))


def _gives_up(last: ast.stmt) -> bool:
    if isinstance(last, ast.Expr) and isinstance(last.value, ast.Call):
        return ast.unparse(last.value.func) in _ENDS
    return isinstance(last, ast.Raise)


def _last(node: ast.expr) -> str:
    return ast.unparse(node).rpartition(".")[2]


def conditions(
    test: ast.expr, holds: bool, spell: Callable[[ast.expr], Spelled | None], scope: NameScope
) -> tuple[Has, ...]:
    """What is known of names where a test holds, or where it does not.

    Args:
      test: of an `if`.
      holds: which of the two.
      spell: says which name an expression spells.
      scope: where the test stands.
    """
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        return conditions(test.operand, not holds, spell, scope)
    if isinstance(test, ast.BoolOp) and isinstance(test.op, ast.And) is holds:
        return tuple(c for each in test.values for c in conditions(each, holds, spell, scope))
    asked = _asked(test)
    spelled = spell(asked[0]) if asked else None
    if asked is None or spelled is None:
        return ()
    return (Has(spelled.plus(asked[1]), scope, holds is asked[2]),)


def _asked(test: ast.expr) -> tuple[ast.expr, str, bool] | None:
    """The object, the name, and the answer of `hasattr(tf, "x")` and of `"x" in dir(tf)`."""
    if called(test, "hasattr", 2):
        return test.args[0], test.args[1].value, True  # type: ignore[attr-defined]
    if not isinstance(test, ast.Compare) or not isinstance(test.ops[0], (ast.In, ast.NotIn)):
        return None
    names, name = test.comparators[0], test.left
    if not isinstance(names, ast.Call) or ast.unparse(names.func) != "dir" or not names.args:
        return None
    if not isinstance(name, ast.Constant) or not isinstance(name.value, str):
        return None
    return names.args[0], name.value, isinstance(test.ops[0], ast.In)


def called(node: ast.expr, name: str, *counts: int) -> bool:
    """Whether it is `getattr(x, "constant")` or its like, with as many arguments."""
    if not isinstance(node, ast.Call) or ast.unparse(node.func) != name:
        return False
    if len(node.args) not in counts or node.keywords:
        return False
    asked = node.args[1]
    return isinstance(asked, ast.Constant) and isinstance(asked.value, str)
