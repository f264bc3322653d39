"""The tf.data form of each stage: the lines that it adds to the module that `to_source` writes."""

from __future__ import annotations

import re
import textwrap
from typing import Any

from queueio.emit.spelling import literal
from queueio.emit.spelling.function import Blank, Comment
from queueio.emit.spelling.variables import renamed, uses
from queueio.emit.writer import Writer
from queueio.errors import Refusal
from queueio.plan.node import Node
from queueio.plan.tree import PlanTree

_QUEUE = "nothing: what a queue decouples, one prefetch at the end does"
_NOTHING = "nothing of its own"
_UNWRITTEN = "not as Python source; plan.to_dataset() runs it. "
_ROOM = 100
_INLINE = 24


class _Overheard(Writer):
    """A writer that notes which stage adds which statement."""

    def __init__(self, plan: PlanTree) -> None:
        super().__init__(plan)
        self.said: dict[Node, list[Any]] = {}
        self.unwritten: dict[Node, str] = {}
        self._speaking: list[Node] = []
        self._heard = 0

    def upstream(self, node: Node, wanted: Any) -> str:
        self._note()
        self.said[node] = []
        self._speaking.append(node)
        try:
            stream = super().upstream(node, wanted)
        except Refusal as why:
            # The stages after it are told all the same, with its dataset in the usual variable.
            self.unwritten[node] = str(why)
            for source in node.inputs:
                if source not in self.said:
                    self.upstream(source, tuple(range(len(source.elements))))
            stream = "dataset"
        self._note()
        self._speaking.pop()
        return stream

    def _note(self) -> None:
        if self._speaking:
            self.said[self._speaking[-1]] += self.body[self._heard :]
        self._heard = len(self.body)


def forms(plan: PlanTree) -> dict[Node, str]:
    """The statements that stand for each stage, or why it has no Python source."""
    writer = _Overheard(plan)
    writer.upstream(plan.root, plan.structure)
    return {
        node: f"{_UNWRITTEN}{writer.unwritten[node]}"
        if node in writer.unwritten
        else _text(said, writer) or (_QUEUE if node.room is not None else _NOTHING)
        for node, said in writer.said.items()
    }


def _text(said: list[Any], writer: Writer) -> str:
    lines = [
        " ".join(line.strip() for line in statement.render(0))
        for statement in said
        if not isinstance(statement, (Blank, Comment))
    ]
    return "\n".join(_with_constants(_with_defaults(lines, writer), writer))


def _with_defaults(lines: list[str], writer: Writer) -> list[str]:
    """The arguments of the emitted function as values: in their places, or above when long."""
    above = []
    for name, argument in writer.arguments.items():
        if argument.default is None or not any(uses(line, name) for line in lines):
            continue
        value = argument.default.flat
        if len(value) > _INLINE:
            above.append(textwrap.shorten(f"{name} = {value}", _ROOM, placeholder=f" …{value[-1]}"))
        else:
            lines = [renamed(line, name, value) for line in lines]
    return above + [_tidy(line) for line in lines]


def _with_constants(lines: list[str], writer: Writer) -> list[str]:
    """What the module reads from the file beside it, by its name; above, its first value."""
    above = []
    for key, array in writer.constants.items():
        quoted = re.escape(literal.quoted(key))
        read = re.compile(rf"byte_strings\({quoted}\)|CONSTANTS\[{quoted}\]")
        if any(map(read.search, lines)):
            first = textwrap.shorten(literal.plain(array.ravel()[0]).flat, _ROOM, placeholder=" …")
            above.append(f"{key}: {first}, … ({array.size:,} in all)")
            lines = [read.sub(key, line) for line in lines]
    return above + lines


def _tidy(code: str) -> str:
    """A statement that was broken over lines, on one."""
    return re.sub(r"(?<=[(\[{]) | (?=[)\]}])", "", code.replace(", )", ")"))
