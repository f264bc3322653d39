"""From op to op: which take from queues and which fill them, and what an op needs to be run."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Container, Iterable, Iterator
from typing import Any

import tensorflow as tf

from queueio.graph.traits import row_of

_STAND_INS = {"StatefulPartitionedCall", "MutexV2"}
_STANDS_FOR = "_queueio_stands_for"


def stand_for(type_: str, op: Any) -> None:
    """Has an op that TensorFlow can run taken for one that it cannot run any more.

    Args:
      type_: the type of that one.
      op: has its inputs and outputs; a call of a function, or what is like the other's handle.
    """
    value = tf.compat.v1.AttrValue(s=type_.encode())
    op._set_attr(_STANDS_FOR, value)  # no public spelling


def type_of(op: Any) -> str:
    """An op's type, or that of the one which it stands for."""
    if op.type in _STAND_INS:
        with contextlib.suppress(ValueError):
            return str(op.get_attr(_STANDS_FOR).decode())
    return str(op.type)


def kind(op: Any) -> str:
    """An op's type without the version that only says what kind of handle it takes."""
    return type_of(op).removesuffix("V2")


def op_of(item: Any) -> Any:
    """The op of a tensor or variable; an op is its own."""
    return getattr(item, "op", item)


def is_queue(op: Any) -> bool:
    """Whether an op makes a queue."""
    return row_of(op.type).makes == "queue"


def is_enqueue(op: Any) -> bool:
    """Whether an op puts elements into a queue."""
    return str(op.type).startswith("QueueEnqueue")


def is_dequeue(op: Any) -> bool:
    """Whether an op takes elements out of a queue, and gives them."""
    return str(op.type).startswith("QueueDequeue")


def is_read(op: Any) -> bool:
    """Whether an op gives records of a reader, which takes the names of files out of a queue."""
    return type_of(op).startswith("ReaderRead")


def is_take(op: Any) -> bool:
    """Whether an op takes elements out of a queue: where a stream enters what comes after it."""
    return is_dequeue(op) or is_read(op)


def fills_of(table: Any) -> list[Any]:
    """The ops that put the content into a table, given the op that makes its handle."""
    return [user for user in table.outputs[0].consumers() if row_of(user.type).fills]


def is_barrier_take(op: Any) -> bool:
    """Whether an op takes complete elements out of a barrier."""
    return str(op.type) == "BarrierTakeMany"


def is_gradient_take(op: Any) -> bool:
    """Whether an op takes the mean of gradients out of a conditional accumulator."""
    return str(op.type).endswith("AccumulatorTakeGradient")


def is_counter(op: Any) -> bool:
    """Whether an op counts its evaluations up to a limit."""
    return str(op.type).endswith("CountUpTo")


def is_handle(tensor: Any) -> bool:
    """Whether a tensor leads to state: a resource's handle, or a reference."""
    return bool(tensor.dtype == tf.resource or tensor.dtype._is_ref_dtype)  # no public spelling


def handed_on(tensor: Any) -> Any:
    """The tensor that this one is, where its op merely hands on an input; else None."""
    op = tensor.op
    if not row_of(op.type).hands_on:
        return None
    return op.inputs[tensor.value_index if op.type == "IdentityN" else 0]


def root(tensor: Any) -> Any:
    """The tensor that this one merely hands on: the same values, the same handle.

    It lies behind identities, and behind the Switch of a cond or the Enter of a loop.
    """
    while (before := handed_on(tensor)) is not None:
        tensor = before
    return tensor


def takers(tensor: Any) -> Iterator[Any]:
    """The ops that take a tensor, behind those that merely hand it on."""
    waiting = [tensor]
    while waiting:
        taken = waiting.pop()
        for op in taken.consumers():
            same = [output for output in op.outputs if handed_on(output) is taken]
            waiting += same
            if not same:
                yield op


def through_switch(op: Any) -> bool:
    """Whether a handle that `op` takes comes through a cond or loop of control flow v1."""
    for tensor in op.inputs:
        while (before := handed_on(tensor)) is not None:
            if tensor.op.type.endswith(("Switch", "Enter")):
                return True
            tensor = before
    return False


def in_branch(op: Any) -> bool:
    """Whether only some runs reach an op: it lies in a cond or loop, or takes from one."""
    return op._get_control_flow_context() is not None or through_switch(op)


def is_pivot(op: Any) -> bool:
    """Whether an op stands for a branch of a cond of control flow v1, which its ops wait for."""
    return op.type in ("Switch", "Identity") and root(op.outputs[0]) is not op.outputs[0]


def upstream(point: Any) -> Any:
    """The op behind the handle by which a dequeue or read takes: a queue's, as far as is known."""
    return root(point.inputs[1 if is_read(point) else 0]).op


def taken_from(op: Any) -> Any:
    """The queue that an op takes from; None where it takes from none, or the run decides."""
    found = upstream(op) if is_take(op) else None
    return found if found is not None and is_queue(found) else None


def closed_queue(op: Any) -> Any:
    """The queue that an op closes; None where it closes none, or the run decides."""
    found = root(op.inputs[0]).op if kind(op) == "QueueClose" else None
    return found if found is not None and is_queue(found) else None


def put_into(op: Any) -> Any:
    """The queue that an op enqueues into; None where it does not, or the run decides."""
    found = root(op.inputs[0]).op if is_enqueue(op) else None
    return found if found is not None and is_queue(found) else None


def awaited_by(op: Any) -> list[Any]:
    """The ops of an op's control edges, as they were made.

    TensorFlow tells of many by where they lie in memory, in another order in each process.
    """
    found = op.control_inputs
    return found if len(found) < 2 else sorted(found, key=made)


def made(op: Any) -> int:
    """A number that grows with the ops of a graph, as they are made."""
    return int(op._id)  # no public spelling


def parents(op: Any) -> list[Any]:
    """The ops that an op waits for: those that make its inputs, then those of its control edges."""
    return [*(t.op for t in op.inputs), *awaited_by(op)]


def ancestors(
    starts: Iterable[Any], stop: Callable[[Any], bool] | None = None, *, control: bool = True
) -> list[Any]:
    """The ops `starts` and everything that they need, nearest first, each once.

    Args:
      starts: ops or tensors.
      stop: whether to look no further behind an op.
      control: whether to go by control edges as well.
    """
    found = list(dict.fromkeys(map(op_of, starts)))
    seen = set(found)
    for op in found:
        if stop is not None and stop(op):
            continue
        for needed in parents(op) if control else [t.op for t in op.inputs]:
            if needed not in seen:
                seen.add(needed)
                found.append(needed)
    return found


def run_by(ops: Iterable[Any], fed: Container[Any]) -> list[Any]:
    """The ops that a session call of `ops` runs where it is given the outputs of `fed`."""
    return [op for op in ancestors(ops, fed.__contains__) if op not in fed]


def replaced(fetched: Iterable[Any], given: Iterable[Any]) -> set[Any]:
    """The ops of the tensors `given` to a session call of `fetched`, but for those that it runs.

    A feed takes the place of one tensor. The op that makes it runs all the same where another of
    its outputs is needed, or the op itself is fetched or waited for.

    Args:
      fetched: what the call fetches, ops and tensors.
      given: the tensors that it is fed with.
    """
    given = set(map(_reference, given))
    if not any(op.inputs for op, _ in given):  # placeholders: nothing is to be known of them
        return {op for op, _ in given}
    needed = [item for item in fetched if _reference(item) not in given]
    run = list(dict.fromkeys(map(op_of, needed)))
    seen = set(run)
    for op in run:
        inputs = [tensor.op for tensor in op.inputs if _reference(tensor) not in given]
        for behind in (*inputs, *op.control_inputs):
            if behind not in seen:
                seen.add(behind)
                run.append(behind)
    return {op for op, _ in given} - seen


def _reference(item: Any) -> tuple[Any, int | None]:
    """A tensor as its op and which output of it, as graphs name it; an op as itself."""
    return op_of(item), getattr(item, "value_index", None)
