"""The op table: one op type of TensorFlow, one public expression.

    elementwise.py  arithmetic, comparison, functions of one tensor
    layout.py       shapes, joins
    slices.py       slices
    sparse.py       sparse tensors, whose three parts are tensors of the graph
    text.py         strings and numbers
    decode.py       records, images, bytes
    parse.py        Example protos
    sequence.py     SequenceExample protos
    random.py       random numbers with their seeds
    lookup.py       tables and variables
    checks.py       assertions and prints
    raw.py          tf.raw_ops, for what has no public name

An op whose meaning the public name does not cover in full (an attribute it has no argument for)
falls through to `tf.raw_ops`, which covers everything.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from queueio.emit.spelling import literal
from queueio.emit.spelling.code import Code
from queueio.graph.traits import op_def_of
from queueio.graph.traversal import root

if TYPE_CHECKING:
    from queueio.emit.fragment.body import FunctionBody

Expression = Callable[["SourceSite"], Any]
TABLE: dict[str, Expression] = {}


@dataclass(frozen=True)
class SourceSite:
    """An op, where it is to be written."""

    op: Any
    body: FunctionBody

    def arg(self, index: int) -> Code:
        """An input as an argument of a function, which makes a tensor of it."""
        return self.body.value(self.op.inputs[index])

    def operand(self, index: int) -> Code:
        """An input beside an operator, where a bare number takes the other side's dtype."""
        return self.body.operand(self.op.inputs[index])

    @property
    def args(self) -> list[Code]:
        """All inputs."""
        return [self.arg(i) for i in range(len(self.op.inputs))]

    def static(self, index: int) -> np.ndarray | None:
        """The value of an input, if it is known."""
        return self.body.known.values.get(self.op.inputs[index].name)

    def behind(self, index: int) -> np.ndarray | None:
        """The value of an input that is known, also where an op hands it on, as `operand` does."""
        known = self.static(index)
        return known if known is not None else (
            self.body.known.values.get(root(self.op.inputs[index]).name)
        )  # fmt: skip

    def attr(self, name: str) -> Any:
        """An attribute; bytes as text where they are UTF-8."""
        value = self.op.get_attr(name)
        return value.decode() if isinstance(value, bytes) and literal.is_text(value) else value

    def text(self, name: str) -> Code:
        """The literal of an attribute that is a string of any bytes."""
        return Code(literal.text(self.op.get_attr(name)))

    def usual(self, **attrs: Any) -> bool:
        """Whether the attributes have these values (an old graph may lack one: then yes)."""
        has = self.op.node_def.attr
        return all(name not in has or self.attr(name) == value for name, value in attrs.items())

    def bare(self) -> bool:
        """Whether its inputs say all: no attribute but a dtype is other than by default."""
        has, known = self.op.node_def.attr, op_def_of(self.op).attr
        own = (a for a in known if a.HasField("default_value") and "type" not in a.type)
        return all(a.name not in has or has[a.name] == a.default_value for a in own)


def expresses(*types: str) -> Callable[[Expression], Expression]:
    """Registers a function for op types; it returns a Code, a list of them, or None (unsure)."""

    def register(function: Expression) -> Expression:
        for name in types:
            assert name not in TABLE, f"two expressions for {name}"
            TABLE[name] = function
        return function

    return register


_FILES = (
    "elementwise",
    "layout",
    "slices",
    "sparse",
    "text",
    "decode",
    "parse",
    "sequence",
    "random",
    "lookup",
    "checks",
)
for _name in _FILES:
    importlib.import_module(f"queueio.emit.ops.{_name}")
