"""What stands for each tensor of a fragment: a name, an expression, a constant."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np
import tensorflow as tf

from queueio.emit.facts.names import Names, assigned, origin, own_names, snake
from queueio.emit.facts.values import Known
from queueio.emit.fragment.held import Held
from queueio.emit.fragment.state import captured
from queueio.emit.spelling import literal
from queueio.emit.spelling.code import ATOM, Code, call
from queueio.emit.spelling.function import Statement
from queueio.graph.fragment import Fragment
from queueio.graph.refusal import refuse
from queueio.graph.traversal import root

# Characters of an expression that may stand inside another; fewer where no line of the user's says
# that they belong together.
_INLINE, _FOREIGN_INLINE = 50, 40


class Scope:
    """What stands for each tensor; the statements that bind names.

    Args:
      writer: the module's writer: large constants, variables and tables are its business.
      names: the names in use.
      inputs: what stands for tensors from elsewhere, by name.
      outer: the body around, for a branch of a cond.
      fragment: the fragment that the tensors are of, if it is one.
    """

    def __init__(
        self,
        writer: Held,
        names: Names,
        inputs: dict[str, Code],
        outer: Scope | None = None,
        fragment: Fragment | None = None,
    ) -> None:
        self.writer, self.names, self.outer, self.fragment = writer, names, outer, fragment
        self.known: Known = outer.known if outer else Known()
        self.statements: list[Any] = []
        self.captured: dict[tuple[str, str], Any] = outer.captured if outer else {}
        self.calls: dict[Any, Any] = outer.calls if outer else {}
        self._natural: dict[str, Any] = outer._natural if outer else {}
        self.rows: int | None = outer.rows if outer else None
        """How many examples are in a batch, where the inputs are batches."""
        self._codes = dict(inputs)
        self._pending: dict[str, Any] = {}
        self._uses: Counter[str] = Counter()
        self._same_line: set[str] = set()

    def value(self, tensor: tf.Tensor) -> Code:
        """What stands for a tensor."""
        found = self._found(tensor)  # before its root's: an identity may be where a stream enters
        if found is not None:
            return found
        tensor = root(tensor)
        found = self._found(tensor)
        if found is not None:
            return found
        if tensor.name in self.known.values:
            return self._constant(tensor)
        if self.outer is not None:
            return self.outer.value(tensor)
        if tensor.dtype._is_ref_dtype or tensor.dtype == tf.resource:  # no public spelling
            return self.variable(tensor)
        raise refuse(
            tensor.op,
            "queueio does not know what it gives when the source is written",
            "Use plan.to_dataset(), or feed this value from the source's caller",
        )

    def operand(self, tensor: tf.Tensor) -> Code:
        """As `value`; a known number without its dtype."""
        tensor = root(tensor)
        known = self.known.values.get(tensor.name)
        if known is not None and literal.is_short(known) and self._found(tensor) is None:
            return literal.operand(known, tensor.dtype)
        return self.value(tensor)

    def tensor(self, tensor: tf.Tensor) -> Code:
        """As `value`; a known array as a tensor with a name, not as a list of Python's."""
        tensor = root(tensor)
        if self._found(tensor) is not None or tensor.name not in self.known.values:
            return self.value(tensor)
        written = self._constant(tensor)
        if not written.call:
            written = call("tf.constant", written)
        if len(written.flat) > 30:
            written = Code(self.assign(tensor.op, written))
            self._codes[tensor.name] = written
        return written

    def bound(self, tensor: tf.Tensor) -> Code:
        """As `value`, as a name that may be used again; of an array the name of a tensor."""
        known = self.known.values.get(root(tensor).name)
        found = self.value(tensor) if known is None or not known.ndim else self.tensor(tensor)
        tensor = root(tensor)
        if tensor.name in self._pending:
            self._bind(tensor)
            return self._codes[tensor.name]
        if found.level != ATOM or found.items:
            name = self.assign(tensor.op, found)
            found = self._codes[tensor.name] = Code(name)
        return found

    def assign(self, op: tf.Operation, value: Code, wanted: str = "") -> str:
        """`name = value`; returns the name."""
        mine = own_names(op)
        name = self.names.fresh(mine[0] if len(mine) == 1 else wanted or self._described(op))
        self.statements.append(Statement(f"{name} = ", value))
        return name

    def _described(self, op: tf.Operation) -> str:
        """A variable for what the user gave no name."""
        made = self.calls.get(op)
        return made.name.rpartition(".")[2] if made else snake(op.name)

    def is_used(self, tensor: tf.Tensor) -> bool:
        """Whether anything that is written asks for a tensor."""
        return bool(self._uses[tensor.name])

    def assign_all(self, wanted: Sequence[str], value: Code) -> list[str]:
        """`a, b = value`; an empty name is one that nobody needs."""
        names = [self.names.fresh(name) if name else "_" for name in wanted]
        self.statements.append(Statement(f"{', '.join(names)} = ", value))
        return names

    def unpacked(self, op: tf.Operation, value: Code, wanted: Sequence[str] = ()) -> list[Code]:
        """`a, b = value` for the outputs of `op`; those that nobody needs are called `_`."""
        given: Sequence[str] = assigned(op)
        if len(given) == 1 < len(op.outputs) and given[0] and not wanted:
            return self._elements(op, value)
        if len(given) != len(op.outputs):
            given = wanted or [f"{snake(op.name)}_{i}" for i in range(len(op.outputs))]
        names = [
            self.names.fresh(name or "part") if self._uses[t.name] else "_"
            for name, t in zip(given, op.outputs, strict=True)
        ]
        left = ", ".join(names) + ("," if len(names) == 1 else "")
        if len(left) > 50:
            return self._elements(op, value)
        self.statements.append(Statement(f"{left} = ", value))
        return [Code(name) for name in names]

    def _elements(self, op: tf.Operation, value: Code) -> list[Code]:
        """`columns = value`, and the elements of that list."""
        name, count = self.assign(op, value), len(op.outputs)
        last = count - 1 if count > 3 else count  # the last of many is [-1]
        return [
            Code(f"{name}[{-1 if i == last else i}]", part=(name, i, count)) for i in range(count)
        ]

    def sparse(self, parts: Sequence[Any]) -> Code:
        """The sparse tensor of three parts: the one that they are parts of, if there is one."""
        texts = [self.value(part).flat for part in parts]
        stems = {text.rpartition(".")[0] for text in texts}
        ends = [text.rpartition(".")[2] for text in texts]
        if len(stems) == 1 and ends == ["indices", "values", "dense_shape"]:
            return Code(stems.pop())
        return call("tf.SparseTensor", *(self.value(part) for part in parts))

    def variable(self, tensor: tf.Tensor) -> Code:
        """A variable's value, as an argument of this function."""
        return self._capture(root(tensor), "variable")

    def table(self, tensor: tf.Tensor, default: Any) -> Code:
        """A lookup table, as an argument of this function."""
        return self._capture(root(tensor), "table", default)

    def placeholder(self, op: tf.Operation) -> Code:
        """What a placeholder gives: its default if an example decides it, else an argument."""
        default = op.inputs[0]
        if root(default).name in self.known.values:
            return self._capture(op.outputs[0], "placeholder")
        return self.value(default)

    def _capture(self, tensor: tf.Tensor, kind: str, default: Any = None) -> Code:
        key = tensor.name, str(default)  # a table has a name for each default it is asked with
        if key not in self.captured:
            self.captured[key] = captured(self.writer, tensor, kind, default, self.names)
        return Code(self.captured[key])

    def _has(self, tensor: tf.Tensor) -> bool:
        here = tensor.name in self._codes or any(name == tensor.name for name, _ in self.captured)
        return here or (self.outer is not None and self.outer._has(tensor))

    def _found(self, tensor: tf.Tensor) -> Code | None:
        if tensor.name in self._codes:
            return self._codes[tensor.name]
        return None

    def _keep(self, tensor: tf.Tensor, written: Code) -> None:
        op, uses = tensor.op, self._uses[tensor.name]
        own = own_names(op)
        last = tensor.name not in self._same_line
        self._codes[tensor.name] = written
        if written.level == ATOM and not written.items and "[" not in written.flat:
            return
        self._pending[tensor.name] = tensor
        known_line = origin(op).filename is not None
        room = _INLINE if known_line else _FOREIGN_INLINE
        # A name that the user gave stays, unless the same statement of theirs goes on with it.
        if uses > 1 or len(written.flat) > room or (own and last):
            self._bind(tensor)

    def _bind(self, tensor: tf.Tensor) -> None:
        op = tensor.op
        del self._pending[tensor.name]
        own = own_names(op)
        last = tensor.name not in self._same_line
        wanted = own[0] if len(own) == 1 and last else self._described(op)
        name = self.names.fresh(wanted)
        self.statements.append(Statement(f"{name} = ", self._codes[tensor.name]))
        self._codes[tensor.name] = Code(name)

    def _constant(self, tensor: tf.Tensor) -> Code:
        value = np.asarray(self.known.values[tensor.name])
        small = literal.is_short(value) or literal.is_uniform(value)
        if small:
            return literal.typed(value, tensor.dtype)
        own = own_names(tensor.op)
        wanted = own[0] if len(own) == 1 else snake(tensor.op.name)
        return self.writer.constant(value, wanted, tensor.dtype)
