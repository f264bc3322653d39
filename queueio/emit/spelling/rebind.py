"""Names as a person would give them: `image = tf.image.flip_up_down(image)`, over and over."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from queueio.emit.spelling.code import Code
from queueio.emit.spelling.function import Function, Statement

_STRINGS = r'"(?:\\.|[^"\\])*"|' + r"'(?:\\.|[^'\\])*'"
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
    inner = "\n".join(_text(line) for line in lines if isinstance(line, Function))
    free = set(parameters)
    for i, line in enumerate(lines):
        targets = _targets(line)
        name = targets[0] if len(targets) == 1 else ""
        base = re.sub(r"_\d+$", "", name)
        later = "\n".join(_text(after) for after in lines[i + 1 :])
        if base != name and base in free and not _uses(later, base) and not (
            _uses(inner, base) or _uses(inner, name)
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


def _text(line: Any) -> str:
    return "\n".join(line.render(0))


def _pattern(name: str) -> str:
    """The variable `name`, and strings, which are to be left alone; no attribute or keyword."""
    return rf"{_STRINGS}|(?<![\w.]){name}\b(?!=)"


def _uses(text: str, name: str) -> bool:
    return any(found[0] == name for found in re.finditer(_pattern(name), text))


def _renamed(line: Any, name: str, other: str) -> Any:
    if not isinstance(line, Statement):
        return line

    def text(given: str) -> str:
        return re.sub(_pattern(name), lambda m: other if m[0] == name else m[0], given)

    def code(given: Code) -> Code:
        return replace(
            given, flat=text(given.flat), head=text(given.head), items=tuple(map(code, given.items))
        )

    return replace(line, before=text(line.before), value=code(line.value))
