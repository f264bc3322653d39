"""What one enqueue op puts into its queue: its tensors, and the condition around it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import tensorflow as tf

from queueio.graph.bodies import does
from queueio.graph.index import Enqueue
from queueio.graph.refusal import refuse
from queueio.graph.traversal import ancestors, awaited_by, is_pivot, root
from queueio.lift.sparse import stored


@dataclass(frozen=True, eq=False)
class Put:
    """The tensors of an enqueue as the outer graph knows them.

    Attributes:
      components: for each component its tensor, or the sparse tensor behind its handle.
      condition: the scalar that decides whether the enqueue happens, or None.
      branch: the value of `condition` for which it happens.
      rows: the vector that decides which rows are enqueued, or None.
      inside: (inputs, outputs) of ops that run under the condition, or None.
    """

    components: tuple[Any, ...]
    condition: Any = None
    branch: bool = True
    rows: Any = None
    inside: tuple[tuple[Any, ...], tuple[Any, ...]] | None = None

    @property
    def wanted(self) -> tuple[Any, ...]:
        """The components, and after them what decides whether they are kept."""
        decides = [t for t in (self.condition, self.rows) if t is not None]
        return (*self.components, *decides)


def put(enqueue: Enqueue) -> Put:
    """Reads an enqueue op, in whichever of TF1's and TF2's forms of cond it is."""
    tensors = list(enqueue.op.inputs)[1:]
    check_nothing_besides(enqueue, tensors)
    if enqueue.body is not None:
        return _in_branch_function(enqueue, tensors)
    condition, branch = _switch(enqueue)
    if condition is not None:
        return _behind_switches(enqueue, tensors, condition, branch)
    rows = _partition(tensors) if enqueue.many else None
    if rows is not None:
        tensors = [t.op.inputs[0] for t in tensors]
    return Put(tuple(stored(t) or t for t in tensors), rows=rows)


def conditions(enqueue: Enqueue) -> list[tuple[Any, bool]]:
    """The conds around an enqueue, the innermost first: their conditions, and for which value."""
    if enqueue.body is not None:
        around = [enqueue.body, *([] if enqueue.around is None else [enqueue.around])]
        return [(body.call.inputs[0], body.attribute == "then_branch") for body in around]
    found = []
    tensor = enqueue.op.inputs[0]
    while tensor.op.inputs:
        if tensor.op.type in ("Switch", "RefSwitch"):
            found.append((tensor.op.inputs[1], bool(tensor.value_index)))
        tensor = tensor.op.inputs[0]
    return found


def outside(tensor: Any, enqueue: Enqueue) -> Any:
    """The tensor of the graph that the conds pass on as `tensor`; None for one made in them."""
    if enqueue.body is None:
        depth = len(conditions(enqueue))
        while depth and tensor.op.type == "Switch":
            tensor, depth = tensor.op.inputs[0], depth - 1
        return None if depth else tensor
    for body in (enqueue.body, enqueue.around):
        if body is not None and tensor is not None:
            tensor = body.outside(tensor)
    return tensor


def check_nothing_besides(enqueue: Enqueue, tensors: Sequence[Any]) -> None:
    """Refuses what acts in the enqueue's branch besides: no tensor of the example shows it."""
    body = enqueue.body
    if body is not None:
        passed = all(body.outside(t) is not None for t in tensors)
        shown = set() if passed else set(ancestors([t.op for t in tensors]))
        besides = [op for op in body.graph.get_operations() if op not in shown]
    else:
        shown = set(ancestors([t.op for t in enqueue.op.inputs]))
        waits = [list(ancestors([op])) for op in enqueue.controls]
        besides = [op for ops in waits if any(map(is_pivot, ops)) for op in ops if op not in shown]
    for op in besides:
        it_does = does(op)
        if it_does is not None:
            raise refuse(
                enqueue.outer,
                f"its {op.type} op {op.name!r} {it_does} only where a condition holds",
                "Let the op that acts stand outside of the cond",
            )


def pivots(starts: Sequence[Any], ends: Sequence[Any]) -> list[Any]:
    """What the ops between `starts` and `ends` wait for, being in a branch: not the program's."""
    edge = {t.ref() for t in starts}
    waiting = [t.op for t in ends if t.ref() not in edge]
    found: list[Any] = []
    seen = set(waiting)
    while waiting:
        op = waiting.pop()
        found += filter(is_pivot, awaited_by(op))
        before = [t.op for t in op.inputs if t.ref() not in edge]
        before += [c for c in awaited_by(op) if not is_pivot(c)]
        waiting += [other for other in dict.fromkeys(before) if other not in seen]
        seen.update(before)
    return found


def _switch(enqueue: Enqueue) -> tuple[Any, bool]:
    """The condition that the queue's handle passes on its way to the op."""
    condition, branch = None, True
    tensor = enqueue.op.inputs[0]
    while tensor.op.inputs:
        if tensor.op.type in ("Enter", "RefEnter"):
            raise refuse(enqueue.op, "it enqueues inside a loop, a number of times that only the"
                         " run can tell", "Enqueue once for each run of the op")  # fmt: skip
        if tensor.op.type in ("Switch", "RefSwitch"):
            if condition is not None:
                raise _twice(enqueue)
            condition, branch = root(tensor.op.inputs[1]), bool(tensor.value_index)
        tensor = tensor.op.inputs[0]
    return condition, branch


def _twice(enqueue: Enqueue) -> Exception:
    return refuse(
        enqueue.op if enqueue.body is None else enqueue.outer,
        "it enqueues inside a cond inside a cond",
        "Join the two conditions with tf.logical_and",
    )


def _behind_switches(enqueue: Enqueue, tensors: list[Any], condition: Any, branch: bool) -> Put:
    cuts = _cuts(tensors, condition)
    if all(_is_cut(t, condition) for t in tensors):
        plain = [_through(t, condition) for t in tensors]
        return Put(tuple(stored(t) or t for t in plain), condition, branch)
    outer = tuple(cut.op.inputs[0] for cut in cuts)
    return Put(outer, condition, branch, inside=(tuple(cuts), tuple(tensors)))


def _cuts(tensors: Sequence[Any], condition: Any) -> list[Any]:
    """The outputs of the cond's switches that `tensors` are computed from."""
    found: dict[Any, Any] = {}
    waiting, seen = list(tensors), set()
    while waiting:
        tensor = waiting.pop()
        if _is_cut(tensor, condition):
            found.setdefault(tensor.ref(), tensor)
        elif tensor.op not in seen:
            seen.add(tensor.op)
            waiting += list(tensor.op.inputs)
    return list(found.values())


def _is_cut(tensor: Any, condition: Any) -> bool:
    return tensor.op.type == "Switch" and root(tensor.op.inputs[1]) is condition


def _through(tensor: Any, condition: Any) -> Any:
    while _is_cut(tensor, condition):
        tensor = tensor.op.inputs[0]
    return tensor


def _in_branch_function(enqueue: Enqueue, tensors: list[Any]) -> Put:
    body, call = enqueue.body, enqueue.outer
    assert body is not None
    if enqueue.around is not None:
        raise _twice(enqueue)
    if call.type not in ("If", "StatelessIf"):
        raise refuse(
            call,
            "it enqueues inside a function or loop",
            "Enqueue in the graph itself, or under a single tf.cond",
        )
    condition, branch = root(call.inputs[0]), body.attribute == "then_branch"
    outer = [body.outside(t) for t in tensors]
    if all(t is not None for t in outer):
        return Put(tuple(stored(t) or t for t in outer), condition, branch)
    pairs = [
        (inner, out)
        for inner, out in zip(body.graph.inputs, body.arguments, strict=True)
        if not str(out.dtype.name).startswith("resource")
    ]
    inner_ends = tuple(inner for inner, _ in pairs)
    return Put(
        tuple(out for _, out in pairs), condition, branch, inside=(inner_ends, tuple(tensors))
    )


def _partition(tensors: Sequence[Any]) -> Any:
    """The bool vector that splits every tensor by rows, of which the kept rows are enqueued."""
    selectors = set()
    for tensor in tensors:
        op = tensor.op
        if op.type != "DynamicPartition" or op.get_attr("num_partitions") != 2:
            return None
        selector = op.inputs[1]
        if tensor.value_index != 1 or selector.op.type != "Cast":
            return None
        selectors.add(selector.op.inputs[0].ref())
    keep = selectors.pop().deref() if len(selectors) == 1 else None
    return keep if keep is not None and keep.dtype == tf.bool and keep.shape.rank == 1 else None
