"""A fragment, op by op, as the body of a function."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import tensorflow as tf

from queueio.emit.calls import Call
from queueio.emit.calls.finder import calls
from queueio.emit.facts.names import origin, statement_at
from queueio.emit.facts.units import Unit, Units
from queueio.emit.facts.values import natural_shapes, says
from queueio.emit.fragment.scope import Scope
from queueio.emit.ops import TABLE, SourceSite
from queueio.emit.ops.raw import expression as raw
from queueio.emit.spelling import literal
from queueio.emit.spelling.code import WIDTH, Code, call, code
from queueio.emit.spelling.function import Statement
from queueio.graph.refusal import refuse
from queueio.graph.traits import row_of
from queueio.graph.traversal import root

_ROUNDS = 8
"""Inputs of an expression that get lines of their own; if it is too long even then, so be it."""


class FunctionBody(Scope):
    """Writes units one by one; see `Scope` for its arguments."""

    def write(
        self, outputs: Sequence[Any], effects: Sequence[Any] = (), within: Any = None
    ) -> list[Code]:
        """Writes what `outputs` need; what stands for each of them then."""
        if self.outer is None:
            self._recognise(outputs, effects)
        checked = [check for call in self.calls.values() for check in call.checks]
        effects = [op for op in effects if op not in checked]
        self._effects = frozenset(effects)
        units = Units(outputs, self._has, effects, within, self.calls).order
        self._count(units, outputs)
        for unit in units:
            self._unit(unit)
        return [self.value(tensor) for tensor in outputs]

    def _recognise(self, outputs: Sequence[Any], effects: Sequence[tf.Operation]) -> None:
        self.calls = calls(outputs, effects, self._has, self.writer.plan.graph)
        if self.fragment is not None and self.calls:
            images = [tensor for found in self.calls.values() for tensor in found.tensors]
            self._natural = natural_shapes(self.fragment, images, self.calls)

    def _count(self, units: Sequence[Unit], outputs: Sequence[Any]) -> None:
        # Branches ask for what is outside of them once more, so it is never used only once.
        for unit in units:
            more = 2 if unit.merges else 1
            if row_of(unit.op.type).hands_on and not unit.merges:
                continue
            for tensor in unit.needs:
                for name in {root(tensor).name, tensor.name}:
                    self._uses[name] += more
                if not row_of(unit.op.type).hands_on and _line(unit.op) == _line(root(tensor).op):
                    self._same_line.add(root(tensor).name)
        for tensor in outputs:
            for name in {root(tensor).name, tensor.name}:
                self._uses[name] += 1

    def _unit(self, unit: Unit) -> None:
        from queueio.emit.fragment import branches  # which are bodies, and import this

        op = unit.op
        if unit.call is not None:
            self._op(unit)
        elif unit.merges:
            branches.cond(self, unit)
        elif op.type in branches.CALLS:
            branches.CALLS[op.type](self, op)
        elif op.type in branches.CHECKS:
            branches.CHECKS[op.type](self, op)
        elif op in self._effects and not any(map(self.is_used, op.outputs)):
            self.statements.append(Statement("", self._written(op)))
        elif op.type == "PlaceholderWithDefault":
            self.give(op, [self.placeholder(op)])
        elif row_of(op.type).hands_on or self.known.note(op):
            return
        elif op.outputs and not all(self._has(t) for t in op.outputs):
            self._op(unit)

    def _op(self, unit: Unit) -> None:
        op = unit.op
        kinds = [t.dtype for t in op.outputs]
        if op.type.startswith("Var") or (kinds == [tf.resource] and not op.inputs):
            return  # asked for where it is used
        for _ in range(_ROUNDS):
            written = self._called(unit.call) if unit.call else self._written(op)
            if isinstance(written, list):
                self.give(op, written)
                return
            if self._fits(op, written):
                break
            if not self._unfold(unit.needs):
                break
        if len(op.outputs) == 1 or unit.call:
            self._keep(op.outputs[0], written)
        else:
            self.give(op, self.unpacked(op, written))

    def give(self, op: tf.Operation, codes: Sequence[Code]) -> None:
        """Says what stands for the outputs of `op`."""
        for tensor, value in zip(op.outputs, codes, strict=True):
            self._codes[tensor.name] = value

    def _called(self, found: Call) -> Code:
        """`tf.image.random_contrast(image, lower=0.2, upper=1.8)`."""
        kwargs = {name: self._argument(value) for name, value in found.kwargs.items()}
        return call(found.name, *map(self._argument, found.args), **kwargs)

    def _argument(self, value: Any) -> Code:
        if isinstance(value, tf.DType):
            return literal.dtype(value)
        if not tf.is_tensor(value):
            return Code(literal.quoted(value)) if isinstance(value, str) else code(value)
        found, natural = self.tensor(value), self._natural.get(value.name)
        if natural is None or says(natural, value.shape):
            return found
        return call("tf.ensure_shape", found, literal.shape(value.shape))

    def _written(self, op: tf.Operation) -> Any:
        site = SourceSite(op, self)
        written = TABLE[op.type](site) if op.type in TABLE else None
        written = raw(site) if written is None else written
        if written is None:
            raise refuse(
                op,
                "it has no Python form outside of its graph"
                + (": the function lives in your program" if "PyFunc" in op.type else ""),
                "Call your function in a map of your own, before or after the written source"
                if "PyFunc" in op.type
                else "Use plan.to_dataset() for this pipeline",
            )
        return written

    def _fits(self, op: tf.Operation, written: Code) -> bool:
        # Before it stand an indent and a name; before one of its parts, on a line, an indent.
        if written.items:
            return all(len(item.flat) < WIDTH - 12 or item.items for item in written.items)
        return len(written.flat) < WIDTH - 28

    def _unfold(self, needs: Sequence[Any]) -> bool:
        """Binds one of the inputs that stand in the expression as a whole."""
        waiting = [root(t) for t in needs if root(t).name in self._pending]
        if not waiting:
            return False
        self._bind(max(waiting, key=lambda t: len(self._codes[t.name].flat)))
        return True


def _line(op: tf.Operation) -> Any:
    """The statement of the user's that made an op."""
    where = origin(op)
    return statement_at(where) if where.filename else op
