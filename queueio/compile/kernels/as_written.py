"""Transformations of datasets whose functions run as they are written.

`Dataset.map` and its like have TensorFlow rewrite each function anew whenever an iterator begins,
ten milliseconds for one of fifty ops: four fifths of the time that a pass takes to begin. What
moves chunks has nothing that a rewrite would improve. TensorFlow leaves functions alone that are
for one device, as those that take integers on it are. (Such a one must not be marked as tf.data's
besides, which would keep a session from rewriting it: tf.data's tuner takes its integers for
datasets.)

What the user's own ops compute with floats runs by `Dataset.map` (compile/in_session.py).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import tensorflow as tf

from queueio.compile.kernels.empty_rows import may_be_empty
from queueio.compile.kernels.rows import variants
from queueio.compile.kernels.tracing import Traced, chosen, traced

ops, to_variant = tf.raw_ops, tf.data.experimental.to_variant
Function = Callable[..., Any]


def mapped(dataset: tf.data.Dataset, function: Function, calls: int = 0) -> tf.data.Dataset:
    """`Dataset.map`, in order; `calls` of them side by side, or one after the other."""
    made = traced(function, *arguments(dataset))
    if not calls:
        return _dataset(dataset, ops.MapDataset, made, preserve_cardinality=True)
    return _dataset(
        dataset, ops.ParallelMapDatasetV2, made, num_parallel_calls=tf.constant(calls, tf.int64),
        deterministic="true", preserve_cardinality=True,
    )  # fmt: skip


def flat_mapped(dataset: tf.data.Dataset, function: Function) -> tf.data.Dataset:
    """`Dataset.flat_map`."""
    inner: list[tf.data.Dataset] = []

    def variant(*element: Any) -> tf.Tensor:
        inner.append(function(*element))
        return to_variant(inner[-1])

    made = traced(variant, *arguments(dataset))
    return _dataset(dataset, ops.FlatMapDataset, made, spec=inner[-1].element_spec, keeps=inner)


def interleaved(datasets: Sequence[tf.data.Dataset], block: int) -> tf.data.Dataset:
    """`Dataset.interleave` of what is known beforehand: `block` elements of each in turn."""
    spec = datasets[0].element_spec
    for other in datasets[1:]:
        spec = tf.nest.map_structure(_common, spec, other.element_spec)
    count = tf.constant(len(datasets), tf.int64)
    made = traced(
        lambda place: tf.stack([to_variant(dataset) for dataset in datasets])[place],
        tf.TensorSpec([], tf.int64),
    )
    return _dataset(
        tf.data.Dataset.range(len(datasets)), ops.InterleaveDataset, made, spec=spec,
        keeps=datasets, cycle_length=count, block_length=tf.constant(block, tf.int64),
    )  # fmt: skip


def either(
    wanted: tf.Tensor,
    one: Callable[[], tf.data.Dataset],
    other: Callable[[], tf.data.Dataset],
    spec: Any = None,
) -> tf.data.Dataset:
    """`one` if it is wanted, else `other`; the functions of the one left out cost nothing.

    `spec` is that of their elements, where it says more than what both have in common.
    """
    made: list[tf.data.Dataset] = []

    def variant(of: Callable[[], tf.data.Dataset]) -> tf.Tensor:
        made.append(of())
        return to_variant(made[-1])

    taken = chosen(wanted, lambda: variant(one), lambda: variant(other))
    if spec is None:
        spec = tf.nest.map_structure(_common, *(dataset.element_spec for dataset in made))
    return tf.data.experimental.from_variant(taken, spec)


def _common(one: Any, other: Any) -> Any:
    return one.most_specific_common_supertype([other])


def enumerated(dataset: tf.data.Dataset) -> tf.data.Dataset:
    """`Dataset.enumerate`, which would have its numbers rewritten for tf.data's service, each time
    that it is made: a millisecond for each file, where one of a file is."""
    return tf.data.Dataset.zip((tf.data.Dataset.range(tf.int64.max), dataset))


def kept(dataset: tf.data.Dataset, predicate: Function) -> tf.data.Dataset:
    """`Dataset.filter`."""
    made = traced(predicate, *arguments(dataset))
    return _dataset(dataset, ops.FilterDataset, made, "predicate", spec=dataset.element_spec)


def scanned(
    dataset: tf.data.Dataset,
    start: Any,
    step: Callable[[Any, Any], tuple[Any, Any]],
) -> tf.data.Dataset:
    """`Dataset.scan`, for a state of any number of rows, though it may begin with none."""
    start = tf.nest.map_structure(tf.convert_to_tensor, start)
    if any(map(_are_variants, tf.nest.flatten(start))):
        start, step = _of_a_row_more(start, step)
    held = tf.nest.map_structure(_of_any_length, start)
    made = traced(step, held, dataset.element_spec)
    _, spec = made.structured_outputs
    return _dataset(
        dataset, ops.ScanDataset, made, spec=_spec(spec), initial_state=tf.nest.flatten(start),
        preserve_cardinality=True,
    )  # fmt: skip


def _of_a_row_more(start: Any, step: Function) -> tuple[Any, Function]:
    """The same, where tensors of variants are held with a row in front, so that one is there."""

    def more(part: tf.Tensor) -> tf.Tensor:
        if not _are_variants(part):
            return part
        behind = tf.range(1, tf.size(part) + 1)
        return ops.DynamicStitch(indices=[[0], behind], data=[variants(1), part])

    def less(part: tf.Tensor) -> tf.Tensor:
        return part[1:] if _are_variants(part) else part

    def longer(held: Any, new: Any) -> tuple[Any, Any]:
        state, out = step(tf.nest.map_structure(less, held), new)
        return tf.nest.map_structure(more, state), out

    return tf.nest.map_structure(more, start), longer


def _are_variants(part: tf.Tensor) -> bool:
    return bool(part.dtype == tf.variant and part.shape.rank)


def lasting(dataset: tf.data.Dataset, predicate: Function) -> tf.data.Dataset:
    """`Dataset.take_while`."""
    made = traced(predicate, *arguments(dataset))
    return _dataset(dataset, ops.TakeWhileDataset, made, "predicate", spec=dataset.element_spec)


def rebatched(dataset: tf.data.Dataset, rows: int, drop_remainder: bool = False) -> tf.data.Dataset:
    """`Dataset.rebatch`, of dense chunks, which need no map that makes them dense."""
    specs = dataset.element_spec
    if not _is_dense(specs):
        return dataset.rebatch(rows, drop_remainder=drop_remainder)
    whole = drop_remainder or all(s.shape[0] and s.shape[0] % rows == 0 for s in specs)
    size = rows if whole else None
    return _by_op(
        dataset, ops.RebatchDatasetV2, tuple(_first(s, [size]) for s in specs),
        batch_sizes=tf.constant(rows, tf.int64), drop_remainder=drop_remainder,
    )  # fmt: skip


def unbatched(dataset: tf.data.Dataset) -> tf.data.Dataset:
    """`Dataset.unbatch`, likewise; of rows that may be empty, too."""
    specs = dataset.element_spec
    if not _is_dense(specs):
        return dataset.unbatch()
    rows = tuple(_first(s, []) for s in specs)
    if may_be_empty(rows):
        return flat_mapped(dataset, lambda *parts: tf.data.Dataset.from_tensor_slices(parts))
    return _by_op(dataset, ops.UnbatchDataset, rows)


def _is_dense(specs: Any) -> bool:
    """Whether elements are tuples of tensors that have rows."""
    return isinstance(specs, tuple) and all(
        isinstance(s, tf.TensorSpec) and s.shape.rank for s in specs
    )


def _first(spec: tf.TensorSpec, size: list[int | None]) -> tf.TensorSpec:
    return tf.TensorSpec([*size, *spec.shape[1:]], spec.dtype)


def _by_op(
    dataset: tf.data.Dataset,
    kind: Callable[..., tf.Tensor],
    spec: Any,
    keeps: Any = None,
    **options: Any,
) -> tf.data.Dataset:
    """The dataset of an op over another one."""
    flat = tf.nest.flatten(spec)
    variant = kind(
        input_dataset=to_variant(dataset), output_types=[s.dtype for s in flat],
        output_shapes=[s.shape for s in flat], **options,
    )  # fmt: skip
    made = tf.data.experimental.from_variant(variant, spec)
    made._queueio_source = (dataset, keeps)  # whose functions the variant needs
    return made


def arguments(dataset: tf.data.Dataset) -> tuple[Any, ...]:
    """What a function of its elements takes."""
    spec = dataset.element_spec
    return spec if isinstance(spec, tuple) else (spec,)


def _dataset(
    dataset: tf.data.Dataset,
    kind: Callable[..., tf.Tensor],
    function: Traced,
    names_it: str = "f",
    *,
    spec: Any = None,
    keeps: Any = None,
    **options: Any,
) -> tf.data.Dataset:
    """The dataset of an op that takes a function under the name `names_it`."""
    spec = _spec(function.structured_outputs) if spec is None else spec
    return _by_op(
        dataset, kind, spec, (function, keeps), other_arguments=function.captured_inputs,
        **{names_it: function.function}, **options,
    )  # fmt: skip


def _spec(structure: Any) -> Any:
    return tf.nest.map_structure(lambda t: tf.TensorSpec(t.shape, t.dtype), structure)


def _of_any_length(state: tf.Tensor) -> tf.TensorSpec:
    return tf.TensorSpec([None, *state.shape[1:]] if state.shape.rank else [], state.dtype)
