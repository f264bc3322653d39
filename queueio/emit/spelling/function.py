"""One function of the emitted module, and the statements in it."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from queueio.compat.caller import in_docstring
from queueio.emit.spelling.code import WIDTH, Code


@dataclass(frozen=True)
class Statement:
    """`before` + `value` + `after` on one line, or broken at the last bracket of `value`."""

    before: str
    value: Code
    after: str = ""

    def render(self, indent: int) -> list[str]:
        return self.value.lines(indent, self.before, self.after)


@dataclass(frozen=True)
class Comment:
    """A note of any length, or, as `code`, a line's origin: that is cut off rather than wrapped."""

    text: str
    code: bool = False

    def render(self, indent: int) -> list[str]:
        edge, room = " " * indent + "# ", WIDTH - indent - 2
        if self.code:
            return [edge + _cut(self.text, room)]
        return [edge + line for line in textwrap.wrap(self.text, room, break_on_hyphens=False)]


def _cut(text: str, room: int) -> str:
    """A line of code cut off between two words; within one, where little would be left of it."""
    words = textwrap.shorten(text, room, placeholder=" …")
    if words.endswith(" …") and len(words) < room // 2:
        return " ".join(text.split())[: room - 2] + " …"
    return words


@dataclass(frozen=True)
class Blank:
    """An empty line between blocks."""

    def render(self, indent: int) -> list[str]:
        return [""]


@dataclass(frozen=True)
class Verbatim:
    """Lines that are laid out already."""

    lines: list[str]

    def render(self, indent: int = 0) -> list[str]:
        return [" " * indent + line if line else "" for line in self.lines]


@dataclass
class Function:
    """A function; `parameters` are complete with annotations and defaults."""

    name: str
    parameters: Sequence[Code]
    returns: str
    doc: Sequence[str] = ()
    body: list[Any] = field(default_factory=list)
    above: Sequence[Comment] = ()

    def render(self, indent: int = 0) -> list[str]:
        """Its lines, without blank lines around it."""
        edge = " " * indent
        lines = [line for comment in self.above for line in comment.render(indent)]
        lines += self._header(edge)
        lines += self._docstring(edge + "    ")
        for i, item in enumerate(self.body):
            nested = isinstance(item, Function)
            if nested and (i or self.doc):
                lines.append("")
            lines += item.render(indent + 4)
            if nested and i + 1 < len(self.body) and not isinstance(self.body[i + 1], Function):
                lines.append("")
        return lines

    @property
    def notes(self) -> tuple[str, ...]:
        """What its comments say of the steps below them, each note once."""
        comments = (item for item in self.body if isinstance(item, Comment))
        return tuple(dict.fromkeys(c.text for c in comments if not c.code))

    def _header(self, edge: str) -> list[str]:
        inner = ", ".join(p.flat for p in self.parameters)
        line = f"{edge}def {self.name}({inner}) -> {self.returns}:"
        if len(line) <= WIDTH or not self.parameters:
            return [line]
        last = f"{edge}) -> {self.returns}:"
        if len(self.parameters) > 1 and len(edge) + 4 + len(inner) <= WIDTH:
            return [f"{edge}def {self.name}(", f"{edge}    {inner}", last]
        body = [line for p in self.parameters for line in p.lines(len(edge) + 4, after=",")]
        return [f"{edge}def {self.name}(", *body, last]

    def _docstring(self, edge: str) -> list[str]:
        if not self.doc:
            return []
        first, *more = map(in_docstring, self.doc)
        if not more:
            return [f'{edge}"""{first}"""']
        return [f'{edge}"""{first}', *[(edge + line).rstrip() for line in more], f'{edge}"""']
