"""The lines of a module in the making: one step of a stream after another."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import tensorflow as tf

from queueio.compile.kernels.empty_rows import may_be_empty
from queueio.emit.fragment.held import Held
from queueio.emit.spelling import literal
from queueio.emit.spelling.code import Code, call, code, function, sequence
from queueio.emit.spelling.function import Blank, Comment, Statement
from queueio.emit.spelling.literal import structured
from queueio.emit.spelling.variables import uses
from queueio.errors import NotLifted
from queueio.plan.node import Node

_WHY_NOT_UNBATCH = "Not unbatch: TensorFlow 2.21 dies of it where a row of numbers is empty."


@dataclass
class Lines(Held):
    """What the module holds, and the body of its `input_fn` as far as it is written."""

    body: list[Any] = field(default_factory=list)
    hint: str = ""
    purpose: str = "rows"
    """What the next source's rows are: "files" where a reader takes them."""
    padded_to: set[int] = field(default_factory=set)
    """Sizes in the shapes that a step further down pads to."""
    threads: dict[Node, int] = field(default_factory=dict)
    """How many threads of TF1's ran each stage; see steps/pace.py."""
    _notes: list[str] = field(default_factory=list)
    _last: str = ""

    def start(
        self, node: Node, value: Code, name: str = "dataset", notes: Sequence[str] = ()
    ) -> str:
        """`name = value`, with a comment on what it stands for."""
        variable = name if name == "dataset" and not self._streams() else self.names.fresh(name)
        self._comment(node, notes)
        self.body.append(Statement(f"{variable} = ", value))
        return variable

    def step(
        self,
        node: Node,
        stream: str,
        method: str,
        *args: Any,
        notes: Sequence[str] = (),
        **kwargs: Any,
    ) -> str:
        """`stream = stream.method(args)`, with a comment on what it stands for."""
        self._comment(node, notes)
        self.body.append(Statement(f"{stream} = ", call(f"{stream}.{method}", *args, **kwargs)))
        return stream

    def again(self, stream: str, method: str, *args: Any, **kwargs: Any) -> str:
        """One more step of the same stage."""
        self.body.append(Statement(f"{stream} = ", call(f"{stream}.{method}", *args, **kwargs)))
        return stream

    def unbatched(self, node: Node, stream: str, wanted: Any) -> str:
        """A step that makes an element of each row; not `unbatch` where rows may be empty.

        Args:
          node: the stage whose elements the rows are.
          stream: whose elements have the structure that is wanted.
          wanted: that structure.
        """
        if not may_be_empty(node.elements[i] for i in set(tf.nest.flatten(wanted))):
            return self.step(node, stream, "unbatch")
        slices = code("tf.data.Dataset.from_tensor_slices")
        apart = function(["*rows"], call(slices, "rows")) if isinstance(wanted, tuple) else slices
        return self.step(node, stream, "flat_map", apart, notes=[_WHY_NOT_UNBATCH])

    def arranged(self, stream: str, names: Sequence[str], wanted: Any, leaf: Any = None) -> str:
        """A map that puts the parts of an element into the structure that is wanted.

        Args:
          stream: whose elements are tuples.
          names: names for the parts of an element.
          wanted: the structure.
          leaf: the expression for a position; by default the name at it.
        """
        result = structured(wanted, leaf or names.__getitem__)
        if result.flat == f"({', '.join(names)})":
            return stream
        parameters = [n if uses(result.flat, n) else "_" * (i + 1)
                      for i, n in enumerate(names)]  # fmt: skip
        return self.again(stream, "map", function(parameters, result))

    def joined(
        self, node: Node, streams: Sequence[str], how: str, *args: Any, tuples: bool = False,
        notes: Sequence[str] = (), **kwargs: Any,
    ) -> str:  # fmt: skip
        """`stream = how([stream, other], …)`."""
        self._comment(node, notes)
        many = sequence(streams, "()" if tuples else "[]")
        self.body.append(Statement(f"{streams[0]} = ", call(how, many, *args, **kwargs)))
        return streams[0]

    def pads(self, elements: Sequence[Any]) -> None:
        """Notes, before what is upstream, that a step further down will say their `shapes`."""
        dense = [spec.shape for spec in elements if isinstance(spec, tf.TensorSpec)]
        known = (shape.as_list() for shape in dense if shape.rank)
        self.padded_to.update(size for shape in known for size in shape if size)

    def shapes(self, elements: Sequence[Any], wanted: Any) -> Code:
        """The shapes of components, in the structure that is wanted."""
        for spec in elements:
            if type(spec).__name__ == "SparseTensorSpec":
                raise NotLifted(
                    "sparse tensors in a padding queue have no form in plain tf.data",
                    "Use plan.to_dataset(), or make them dense before the batch",
                )
        return structured(wanted, lambda i: literal.shape(elements[i].shape))

    def note(self, text: str) -> None:
        """A comment for the next step."""
        self._notes.append(text)

    def _streams(self) -> bool:
        return any(isinstance(s, Statement) and s.before == "dataset = " for s in self.body)

    def _comment(self, node: Node, notes: Sequence[str]) -> None:
        where = str(node.origin) if node.origin.filename else f"{node.name} of the old graph"
        notes, self._notes = [*self._notes, *notes], []
        if where == self._last and not notes:
            return
        if self.body:
            self.body.append(Blank())
        if where != self._last:
            self.body.append(Comment(where, code=True))
        self._last = where
        self.body += [Comment(note) for note in notes]
