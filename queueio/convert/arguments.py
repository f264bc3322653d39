"""What a batch call is given: what `input_fn` takes of it, and what would go with it unseen."""

from __future__ import annotations

import ast
import builtins
import sys
from collections.abc import Collection, Iterator, Sequence
from typing import TYPE_CHECKING, Any

import libcst as cst
from libcst import matchers as m

from queueio.convert.leftovers import BESIDES

if TYPE_CHECKING:
    from queueio.convert.written import Written
    from queueio.graph.origin import Origin

_KNOWN = {"tensorflow", "numpy", "queueio", *sys.stdlib_module_names}
"""What makes tensors, or only computes."""


def arguments_of(found: Written) -> dict[str, tuple[Origin | None, str]]:
    """The arguments that the `input_fn` of a module has, by name.

    With each where the script gives it, if that is known, and the name that it would have if no
    other had that: of `files_2`, `files`.
    """
    assert found.module is not None
    args, given_at = _input_fn(found).args, found.module.given_at
    named = [arg.arg for arg in [*args.args, *args.kwonlyargs]]
    return {name: given_at.get(name, (None, name)) for name in named}


def required_by(found: Written) -> list[str]:
    """The names of those that have no default."""
    args = _input_fn(found).args
    named = zip(args.kwonlyargs, args.kw_defaults, strict=True)
    placed = args.args[: len(args.args) - len(args.defaults)]
    return [arg.arg for arg in [*placed, *(arg for arg, default in named if default is None)]]


def _input_fn(found: Written) -> ast.FunctionDef:
    return input_fn_of(ast.parse(str(found.module)))


def input_fn_of(module: ast.Module) -> ast.FunctionDef:
    """The function `input_fn` of a written module."""
    functions = [n for n in module.body if isinstance(n, ast.FunctionDef)]
    return next(f for f in functions if f.name == "input_fn")


def argument(call: cst.Call, place: int, names: Sequence[str]) -> cst.BaseExpression | None:
    """The argument of a call at a place, or by one of some names; None where it is not given."""
    for i, arg in enumerate(call.args):
        if arg.keyword is None and i == place and not arg.star:
            return arg.value
        if arg.keyword is not None and arg.keyword.value in names:
            return arg.value
    return None


def given(value: cst.BaseExpression) -> str:
    """An argument as it stands, where it is given by its name: `n := 4` needs parentheses there."""
    code = cst.Module([]).code_for_node(value)
    return f"({code})" if isinstance(value, cst.NamedExpr) and not value.lpar else code


def own_functions(text: str) -> set[str]:
    """The functions and classes of a script, and what it imports of others than TensorFlow.

    What these do beside giving a value is not known: `distort(image)` may write a summary.

    Args:
      text: the script.
    """
    found = set[str]()
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            found.add(node.name)
        elif isinstance(node, ast.Assign) and isinstance(node.value, ast.Lambda):
            found |= {target.id for target in node.targets if isinstance(target, ast.Name)}
        elif isinstance(node, (ast.Import, ast.ImportFrom)):
            module = getattr(node, "module", None)
            for alias in node.names:
                if (module or alias.name).split(".")[0] not in _KNOWN:
                    found.add((alias.asname or alias.name).split(".")[0])
    return found - set(dir(builtins))


def binding(call: cst.Call, passed: Collection[str]) -> str:
    """What among a call's arguments does more than give a value, as `n := 4`; "" for nothing.

    Args:
      call: a batch call.
      passed: the arguments that stay in the script, as code.
    """
    return next(_within(call, passed, BESIDES), "")


def called(call: cst.Call, passed: Collection[str], own: Collection[str]) -> list[str]:
    """The calls of the script's own functions among the arguments, none of them within another.

    Args:
      call: a batch call.
      passed: the arguments that stay in the script, as code.
      own: those functions.
    """
    root = m.Name(value=m.MatchIfTrue(lambda name: name in own))
    function: Any = m.OneOf(root, m.Attribute(attr=root), m.Attribute(value=root))
    return list(dict.fromkeys(_within(call, passed, m.Call(func=function))))


def _within(call: cst.Call, passed: Collection[str], wanted: object) -> Iterator[str]:
    """The outermost nodes among a call's arguments that match, but for what stays."""
    waiting: list[cst.CSTNode] = [arg.value for arg in reversed(call.args)]
    while waiting:
        node = waiting.pop()
        if isinstance(node, cst.BaseExpression) and given(node) in passed:
            continue
        if m.matches(node, wanted):  # type: ignore[arg-type]
            yield " ".join(cst.Module([]).code_for_node(node).split())
        else:
            waiting += reversed(node.children)
