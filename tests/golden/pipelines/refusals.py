"""What is refused while the graph is built."""

from __future__ import annotations

from typing import Any

from pipelines.registry import numbers, pipeline


@pipeline()
def refuse_an_empty_string_list(tf: Any) -> Any:
    return tf.train.string_input_producer([])


@pipeline()
def refuse_zero_epochs(tf: Any) -> Any:
    return tf.train.string_input_producer(["a"], num_epochs=0)


@pipeline()
def refuse_negative_epochs(tf: Any) -> Any:
    return tf.train.limit_epochs(tf.constant(1), num_epochs=-1)


@pipeline()
def refuse_rows_of_unknown_shape(tf: Any) -> Any:
    return tf.train.input_producer(tf.placeholder(tf.int32, [None, None]))


@pipeline()
def refuse_rows_of_another_shape(tf: Any) -> Any:
    return tf.train.input_producer([[1, 2]], element_shape=[3])


@pipeline()
def refuse_a_scalar_of_rows(tf: Any) -> Any:
    return tf.train.input_producer(tf.constant(1))


@pipeline()
def refuse_numbers_as_strings(tf: Any) -> Any:
    return tf.train.string_input_producer([1, 2])


@pipeline()
def refuse_no_slices(tf: Any) -> Any:
    return tf.train.slice_input_producer([])


@pipeline()
def refuse_an_empty_batch(tf: Any) -> Any:
    return tf.train.batch([], 2)


@pipeline()
def refuse_an_empty_join(tf: Any) -> Any:
    return tf.train.batch_join([], 2)


@pipeline()
def refuse_a_join_of_empty_lists(tf: Any) -> Any:
    return tf.train.batch_join([[], []], 2)


@pipeline()
def refuse_a_batch_of_unknown_shape(tf: Any) -> Any:
    return tf.train.batch([tf.placeholder(tf.float32, [None, 3])], 2)


@pipeline()
def refuse_a_batch_of_unknown_rank(tf: Any) -> Any:
    return tf.train.batch([tf.placeholder(tf.float32)], 2)


@pipeline()
def refuse_padding_of_unknown_rank(tf: Any) -> Any:
    return tf.train.batch([tf.placeholder(tf.float32)], 2, dynamic_pad=True)


@pipeline()
def refuse_a_shuffle_of_unknown_shape(tf: Any) -> Any:
    return tf.train.shuffle_batch([tf.placeholder(tf.string, [None])], 2, 10, 3)


@pipeline()
def refuse_scalars_with_enqueue_many(tf: Any) -> Any:
    return tf.train.batch([numbers(tf)], 2, enqueue_many=True)


@pipeline()
def refuse_shapes_of_another_length(tf: Any) -> Any:
    return tf.train.batch([numbers(tf)], 2, shapes=[[], []])


@pipeline()
def refuse_shapes_that_do_not_fit(tf: Any) -> Any:
    return tf.train.batch([numbers(tf)], 2, shapes=[[3]])


@pipeline()
def refuse_capacity_below_the_minimum(tf: Any) -> Any:
    return tf.train.shuffle_batch([numbers(tf)], 2, capacity=3, min_after_dequeue=3)


@pipeline()
def refuse_a_join_of_two_dtypes(tf: Any) -> Any:
    return tf.train.batch_join([[tf.constant(1)], [tf.constant(1.0)]], 2)


@pipeline()
def refuse_a_join_of_two_shapes(tf: Any) -> Any:
    return tf.train.batch_join([[tf.zeros([2])], [tf.zeros([3])]], 2)


@pipeline()
def refuse_a_join_of_unequal_lengths(tf: Any) -> Any:
    return tf.train.batch_join([[tf.zeros([]), tf.zeros([])], [tf.zeros([])]], 2)


@pipeline()
def refuse_a_join_of_unequal_keys(tf: Any) -> Any:
    return tf.train.batch_join([{"a": tf.zeros([])}, {"b": tf.zeros([])}], 2)


@pipeline()
def refuse_a_join_of_sparse_and_dense(tf: Any) -> Any:
    sparse = tf.SparseTensor([[0]], [1], [2])
    return tf.train.batch_join([[sparse], [tf.constant([1])]], 2)


@pipeline()
def refuse_keep_vector_of_single_examples(tf: Any) -> Any:
    return tf.train.maybe_batch([numbers(tf)], [True, False], 2)


@pipeline()
def refuse_keep_matrix(tf: Any) -> Any:
    return tf.train.maybe_batch([tf.zeros([2])], [[True], [False]], 2, enqueue_many=True)


@pipeline()
def refuse_keep_of_unknown_rank(tf: Any) -> Any:
    return tf.train.maybe_batch([numbers(tf)], tf.placeholder(tf.bool), 2)


@pipeline()
def refuse_keep_vector_shuffled(tf: Any) -> Any:
    return tf.train.maybe_shuffle_batch([numbers(tf)], 2, 10, 2, [True])


@pipeline()
def refuse_keep_vector_of_a_join(tf: Any) -> Any:
    return tf.train.maybe_batch_join([[numbers(tf)]], [True], 2)


@pipeline()
def refuse_keep_of_unknown_rank_of_a_shuffled_join(tf: Any) -> Any:
    keep = tf.placeholder(tf.bool)
    return tf.train.maybe_shuffle_batch_join([[numbers(tf)]], 2, 10, 2, keep)


@pipeline()
def refuse_padding_queue_without_shapes(tf: Any) -> Any:
    return tf.PaddingFIFOQueue(5, [tf.int32], None)


@pipeline()
def refuse_enqueue_of_another_dtype(tf: Any) -> Any:
    return tf.FIFOQueue(5, [tf.int32], [[]]).enqueue([tf.constant(1.5)])


@pipeline()
def refuse_a_runner_without_a_queue(tf: Any) -> Any:
    return tf.train.QueueRunner(None, [tf.no_op()])


@pipeline()
def refuse_a_runner_without_ops(tf: Any) -> Any:
    return tf.train.QueueRunner(tf.FIFOQueue(5, [tf.int32], [[]]), [])


@pipeline()
def refuse_a_runner_with_a_bad_exception_type(tf: Any) -> Any:
    queue = tf.FIFOQueue(5, [tf.int32], [[]])
    types = (tf.errors.OutOfRangeError, "Cancelled")
    return tf.train.QueueRunner(queue, [queue.enqueue(1)], queue_closed_exception_types=types)


@pipeline()
def refuse_csv_without_a_vector_default(tf: Any) -> Any:
    return tf.decode_csv("1,2", [tf.zeros([2]), [1]])


@pipeline()
def refuse_a_feature_without_a_type(tf: Any) -> Any:
    return tf.parse_single_example("", {"a": tf.FixedLenFeature([None], tf.int64)})


@pipeline()
def refuse_a_bare_tensor(tf: Any) -> Any:
    return tf.train.batch(numbers(tf), 2)


@pipeline()
def refuse_no_threads(tf: Any) -> Any:
    return tf.train.batch([numbers(tf)], 2, num_threads=0)


@pipeline()
def refuse_keep_of_another_dtype(tf: Any) -> Any:
    return tf.train.maybe_batch([numbers(tf)], tf.placeholder(tf.int32, []), 2)


@pipeline()
def refuse_a_sparse_tensor_of_unknown_rank(tf: Any) -> Any:
    sparse = tf.sparse_placeholder(tf.int32)
    return tf.train.batch([sparse], 2)


@pipeline()
def refuse_an_empty_dict(tf: Any) -> Any:
    return tf.train.batch({}, 2)
