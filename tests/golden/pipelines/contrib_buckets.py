"""tf.contrib.training.bucket and bucket_by_sequence_length."""

from __future__ import annotations

import random
from typing import Any

from pipelines.registry import lines, numbers, pipeline


@pipeline(order="steps")
def bucket_by_remainder(tf: Any) -> Any:
    n = numbers(tf, 14)
    return tf.contrib.training.bucket([n, n * n], n % 3, batch_size=2, num_buckets=3)


@pipeline(order="steps")
def bucket_of_a_dict_keeps_the_remainder(tf: Any) -> Any:
    n = numbers(tf, 11)
    examples = {"n": n, "half": tf.cast(n, tf.float32) / 2}
    return tf.contrib.training.bucket(
        examples, n % 2, 3, 2, allow_smaller_final_batch=True, name="parity"
    )


@pipeline(order="steps")
def bucket_of_one_tensor(tf: Any) -> Any:
    n = numbers(tf, 8)
    return tf.contrib.training.bucket([n], n % 2, 2, 2, capacity=5)


@pipeline(order="steps")
def bucket_with_padding(tf: Any) -> Any:
    n = numbers(tf, 9)
    return tf.contrib.training.bucket(
        [n, tf.fill([n % 4], n)], n % 2, 2, 2, dynamic_pad=True, allow_smaller_final_batch=True
    )


@pipeline(order="steps")
def bucket_sizes_and_capacities_of_their_own(tf: Any) -> Any:
    n = numbers(tf, 17)
    return tf.contrib.training.bucket(
        [n], n % 3, [2, 3, 1], 3, bucket_capacities=[4, 6, 5], capacity=7
    )


@pipeline(order="steps")
def bucket_of_kept_examples(tf: Any) -> Any:
    n = numbers(tf, 15)
    keep = tf.not_equal(n % 5, 2)
    return tf.contrib.training.bucket(
        [n], n % 3, 2, 3, keep_input=keep, allow_smaller_final_batch=True
    )


@pipeline(order="steps")
def bucket_of_kept_sparse_examples(tf: Any) -> Any:
    n = numbers(tf, 10)
    sparse = tf.SparseTensor([[0], [2]], tf.stack([n, n + 1]), [4])
    return tf.contrib.training.bucket([n, sparse], n % 2, 2, 2, keep_input=n > 1)


@pipeline(order="steps")
def bucket_of_sparse_examples(tf: Any) -> Any:
    n = numbers(tf, 10)
    sparse = tf.SparseTensor([[0], [2]], tf.stack([n, n + 1]), [4])
    return tf.contrib.training.bucket({"s": sparse}, n % 2, 2, 2, allow_smaller_final_batch=True)


@pipeline(order="steps")
def bucket_that_does_not_exist(tf: Any) -> Any:
    n = numbers(tf, 12)
    return tf.contrib.training.bucket([n], n % 4 - 1, 2, 2, allow_smaller_final_batch=True)


@pipeline(order="steps")
def bucket_with_a_shared_name(tf: Any) -> Any:
    n = numbers(tf, 8)
    return tf.contrib.training.bucket([n], n % 2, 2, 2, shared_name="shared", shapes=[[]])


@pipeline(order="rows")
def bucket_filled_by_threads(tf: Any) -> Any:
    n = numbers(tf, 30)
    _, batch = tf.contrib.training.bucket(
        [n, n % 2], n % 2, 5, 2, num_threads=4, allow_smaller_final_batch=True
    )
    return batch


@pipeline(order="steps")
def bucket_twice(tf: Any) -> Any:
    n, m = numbers(tf, 8), numbers(tf, 12)
    first = tf.contrib.training.bucket([n], tf.constant(0), 2, 2)
    second = tf.contrib.training.bucket([m], tf.constant(1), 2, 2)
    return [first, second]


@pipeline(order="steps")
def bucket_of_one_bucket(tf: Any) -> Any:
    n = numbers(tf, 6)
    return tf.contrib.training.bucket([n], n // 3, 2, 1, keep_input=n > 0)


@pipeline(order="steps")
def bucket_words_by_their_number(tf: Any) -> Any:
    _, line = lines(tf)
    words = tf.string_split([line]).values
    return tf.contrib.training.bucket_by_sequence_length(
        tf.size(words), [words, line], 2, [2, 3], dynamic_pad=True, allow_smaller_final_batch=True
    )


@pipeline(order="steps")
def bucket_lengths_of_a_dict(tf: Any) -> Any:
    n = numbers(tf, 16)
    return tf.contrib.training.bucket_by_sequence_length(
        n, {"half": n // 2}, 3, [4, 9], name="lengths"
    )


@pipeline(order="steps")
def bucket_lengths_given_shapes(tf: Any) -> Any:
    n = numbers(tf, 16)
    return tf.contrib.training.bucket_by_sequence_length(
        tf.cast(n, tf.int32), [tf.range(n)], [3, 2], (8,), shapes=[[None]], dynamic_pad=True,
        keep_input=tf.equal(n % 2, 0), allow_smaller_final_batch=True,
    )  # fmt: skip


@pipeline()
def refuse_bucket_with_other_capacities(tf: Any) -> Any:
    n = numbers(tf)
    return tf.contrib.training.bucket([n], n % 2, 2, 2, bucket_capacities=[3, 4, 5])


@pipeline()
def refuse_bucket_with_other_sizes(tf: Any) -> Any:
    n = numbers(tf)
    return tf.contrib.training.bucket([n], n % 2, [2, 3, 4], 2)


@pipeline()
def refuse_bucket_of_nothing(tf: Any) -> Any:
    return tf.contrib.training.bucket([], numbers(tf) % 2, 2, 2)


@pipeline()
def refuse_bucket_of_unknown_shape(tf: Any) -> Any:
    n = numbers(tf)
    return tf.contrib.training.bucket([tf.range(n)], n % 2, 2, 2)


@pipeline()
def refuse_bucket_boundaries_that_fall(tf: Any) -> Any:
    n = numbers(tf)
    return tf.contrib.training.bucket_by_sequence_length(n, [n], 2, [3, 3])


@pipeline()
def refuse_bucket_boundaries_that_are_no_integers(tf: Any) -> Any:
    n = numbers(tf)
    return tf.contrib.training.bucket_by_sequence_length(n, [n], 2, [1.5, 2.5])


@pipeline()
def refuse_bucket_without_boundaries(tf: Any) -> Any:
    n = numbers(tf)
    return tf.contrib.training.bucket_by_sequence_length(n, [n], 2, [])


def drawn(tf: Any, seed: int, threads: int = 1) -> Any:
    """Buckets by length of a generator's choice, and the batch of lengths with their sequences."""
    draw = random.Random(seed)
    lengths = [draw.randrange(12) for _ in range(draw.randrange(25, 50))]
    length = tf.train.input_producer(
        tf.constant(lengths), num_epochs=1, shuffle=False
    ).dequeue()  # fmt: skip
    boundaries = sorted(draw.sample(range(1, 11), draw.randrange(1, 4)))
    sizes = [draw.randrange(1, 5) for _ in range(len(boundaries) + 1)]
    pad, smaller, filtered = (draw.random() < 0.5 for _ in range(3))
    sequence = tf.fill([length], 2 * length) if pad else tf.fill([3], 2 * length)
    return tf.contrib.training.bucket_by_sequence_length(
        length,
        [sequence],
        sizes if draw.random() < 0.5 else sizes[0],
        boundaries,
        num_threads=threads,
        capacity=draw.randrange(4, 20),
        dynamic_pad=pad,
        allow_smaller_final_batch=smaller,
        keep_input=tf.not_equal(length % 5, 2) if filtered else True,
    )


@pipeline(order="steps")
def bucket_drawn_1(tf: Any) -> Any:
    return drawn(tf, 1)


@pipeline(order="steps")
def bucket_drawn_2(tf: Any) -> Any:
    return drawn(tf, 2)


@pipeline(order="steps")
def bucket_drawn_3(tf: Any) -> Any:
    return drawn(tf, 3)


@pipeline(order="steps")
def bucket_drawn_4(tf: Any) -> Any:
    return drawn(tf, 4)
