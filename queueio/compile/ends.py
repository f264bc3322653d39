"""A stream that ends because an op of the program says so.

    py_func(next(generator)) ─▶ StopIteration ─▶ OutOfRangeError ─▶ the queue is closed

To a thread of a queue runner OutOfRangeError is the end of its input, whichever op raised it. To
`Dataset.map` it is a mistake: a map shall not change how many elements there are. The op itself,
MapDataset, can be told that it may, and then takes the error for the end.

A thread that has met an end stops, the others go on, and the last one closes the queue. So with
T threads the stream ends at the T-th end, and lacks the T - 1 examples on which the ends before
it came: which thread meets which of them is a race, what is delivered is not.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import tensorflow as tf

from queueio.compile.kernels.as_written import kept, lasting, mapped, scanned
from queueio.compile.kernels.budget import at_once, calls

Run = Callable[..., tuple[tf.Tensor, ...]]


def map_until_end(
    elements: tf.data.Dataset,
    run: Run,
    threads: int = 1,
    most: int | None = 1,
) -> tf.data.Dataset:
    """Maps `run` over elements, in order, until it has raised OutOfRangeError `threads` times.

    Args:
      elements: a dataset of dense tensors, or flat tuples of them.
      run: gives a flat tuple of dense tensors for such an element, or raises.
      threads: how many threads TF1 had for this.
      most: how many calls there may be at a time; None for any number.

    Returns:
      A dataset of the tuples; what `run` ended on is left out. Once it has ended, it asks
      neither `elements` nor `run` for more.
    """
    if threads == 1:
        return once(_until_first(elements, run, most))
    tried = elements.map(lambda *element: _attempt(element, run), **at_once(most))
    counted = scanned(tried, tf.constant(0), _count)
    met = lasting(counted, lambda ended, *_: ended < threads)
    good = kept(met, lambda _, succeeded, __: succeeded)
    return once(mapped(good, lambda _, __, made: made))


def once(ending: tf.data.Dataset) -> tf.data.Dataset:
    """`ending`, which is let go at its end: some datasets would go on if they were asked again."""
    return ending.take(tf.int64.max)


def _until_first(elements: tf.data.Dataset, run: Run, most: int | None) -> tf.data.Dataset:
    taken = tf.nest.flatten(elements.element_spec)
    body = tf.function(run, taken, autograph=False).get_concrete_function()
    made = tuple(tf.TensorSpec(t.shape, t.dtype) for t in body.outputs)
    usual = {
        "input_dataset": tf.data.experimental.to_variant(elements),
        "other_arguments": body.captured_inputs,
        "f": body,
        "output_types": [spec.dtype for spec in made],
        "output_shapes": [spec.shape for spec in made],
        "preserve_cardinality": False,
    }
    if most == 1:
        made_of = tf.raw_ops.MapDataset(**usual)
    else:
        side_by_side = tf.constant(most or calls(), tf.int64)
        made_of = tf.raw_ops.ParallelMapDatasetV2(
            num_parallel_calls=side_by_side, deterministic="true", **usual
        )
    dataset = tf.data.experimental.from_variant(made_of, made)
    dataset._queueio_source = (elements, run, body)  # whose functions the variant needs
    return dataset


def _attempt(element: tuple[Any, ...], run: Run) -> Any:
    """(True, what `run` makes of the element), or (False, nothing) where it raised an end."""
    made = _until_first(tf.data.Dataset.from_tensors(element), run, 1)
    end = tf.data.Dataset.from_tensors((False, tuple(map(_nothing, made.element_spec))))
    return made.map(lambda *out: (True, out)).concatenate(end).take(1).get_single_element()


def _nothing(like: tf.TensorSpec) -> tf.Tensor:
    """What stands for a tensor that was not made: of its shape, empty where that is not known."""
    return tf.zeros([n or 0 for n in like.shape or ()], like.dtype)


def _count(ended: Any, tried: Any) -> Any:
    succeeded, made = tried
    ended += tf.cast(tf.logical_not(succeeded), tf.int32)
    return ended, (ended, succeeded, made)
