"""Plan to dataset: one fold over the nodes, and the fetches' structure at the end."""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Iterator
from typing import Any

import tensorflow as tf
from tensorflow.python.data.ops import debug_mode  # no public spelling

from queueio.compile import definition
from queueio.compile.definition import Definition
from queueio.compile.iterated import PlanDataset
from queueio.compile.kernels.budget import known_bytes, untuned
from queueio.compile.kernels.empty_rows import may_be_empty
from queueio.compile.kernels.op_building import PlainGraph, building
from queueio.compile.marks import marked, measured
from queueio.compile.resources import captures_for
from queueio.compile.stream import CHUNK_ROWS, Captures, Stream, is_dense
from queueio.plan.components import gathered, spread
from queueio.plan.fingerprint import fingerprint
from queueio.plan.node import Node, fold
from queueio.plan.tree import PlanTree

_STACK_BYTES = 1 << 17
"""Of a stack of batches: each of them is copied once more."""
_STACK, _TINY = 8, 4
_LIGHT_BYTES = 2 << 20
"""Of an element, a batch as a rule, of which two can wait wherever one can."""


@tf.autograph.experimental.do_not_convert  # called in a tf.function: ours is graph code
def to_dataset(plan: PlanTree, *, vectorise: bool = True) -> tf.data.Dataset:
    """The `tf.data.Dataset` of a plan; see `Plan.to_dataset`."""
    with _debug_mode_off():
        dataset = _in_chunks_or_kept(plan) if vectorise else _plain(plan)
    options = tf.data.Options()
    # Of several workers each takes every n-th batch. Left to choose, tf.data would part the chunks
    # of file names among them, and there may be but one.
    options.experimental_distribute.auto_shard_policy = tf.data.experimental.AutoShardPolicy.DATA
    if plan.resumes:  # what is random in it may as well be another draw
        options.experimental_external_state_policy = tf.data.experimental.ExternalStatePolicy.IGNORE
    dataset = dataset.with_options(options)
    return PlanDataset(dataset, needs=plan.graph)  # TensorFlow drops its Python functions with it


@contextlib.contextmanager
def _debug_mode_off() -> Iterator[None]:
    """tf.data's debug mode has functions run in Python: those of a plan are ops of a graph."""
    before, debug_mode.DEBUG_MODE = debug_mode.DEBUG_MODE, False
    try:
        yield
    finally:
        debug_mode.DEBUG_MODE = before


def _in_chunks_or_kept(plan: PlanTree) -> tf.data.Dataset:
    name = fingerprint(functools.partial(in_chunks, plan))
    if not tf.executing_eagerly() or plan.state or name is None:
        return in_chunks(plan)
    made = definition.kept(name, lambda: _written(plan))
    return untuned(made.dataset(_without_lists(plan.element_spec)))


def _written(plan: PlanTree) -> Definition:
    graph = PlainGraph()
    with building(graph):
        return Definition.of(in_chunks(plan, captures={}), graph, {})


@tf.autograph.experimental.do_not_convert  # nor what is called here: it took most of the time
def _plain(plan: PlanTree) -> tf.data.Dataset:
    captures = captures_for(plan)

    def plain(node: Node, *inputs: Any) -> Any:
        return node.to_dataset(*inputs, captures=captures)

    return untuned(structured(fold(plan.root, plain), plan))


@tf.autograph.experimental.do_not_convert
def in_chunks(
    plan: PlanTree, *, waits_elsewhere: bool = False, captures: Captures = None
) -> tf.data.Dataset:
    """The dataset on chunks of examples, made in the default graph, or eagerly.

    With `waits_elsewhere` another queue holds what is ready: nothing heavy waits here as well.
    What `captures` stand for is looked up where none are given.
    """
    stream = to_stream(plan, captures)
    dataset = stream.elements()
    if not stream.buffered and (ahead := _ahead(plan, waits_elsewhere)):
        dataset = dataset.prefetch(ahead)
    if not waits_elsewhere and all(isinstance(s, tf.TensorSpec) for s in dataset.element_spec):
        # A distribution strategy looks for the size of batches behind `rebatch`, not behind a map.
        dataset = dataset.map(_same)
    return untuned(structured(dataset, plan), measured=measured())


def stack_size(plan: PlanTree) -> int:
    """How many batches are worth handing out at once, where a step costs more than they do.

    One where they are heavy or of unknown size; or where a chunk may hold few of them, and a stack
    so few that it saves nothing: any but tiny ones that no pool has put together. That tells
    `in_stacks` how many, not that they come so: a stage may give its elements one by one after all.
    """
    rows, above = plan.root.rows, plan.root.only_input
    if rows is None or above is None or not above.in_large_chunks:
        return 1
    if not is_dense(above.elements) or not (above.kept_back or rows <= _TINY):
        return 1
    size = known_bytes(above.elements)
    if size is None or any(map(_stays_whole, above.elements)):
        return 1
    return max(1, min(_STACK, _STACK_BYTES // max(size * rows, 1), CHUNK_ROWS // rows))


def _stays_whole(spec: tf.TensorSpec) -> bool:
    """Whether no op takes a stack of such tensors apart."""
    return bool(spec.dtype.is_quantized) or may_be_empty([spec])


@tf.autograph.experimental.do_not_convert
def in_stacks(plan: PlanTree, most: int, *, captures: Captures = None) -> tf.data.Dataset:
    """The batches of `in_chunks` in stacks of up to `most`: flat tuples, [k, ...] each."""
    stream = to_stream(plan, captures)
    stacks = stream.elements().batch(1) if stream.stacks is None else stream.stacks(most)
    return untuned(stacks if stream.buffered else stacks.prefetch(1), measured=measured())


@tf.autograph.experimental.do_not_convert
def to_stream(plan: PlanTree, captures: Captures = None) -> Stream:
    """The elements of a plan, flat, in chunks where they come so."""
    captures = captures_for(plan) if captures is None else captures

    def chunked(node: Node, *inputs: Stream) -> Stream:
        made = node.to_stream(*inputs, captures=captures)
        return marked(node, made) if measured() else made

    stream: Stream = fold(plan.root, chunked)
    return stream.settled()


def _same(*components: Any) -> Any:
    """What tf.data sees through: such a map costs nothing."""
    return components


def _ahead(plan: PlanTree, waits_elsewhere: bool) -> int:
    """How many elements are made before they are asked for."""
    size = known_bytes(plan.root.elements)
    if size is not None and size <= _LIGHT_BYTES:
        return 2
    return 0 if waits_elsewhere else 1


def structured(dataset: tf.data.Dataset, plan: PlanTree) -> tf.data.Dataset:
    """Flat tuples in the structure of the fetches, with the static shapes of TF1's tensors."""

    if _only_names_differ(dataset.element_spec, plan):
        return _named(dataset, plan.element_spec)

    def arrange(*components: Any) -> Any:
        declared = list(map(_as_declared, components, plan.root.elements))
        return tf.nest.map_structure(lambda i: declared[i], plan.structure)

    return dataset.map(arrange)


def _only_names_differ(specs: Any, plan: PlanTree) -> bool:
    """Whether the fetches' structure holds the components in order, and promises no more."""
    dense = all(isinstance(s, tf.TensorSpec) for s in (*specs, *plan.root.elements))
    return (
        dense
        and tf.nest.flatten(plan.structure) == list(range(len(specs)))
        and all(
            _as_precise(spec.shape, wanted.shape)
            for spec, wanted in zip(specs, plan.root.elements, strict=True)
        )
    )


def _named(dataset: tf.data.Dataset, structure: Any) -> tf.data.Dataset:
    """The same elements under another structure: a map would cost a call for every batch."""
    variant = tf.data.experimental.to_variant(dataset)
    named = tf.data.experimental.from_variant(variant, _without_lists(structure))
    named._queueio_source = dataset  # whose functions the variant needs
    return named


def _without_lists(structure: Any) -> Any:
    """tf.data takes a list for a tensor."""
    if isinstance(structure, dict):
        return type(structure)((k, _without_lists(v)) for k, v in structure.items())
    if isinstance(structure, list) or type(structure) is tuple:
        return tuple(map(_without_lists, structure))
    return structure


def _as_declared(component: Any, spec: Any) -> Any:
    if isinstance(component, tf.SparseTensor):
        return gathered(spread([component]), [spec])[0]
    if component.shape.rank is not None and not _as_precise(spec.shape, component.shape):
        # TF1 knew less: code that asks for the static shape shall get the same answer.
        return tf.compat.v1.placeholder_with_default(component, spec.shape)
    return tf.ensure_shape(component, spec.shape)


def _as_precise(shape: Any, known: Any) -> bool:
    """Whether `shape` says all that `known` says."""
    if known.rank is None or shape.rank is None:
        return known.rank is None
    return all(size is not None or other is None for size, other in zip(shape, known, strict=True))
