"""The script's own arguments, where they feed a pipeline: tried once more with other values.

A number becomes one more, a text becomes the name of nothing: the changed script must follow the
old one either way, into other examples or into the same failure.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from queueio.convert.changes import Changes
from queueio.convert.source import Script, bindings

NOWHERE = "nosuch-queueio"
_DEFINES = {"DEFINE_integer": int, "DEFINE_string": str}


@dataclass(frozen=True)
class Flag:
    """An option of the script: how it is spelled, of which type, and its default's source."""

    option: str
    type: type
    default: ast.expr | None


def other_arguments(
    source: Script, home: ast.AST, passed: Iterable[str], arguments: tuple[str, ...]
) -> Iterator[tuple[str, ...]]:
    """The script's arguments with one of those that feed the pipeline changed, each once.

    Args:
      source: the script.
      home: the function with its batch call.
      passed: the expressions that are passed to `input_fn`.
      arguments: the script's arguments so far.
    """
    given: list[ast.AST] = [ast.parse(code, mode="eval") for code in passed]
    read = set(_attributes(source, Changes(source), home, given))
    for name, flag in _flags(source).items():
        if name in read:
            other = _changed(flag, arguments)
            if other is not None:
                yield other
    if "argv" in read:
        yield from _by_position(arguments)


def _by_position(arguments: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    """The arguments with one that is no option changed."""
    for i, value in enumerate(arguments):
        if not value.startswith("-"):
            other = str(int(value) + 1) if value.isdigit() else NOWHERE
            yield (*arguments[:i], other, *arguments[i + 1 :])


def _attributes(
    source: Script, changes: Changes, function: ast.AST, nodes: list[ast.AST]
) -> Iterator[str]:
    """The attributes that expressions read, through local names and the calls of the function."""
    seen: set[str] = set()
    while nodes:
        for part in ast.walk(nodes.pop()):
            if isinstance(part, ast.Attribute):
                yield part.attr
            elif isinstance(part, ast.Name) and part.id not in seen:
                seen.add(part.id)
                nodes += bindings(part.id, function, source)
                if part.id not in source.imports:
                    nodes += (each.statement for each in changes.of(function, part.id))
    callers = [n for n in ast.walk(source.tree) if isinstance(n, ast.Call)]
    name = getattr(function, "name", "")
    for call in callers:
        if isinstance(call.func, ast.Name) and call.func.id == name:
            around = source.function(call)
            if around is not function:
                yield from _attributes(source, changes, around, [*call.args, *call.keywords])


def _flags(source: Script) -> dict[str, Flag]:
    """What the script defines with tf.app.flags, absl or argparse, by the attribute's name."""
    found = {}
    for node in ast.walk(source.tree):
        if not isinstance(node, ast.Call) or not node.args:
            continue
        kind = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(
            node.func, "id", ""
        )  # fmt: skip
        first = node.args[0]
        if not isinstance(first, ast.Constant) or not isinstance(first.value, str):
            continue
        given = {k.arg: k.value for k in node.keywords}
        if kind in _DEFINES:
            default = given.get("default", node.args[1] if len(node.args) > 1 else None)
            found[first.value] = Flag(f"--{first.value}", _DEFINES[kind], default)
        elif kind == "add_argument" and first.value.startswith("--"):
            type_ = given.get("type")
            kept = int if isinstance(type_, ast.Name) and type_.id == "int" else str
            if type_ is None or (isinstance(type_, ast.Name) and type_.id in ("int", "str")):
                name = first.value.lstrip("-").replace("-", "_")
                found[name] = Flag(first.value, kept, given.get("default"))
    return found


def _changed(flag: Flag, arguments: tuple[str, ...]) -> tuple[str, ...] | None:
    """The arguments with another value of the flag behind them: the last one counts."""
    if flag.type is str:
        return (*arguments, f"{flag.option}={NOWHERE}")
    now: object = _given(flag.option, arguments)
    if now is None and isinstance(flag.default, ast.Constant):
        now = flag.default.value
    try:
        return (*arguments, f"{flag.option}={int(str(now)) + 1}")
    except ValueError:
        return None


def _given(option: str, arguments: tuple[str, ...]) -> str | None:
    for i, argument in enumerate(arguments):
        if argument.startswith(f"{option}="):
            return argument.partition("=")[2]
        if argument == option and i + 1 < len(arguments):
            return arguments[i + 1]
    return None
