"""`tf.contrib.learn`: files read in the graph, and what Python feeds."""

from __future__ import annotations

from collections import OrderedDict
from typing import Any, Callable

import numpy as np

from pipelines.registry import pipeline

LINES = ["data/lines-1.txt", "data/lines-0.txt"]
EXAMPLES = "data/examples-*.tfrecord"


def features(tf: Any) -> Any:
    return {
        "label": tf.FixedLenFeature([1], tf.int64),
        "tags": tf.VarLenFeature(tf.string),
    }


def enqueue_data(tf: Any) -> Callable[..., Any]:
    """Where TF1 had it, and where queueio has it."""
    if hasattr(tf, "__version__") and tf.__version__ == "1.15.5":
        from tensorflow.python.estimator.inputs.queues import feeding_functions
    else:
        from queueio.contrib.learn import feeding_functions  # type: ignore[no-redef]
    return feeding_functions._enqueue_data


@pipeline()
def learn_lines_in_order(tf: Any) -> Any:
    """The names are sorted."""
    return tf.contrib.learn.read_keyed_batch_examples(
        LINES, 2, tf.TextLineReader, randomize_input=False, num_epochs=2, queue_capacity=20
    )


@pipeline(order="rows", steps=4)
def learn_lines_for_ever(tf: Any) -> Any:
    return tf.contrib.learn.read_batch_examples(
        "data/vocabulary.txt", 2, tf.TextLineReader, randomize_input=False, queue_capacity=5
    )


@pipeline(order="rows")
def learn_lines_shuffled(tf: Any) -> Any:
    return tf.contrib.learn.read_keyed_batch_examples(
        LINES, 3, tf.TextLineReader, num_epochs=1, queue_capacity=50, seed=5, name="lines"
    )


@pipeline(order="rows")
def learn_lines_of_several_readers(tf: Any) -> Any:
    return tf.contrib.learn.read_keyed_batch_examples(
        ["data/lines-*.txt", "data/words.txt"], 2, tf.TextLineReader,
        num_epochs=2, queue_capacity=30, num_threads=2, read_batch_size=3,
    )  # fmt: skip


@pipeline(order="rows")
def learn_batch_size_of_a_tensor(tf: Any) -> Any:
    """The minimum that stays in the queue is then a part of its capacity."""
    return tf.contrib.learn.read_batch_examples(
        "data/numbers.txt", tf.constant(2), tf.TextLineReader, num_epochs=3, queue_capacity=50
    )


@pipeline()
def learn_lines_parsed_into_a_dict(tf: Any) -> Any:
    def parse(line: Any) -> Any:
        number, other = tf.decode_csv(line, [[0], [0.0]])
        return {"number": number, "other": other}

    return tf.contrib.learn.read_keyed_batch_examples(
        "data/numbers.txt", 2, tf.TextLineReader, randomize_input=False,
        num_epochs=2, queue_capacity=9, parse_fn=parse,
    )  # fmt: skip


@pipeline()
def learn_features_parsed_by_one_thread(tf: Any) -> Any:
    return tf.contrib.learn.read_keyed_batch_features(
        EXAMPLES, 2, features(tf), tf.TFRecordReader, randomize_input=False,
        num_epochs=1, queue_capacity=20, num_enqueue_threads=1,
    )  # fmt: skip


@pipeline(order="steps")
def learn_features_parsed_by_two_threads(tf: Any) -> Any:
    return tf.contrib.learn.read_batch_features(
        EXAMPLES, 2, {"label": tf.FixedLenFeature([1], tf.int64)}, tf.TFRecordReader,
        randomize_input=False, num_epochs=2, queue_capacity=20, feature_queue_capacity=7,
        name="parsed_examples",
    )  # fmt: skip


@pipeline(order="rows")
def learn_record_features(tf: Any) -> Any:
    return tf.contrib.learn.read_batch_record_features(
        EXAMPLES, 7, {"label": tf.FixedLenFeature([1], tf.int64)}, num_epochs=1
    )


@pipeline()
def learn_features_through_a_queue(tf: Any) -> Any:
    _, records = tf.TFRecordReader().read_up_to(
        tf.train.string_input_producer(["data/examples-0.tfrecord"], 2, shuffle=False), 3
    )
    found = tf.parse_example(records, features(tf))
    return tf.contrib.learn.io.queue_parsed_features(
        found, num_enqueue_threads=1, feature_queue_capacity=3, name="ready"
    )[1]


@pipeline()
def learn_names_from_a_shared_queue(tf: Any) -> Any:
    return tf.contrib.learn.read_keyed_batch_examples_shared_queue(
        LINES, 2, tf.TextLineReader, randomize_input=False, num_epochs=2, queue_capacity=20
    )


@pipeline(order="rows")
def learn_shuffled_names_from_a_shared_queue(tf: Any) -> Any:
    return tf.contrib.learn.read_keyed_batch_features_shared_queue(
        EXAMPLES, 2, {"label": tf.FixedLenFeature([1], tf.int64)}, tf.TFRecordReader,
        num_epochs=2, queue_capacity=20, num_queue_runners=1,
    )  # fmt: skip


@pipeline(start=False, steps=0)
def learn_without_files(tf: Any) -> Any:
    return tf.contrib.learn.read_batch_examples("data/no-such-*.txt", 2, tf.TextLineReader)


@pipeline(start=False, steps=0)
def learn_batch_as_large_as_the_queue(tf: Any) -> Any:
    return tf.contrib.learn.read_batch_examples(
        "data/words.txt", 5, tf.TextLineReader, queue_capacity=5
    )


@pipeline(steps=7)
def learn_seek_next(tf: Any) -> Any:
    from_list = tf.contrib.input_pipeline
    if not hasattr(from_list, "seek_next"):
        from tensorflow.contrib.input_pipeline.python.ops import input_pipeline_ops as from_list
    return from_list.seek_next(["a", "b", "c"], shuffle=True, seed=3, num_epochs=2)


@pipeline()
def learn_arrays_in_order(tf: Any) -> Any:
    x = {"n": np.arange(5), "xy": np.arange(10.0).reshape(5, 2)}
    return tf.contrib.learn.io.numpy_input_fn(
        x, np.arange(5) * 10, batch_size=2, num_epochs=2, shuffle=False
    )()


@pipeline(order="rows")
def learn_arrays_shuffled(tf: Any) -> Any:
    return tf.contrib.learn.io.numpy_input_fn(
        np.arange(7, dtype=np.float32), {"b": np.arange(7), "a": -np.arange(7)}, batch_size=3,
        queue_capacity=20,
    )()  # fmt: skip


@pipeline(order="rows")
def learn_arrays_fed_by_two_threads(tf: Any) -> Any:
    """Each of them feeds every row."""
    return tf.contrib.learn.io.numpy_input_fn(
        {"n": np.arange(4)}, batch_size=2, shuffle=False, num_threads=2
    )()


@pipeline(steps=5)
def learn_arrays_for_ever(tf: Any) -> Any:
    return tf.contrib.learn.io.numpy_input_fn(
        {"n": np.arange(3)}, batch_size=2, shuffle=False, num_epochs=None, queue_capacity=4
    )()


@pipeline(order="rows")
def learn_queue_of_an_array(tf: Any) -> Any:
    """With a seed, where it begins is the same in every run."""
    queue = enqueue_data(tf)(
        np.arange(12).reshape(6, 2), 20, shuffle=True, min_after_dequeue=3, seed=7,
        name="rows", enqueue_size=4, num_epochs=2,
    )  # fmt: skip
    return queue.dequeue_up_to(5)


@pipeline()
def learn_queue_of_ordered_arrays(tf: Any) -> Any:
    data = OrderedDict([("z", np.arange(3)), ("a", np.array([b"x", b"y", b"z"], object))])
    return enqueue_data(tf)(data, 10, num_epochs=3, enqueue_size=2).dequeue()


@pipeline()
def learn_elements_of_a_generator(tf: Any) -> Any:
    """It ends late: the last batch is filled up from the next epoch."""

    def elements() -> Any:
        for i in range(3):
            yield {"a": np.ones(2) * i, "b": np.array(i), "label": np.array([i])}

    return tf.contrib.learn.io.generator_input_fn(
        elements, "label", batch_size=4, num_epochs=2, shuffle=False
    )()


@pipeline()
def learn_elements_of_a_generator_padded(tf: Any) -> Any:
    def elements() -> Any:
        for i in range(4):
            yield {"a": np.ones([2, i + 1]) * i, "b": np.array(i)}

    return tf.contrib.learn.io.generator_input_fn(
        elements, ["a", "b"], batch_size=5, shuffle=False, pad_value=-1
    )()
