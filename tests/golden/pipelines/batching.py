"""tf.train.batch: one producer, examples in order."""

from __future__ import annotations

from typing import Any

import numpy as np

from pipelines.registry import lines, numbers, pipeline


def ragged(tf: Any, name: str = "ragged") -> Any:
    """[1], [1, 2], [1, 2, 3] .. : vectors of growing length."""
    n = numbers(tf, 5)
    return tf.range(1, n + 2, name=name)


@pipeline()
def batch_drops_the_remainder(tf: Any) -> Any:
    return tf.train.batch(lines(tf), 2)


@pipeline()
def batch_keeps_the_remainder(tf: Any) -> Any:
    return tf.train.batch(lines(tf), 2, allow_smaller_final_batch=True)


@pipeline()
def batch_larger_than_the_data(tf: Any) -> Any:
    return tf.train.batch(lines(tf), 50, capacity=100)


@pipeline()
def batch_larger_than_the_data_keeps_it(tf: Any) -> Any:
    return tf.train.batch([numbers(tf, 3)], 50, capacity=100, allow_smaller_final_batch=True)


@pipeline(order="rows")
def batch_with_three_threads(tf: Any) -> Any:
    return tf.train.batch(lines(tf, epochs=4), 5, num_threads=3, capacity=7)


@pipeline()
def batch_of_one_tensor(tf: Any) -> Any:
    return tf.train.batch([numbers(tf)], 3)


@pipeline()
def batch_of_a_bare_tensor(tf: Any) -> Any:
    rows = tf.reshape(tf.range(4), [2, 2]) + numbers(tf, 3)
    return tf.train.batch([rows, rows[0]], batch_size=1)


@pipeline()
def batch_of_a_dict(tf: Any) -> Any:
    key, value = lines(tf)
    return tf.train.batch({"value": value, "key": key, "a": tf.constant([1.5, 2.5])}, 2)


@pipeline()
def batch_of_a_dict_with_one_key(tf: Any) -> Any:
    return tf.train.batch({"n": numbers(tf)}, 2)


@pipeline()
def batch_enqueue_many(tf: Any) -> Any:
    n = numbers(tf, 3)
    return tf.train.batch([tf.range(4) + 10 * n, tf.zeros([4, 2])], 5, enqueue_many=True)


@pipeline()
def batch_enqueue_many_of_unequal_lots(tf: Any) -> Any:
    n = numbers(tf, 5)
    values = tf.fill([n], n)
    return tf.train.batch([values], 4, enqueue_many=True, allow_smaller_final_batch=True)


@pipeline()
def batch_with_shapes(tf: Any) -> Any:
    n = numbers(tf, 4)
    unknown = tf.placeholder_with_default(tf.stack([n, n]), None)
    return tf.train.batch([n, unknown], 2, shapes=[[], [2]])


@pipeline()
def batch_with_padding(tf: Any) -> Any:
    return tf.train.batch([ragged(tf)], 2, dynamic_pad=True)


@pipeline()
def batch_with_padding_keeps_the_remainder(tf: Any) -> Any:
    words = tf.string_split(["a b c", "d"]).values
    vector = ragged(tf)
    return tf.train.batch(
        {"n": vector, "words": words, "matrix": tf.ones([2, 1]) * tf.cast(vector, tf.float32)},
        2,
        dynamic_pad=True,
        allow_smaller_final_batch=True,
        capacity=3,
        shapes=[[2, None], [None], [None]],
    )


@pipeline()
def batch_enqueue_many_with_padding(tf: Any) -> Any:
    n = numbers(tf, 4)
    rows = tf.tile(tf.reshape(tf.range(1, n + 2), [1, -1]), [3, 1])
    return tf.train.batch([rows], 4, enqueue_many=True, dynamic_pad=True)


@pipeline()
def batch_size_as_a_tensor(tf: Any) -> Any:
    size = tf.placeholder_with_default(3, [])
    return tf.train.batch([numbers(tf)], size)


@pipeline()
def batch_of_batches(tf: Any) -> Any:
    inner = tf.train.batch([numbers(tf, 9)], 2, name="inner")
    return tf.train.batch([inner], 3, enqueue_many=True, allow_smaller_final_batch=True)


@pipeline()
def batch_of_many_dtypes(tf: Any) -> Any:
    n = numbers(tf, 3)
    kinds = [tf.bool, tf.uint8, tf.int64, tf.float64, tf.complex64, tf.float16]
    return tf.train.batch([tf.cast(n, kind) for kind in kinds], 2)


@pipeline()
def batch_of_slices(tf: Any) -> Any:
    image, label = tf.train.slice_input_producer(
        [tf.reshape(tf.range(10.0), [5, 2]), tf.range(5)], num_epochs=2, shuffle=False
    )
    return tf.train.batch([image, label], 4, allow_smaller_final_batch=True)


@pipeline()
def batch_read_up_to(tf: Any) -> Any:
    queue = tf.train.string_input_producer(["data/lines-0.txt", "data/lines-1.txt"], 2, False)
    keys, values = tf.TextLineReader().read_up_to(queue, 3)
    return tf.train.batch([keys, values], 4, enqueue_many=True, allow_smaller_final_batch=True)


@pipeline()
def batch_of_a_tuple(tf: Any) -> Any:
    return tf.train.batch((numbers(tf, 4), tf.constant("x")), 2)


@pipeline()
def batch_of_python_values(tf: Any) -> Any:
    return tf.train.batch({2: numbers(tf, 4), 10: 1.5, "b": [b"x", b"y"]}, np.int32(2))
