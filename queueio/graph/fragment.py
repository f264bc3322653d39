"""A fragment: the user's own ops between two points of a stream, cut out of their graph.

A fragment names what goes in (the components of one example), what comes out, and the ops
between. `call` runs it anywhere a graph is traced, in a `Dataset.map` above all, by copying the
ops that it needs and nothing else. State is the exception: variables and lookup tables are
captured by reference, because a copy would be a second, untrained, variable.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import tensorflow as tf
from tensorflow.core.framework import graph_pb2

from queueio.graph.bodies import does
from queueio.graph.copying import copy_ops, in_graph
from queueio.graph.static_shapes import folded, is_folded
from queueio.graph.traits import State, op_def_of, row_of
from queueio.graph.traversal import awaited_by
from queueio.graph.v1_control_flow import V1_CONTROL_FLOW, depths


def _acts(op: tf.Operation) -> bool:
    """Whether an op has an effect or may refuse what comes, as an assertion of it does."""
    if op.type == "Assert":
        condition = tf.get_static_value(op.inputs[0])
        return condition is None or not condition.all()
    return does(op) is not None


@dataclass(frozen=True)
class Fragment:
    """Ops of `graph` that turn `inputs` into `outputs`.

    Attributes:
      graph: the graph that holds every tensor below.
      inputs: the components of one example, where the stream enters.
      outputs: the components of one example, where it leaves; may repeat or be inputs.
      captures: tensors of `graph` taken by reference (handles of variables and tables,
        reference variables, placeholders).
      ops: every op to copy, each after the ops that it reads (loops aside).
    """

    graph: tf.Graph
    inputs: tuple[tf.Tensor, ...]
    outputs: tuple[tf.Tensor, ...]
    captures: tuple[tf.Tensor, ...] = ()
    ops: tuple[tf.Operation, ...] = field(default=(), repr=False)

    @classmethod
    def between(
        cls,
        inputs: Sequence[tf.Tensor],
        outputs: Sequence[tf.Tensor],
        captured: Iterable[tf.Tensor] = (),
        outside: Iterable[tf.Operation] = (),
    ) -> Fragment:
        """Walks back from `outputs` to `inputs`, once per op.

        `captured` adds tensors to take by reference. `outside` adds ops whose control edges end
        here, besides the ops that produce `inputs` and captures.
        """
        tensors = (*outputs, *inputs)
        if not tensors:
            raise ValueError("a fragment without inputs and outputs has no graph: give it either")
        walk = _Walk(inputs, captured, outside)
        walk.visit([t.op for t in outputs if not walk.stops_at(t)])
        return cls(
            graph=tensors[0].graph,
            inputs=tuple(inputs),
            outputs=tuple(outputs),
            captures=tuple(walk.captures.values()),
            ops=tuple(walk.order),
        )

    @property
    def only_selects(self) -> bool:
        """Whether every output is an input, and no op acts."""
        return all(any(t is i for i in self.inputs) for t in self.outputs) and not self.acts

    @property
    def acts(self) -> bool:
        """Whether some op is there for more than its outputs."""
        return any(map(_acts, self.ops))

    @tf.autograph.experimental.do_not_convert  # ours is graph code: rewriting it costs seconds
    def call(
        self, *values: Any, captures: Mapping[str, tf.Tensor] | None = None
    ) -> tuple[tf.Tensor, ...]:
        """Runs the fragment on one example in the graph being traced.

        `values` stand for `inputs`. `captures` maps names of captured tensors (`table:0`) to
        what stands for them; without it they are captured from the graph around, which must
        then be the fragment's own.
        """
        if len(values) != len(self.inputs):
            raise ValueError(
                f"fragment takes {len(self.inputs)} inputs "
                f"({[t.name for t in self.inputs]}), got {len(values)}"
            )
        if any(op.type in V1_CONTROL_FLOW for op in self.ops) and in_graph() is not self.graph:
            return self._call_alone(values, captures or {})
        return self._call_here(values, captures or {})

    def _call_here(
        self, values: Sequence[Any], captures: Mapping[str, tf.Tensor]
    ) -> tuple[tf.Tensor, ...]:
        known = {t.name: v for t, v in zip(self.inputs, values, strict=True)}
        for tensor in self.captures:
            known[tensor.name] = captures.get(tensor.name, tensor)
        copied = self.copied(known)
        return tuple(shaped(new, old) for new, old in zip(copied, self.outputs, strict=True))

    def copied(self, known: dict[str, Any]) -> list[tf.Tensor]:
        """Copies of the outputs in the graph being traced; `known` maps names to values."""
        here = {t.name for op in self.ops for t in op.outputs} | known.keys()
        # Of what another part of a pipeline makes, the shape alone may be needed here.
        cut = [op for op in self.ops if is_folded(op) and not {t.name for t in op.inputs} <= here]
        told = {name: value for op in cut for name, value in folded(op).items()}
        ops = [op for op in self.ops if op not in cut]
        return self.copy_after_awaited(ops, known | told)

    def copy_after_awaited(
        self,
        ops: Sequence[tf.Operation],
        known: Mapping[str, Any],
        rewrite: Callable[[graph_pb2.GraphDef], None] = lambda graph_def: None,
    ) -> list[tf.Tensor]:
        """Copies of the outputs that come after what the user had others wait for.

        What waits may stand in a later part of the pipeline, as the identity under
        `with tf.control_dependencies([tf.Assert(...)])` does, while the assertion is here. A traced
        function runs each op with an effect by itself, but one in a cond of TF1 only if asked for.

        Args:
          ops: what is copied.
          known: what stands for tensors from elsewhere, by their names.
          rewrite: what changes the copies.
        """
        awaited = [op.name for op in _awaited(ops, self.outputs)]
        names = [t.name for t in self.outputs]
        copies = copy_ops(self.graph, ops, known, [*names, *awaited], rewrite)
        outputs, waits = copies[: len(names)], copies[len(names) :]
        if not waits:
            return outputs
        with tf.control_dependencies(waits):
            return [tf.identity(t) for t in outputs]

    def _call_alone(
        self, values: Sequence[Any], captures: Mapping[str, tf.Tensor]
    ) -> tuple[tf.Tensor, ...]:
        # A traced function strings its stateful ops together with control edges. An edge from
        # a branch of a v1 cond that is not taken would kill what follows, so code with such
        # control flow gets a function of its own, traced without those edges.
        pairs = zip(values, self.inputs, strict=True)
        tensors = [tf.convert_to_tensor(v, t.dtype) for v, t in pairs]
        signature = [tf.TensorSpec(t.shape, t.dtype) for t in tensors]
        body = tf.compat.v1.wrap_function(
            lambda *args: self._call_here(args, captures), signature=signature
        )
        return tuple(body(*tensors))

    def narrowed(self) -> Fragment:
        """The same with only those ops and inputs that `outputs` are made from.

        One input stays where none is used: it tells how many examples there are.
        """
        entered = {t.ref() for t in self.inputs}
        needed = {t.op for t in self.outputs if t.ref() not in entered}
        ops = []
        for op in reversed(self.ops):
            if op in needed:
                ops.append(op)
                needed.update(t.op for t in op.inputs if t.ref() not in entered)
        used = {t.ref() for t in (*self.outputs, *(t for op in ops for t in op.inputs))}
        inputs = tuple(t for t in self.inputs if t.ref() in used) or self.inputs[:1]
        return replace(self, inputs=inputs, ops=tuple(reversed(ops)))

    def depending(self) -> frozenset[tf.Operation]:
        """The ops whose results may differ from one example to the next by their inputs."""
        moved = {t.ref() for t in self.inputs}
        ops: set[tf.Operation] = set()
        for op in self.ops:
            if any(t.ref() in moved for t in op.inputs) or any(c in ops for c in op.control_inputs):
                ops.add(op)
                moved.update(t.ref() for t in op.outputs)
        return frozenset(ops)


def shaped(new: tf.Tensor, old: tf.Tensor) -> tf.Tensor:
    """Checks at run time what the user promised with set_shape, as the queue did."""
    if old.shape.rank is None or new.shape == old.shape:
        return new
    return tf.ensure_shape(new, old.shape)


def _awaited(ops: Sequence[tf.Operation], outputs: Sequence[tf.Tensor]) -> list[tf.Operation]:
    """The ops with an effect, and conds and loops of TF1, that no output is made from.

    Of a cond its end alone can be waited for: what stands in a branch may never run.
    """
    needed = {t.op for t in outputs}
    for op in reversed(ops):
        if op in needed:
            needed.update((*(t.op for t in op.inputs), *op.control_inputs))
    if needed.issuperset(ops):
        return []
    depth = depths(ops)
    free = (op for op in ops if op not in needed and depth[op] == 0)
    return [op for op in free if op.type in V1_CONTROL_FLOW or op_def_of(op).is_stateful]


class _Walk:
    """Backward walk with an explicit stack: graphs are deeper than Python's own."""

    def __init__(
        self,
        inputs: Sequence[tf.Tensor],
        captured: Iterable[tf.Tensor],
        outside: Iterable[tf.Operation],
    ) -> None:
        self.stream = {t.ref() for t in inputs}
        self.captures = {t.ref(): t for t in captured}
        self.edge_ops = {t.op for t in inputs} | {t.op for t in captured} | set(outside)
        self.order: list[tf.Operation] = []
        self._seen: set[tf.Operation] = set()

    def stops_at(self, tensor: tf.Tensor) -> bool:
        ref = tensor.ref()
        if ref in self.stream or ref in self.captures:
            return True
        if _is_reference(tensor):
            self.captures[ref] = tensor
            return True
        return False

    def visit(self, roots: list[tf.Operation]) -> None:
        stack = [(op, False) for op in reversed(roots)]
        while stack:
            op, done = stack.pop()
            if done:
                self.order.append(op)
            elif op not in self._seen:
                self._seen.add(op)
                stack.append((op, True))
                stack.extend((p, False) for p in self._parents(op) if p not in self._seen)

    def _parents(self, op: tf.Operation) -> list[tf.Operation]:
        data = [t.op for t in op.inputs if not self.stops_at(t)]
        control = [c for c in awaited_by(op) if c not in self.edge_ops]
        return [*reversed(control), *reversed(data)]


def _is_reference(tensor: tf.Tensor) -> bool:
    """True for a handle of what a session keeps, a v1 variable, and what a session would feed."""
    op = tensor.op
    if op.type in ("Placeholder", "PlaceholderV2"):
        return True
    if tensor.dtype._is_ref_dtype:  # no public spelling
        return op.type not in V1_CONTROL_FLOW
    # A dense table takes its empty key as an input; a copy of it would be another table.
    made = not op.inputs or row_of(op.type).state is State.MAKES
    return tensor.dtype == tf.resource and made
