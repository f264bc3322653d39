"""What TF1 says when it is used wrongly, beyond what the golden pipelines show: one function each.

Each function raises. `record_messages.py` writes down what it raised.
"""

from __future__ import annotations

from collections import namedtuple
from typing import Any, Callable

COMPLAINTS: dict[str, Callable[[Any], Any]] = {}
EAGER: dict[str, Callable[[Any], Any]] = {}
"""Those that need eager execution."""
MockOp = namedtuple("MockOp", ["name"])


def complaint(function: Callable[[Any], Any]) -> Callable[[Any], Any]:
    COMPLAINTS[function.__name__] = function
    return function


def eager(function: Callable[[Any], Any]) -> Callable[[Any], Any]:
    EAGER[function.__name__] = function
    return function


def session_of(tf: Any) -> Any:
    return tf.Session(config=tf.ConfigProto(operation_timeout_in_ms=10000))


def reading(tf: Any, reader: Any, names: list[str]) -> None:
    """Reads records of files until something is raised."""
    queue = tf.FIFOQueue(9, tf.string, shapes=[[]])
    record = reader.read(queue)
    with session_of(tf) as session:
        session.run(queue.enqueue_many([tf.constant(names, tf.string)]))
        session.run(queue.close())
        while True:
            session.run(record)


def training(tf: Any, batch: Any) -> None:
    """Takes batches until something is raised, and then what the threads raised."""
    with session_of(tf) as session:
        session.run([tf.global_variables_initializer(), tf.local_variables_initializer()])
        coordinator = tf.train.Coordinator()
        threads = tf.train.start_queue_runners(session, coordinator)
        try:
            while True:
                session.run(batch)
        finally:
            coordinator.request_stop()
            coordinator.join(threads)


def decoded(decode: Callable[[Any, Any], Any], content: Any) -> Callable[[Any], Any]:
    def run(tf: Any) -> None:
        with session_of(tf) as session:
            session.run(decode(tf, tf.constant(content)))

    return run


# Input producers and batch functions.


@complaint
def slices_of_nothing(tf: Any) -> Any:
    return tf.train.slice_input_producer([])


@complaint
def slices_of_unequal_length(tf: Any) -> Any:
    training(tf, tf.train.slice_input_producer([[1, 2, 3], [1, 2]], num_epochs=1, shuffle=False))


@complaint
def an_empty_batch(tf: Any) -> Any:
    return tf.train.batch([], 2)


@complaint
def an_empty_join(tf: Any) -> Any:
    return tf.train.batch_join([], 2)


@complaint
def an_empty_shuffled_join(tf: Any) -> Any:
    return tf.train.shuffle_batch_join([], 2, 10, 5)


@complaint
def a_join_of_other_keys(tf: Any) -> Any:
    return tf.train.batch_join([{"a": 1, "b": 2}, {"a": 1, "c": 2}], 2)


@complaint
def a_join_of_other_dtypes(tf: Any) -> Any:
    return tf.train.batch_join([[tf.constant(1)], [tf.constant(1.0)]], 2)


@complaint
def a_join_of_dense_and_sparse(tf: Any) -> Any:
    sparse = tf.SparseTensor([[0]], [1.0], [1])
    return tf.train.batch_join([[sparse], [tf.constant(1.0)]], 2)


@complaint
def a_join_of_unequal_lists(tf: Any) -> Any:
    return tf.train.batch_join([[1, 2], [1]], 2)


@complaint
def a_batch_of_two_shapes(tf: Any) -> Any:
    value = tf.placeholder_with_default([1, 2], None)
    return tf.train.batch([value], 2, shapes=[[2], [3]])


@complaint
def a_batch_of_unknown_shape(tf: Any) -> Any:
    return tf.train.batch([tf.placeholder_with_default([1, 2], [None])], 2)


@complaint
def a_shuffled_batch_of_unknown_shape(tf: Any) -> Any:
    return tf.train.shuffle_batch([tf.placeholder_with_default([1, 2], [None])], 2, 10, 5)


@complaint
def a_batch_of_size_zero(tf: Any) -> Any:
    training(tf, tf.train.batch([tf.train.range_input_producer(4, 1).dequeue()], -1))


@complaint
def no_threads(tf: Any) -> Any:
    return tf.train.batch([tf.constant(1)], 2, num_threads=0)


@complaint
def a_pool_that_never_empties(tf: Any) -> Any:
    return tf.train.shuffle_batch([tf.constant(1)], 2, capacity=10, min_after_dequeue=10)


@complaint
def keep_input_of_another_length(tf: Any) -> Any:
    rows = tf.placeholder_with_default([1, 2, 3], [None])
    keep = tf.placeholder_with_default([True, False], [None])
    training(tf, tf.train.maybe_batch([rows], keep, 1, enqueue_many=True))


@complaint
def epochs_that_nobody_initialised(tf: Any) -> Any:
    limited = tf.train.limit_epochs(tf.constant(1), 2)
    with session_of(tf) as session:
        session.run(limited)


@complaint
def epochs_that_are_over(tf: Any) -> Any:
    limited = tf.train.limit_epochs(tf.constant(1), 1)
    with session_of(tf) as session:
        session.run(tf.local_variables_initializer())
        while True:
            session.run(limited)


# Queues.


@complaint
def a_queue_of_partial_shapes(tf: Any) -> Any:
    return tf.FIFOQueue(3, [tf.int32], shapes=[[None]])


@complaint
def a_queue_of_fewer_shapes(tf: Any) -> Any:
    return tf.FIFOQueue(3, [tf.int32, tf.int32], shapes=[[]])


@complaint
def a_queue_of_fewer_names(tf: Any) -> Any:
    return tf.FIFOQueue(3, [tf.int32, tf.int32], names=["a"])


@complaint
def a_queue_of_no_shapes_list(tf: Any) -> Any:
    return tf.FIFOQueue(3, [tf.int32], shapes="abc")


@complaint
def a_padding_queue_of_fewer_shapes(tf: Any) -> Any:
    return tf.PaddingFIFOQueue(3, [tf.int32, tf.int32], shapes=[[None]])


@complaint
def a_padding_queue_of_unknown_rank(tf: Any) -> Any:
    return tf.PaddingFIFOQueue(3, [tf.int32], shapes=[tf.TensorShape(None)])


@complaint
def a_dictionary_without_names(tf: Any) -> Any:
    return tf.FIFOQueue(3, [tf.int32]).enqueue({"a": 1})


@complaint
def a_dictionary_of_other_names(tf: Any) -> Any:
    return tf.FIFOQueue(3, [tf.int32], names=["a"]).enqueue({"b": 1})


@complaint
def a_list_where_a_dictionary_is_due(tf: Any) -> Any:
    return tf.FIFOQueue(3, [tf.int32], names=["a"]).enqueue([1])


@complaint
def components_of_unequal_length(tf: Any) -> Any:
    queue = tf.FIFOQueue(9, [tf.int32, tf.int32], shapes=[[], []])
    return queue.enqueue_many([[1, 2, 3], [1, 2]])


@complaint
def a_dequeue_of_many_without_shapes(tf: Any) -> Any:
    queue = tf.FIFOQueue(9, [tf.int32])
    with session_of(tf) as session:
        session.run(queue.dequeue_many(2))


@complaint
def a_dequeue_of_a_negative_count(tf: Any) -> Any:
    queue = tf.FIFOQueue(9, [tf.int32], shapes=[[]])
    with session_of(tf) as session:
        session.run(queue.dequeue_many(tf.placeholder_with_default(-1, [])))


@complaint
def an_enqueue_into_a_closed_queue(tf: Any) -> Any:
    queue = tf.FIFOQueue(2, [tf.int32], shapes=[[]])
    with session_of(tf) as session:
        session.run(queue.close())
        session.run(queue.enqueue(1))


@complaint
def a_dequeue_from_an_empty_closed_pool(tf: Any) -> Any:
    queue = tf.RandomShuffleQueue(4, 1, [tf.int32], shapes=[[]])
    with session_of(tf) as session:
        session.run(queue.enqueue(1))
        session.run(queue.close())
        session.run(queue.dequeue_many(2))


@complaint
def a_queue_of_other_queues(tf: Any) -> Any:
    return tf.QueueBase.from_list(0, [tf.FIFOQueue(2, tf.int32), tf.FIFOQueue(2, tf.string)])


@complaint
def a_priority_queue_without_a_priority(tf: Any) -> Any:
    return tf.PriorityQueue(3, [tf.string], [[]]).enqueue("no priority")


# Readers.


@complaint
def a_missing_file(tf: Any) -> Any:
    reading(tf, tf.TextLineReader(), ["data/absent"])


@complaint
def a_directory_for_a_file(tf: Any) -> Any:
    reading(tf, tf.WholeFileReader(), ["data"])


@complaint
def records_that_are_none(tf: Any) -> Any:
    with open("none.tfrecord", "wb") as f:
        f.write(b"not a record at all")
    reading(tf, tf.TFRecordReader(), ["none.tfrecord"])


@complaint
def records_that_are_cut(tf: Any) -> Any:
    with tf.python_io.TFRecordWriter("whole.tfrecord") as writer:
        writer.write(b"a record")
    with open("whole.tfrecord", "rb") as whole, open("cut.tfrecord", "wb") as cut:
        cut.write(whole.read()[:-3])
    reading(tf, tf.TFRecordReader(), ["cut.tfrecord"])


@complaint
def records_of_no_bytes(tf: Any) -> Any:
    reading(tf, tf.FixedLengthRecordReader(0), [])


@complaint
def records_of_a_negative_header(tf: Any) -> Any:
    reading(tf, tf.FixedLengthRecordReader(3, header_bytes=-1), [])


@complaint
def records_of_a_negative_footer(tf: Any) -> Any:
    reading(tf, tf.FixedLengthRecordReader(3, footer_bytes=-1), [])


@complaint
def records_of_a_negative_hop(tf: Any) -> Any:
    reading(tf, tf.FixedLengthRecordReader(3, hop_bytes=-1), [])


@complaint
def state_of_a_text_reader(tf: Any) -> Any:
    with session_of(tf) as session:
        session.run(tf.TextLineReader(name="lines").serialize_state())


@complaint
def state_that_is_none(tf: Any) -> Any:
    with session_of(tf) as session:
        session.run(tf.IdentityReader("names").restore_state(b"bogus"))


@complaint
def state_of_the_wrong_shape(tf: Any) -> Any:
    return tf.IdentityReader("names").restore_state([b"x"])


@complaint
def names_that_are_numbers(tf: Any) -> Any:
    queue = tf.FIFOQueue(9, tf.int32, shapes=[[]])
    key = tf.TextLineReader().read(queue)[0]
    with session_of(tf) as session:
        session.run(queue.enqueue(1))
        session.run(key)


# Decoders.


def _csv(tf: Any, content: Any) -> Any:
    return tf.decode_csv(content, [[0], [0.0]])


COMPLAINTS["a_row_of_three_columns"] = decoded(_csv, "1,2,3")
COMPLAINTS["a_row_with_a_word"] = decoded(_csv, "one,2")
COMPLAINTS["a_row_with_an_open_quote"] = decoded(_csv, '"1,2')
COMPLAINTS["a_row_with_a_quote_inside"] = decoded(_csv, '1"1,2')
COMPLAINTS["an_odd_number_of_bytes"] = decoded(lambda tf, c: tf.decode_raw(c, tf.int32), b"abc")
COMPLAINTS["base64_that_is_none"] = decoded(lambda tf, c: tf.decode_base64(c), b"a*c=")
COMPLAINTS["a_png_that_is_none"] = decoded(lambda tf, c: tf.image.decode_png(c), b"no image")
COMPLAINTS["a_jpeg_that_is_none"] = decoded(lambda tf, c: tf.image.decode_jpeg(c), b"no image")
COMPLAINTS["an_image_that_is_none"] = decoded(lambda tf, c: tf.image.decode_image(c), b"no image")
COMPLAINTS["an_example_that_is_none"] = decoded(
    lambda tf, c: tf.parse_single_example(c, {"x": tf.FixedLenFeature([], tf.int64)}), b"no proto"
)
COMPLAINTS["an_example_without_the_feature"] = decoded(
    lambda tf, c: tf.parse_single_example(c, {"x": tf.FixedLenFeature([], tf.int64)}), b""
)
COMPLAINTS["a_tensor_that_is_none"] = decoded(
    lambda tf, c: tf.parse_tensor(c, tf.int32), b"no proto"
)
COMPLAINTS["json_that_is_none"] = decoded(lambda tf, c: tf.decode_json_example(c), b"{")


@complaint
def a_feature_of_unknown_type(tf: Any) -> Any:
    return tf.parse_single_example(b"", {"x": "int64"})


@complaint
def no_features(tf: Any) -> Any:
    return tf.parse_single_example(b"", {})


@complaint
def columns_without_defaults(tf: Any) -> Any:
    return tf.decode_csv("1", [])


# Coordinators, loopers, queue runners.


@complaint
def threads_that_go_on(tf: Any) -> Any:
    import threading
    import time

    sleeper = threading.Thread(target=time.sleep, args=(2,), name="sleeper")
    sleeper.daemon = True
    sleeper.start()
    coordinator = tf.train.Coordinator()
    coordinator.request_stop()
    coordinator.join([sleeper], stop_grace_period_secs=0.1)


@complaint
def a_looper_without_a_coordinator(tf: Any) -> Any:
    return tf.train.LooperThread("no coordinator", 1)


@complaint
def a_looper_with_arguments_for_nothing(tf: Any) -> Any:
    return tf.train.LooperThread(tf.train.Coordinator(), 1, args=(1,))


@complaint
def a_runner_of_a_proto_and_a_queue(tf: Any) -> Any:
    from tensorflow.core.protobuf import queue_runner_pb2

    proto = queue_runner_pb2.QueueRunnerDef()
    return tf.train.QueueRunner(tf.FIFOQueue(1, tf.int32), queue_runner_def=proto)


@complaint
def a_runner_of_nothing(tf: Any) -> Any:
    return tf.train.QueueRunner()


@complaint
def a_runner_without_ops(tf: Any) -> Any:
    return tf.train.QueueRunner(tf.FIFOQueue(1, tf.int32), [])


@complaint
def a_runner_that_ends_at_no_exception(tf: Any) -> Any:
    queue = tf.FIFOQueue(1, tf.int32)
    ends: Any = ValueError("no type")
    return tf.train.QueueRunner(queue, [queue.enqueue(1)], queue_closed_exception_types=ends)


@complaint
def a_runner_of_an_op_that_is_not_there(tf: Any) -> Any:
    runner = tf.train.QueueRunner(tf.FIFOQueue(1, tf.int32), [MockOp("absent")])
    with session_of(tf) as session:
        coordinator = tf.train.Coordinator()
        coordinator.join(runner.create_threads(session, coordinator, start=True))


@complaint
def a_start_without_a_session(tf: Any) -> Any:
    return tf.train.start_queue_runners()


@complaint
def a_start_in_no_session(tf: Any) -> Any:
    tf.train.batch([tf.constant(1)], 1)
    return tf.train.start_queue_runners("no session")


# With eager execution.


@eager
def an_eager_producer(tf: Any) -> Any:
    return tf.train.string_input_producer(["a"])


@eager
def an_eager_batch(tf: Any) -> Any:
    return tf.train.batch([1], 1)


@eager
def an_eager_join(tf: Any) -> Any:
    return tf.train.batch_join([[1]], 1)


@eager
def an_eager_shuffled_batch(tf: Any) -> Any:
    return tf.train.shuffle_batch([1], 1, 10, 5)


@eager
def an_eager_shuffled_join(tf: Any) -> Any:
    return tf.train.shuffle_batch_join([[1]], 1, 10, 5)


@eager
def an_eager_reader(tf: Any) -> Any:
    return tf.TextLineReader()


@eager
def an_eager_runner(tf: Any) -> Any:
    return tf.train.QueueRunner("queue", ["op"])


@eager
def an_eager_start(tf: Any) -> Any:
    return tf.train.start_queue_runners()
