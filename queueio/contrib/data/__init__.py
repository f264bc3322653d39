"""`tf.contrib.data`: what became `tf.data` and `tf.data.experimental`, under its old names."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import tensorflow as tf

from queueio.contrib import names_of

v1 = tf.compat.v1
Transformation = Callable[[Any], Any]


def batch_and_drop_remainder(batch_size: Any) -> Transformation:
    """`batch`, without the last batch where it is smaller.

    Args:
      batch_size: int64 scalar.

    Returns:
      A function of a dataset, for `Dataset.apply`.
    """
    return lambda dataset: dataset.batch(batch_size, drop_remainder=True)


def padded_batch_and_drop_remainder(
    batch_size: Any, padded_shapes: Any, padding_values: Any = None
) -> Transformation:
    """`padded_batch`, without the last batch where it is smaller.

    Args:
      batch_size: int64 scalar.
      padded_shapes: of each component, None where it is the longest of the batch.
      padding_values: of each component's dtype; zeros and "" by default.

    Returns:
      A function of a dataset, for `Dataset.apply`.
    """
    return lambda dataset: dataset.padded_batch(
        batch_size, padded_shapes, padding_values, drop_remainder=True
    )


def sliding_window_batch(
    window_size: Any, stride: Any = None, window_shift: Any = None, window_stride: Any = 1
) -> Transformation:
    """Batches of consecutive elements, each batch begun `window_shift` after the one before.

    Args:
      window_size: how many elements a batch has (int64 scalar); what does not fill one is left out.
      stride: an older name of `window_shift`.
      window_shift: see above; 1 by default.
      window_stride: the distance of the elements of one batch.

    Returns:
      A function of a dataset, for `Dataset.apply`.

    Raises:
      ValueError: both `stride` and `window_shift` are given.
    """
    if stride is not None and window_shift is not None:
        raise ValueError(
            "Cannot specify both `stride` and `window_shift`: stride is an older name of it."
        )
    given = [shift for shift in (window_shift, stride) if shift is not None]
    shift = given[0] if given else 1

    def apply(dataset: Any) -> Any:
        windows = dataset.window(window_size, shift, window_stride, drop_remainder=True)
        return windows.flat_map(_batched)

    def _batched(*parts: Any) -> Any:
        window = parts[0] if len(parts) == 1 else parts
        return v1.data.Dataset.zip(tf.nest.map_structure(lambda d: d.batch(window_size), window))

    return apply


def sloppy_interleave(
    map_func: Callable[..., Any], cycle_length: int, block_length: int = 1
) -> Transformation:
    """`parallel_interleave` that takes what is ready, in no certain order.

    Args:
      map_func: a dataset from each element.
      cycle_length: how many of them are read at a time.
      block_length: how many elements are taken of one in turn.

    Returns:
      A function of a dataset, for `Dataset.apply`.
    """
    made: Transformation = v1.data.experimental.parallel_interleave(
        map_func, cycle_length, block_length, sloppy=True
    )
    return made


def read_batch_features(
    file_pattern: Any,
    batch_size: Any,
    features: dict[str, Any],
    reader: Any = v1.data.TFRecordDataset,
    reader_args: Any = None,
    randomize_input: bool = True,
    num_epochs: int | None = None,
    capacity: int = 10000,
) -> dict[str, Any]:
    """Batches of Examples, parsed: what `make_batched_features_dataset` gives, by an iterator.

    Args:
      file_pattern: a file, a pattern, or a list of them.
      batch_size: how many Examples make a batch.
      features: `FixedLenFeature`, `VarLenFeature` … by name, as `tf.parse_example` takes them.
      reader: what makes a dataset of serialised Examples of a file's name.
      reader_args: further arguments of it.
      randomize_input: whether files and Examples are shuffled.
      num_epochs: how often the files are read; None for ever.
      capacity: out of how many Examples the next one is drawn.

    Returns:
      The features of the next batch by name.
    """
    dataset = v1.data.experimental.make_batched_features_dataset(
        file_pattern, batch_size, features, reader=reader, reader_args=reader_args,
        shuffle=randomize_input, num_epochs=num_epochs, shuffle_buffer_size=capacity,
    )  # fmt: skip
    batch: dict[str, Any] = v1.data.make_one_shot_iterator(dataset).get_next()
    return batch


def reduce_dataset(dataset: Any, reducer: Any) -> Any:
    """One value of all elements of a dataset, as a `tf.data.experimental.Reducer` makes it."""
    state = dataset.reduce(reducer.init_func(tf.constant(0, tf.int64)), reducer.reduce_func)
    return reducer.finalize_func(state)


__getattr__ = names_of(__name__)
