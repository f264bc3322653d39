"""train.batch: examples in the order of their arrival."""

from __future__ import annotations

import collections
from typing import Any

import numpy as np
import pytest
import tensorflow as tf

from queueio import train

v1 = tf.compat.v1


def test_eager_execution_is_refused(eager: None) -> None:
    with pytest.raises(ValueError, match="eager"):
        train.batch([tf.constant(1)], 2)


@pytest.mark.parametrize("nothing", [[], {}, ()])
def test_nothing_to_batch_is_refused(nothing: Any) -> None:
    with pytest.raises(ValueError, match="at least one tensor"):
        train.batch(nothing, 2)


@pytest.mark.parametrize(
    "rows", [np.zeros([2, 3]), np.array(["a"]), {"a", "b"}], ids=["rows", "texts", "set"]
)
def test_an_array_or_a_set_is_no_list_of_tensors(rows: Any) -> None:
    said = r"values must be a sequence.*it takes a list of tensors"
    with pytest.raises(TypeError, match=said):
        train.batch(rows, 2, enqueue_many=True)
    with pytest.raises(TypeError, match=said):
        train.shuffle_batch(rows, 2, 10, 1)
    with pytest.raises(TypeError, match=said):
        train.batch_join([rows, rows], 2)
    with pytest.raises(TypeError, match=said):
        train.slice_input_producer(rows)


def test_parts_may_have_any_names() -> None:
    """As in TF1, where a named tuple is a sequence, whichever of its parts is called "shape"."""
    Photo = collections.namedtuple("Photo", ["image", "shape"])
    image, shape = train.batch(Photo(tf.zeros([2, 3]), tf.constant([2, 3])), 4)
    assert (image.shape.as_list(), shape.shape.as_list()) == ([4, 2, 3], [4, 2])


def test_no_threads_at_all_are_refused_in_the_words_of_the_argument() -> None:
    with pytest.raises(ValueError, match=r"Must provide queue and enqueue_ops.*num_threads=0"):
        train.batch([tf.zeros([])], 2, num_threads=0)


@pytest.mark.parametrize(
    "size", [[2], (2,), [[2]], np.array([2]), pytest.param("tensor", id="a tensor")]
)
@pytest.mark.parametrize("smaller", [False, True])
def test_a_batch_size_in_a_list_of_one_is_that_number(
    size: Any, smaller: bool, values: Any, numbers: Any
) -> None:
    if isinstance(size, str):
        size = tf.constant([2])
    batch = train.batch([numbers(5)], size, allow_smaller_final_batch=smaller)
    assert batch.shape.as_list() == [None if smaller else 2]
    assert values(batch) == [[0, 1], [2, 3], [4]][: 2 + smaller]


@pytest.mark.parametrize(
    "size", [[2, 3], np.array([2, 3]), [], pytest.param("tensor", id="a tensor")]
)
def test_several_batch_sizes_are_refused_where_the_process_died(size: Any, numbers: Any) -> None:
    if isinstance(size, str):
        size = tf.constant([2, 3])
    with pytest.raises(ValueError, match=r"batch_size is \[.*how many examples.*Give one number"):
        train.batch([numbers(5)], size)


def test_a_tensor_of_unknown_rank_is_refused_with_the_call_that_gives_it_one() -> None:
    image = v1.placeholder(tf.float32, name="image")
    words = r"Cannot infer Tensor's rank: .*image.*test_batch.py.*tensor.set_shape"
    with pytest.raises(ValueError, match=words):
        train.batch([image], 2, dynamic_pad=True)


def test_a_shape_that_is_not_fully_defined_is_refused_by_name() -> None:
    image = v1.placeholder(tf.float32, [None, 3], name="image")
    with pytest.raises(ValueError, match=r"(?s)All shapes must be fully defined.*image"):
        train.batch([tf.constant(1), image], 2)


def test_an_unknown_rank_is_refused_by_name_even_with_padding() -> None:
    image = v1.placeholder(tf.float32, name="image")
    with pytest.raises(ValueError, match="image"):
        train.batch([image], 2, dynamic_pad=True)


def test_a_scalar_has_no_rows_to_enqueue() -> None:
    with pytest.raises(ValueError, match="rank"):
        train.batch([tf.constant(1)], 2, enqueue_many=True)


def test_as_many_shapes_as_tensors() -> None:
    with pytest.raises(ValueError):
        train.batch([tf.constant(1)], 2, shapes=[[], []])


def test_shapes_must_fit_the_tensors() -> None:
    with pytest.raises(ValueError, match="3"):
        train.batch([tf.constant(1)], 2, shapes=[[3]])


def test_no_threads_are_refused() -> None:
    with pytest.raises(ValueError, match="enqueue_ops"):
        train.batch([tf.constant(1)], 2, num_threads=0)


def test_the_tail_is_dropped(values: Any, numbers: Any) -> None:
    assert values(train.batch([numbers(5)], 2)) == [[0, 1], [2, 3]]


def test_the_tail_is_kept_where_asked(values: Any, numbers: Any) -> None:
    batch = train.batch([numbers(5)], 2, allow_smaller_final_batch=True)
    assert batch.shape.as_list() == [None]
    assert values(batch) == [[0, 1], [2, 3], [4]]


def test_fewer_examples_than_a_batch_give_none(values: Any, numbers: Any) -> None:
    assert values(train.batch([numbers(5)], 6)) == []


def test_batches_run_across_epochs(values: Any, numbers: Any) -> None:
    assert values(train.batch([numbers(3, epochs=2)], 2)) == [[0, 1], [2, 0], [1, 2]]


def test_several_threads_deliver_each_example_once(examples: Any, numbers: Any) -> None:
    batches = examples(train.batch([numbers(40)], 4, num_threads=4, capacity=5))
    assert sorted(batches) == list(range(40))


def test_a_list_of_one_comes_back_as_a_tensor(numbers: Any) -> None:
    assert train.batch([numbers(3)], 2).shape.as_list() == [2]


def test_a_list_comes_back_as_a_list(numbers: Any) -> None:
    batch = train.batch([numbers(3), tf.zeros([2, 3])], 2)
    assert isinstance(batch, list)
    assert [b.shape.as_list() for b in batch] == [[2], [2, 2, 3]]


@pytest.mark.parametrize("keys", [["only"], ["b", "a", "c"]])
def test_a_dict_comes_back_as_a_dict(drain: Any, numbers: Any, keys: list[str]) -> None:
    n = numbers(4)
    steps = drain(train.batch({key: n + i for i, key in enumerate(keys)}, 2))
    for i, key in enumerate(keys):
        assert [step[key].tolist() for step in steps] == [[i, 1 + i], [2 + i, 3 + i]]


def test_enqueue_many_takes_rows(values: Any, numbers: Any) -> None:
    rows = tf.range(3) + 10 * numbers(2)
    assert values(train.batch([rows], 2, enqueue_many=True)) == [[0, 1], [2, 10], [11, 12]]


def test_given_shapes_replace_unknown_ones(values: Any, numbers: Any) -> None:
    pair = v1.placeholder_with_default(tf.stack([numbers(4)] * 2), None)
    batch = train.batch([pair], 2, shapes=[[2]])
    assert batch.shape.as_list() == [2, 2]
    assert values(batch) == [[[0, 0], [1, 1]], [[2, 2], [3, 3]]]


def test_padding_fills_up_to_the_longest_of_each_batch(values: Any, numbers: Any) -> None:
    n = numbers(4)
    batch = train.batch([tf.fill([n + 1], n + 1)], 2, dynamic_pad=True)
    assert batch.shape.as_list() == [2, None]
    assert values(batch) == [[[1, 0], [2, 2]], [[3, 3, 3, 0], [4, 4, 4, 4]]]


def test_a_sparse_tensor_alone_has_the_names_that_it_had_in_tf1() -> None:
    sparse = tf.sparse.from_dense([0, 7])
    for number, tensors in enumerate(([sparse], {"only": sparse}, [sparse, tf.constant(1)])):
        batch = train.batch(tensors, 2, name=f"b{number}")
        found = batch["only"] if number == 1 else batch[0] if number == 2 else batch
        taken = "control_dependency" if number == 2 else "TakeManySparseFromTensorsMap"
        assert found.indices.name == f"b{number}/{taken}:0"


def test_sparse_tensors_come_back_sparse(drain: Any, numbers: Any) -> None:
    n = numbers(4)
    index = tf.cast(tf.reshape(n, [1, 1]), tf.int64)
    row = tf.SparseTensor(index, tf.reshape(n * 10, [1]), [5])
    batch = train.batch({"n": n, "row": row}, 2)
    assert isinstance(batch["row"], tf.SparseTensor)
    first, second = drain(batch)
    assert first["row"].indices.tolist() == [[0, 0], [1, 1]]
    assert second["row"].values.tolist() == [20, 30]
    assert second["row"].dense_shape.tolist() == [2, 5]


def test_names_capacity_and_summary(graph: Any, numbers: Any) -> None:
    batch = train.batch([numbers(3)], 2, capacity=9, shared_name="all", name="mine")
    assert batch.name == "mine:0"
    queue = graph.get_operation_by_name("mine/fifo_queue")
    assert (queue.get_attr("capacity"), queue.get_attr("shared_name")) == (9, b"all")
    assert graph.get_collection(v1.GraphKeys.SUMMARIES)[-1].op.name == "mine/fraction_of_9_full"


def test_the_summary_is_the_part_of_the_queue_that_is_full(session: Any, graph: Any) -> None:
    train.batch([tf.constant(1)], 2, capacity=4)
    (summary,) = graph.get_collection(v1.GraphKeys.SUMMARIES)
    (runner,) = graph.get_collection(v1.GraphKeys.QUEUE_RUNNERS)
    for _ in range(3):
        session.run(runner.enqueue_ops[0])
    (value,) = v1.Summary.FromString(session.run(summary)).value
    assert (value.tag, value.simple_value) == ("batch/fraction_of_4_full", 0.75)


def test_second_calls_and_scopes() -> None:
    names = [train.batch([tf.constant(1)], 2).name for _ in range(2)]
    with v1.name_scope("outer"):
        names.append(train.batch([tf.constant(1)], 2).name)
    assert names == ["batch:0", "batch_1:0", "outer/batch:0"]


def test_a_padding_queue_has_its_own_name(graph: Any) -> None:
    train.batch([tf.constant(1)], 2, dynamic_pad=True)
    assert graph.get_operation_by_name("batch/padding_fifo_queue")


def test_one_enqueue_op_runs_in_each_thread(graph: Any) -> None:
    train.batch([tf.constant(1)], 2, num_threads=3)
    (runner,) = graph.get_collection(v1.GraphKeys.QUEUE_RUNNERS)
    assert [op.name for op in runner.enqueue_ops] == ["batch/fifo_queue_enqueue"] * 3
