"""Names as a person would give them: `image = tf.image.flip_up_down(image)`, over and over."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from queueio.emit.spelling.code import Code
from queueio.emit.spelling.function import Function, Statement
from queueio.emit.spelling.variables import renamed, stem, uses

_LITERAL = tuple("[({\"'-0123456789")


def folded(statements: Sequence[Any], result: Code) -> tuple[list[Any], Code]:
    """`return value` rather than `name = value` and `return name`."""
    last = statements[-1] if statements else None
    if isinstance(last, Statement) and last.before == f"{result.flat} = ":
        return list(statements[:-1]), last.value
    return list(statements), result


def rebound(
    parameters: Sequence[str], statements: Sequence[Any], result: Code
) -> tuple[list[Any], Code]:
    """The statements with `image` for `image_2` wherever the first `image` is done with.

    Args:
      parameters: of the function around.
      statements: its body.
      result: what it returns.
    """
    lines = [*statements, Statement("return ", result)]
    inner = [line for line in lines if isinstance(line, Function)]
    free = set(parameters)
    for i, line in enumerate(lines):
        targets = _targets(line)
        name = targets[0] if len(targets) == 1 else ""
        base = stem(name)
        if base != name and base in free and not _uses([*lines[i + 1 :], *inner], base) and not (
            _uses(inner, name)
        ):  # fmt: skip
            lines[i:] = [_renamed(after, name, base) for after in lines[i:]]
        elif len(targets) == 1 and line.value.flat.startswith(_LITERAL):
            free.discard(name)  # a list must not become a tensor: mypy would object
        else:
            free.update(targets)
    return lines[:-1], lines[-1].value


def _targets(line: Any) -> list[str]:
    if isinstance(line, Statement) and line.before.endswith(" = "):
        return [name for name in line.before[:-3].strip(",").split(", ") if name.isidentifier()]
    return []


def _uses(lines: Sequence[Any], name: str) -> bool:
    return any(uses("\n".join(line.render(0)), name) for line in lines)


def _renamed(line: Any, name: str, other: str) -> Any:
    if not isinstance(line, Statement):
        return line

    def text(given: str) -> str:
        return renamed(given, name, other)

    def code(given: Code) -> Code:
        return replace(
            given, flat=text(given.flat), head=text(given.head), items=tuple(map(code, given.items))
        )

    return replace(line, before=text(line.before), value=code(line.value))
