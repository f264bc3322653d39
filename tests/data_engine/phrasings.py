"""Pipelines without a batch function, in the phrasings of TF1's time; `tf` is compat.v1.

Each gives what the program's session calls fetch, with the queue or op that these take from.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

CASES: dict[str, Callable[[Any], Any]] = {}
ON_QUEUES: dict[str, str] = {}


def case(build: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """A pipeline that tf.data runs."""
    CASES[build.__name__] = build
    return build


def on_queues(reason: str) -> Callable[[Any], Any]:
    """A pipeline that stays on TF1's queues, with words of why."""

    def register(build: Callable[[Any], Any]) -> Callable[[Any], Any]:
        ON_QUEUES[build.__name__] = reason
        return case(build)

    return register


def files(tf: Any, epochs: int | None = 2, **more: Any) -> Any:
    return tf.train.string_input_producer(["a.csv", "b.csv"], num_epochs=epochs, **more)


def row(tf: Any, **more: Any) -> Any:
    _, line = tf.TextLineReader(skip_header_lines=1).read(files(tf, **more))
    return tf.decode_csv(line, [[0], [0.0]])


def run_by(tf: Any, queue: Any, *enqueues: Any) -> None:
    tf.train.add_queue_runner(tf.train.QueueRunner(queue, list(enqueues)))


@case
def shuffled_examples(tf: Any) -> Any:
    number, value = row(tf)
    queue = tf.RandomShuffleQueue(40, 10, [tf.int32, tf.float32], shapes=[[], []], name="pool")
    run_by(tf, queue, *[queue.enqueue([number, value * 2])] * 4)
    return queue.dequeue_many(4)


@case
def one_at_a_time(tf: Any) -> Any:
    queue = tf.FIFOQueue(capacity=7, dtypes=[tf.int32, tf.float32], shapes=[(), ()])
    run_by(tf, queue, queue.enqueue(row(tf, shuffle=False)))
    return queue.dequeue()


@case
def dicts_by_name(tf: Any) -> Any:
    number, value = row(tf)
    example = {"number": number, "value": value}
    queue = tf.FIFOQueue(20, [t.dtype for t in example.values()], [[], []], names=list(example))
    run_by(tf, queue, queue.enqueue(example))
    return queue.dequeue_up_to(6)


@case
def records_of_no_known_shape(tf: Any) -> Any:
    readers = [tf.TextLineReader().read(names) for names in [files(tf)] * 3]
    queue = tf.RandomShuffleQueue(30, 5, [tf.string])
    run_by(tf, queue, *[queue.enqueue([value]) for _, value in readers])
    return queue.dequeue()


@case
def rows_of_an_array(tf: Any) -> Any:
    queue = tf.FIFOQueue(5, [tf.float32, tf.float32])
    limited = tf.train.limit_epochs(tf.reshape(tf.range(24.0), [4, 3, 2]), 3)
    run_by(tf, queue, queue.enqueue_many([limited, tf.range(4.0)]))
    return queue.dequeue()


@case
def padded_lines(tf: Any) -> Any:
    _, line = tf.TextLineReader().read(files(tf, epochs=1, shuffle=False))
    queue = tf.PaddingFIFOQueue(9, [tf.uint8], [[None]])
    run_by(tf, queue, queue.enqueue([tf.decode_raw(line, tf.uint8)]))
    return queue.dequeue_many(3)


@case
def windows_of_each_record(tf: Any) -> Any:
    number, _ = row(tf)
    pairs = tf.stack([[number, number + 1], [number, number - 1]])
    queue = tf.RandomShuffleQueue(32, 8, [tf.int32], shapes=[[2]])
    run_by(tf, queue, *[queue.enqueue_many([pairs])] * 2)
    return queue.dequeue_up_to(5)


@case
def smallest_first(tf: Any) -> Any:
    number, value = row(tf, epochs=1)
    queue = tf.PriorityQueue(100, [tf.float32], [[]])
    run_by(tf, queue, queue.enqueue([tf.cast(number, tf.int64), value]))
    return queue.dequeue()


@case
def prefetched_batches_for_two_clones(tf: Any) -> Any:
    number, value = row(tf)
    batch = tf.train.batch([number, value], 4, num_threads=2)
    queue = tf.FIFOQueue(2, [t.dtype for t in batch], [t.shape for t in batch], name="prefetch")
    run_by(tf, queue, queue.enqueue(batch))
    return queue.dequeue(), queue.dequeue()


@case
def only_some(tf: Any) -> Any:
    number, value = row(tf)
    queue = tf.FIFOQueue(10, [tf.int32, tf.float32], [[], []])
    keep = tf.equal(number % 3, 0)
    put = tf.cond(keep, lambda: queue.enqueue([number, value]), lambda: tf.no_op())
    run_by(tf, queue, put)
    return queue.dequeue_up_to(4)


@case
def places_in_a_text(tf: Any) -> Any:
    text = tf.reshape(tf.range(60), [3, 20])
    place = tf.train.range_input_producer(4, num_epochs=2, shuffle=False).dequeue()
    return tf.strided_slice(text, [0, place * 5], [3, (place + 1) * 5])


@case
def slices_of_lists(tf: Any) -> Any:
    names = tf.constant(["a", "b", "c", "d"])
    return tf.train.slice_input_producer([names, tf.range(4)], num_epochs=3)


@case
def two_takes_of_one_queue(tf: Any) -> Any:
    queue = tf.FIFOQueue(10, [tf.int32, tf.float32], [[], []])
    run_by(tf, queue, queue.enqueue(row(tf)))
    # Four at a time of 64: which of two dequeues gets what, and what is left at the end, is a race.
    return queue.dequeue_many(3), queue.dequeue()


@case
def treated_in_turns(tf: Any) -> Any:
    numbers = tf.train.range_input_producer(12, num_epochs=1, shuffle=False)
    queue = tf.FIFOQueue(10, [tf.int32], [[]])
    run_by(tf, queue, queue.enqueue(numbers.dequeue()), queue.enqueue(numbers.dequeue() % 1000))
    return queue.dequeue_up_to(3)


@on_queues("state")
def counted_in_a_variable(tf: Any) -> Any:
    count = tf.get_variable("count", [], initializer=tf.zeros_initializer(), trainable=False)
    with tf.control_dependencies([tf.train.range_input_producer(9, num_epochs=1).dequeue()]):
        more = tf.assign_add(count, 1.0)
    queue = tf.FIFOQueue(1000, [tf.float32], [[]])
    run_by(tf, queue, queue.enqueue(more))
    return queue.dequeue()


@on_queues("puts nothing")
def an_op_that_only_counts(tf: Any) -> Any:
    number = tf.train.range_input_producer(9, num_epochs=1).dequeue()
    queue = tf.FIFOQueue(1000, [tf.int32], [[]])
    beside = tf.train.range_input_producer(5, num_epochs=1).dequeue()
    run_by(tf, queue, beside.op, queue.enqueue(number))
    return queue.dequeue()


@on_queues("shared_name")
def shared_with_others(tf: Any) -> Any:
    queue = tf.FIFOQueue(10, [tf.int32, tf.float32], [[], []], shared_name="everybody's")
    run_by(tf, queue, queue.enqueue(row(tf)))
    return queue.dequeue_up_to(4)


@on_queues("2 queue runners fill it")
def runners_of_their_own(tf: Any) -> Any:
    queue = tf.FIFOQueue(100, [tf.int32], [[]])
    for start in (0, 10):
        numbers = tf.train.input_producer(tf.range(start, start + 10), num_epochs=1)
        ends = (tf.errors.OutOfRangeError, tf.errors.CancelledError)
        runner = tf.train.QueueRunner(
            queue, [queue.enqueue(numbers.dequeue())], queue_closed_exception_types=ends
        )
        tf.train.add_queue_runner(runner)
    return queue.dequeue()


@on_queues("is always the one in place 1")
def a_queue_chosen_by_number(tf: Any) -> Any:
    queues = [tf.FIFOQueue(20, [tf.int32], [[]]) for _ in range(2)]
    for queue in queues:
        run_by(tf, queue, queue.enqueue(tf.train.range_input_producer(9, num_epochs=1).dequeue()))
    return tf.QueueBase.from_list(tf.constant(1), queues).dequeue_up_to(3)


@on_queues("Put them in dense (tf.sparse_tensor_to_dense")
def batches_of_sparse_rows_prefetched(tf: Any) -> Any:
    number = tf.train.range_input_producer(12, num_epochs=1, shuffle=False).dequeue()
    row = tf.SparseTensor([[0]], tf.reshape(number, [1]), [3])
    handle = tf.raw_ops.AddSparseToTensorsMap(
        sparse_indices=row.indices, sparse_values=row.values, sparse_shape=row.dense_shape,
        shared_name="rows",
    )  # fmt: skip
    queue = tf.FIFOQueue(4, [tf.int64, tf.int32], [[], []])
    run_by(tf, queue, queue.enqueue([handle, number]))
    return queue.dequeue()[1]


@on_queues("each session call reads a record for itself")
def a_row_fetched_directly(tf: Any) -> Any:
    return row(tf)
