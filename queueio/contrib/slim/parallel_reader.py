"""Reads several files at once into one queue, shuffled or not.

Legacy:
    key, value = tf.contrib.slim.parallel_reader.parallel_read(
        "*.txt", tf.TextLineReader, num_epochs=1, num_readers=2, capacity=8, min_after_dequeue=2)

Modern:
    names = tf.data.Dataset.from_tensor_slices(["a.txt", "b.txt"])
    lines = names.shuffle(2).interleave(tf.data.TextLineDataset, cycle_length=2, block_length=1)
    dataset = lines.shuffle(8)

Emits:
    key: string; value: string; of unknown shape (they are scalars), as the queue knows none

Differs:
    Which reader's record comes next is a race here and a rule there: they take turns. A record has
    its key here, which datasets do not give. A pattern is matched once, while the graph is built.
    One seed shuffles both the names and the records. `single_pass_read` has one reader, one epoch
    and no shuffling, so its order is defined.

Raises:
    ValueError: no file matches. TypeError: the common queue is not for a pair of strings.
    OutOfRangeError: at the read after the last record of the last epoch.

Each reader has an enqueue op of its own on the queue `common_queue`; all take names from the one
queue `filenames`. As keys and values have no static shape, give a batch of them `shapes=[(), ()]`,
or `set_shape([])` before.

Source:
    tf.contrib.slim.parallel_reader of TensorFlow 1.15
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import tensorflow as tf

from queueio.graph.summaries import fraction_full, per_place
from queueio.runtime.threads.queue_runner import QueueRunner
from queueio.runtime.threads.start import add_queue_runner
from queueio.stages.filenames.string import string_input_producer
from queueio.stages.queues.fifo import FIFOQueue
from queueio.stages.queues.random_shuffle import RandomShuffleQueue
from queueio.stages.readers.reader import ReaderBase

v1 = tf.compat.v1


class ParallelReader(ReaderBase):
    """Several readers of one kind that fill one queue.

    Args:
      reader_class: the kind of reader, such as `tf.TFRecordReader`.
      common_queue: a queue of pairs of strings, (key, value).
      num_readers: how many readers there are.
      reader_kwargs: arguments of the readers.

    Raises:
      TypeError: `common_queue` is not for a pair of strings.
    """

    def __init__(
        self,
        reader_class: Callable[..., Any],
        common_queue: Any,
        num_readers: int = 4,
        reader_kwargs: dict[str, Any] | None = None,
    ) -> None:
        # Not ReaderBase's own: there is no one op that all this reads with.
        dtypes = list(common_queue.dtypes)
        if len(dtypes) != 2 or not all(d.is_compatible_with(tf.string) for d in dtypes):
            told = ", ".join(dtype.name for dtype in dtypes)
            raise TypeError(
                "common_queue.dtypes must be [tf.string, tf.string], for a key and a value,"
                f" not [{told}]"
            )
        self._readers = [reader_class(**reader_kwargs or {}) for _ in range(num_readers)]
        self._common_queue = common_queue

    @property
    def num_readers(self) -> int:
        """How many readers there are."""
        return len(self._readers)

    @property
    def common_queue(self) -> Any:
        """The queue that the readers fill."""
        return self._common_queue

    def read(self, queue: Any, name: str | None = None) -> Any:
        """The next record of any of the readers, out of the common queue.

        Args:
          queue: the queue of file names that the readers share.
          name: name of the dequeue op.

        Returns:
          A list [key, value] of strings. The queue's runner is in QUEUE_RUNNERS.
        """
        self._fill_from(queue)
        return self._common_queue.dequeue(name=name)

    def read_up_to(self, queue: Any, num_records: Any, name: str | None = None) -> Any:
        """The next records, of whichever readers they come.

        Args:
          queue: the queue of file names that the readers share.
          num_records: how many at most; fewer only at the end of all files.
          name: name of the dequeue op.

        Returns:
          A list [keys, values] of string vectors. The queue's runner is in QUEUE_RUNNERS.

        Raises:
          InvalidArgumentError: at run time, where the common queue was made without shapes.
        """
        self._fill_from(queue)
        return self._common_queue.dequeue_up_to(num_records, name)

    def _fill_from(self, queue: Any) -> None:
        enqueues = [self._common_queue.enqueue(reader.read(queue)) for reader in self._readers]
        add_queue_runner(QueueRunner(self._common_queue, enqueues))

    def num_records_produced(self, name: str | None = None) -> Any:
        """How many records the readers gave so far, all together (int64 scalar)."""
        return tf.add_n([reader.num_records_produced() for reader in self._readers], name=name)

    def num_work_units_completed(self, name: str | None = None) -> Any:
        """How many files the readers finished so far, all together (int64 scalar)."""
        return tf.add_n([reader.num_work_units_completed() for reader in self._readers], name=name)


def parallel_read(
    data_sources: Any,
    reader_class: Callable[..., Any],
    num_epochs: int | None = None,
    num_readers: int = 4,
    reader_kwargs: dict[str, Any] | None = None,
    shuffle: bool = True,
    dtypes: Sequence[Any] | None = None,
    capacity: int = 256,
    min_after_dequeue: int = 128,
    seed: int | None = None,
    scope: str | None = None,
) -> Any:
    """Reads records of several files at once.

    Args:
      data_sources: a file, a pattern, or a list of either.
      reader_class: the kind of reader, such as `tf.TFRecordReader`.
      num_epochs: how often each file is read; None for ever. The counter is a local variable.
      num_readers: how many readers there are.
      reader_kwargs: arguments of the readers.
      shuffle: whether to shuffle the names of each epoch, and the records in the common queue.
      dtypes: the dtypes of key and value; strings, if not given.
      capacity: how many records the common queue holds.
      min_after_dequeue: how many records stay in it, for a good shuffle.
      seed: seed of both shuffles.
      scope: name of the scope (default "parallel_read").

    Returns:
      A list [key, value] of strings.

    Raises:
      ValueError: no file matches.
      TypeError: `dtypes` are not two strings.
    """
    files = get_data_files(data_sources)
    with v1.name_scope(scope, "parallel_read"):
        names = string_input_producer(
            files, num_epochs=num_epochs, shuffle=shuffle, seed=seed, name="filenames"
        )
        dtypes = dtypes or [tf.string, tf.string]
        common: Any
        if shuffle:
            common = RandomShuffleQueue(
                capacity, min_after_dequeue, dtypes, seed=seed, name="common_queue"
            )
        else:
            common = FIFOQueue(capacity, dtypes, name="common_queue")
        fraction = tf.cast(common.size(), tf.float32) * per_place(capacity)
        v1.summary.scalar(fraction_full(capacity), fraction)
        return ParallelReader(reader_class, common, num_readers, reader_kwargs).read(names)


def single_pass_read(
    data_sources: Any,
    reader_class: Callable[..., Any],
    reader_kwargs: dict[str, Any] | None = None,
    scope: str | None = None,
) -> Any:
    """Reads the records of files once, in their order.

    Args:
      data_sources: a file, a pattern, or a list of either.
      reader_class: the kind of reader, such as `tf.TFRecordReader`.
      reader_kwargs: arguments of the reader.
      scope: name of the scope (default "single_pass_read").

    Returns:
      A pair (key, value) of string scalars.

    Raises:
      ValueError: no file matches.
    """
    files = get_data_files(data_sources)
    with v1.name_scope(scope, "single_pass_read"):
        names = string_input_producer(
            files, num_epochs=1, shuffle=False, capacity=1, name="filenames"
        )
        return reader_class(**reader_kwargs or {}).read(names)


def get_data_files(data_sources: Any) -> list[str]:
    """The names of the files that a dataset lies in.

    Args:
      data_sources: a file, a pattern with `*`, `?` or `[`, or a list of either. The name of a file
        is taken as it is; whether there is such a file is not asked.

    Returns:
      The names, those of a pattern in the order of `tf.gfile.Glob`, which is the file system's.

    Raises:
      ValueError: a pattern matches no file, or the list is empty.
    """
    if isinstance(data_sources, (list, tuple)):
        files = [file for source in data_sources for file in get_data_files(source)]
    elif any(sign in data_sources for sign in "*?["):
        files = v1.gfile.Glob(data_sources)
    else:
        files = [data_sources]
    if not files:
        raise ValueError(f"No data files found in {data_sources}")
    return files
