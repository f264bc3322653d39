"""tf.train.shuffle_batch: one producer, a pool of at least min_after_dequeue examples."""

from __future__ import annotations

from typing import Any

from pipelines.registry import lines, numbers, pipeline


@pipeline(order="rows")
def shuffle_drops_the_remainder(tf: Any) -> Any:
    same = tf.zeros_like(numbers(tf, 10))  # else it would be open which example is dropped
    return tf.train.shuffle_batch([same], 3, capacity=20, min_after_dequeue=4)


@pipeline(order="rows")
def shuffle_keeps_the_remainder(tf: Any) -> Any:
    key, value = lines(tf, epochs=3)
    return tf.train.shuffle_batch(
        [key, value], 4, 12, 6, num_threads=2, seed=8, allow_smaller_final_batch=True
    )


@pipeline(order="rows")
def shuffle_with_no_minimum(tf: Any) -> Any:
    return tf.train.shuffle_batch([numbers(tf, 6)], 2, 3, 0)


@pipeline(order="rows")
def shuffle_minimum_above_the_data(tf: Any) -> Any:
    return tf.train.shuffle_batch([numbers(tf, 6)], 2, 100, 90)


@pipeline(order="rows")
def shuffle_enqueue_many(tf: Any) -> Any:
    n = numbers(tf, 4)
    return tf.train.shuffle_batch(
        [tf.range(3) + 10 * n, tf.ones([3, 2])], 4, 50, 10, 2, None, enqueue_many=True
    )


@pipeline(order="rows")
def shuffle_of_a_dict(tf: Any) -> Any:
    n = numbers(tf, 6)
    return tf.train.shuffle_batch({"n": n, "square": n * n}, 3, 10, 2, name="pairs")


@pipeline(order="rows")
def shuffle_of_a_dict_with_one_key(tf: Any) -> Any:
    return tf.train.shuffle_batch({"n": numbers(tf, 4)}, 2, 10, 2)


@pipeline(order="rows")
def shuffle_with_shapes_and_shared_name(tf: Any) -> Any:
    unknown = tf.placeholder_with_default(tf.stack([numbers(tf, 4)] * 2), None)
    return tf.train.shuffle_batch([unknown], 2, 9, 3, shapes=[[2]], shared_name="pool")


@pipeline(order="rows")
def shuffle_then_prefetch(tf: Any) -> Any:
    mixed = tf.train.shuffle_batch([numbers(tf, 12)], 3, 20, 4)
    return tf.train.batch([mixed], 4, capacity=5, enqueue_many=True)


@pipeline(order="rows")
def shuffle_of_parsed_examples(tf: Any) -> Any:
    files = tf.train.match_filenames_once("data/examples-*.tfrecord")
    queue = tf.train.string_input_producer(files, num_epochs=2)
    _, record = tf.TFRecordReader().read(queue)
    features = {
        "image": tf.FixedLenFeature([], tf.string),
        "label": tf.FixedLenFeature([], tf.int64),
    }
    parsed = tf.parse_single_example(record, features)
    image = tf.reshape(tf.decode_raw(parsed["image"], tf.uint8), [4])
    image = tf.cast(image, tf.float32) * (1.0 / 255) - 0.5
    return tf.train.shuffle_batch(
        [image, parsed["label"]], 7, capacity=30, min_after_dequeue=8, num_threads=2
    )
