"""`style="fast"`: shuffle and batch what the reader gives, then parse a whole batch in one call.

    Batch(Queue(Transform(stream)))  ─▶  Transform'(Batch(Queue(stream)))

Exact where every op of the fragment may take many examples at once (queueio/compile/rules/), and
where the queue treats all elements alike. The fragment for many is traced, and written down as
any other.
"""

from __future__ import annotations

import dataclasses
import weakref
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import tensorflow as tf

from queueio.compile.kernels import native
from queueio.compile.vectorise import Chunked, vectorise
from queueio.emit.facts.effects import effects
from queueio.emit.facts.names import CALLED, STANDS_FOR
from queueio.emit.facts.values import Known
from queueio.emit.fragment.branches import holds
from queueio.emit.fragment.part import name_of
from queueio.graph.fragment import Fragment
from queueio.plan.components import rows_of
from queueio.plan.node import Node, with_inputs

FOR_ONE: weakref.WeakKeyDictionary[Any, Fragment] = weakref.WeakKeyDictionary()
"""For a graph that queueio traced for many examples, the user's fragment for one."""


def could_be_fast(root: Node) -> bool:
    """Whether some stage that decodes would be written differently."""
    waiting = [root]
    while waiting:
        node = waiting.pop()
        if _chunk(node) is not None and _decodes(node.input.input.fragment):  # type: ignore[attr-defined]
            return True
        waiting += node.inputs
    return False


def _decodes(fragment: Any) -> bool:
    """Whether its ops cost enough for one call for many to pay."""
    return any(op.type.startswith(("Parse", "Decode")) for op in fragment.ops)


def fastened(node: Node) -> Node:
    """The plan under `node` with maps moved behind batches wherever that is exact."""
    chunk = _chunk(node)
    return with_inputs(node, fastened) if chunk is None else _moved(node, chunk)


def _chunk(node: Any) -> Chunked | None:
    """The fragment for many examples of the transform under a batch, if it is exact."""
    transform = _under_a_queue(node)
    if transform is None or node.rows is None or not node.input.blind:
        return None
    specs = [*node.elements, *transform.input.elements]
    if not transform.takes or not all(isinstance(spec, tf.TensorSpec) for spec in specs):
        return None
    if not any(op.inputs for op in transform.fragment.ops):
        return None
    if _acts_or_checks(transform.fragment.ops):
        return None
    pieces = vectorise(transform.fragment)
    only = pieces[0] if len(pieces) == 1 else None
    if not isinstance(only, Chunked) or transform.fragment.captures:
        return None
    return only if only.plain else None  # a module has no way back to single examples


def _under_a_queue(node: Node) -> Any:
    """The map whose elements wait in the node's input; None if there is no such."""
    below = node.only_input.only_input if node.only_input is not None else None
    return below if below is not None and below.maps else None


def _acts_or_checks(ops: Any) -> bool:
    """Whether some op is there for more than its results, which alone are traced for many.

    An assertion says what is wrong with one example, so it stays where one example is.
    """
    known = Known.of(ops)
    return any(not (op.inputs and holds(op.inputs[0], known)) for op in effects(ops))


def _moved(node: Any, chunk: Chunked) -> Node:
    queue, transform = node.input, node.input.input
    stream = fastened(transform.input)
    below = dataclasses.replace(queue, input=stream, elements=stream.elements)
    size = None if node.allow_smaller_final_batch else node.batch_size
    batch = dataclasses.replace(
        node, input=below, elements=tuple(rows_of(spec, size) for spec in stream.elements)
    )
    fragment = traced(chunk)
    FOR_ONE[fragment.graph] = transform.fragment
    moved: Node = dataclasses.replace(
        transform, input=batch, elements=node.elements, fragment=fragment
    )
    return moved


def traced(chunk: Chunked) -> Fragment:
    """The fragment for many examples, as ops of a graph of its own."""
    # In a thread of its own, so that no line of the caller's passes for the origin of these ops.
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(_trace, chunk).result()


def _trace(chunk: Chunked) -> Fragment:
    with tf.Graph().as_default() as graph:
        inputs = [
            tf.compat.v1.placeholder(
                t.dtype.base_dtype, tf.TensorShape([None]).concatenate(t.shape)
            )
            for t in chunk.fragment.inputs
        ]
        for made, t in zip(inputs, chunk.fragment.inputs, strict=True):
            CALLED[made.op] = name_of(t)  # which as the name of an op may be none: `_key`
        with native.left_out():
            outputs = chunk.call(*inputs)
        old = {op.name: op for op in chunk.fragment.ops}
        for op in graph.get_operations():
            scope = op.name.removeprefix("chunk/").rpartition("/")[0]
            if scope in old:
                STANDS_FOR[op] = old[scope]
        return Fragment.between(inputs, outputs)
