"""Several files read at once, of which no more waits than a chunk each.

`Dataset.interleave` with parallel calls would hold about six for every file.
"""

from __future__ import annotations

from collections.abc import Callable

import tensorflow as tf

from queueio.compile.kernels.as_written import arguments, traced


def interleaved(
    names: tf.data.Dataset, of_file: Callable[..., tf.data.Dataset], files: int
) -> tf.data.Dataset:
    """The elements of `files` datasets in turns; a next name takes the place of one that ends.

    Args:
      names: string scalars, or what else says which files are read one after another.
      of_file: makes the dataset of a name, a flat tuple of dense tensors for each element.
      files: how many are read side by side, each by a thread.
    """
    made: list[tf.data.Dataset] = []

    def variant(*name: tf.Tensor) -> tf.Tensor:
        made.append(of_file(*name))
        return tf.data.experimental.to_variant(made[-1])

    body = traced(variant, *arguments(names))
    spec = made[-1].element_spec
    read = tf.raw_ops.ParallelInterleaveDatasetV4(
        input_dataset=tf.data.experimental.to_variant(names),
        other_arguments=body.captured_inputs, f=body.function,
        cycle_length=tf.constant(files, tf.int64), block_length=tf.constant(1, tf.int64),
        buffer_output_elements=tf.constant(1, tf.int64),
        prefetch_input_elements=tf.constant(0, tf.int64),
        num_parallel_calls=tf.constant(files, tf.int64), deterministic="true",
        output_types=[s.dtype for s in spec], output_shapes=[s.shape for s in spec],
    )  # fmt: skip
    dataset = tf.data.experimental.from_variant(read, spec)
    dataset._queueio_source = (names, made, body)  # whose functions the variant needs
    return dataset
