"""Producers: what fills the first queue."""

from __future__ import annotations

from typing import Any

from pipelines.registry import Script, pipeline


@pipeline()
def strings_two_epochs(tf: Any) -> Any:
    return tf.train.string_input_producer(["c", "a", "b"], num_epochs=2, shuffle=False).dequeue()


@pipeline()
def strings_shuffled_with_seed(tf: Any) -> Any:
    queue = tf.train.string_input_producer(["a", "b", "c", "d", "e"], num_epochs=3, seed=7)
    return queue.dequeue()


@pipeline(order="steps")
def strings_shuffled_without_seed(tf: Any) -> Any:
    return tf.train.string_input_producer(["a", "b", "c"], num_epochs=2).dequeue()


@pipeline(steps=7)
def strings_forever(tf: Any) -> Any:
    return tf.train.string_input_producer(["a", "b", "c"], shuffle=False).dequeue()


@pipeline()
def strings_with_every_name(tf: Any) -> Any:
    queue = tf.train.string_input_producer(
        ["a", "b"], num_epochs=1, shuffle=False, capacity=1, shared_name="shared", name="files"
    )
    return queue.dequeue()


@pipeline()
def strings_of_a_tensor(tf: Any) -> Any:
    names = tf.string_join([["x", "y"], ".txt"])
    return tf.train.string_input_producer(names, num_epochs=1, shuffle=False).dequeue()


@pipeline()
def strings_with_a_cancel_op(tf: Any) -> Any:
    cancel = tf.no_op(name="cancel")
    queue = tf.train.string_input_producer(["a"], 1, shuffle=False, cancel_op=cancel)
    return queue.dequeue()


@pipeline()
def matched_files(tf: Any) -> Any:
    files = tf.train.match_filenames_once("data/lines-*.txt")
    return tf.train.string_input_producer(files, num_epochs=1, shuffle=False).dequeue()


@pipeline()
def matched_files_of_two_patterns(tf: Any) -> Any:
    files = tf.train.match_filenames_once(["data/whole-*.txt", "data/lines-1*"], name="found")
    return tf.train.string_input_producer(files, num_epochs=1, shuffle=False).dequeue()


@pipeline()
def range_in_order(tf: Any) -> Any:
    return tf.train.range_input_producer(4, num_epochs=2, shuffle=False, capacity=3).dequeue()


@pipeline()
def range_shuffled_with_seed(tf: Any) -> Any:
    return tf.train.range_input_producer(6, num_epochs=2, seed=11, name="numbers").dequeue()


@pipeline()
def range_of_a_tensor(tf: Any) -> Any:
    limit = tf.constant(3) + 1
    queue = tf.train.range_input_producer(limit, 1, False, None, 8, shared_name="range")
    return queue.dequeue()


@pipeline()
def slices_in_order(tf: Any) -> Any:
    images = tf.reshape(tf.range(12.0), [3, 2, 2])
    labels = tf.constant([7, 8, 9], tf.int64)
    return tf.train.slice_input_producer([images, labels], num_epochs=2, shuffle=False)


@pipeline()
def slices_shuffled_with_seed(tf: Any) -> Any:
    columns = [["a", "b", "c", "d"], [0, 1, 2, 3]]
    return tf.train.slice_input_producer(columns, num_epochs=2, seed=3, name="slices")


@pipeline(order="steps")
def slices_shuffled_without_seed(tf: Any) -> Any:
    return tf.train.slice_input_producer([["a", "b", "c"], [0, 1, 2]], 2, capacity=4)


@pipeline()
def slices_of_one_tensor(tf: Any) -> Any:
    return tf.train.slice_input_producer([[5, 6]], num_epochs=1, shuffle=False)


@pipeline()
def rows_of_a_matrix(tf: Any) -> Any:
    return tf.train.input_producer([[1, 2], [3, 4]], num_epochs=1, shuffle=False).dequeue()


@pipeline()
def rows_with_every_option(tf: Any) -> Any:
    rows = tf.placeholder_with_default([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]], [None, None])
    queue = tf.train.input_producer(
        rows,
        element_shape=[2],
        num_epochs=1,
        shuffle=True,
        seed=5,
        capacity=2,
        shared_name="rows",
        summary_name="rows_full",
        name="rows",
    )
    return queue.dequeue()


@pipeline()
def epochs_without_a_queue(tf: Any) -> Any:
    return tf.train.limit_epochs(tf.constant([1, 2]), num_epochs=3, name="limited")


@pipeline()
def epochs_without_a_limit(tf: Any) -> Any:
    value = tf.constant(4, name="value")
    return Script([tf.train.limit_epochs(value)])
