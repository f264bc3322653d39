"""Reads records of files into batches, with their keys.

Legacy:
    lines = tf.contrib.learn.read_batch_examples(
        "*.txt", batch_size=2, reader=tf.TextLineReader, randomize_input=False, num_epochs=1)

Modern:
    names = tf.data.Dataset.list_files("*.txt", shuffle=False)
    dataset = names.flat_map(tf.data.TextLineDataset).batch(2)

Emits:
    string, shape [batch_size]; [None] with num_epochs. With keys a pair of them. What a parse_fn
    made of a record, with a dimension for the batch in front.

Differs:
    With num_epochs there is a smaller last batch and without it none, as it never ends. Records
    are shuffled by default, and then capacity - 3 batch_size of them stay in the queue (at least
    batch_size; 0.4 of the capacity for a batch_size that is a tensor). Patterns are matched while
    the graph is built, and unshuffled names are sorted. With the shared queue, names come from
    `seek_next`, whose position is in global variables and so in checkpoints.

Raises:
    ValueError: no file matches; batch_size is not below queue_capacity; a count that is not
    positive.
    OutOfRangeError: after the last batch of the last epoch.

The queue of names is `<name>/file_name_queue`, the one of examples `<name>/fifo_queue` or
`<name>/random_shuffle_queue`; readers are in `<name>/read`, one for each thread. With
read_batch_size over 1 a reader takes so many records at once.

Source:
    tf.contrib.learn.read_batch_examples, read_keyed_batch_examples and
    read_keyed_batch_examples_shared_queue of TensorFlow 1.15
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import tensorflow as tf

from queueio.contrib.input_pipeline.input_pipeline_ops import seek_next
from queueio.runtime.threads.queue_runner import QueueRunner
from queueio.runtime.threads.start import add_queue_runner
from queueio.stages.batching.batch import batch_join
from queueio.stages.batching.shuffle_batch import shuffle_batch_join
from queueio.stages.filenames.string import string_input_producer
from queueio.stages.queues.fifo import FIFOQueue

v1 = tf.compat.v1

KEY = "__key__"


def read_batch_examples(
    file_pattern: Any,
    batch_size: Any,
    reader: Callable[[], Any],
    randomize_input: bool = True,
    num_epochs: int | None = None,
    queue_capacity: int = 10000,
    num_threads: int = 1,
    read_batch_size: int = 1,
    parse_fn: Callable[[Any], Any] | None = None,
    name: str | None = None,
    seed: int | None = None,
) -> Any:
    """Reads records of files into batches.

    Args:
      file_pattern: a file, a pattern, or a list of them.
      batch_size: how many examples make a batch; an integer or an int32 scalar.
      reader: what gives a reader when called: a class such as `tf.TFRecordReader`.
      randomize_input: whether names and examples are shuffled.
      num_epochs: how often the files are read; None for ever.
      queue_capacity: how many examples the queue holds; more than `batch_size`.
      num_threads: how many readers there are. With more than one the order is not defined.
      read_batch_size: how many records a reader takes at once.
      parse_fn: what makes an example of a record (of a vector of them, where `read_batch_size` is
        over 1): a tensor or a dict of tensors.
      name: name of the scope and of the dequeue op (default "read_batch_examples").
      seed: seed of both shuffles.

    Returns:
      A batch of records: a string vector, or what `parse_fn` makes of it.

    Raises:
      ValueError: no file matches, or a number is out of its range.
    """
    sizes = Sizes(batch_size, queue_capacity, read_batch_size, num_threads, num_epochs)
    return read_checked(file_pattern, sizes, reader, randomize_input, parse_fn, name, seed)[1]


def read_keyed_batch_examples(
    file_pattern: Any,
    batch_size: Any,
    reader: Callable[[], Any],
    randomize_input: bool = True,
    num_epochs: int | None = None,
    queue_capacity: int = 10000,
    num_threads: int = 1,
    read_batch_size: int = 1,
    parse_fn: Callable[[Any], Any] | None = None,
    name: str | None = None,
    seed: int | None = None,
) -> Any:
    """Reads records of files into batches, with their keys.

    Args: those of `read_batch_examples`.

    Returns:
      A pair: the keys, a string vector, and the batch of `read_batch_examples`.

    Raises:
      ValueError: as `read_batch_examples`.
    """
    sizes = Sizes(batch_size, queue_capacity, read_batch_size, num_threads, num_epochs)
    return read_checked(file_pattern, sizes, reader, randomize_input, parse_fn, name, seed)


def read_keyed_batch_examples_shared_queue(
    file_pattern: Any,
    batch_size: Any,
    reader: Callable[[], Any],
    randomize_input: bool = True,
    num_epochs: int | None = None,
    queue_capacity: int = 10000,
    num_threads: int = 1,
    read_batch_size: int = 1,
    parse_fn: Callable[[Any], Any] | None = None,
    name: str | None = None,
    seed: int | None = None,
) -> Any:
    """Reads records of files into batches; which file is next is kept in global variables.

    The workers of a cluster so share the list of names: each name goes to one of them.

    Args: those of `read_batch_examples`.

    Returns:
      A pair: the keys, a string vector, and the batch of `read_batch_examples`.

    Raises:
      ValueError: as `read_batch_examples`, or the variables exist already.
    """
    sizes = Sizes(batch_size, queue_capacity, read_batch_size, num_threads, num_epochs)
    return read_checked(
        file_pattern, sizes, reader, randomize_input, parse_fn, name, seed, shared=True
    )


class Sizes(NamedTuple):
    """The numbers that all the functions take."""

    batch: Any
    capacity: Any
    read: Any
    threads: Any
    epochs: Any

    def check(self) -> None:
        """Raises ValueError for a number out of its range."""
        if not self.capacity or self.capacity <= 0:
            raise ValueError(f"Invalid queue_capacity {self.capacity}: it must be over 0.")
        if self.batch is None or (
            not tf.is_tensor(self.batch) and not 0 < self.batch < self.capacity
        ):
            raise ValueError(
                f"Invalid batch_size {self.batch}, with queue_capacity {self.capacity}: it must be"
                " over 0 and below the capacity."
            )
        if tf.is_tensor(self.read):
            raise TypeError("read_batch_size must be an integer, not a tensor.")
        if self.read is None or self.read <= 0:
            raise ValueError(f"Invalid read_batch_size {self.read}: it must be over 0.")
        if not self.threads or self.threads <= 0:
            raise ValueError(f"Invalid num_threads {self.threads}: it must be over 0.")
        if self.epochs is not None and self.epochs <= 0:
            raise ValueError(f"Invalid num_epochs {self.epochs}: use None to go on for ever.")

    @property
    def min_after_dequeue(self) -> int:
        """How many examples stay in the queue for a good shuffle."""
        if tf.is_tensor(self.batch):
            return int(self.capacity * 0.4)
        return int(max(self.capacity - 3 * self.batch, self.batch))


def read_checked(
    file_pattern: Any,
    sizes: Sizes,
    reader: Callable[[], Any],
    shuffled: bool,
    parse_fn: Any = None,
    name: str | None = None,
    seed: int | None = None,
    shared: bool = False,
    filter_fn: Any = None,
) -> Any:
    """The keys and the batch; what all the functions do.

    Args: those of `read_batch_examples`, and
      shared: whether the names come from `seek_next`.
      filter_fn: what says of (keys, records), vectors, which of them to keep; None for all.

    Raises:
      ValueError: as `read_batch_examples`.
    """
    files = matching(file_pattern, shuffled)
    sizes.check()
    with v1.name_scope(name, "read_batch_examples", [file_pattern]) as scope:
        with v1.name_scope("file_name_queue") as names_scope:
            make = _shared_names if shared else _names
            names = make(files, shuffled, sizes.epochs, seed, names_scope)
        examples = _examples(names, reader, sizes, filter_fn, parse_fn)
        batch = _batch(examples, sizes, shuffled, scope, seed)
    if parse_fn and isinstance(batch, dict):
        return batch.pop(KEY), batch
    return batch


def matching(file_pattern: Any, shuffled: bool) -> list[str]:
    """The files that a pattern, or any of a list of them, matches; sorted, if not shuffled.

    Raises:
      ValueError: none does.
    """
    if isinstance(file_pattern, list) and not file_pattern:
        raise ValueError("No files given to dequeue_examples: file_pattern is an empty list.")
    patterns = file_pattern if isinstance(file_pattern, list) else [file_pattern]
    files = [file for pattern in patterns for file in v1.gfile.Glob(pattern)]
    if not files:
        raise ValueError(f"No files match {file_pattern}.")
    return files if shuffled else sorted(files)


def _names(files: Any, shuffled: bool, epochs: Any, seed: Any, scope: str) -> Any:
    files = tf.constant(files, name="input")
    return string_input_producer(files, shuffle=shuffled, num_epochs=epochs, name=scope, seed=seed)


def _shared_names(files: Any, shuffled: bool, epochs: Any, seed: Any, scope: str) -> Any:
    queue = FIFOQueue(capacity=1, dtypes=[tf.string], shapes=[[]])
    enqueue = queue.enqueue(seek_next(files, shuffle=shuffled, num_epochs=epochs, seed=seed))
    add_queue_runner(QueueRunner(queue, [enqueue]))
    return queue


def _examples(
    names: Any, reader: Callable[[], Any], sizes: Sizes, filter_fn: Any, parse_fn: Any
) -> list[Any]:
    """For each thread what its reader gives: (key, example), or a dict with the key in it."""
    with v1.name_scope("read"):
        return [
            _example(_records(names, reader(), sizes.read), filter_fn, parse_fn)
            for _ in range(sizes.threads)
        ]


def _records(names: Any, reader: Any, count: int) -> Any:
    return reader.read_up_to(names, count) if count > 1 else reader.read(names)


def _example(read: Any, filter_fn: Any, parse_fn: Any) -> Any:
    key, record = read
    if filter_fn:
        keep = filter_fn(key, record)
        key, record = tf.boolean_mask(key, keep), tf.boolean_mask(record, keep)
    example = parse_fn(record) if parse_fn else record
    if isinstance(example, dict) and parse_fn:
        example[KEY] = key
        return example
    return key, example


def _batch(examples: list[Any], sizes: Sizes, shuffled: bool, scope: str, seed: Any) -> Any:
    options = {
        "capacity": sizes.capacity,
        "enqueue_many": sizes.read > 1,
        "name": scope,
        "allow_smaller_final_batch": sizes.epochs is not None,
    }
    if not shuffled:
        return batch_join(examples, sizes.batch, **options)
    least = sizes.min_after_dequeue
    return shuffle_batch_join(examples, sizes.batch, min_after_dequeue=least, seed=seed, **options)
