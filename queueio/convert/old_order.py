"""Calls of TF 0.x whose arguments TF 1.0 turned round or renamed, written in today's order."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import libcst as cst
from libcst import matchers as m

_LOSSES = (
    "nn.sigmoid_cross_entropy_with_logits",
    "nn.softmax_cross_entropy_with_logits",
    "nn.sparse_softmax_cross_entropy_with_logits",
)
_KEYWORDS = {
    "concat": {"concat_dim": "axis"},
    "split": {"split_dim": "axis", "num_split": "num_or_size_splits"},
    "batch_matmul": {"x": "a", "y": "b", "adj_x": "adjoint_a", "adj_y": "adjoint_b"},
}


def reordered(name: str, call: cst.Call) -> cst.Call | None:
    """The call with its arguments as TF 1.0 has them; None where it needs no change.

    Args:
      name: what is called, below `tf`, by its old name.
      call: the call.
    """
    if any(argument.star for argument in call.args):
        return None  # nobody can say which argument comes where
    positional = [argument for argument in call.args if argument.keyword is None]
    change = _CHANGES.get(name)
    args = change(positional) if change else None
    named = [argument for argument in call.args if argument.keyword is not None]
    new = [*(args or positional), *(_renamed(name, argument) for argument in named)]
    if args is None and all(a is b for a, b in zip(new, call.args, strict=True)):
        return None
    return call.with_changes(args=_with_commas(new))


def _concat(args: Sequence[cst.Arg]) -> list[cst.Arg] | None:
    if len(args) < 2 or not _is_number(args[0]):
        return None
    return [args[1], args[0], *args[2:]]


def _split(args: Sequence[cst.Arg]) -> list[cst.Arg] | None:
    if len(args) < 3 or not _is_number(args[0]):
        return None
    return [args[2], args[1], args[0], *args[3:]]


def _loss(args: Sequence[cst.Arg]) -> list[cst.Arg] | None:
    """Logits came first; today both are named."""
    if len(args) < 2:
        return None
    rest = zip(["name"], args[2:], strict=False)
    pairs = [("logits", args[0]), ("labels", args[1]), *rest]
    return [_named(name, argument) for name, argument in pairs]


def _batch_matmul(args: Sequence[cst.Arg]) -> list[cst.Arg] | None:
    if len(args) < 3:
        return None
    names = ("adjoint_a", "adjoint_b")
    return [*args[:2], *(_named(n, a) for n, a in zip(names, args[2:], strict=False))]


_CHANGES: dict[str, Callable[[Sequence[cst.Arg]], list[cst.Arg] | None]] = {
    "batch_matmul": _batch_matmul,
    "concat": _concat,
    "split": _split,
    **dict.fromkeys(_LOSSES, _loss),
}


def _is_number(argument: cst.Arg) -> bool:
    number = m.Integer() | m.UnaryOperation(operator=m.Minus(), expression=m.Integer())
    return m.matches(argument.value, number)


def _renamed(name: str, argument: cst.Arg) -> cst.Arg:
    new = _KEYWORDS.get(name, {}).get(argument.keyword.value) if argument.keyword else None
    return argument.with_changes(keyword=cst.Name(new)) if new else argument


def _named(name: str, argument: cst.Arg) -> cst.Arg:
    tight = cst.AssignEqual(cst.SimpleWhitespace(""), cst.SimpleWhitespace(""))
    return argument.with_changes(keyword=cst.Name(name), equal=tight)


def _with_commas(args: Sequence[cst.Arg]) -> list[cst.Arg]:
    comma = cst.Comma(whitespace_after=cst.SimpleWhitespace(" "))
    keep = [a if isinstance(a.comma, cst.Comma) else a.with_changes(comma=comma) for a in args]
    return [*keep[:-1], keep[-1].with_changes(comma=cst.MaybeSentinel.DEFAULT)]
