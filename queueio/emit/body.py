"""A fragment, op by op, as the body of a function."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import tensorflow as tf

from queueio.emit.code import WIDTH, Code
from queueio.emit.names import origin
from queueio.emit.ops import TABLE, Site
from queueio.emit.ops.raw import expression as raw
from queueio.emit.refusal import refuse
from queueio.emit.scope import Scope
from queueio.emit.units import NOISE, Unit, Units, quiet


class Body(Scope):
    """Writes units one by one; see `Scope` for its arguments."""

    def write(
        self, outputs: Sequence[Any], effects: Sequence[Any] = (), within: Any = None
    ) -> list[Code]:
        """Writes what `outputs` need; what stands for each of them then."""
        units = Units(outputs, self._has, effects, within).order
        self._count(units, outputs)
        for unit in units:
            self._unit(unit)
        return [self.value(tensor) for tensor in outputs]

    def _count(self, units: Sequence[Unit], outputs: Sequence[Any]) -> None:
        # Branches ask for what is outside of them once more, so it is never used only once.
        for unit in units:
            more = 2 if unit.merges else 1
            if unit.op.type in NOISE and not unit.merges:
                continue
            for tensor in unit.needs:
                for name in {quiet(tensor).name, tensor.name}:
                    self._uses[name] += more
                if unit.op.type not in NOISE and _line(unit.op) == _line(quiet(tensor).op):
                    self._same_line.add(quiet(tensor).name)
        for tensor in outputs:
            for name in {quiet(tensor).name, tensor.name}:
                self._uses[name] += 1

    def _unit(self, unit: Unit) -> None:
        from queueio.emit import branches

        op = unit.op
        if unit.merges:
            branches.cond(self, unit)
        elif op.type in branches.CALLS:
            branches.CALLS[op.type](self, op)
        elif op.type in branches.EFFECTS:
            branches.EFFECTS[op.type](self, op)
        elif op.type in NOISE or self.known.note(op):
            return
        elif op.outputs and not all(self._has(t) for t in op.outputs):
            self._op(op)

    def _op(self, op: Any) -> None:
        kinds = [t.dtype for t in op.outputs]
        if op.type.startswith("Var") or (kinds == [tf.resource] and not op.inputs):
            return  # asked for where it is used
        for _ in range(8):
            written = self._written(op)
            if isinstance(written, list):
                self.give(op, written)
                return
            if self._fits(op, written):
                break
            if not self._unfold(op):
                break
        if len(op.outputs) == 1:
            self._keep(op.outputs[0], written)
        else:
            self.give(op, self.unpacked(op, written))

    def give(self, op: Any, codes: Sequence[Code]) -> None:
        """Says what stands for the outputs of `op`."""
        for tensor, value in zip(op.outputs, codes, strict=True):
            self._codes[tensor.name] = value

    def _written(self, op: Any) -> Any:
        site = Site(op, self)
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

    def _fits(self, op: Any, written: Code) -> bool:
        if written.items:
            return all(len(item.flat) < WIDTH - 12 or item.items for item in written.items)
        return len(written.flat) < WIDTH - 28

    def _unfold(self, op: Any) -> bool:
        """Binds one of the inputs that stand in the expression as a whole."""
        waiting = [quiet(t) for t in op.inputs if quiet(t).name in self._pending]
        if not waiting:
            return False
        self._bind(max(waiting, key=lambda t: len(self._codes[t.name].flat)))
        return True


def _line(op: Any) -> Any:
    where = origin(op)
    return (where.filename, where.lineno) if where.filename else op
