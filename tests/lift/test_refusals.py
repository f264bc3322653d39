"""What is refused, and that the refusal names the op, the line, the reason and the way out."""

from __future__ import annotations

import threading
import time
import types
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import tensorflow as tf
from tensorflow.python.framework.function import Defun  # TF1's

import queueio
from queueio import lift_meta_graph
from queueio.contrib.learn.feeding_queue_runner import FeedingQueueRunner
from queueio.graph.index import Index

v1 = tf.compat.v1


def numbers(count: int = 4) -> Any:
    return v1.train.range_input_producer(count, num_epochs=1, shuffle=False).dequeue()


def runs(queue: Any, *ops: Any, **more: Any) -> None:
    v1.train.add_queue_runner(v1.train.QueueRunner(queue, list(ops), **more))


def fed_by_a_placeholder() -> Any:
    queue = v1.FIFOQueue(5, [tf.int32], [[]])
    queue.enqueue([v1.placeholder(tf.int32, [], name="fed")])
    return queue.dequeue()


def fed_by_a_placeholder_in_a_runner() -> Any:
    return v1.train.batch([v1.placeholder(tf.int32, [], name="fed")], 2)


class FiveTimes(v1.train.QueueRunner):
    """What a program wrote that wanted another loop: it stops after five elements."""

    def _run(self, sess: Any, enqueue_op: Any, coord: Any = None) -> None:
        for _ in range(5):
            sess.run(enqueue_op)
        sess.run(self.close_op)


class Announced(v1.train.QueueRunner):
    def create_threads(self, *args: Any, **more: Any) -> Any:
        print("feeding starts")
        return super().create_threads(*args, **more)


def run_in_its_own_way(kind: type = FiveTimes) -> Any:
    queue = v1.FIFOQueue(20, [tf.int32], [[]])
    v1.train.add_queue_runner(kind(queue, [queue.enqueue([numbers(12)], name="enqueue")]))
    return queue.dequeue()


def run_in_its_own_way_before_a_batch() -> Any:
    return v1.train.batch([run_in_its_own_way()], 2)


def started_in_its_own_way() -> Any:
    return run_in_its_own_way(Announced)


def fed_over_its_default_by_a_runner() -> Any:
    queue = v1.FIFOQueue(5, [tf.int32], [[]])
    scale = v1.placeholder_with_default(1, [])
    enqueue = queue.enqueue([numbers() * scale], name="enqueue")
    v1.train.add_queue_runner(FeedingQueueRunner(queue, [enqueue], feed_fns=[lambda: {scale: 7}]))
    return queue.dequeue()


def run_by_what_is_no_queue_runner() -> Any:
    queue = v1.FIFOQueue(5, [tf.int32], [[]])
    queue.enqueue([numbers()], name="by_hand")
    v1.train.add_queue_runner(types.SimpleNamespace(name=queue.name, create_threads=list))
    return queue.dequeue()


class Generated(v1.train.QueueRunner):
    """One whose constructor names no queue and no op."""

    def __init__(self) -> None:
        pass


def run_by_a_runner_that_names_no_op() -> Any:
    queue = v1.FIFOQueue(5, [tf.int32], [[]])
    queue.enqueue([v1.placeholder(tf.int32, [], name="fed")])
    v1.train.add_queue_runner(Generated())
    return queue.dequeue()


def filled_by_nothing() -> Any:
    return v1.FIFOQueue(5, [tf.int32], [[]], name="empty").dequeue()


def filled_by_a_runner_that_keeps_none() -> Any:
    return queueio.train.maybe_batch([numbers()], False, 2, name="none")


def filled_by_hand() -> Any:
    queue = v1.FIFOQueue(5, [tf.int32], [[]])
    queue.enqueue([numbers()], name="by_hand")
    return queue.dequeue()


def filled_by_hand_besides() -> Any:
    queue = v1.FIFOQueue(5, [tf.int32], [[]])
    runs(queue, queue.enqueue([numbers()]))
    queue.enqueue([7], name="by_hand")
    return queue.dequeue()


def taken_from_twice() -> Any:
    queue = v1.train.range_input_producer(4, num_epochs=1)
    queue.dequeue(name="other")
    return v1.train.batch([queue.dequeue()], 2)


def taken_from_twice_in_one_step() -> Any:
    queue = v1.train.range_input_producer(4, num_epochs=1)
    return [queue.dequeue(name="first"), queue.dequeue_many(2, name="other")]


def one_reader_for_two_batches() -> Any:
    key, value = v1.WholeFileReader().read(v1.train.string_input_producer(["a"], num_epochs=1))
    v1.train.batch([key], 2, name="other")
    return v1.train.batch([value], 2)


def read_in_the_step_as_well() -> Any:
    key, value = v1.WholeFileReader().read(v1.train.string_input_producer(["a"], num_epochs=1))
    return [v1.train.batch([value], 2), key]


def fed_back() -> Any:
    queue = v1.FIFOQueue(5, [tf.int32], [[]], name="loop")
    value = queue.dequeue()
    runs(queue, queue.enqueue([value + 1]))
    return value


def written_by_the_training_step() -> Any:
    scale = v1.get_variable("scale", [], tf.int32, v1.zeros_initializer())
    batch = v1.train.batch([numbers() * scale], 2)
    v1.assign_add(scale, 1)
    return batch


def written_in_a_branch_of_the_training_step() -> Any:
    scale = v1.get_variable("scale", [], tf.int32, v1.zeros_initializer(), use_resource=True)
    batch = v1.train.batch([numbers() * scale], 2)
    branches = [lambda: scale + 0, lambda: v1.assign_add(scale, 1) + 0]
    tf.switch_case(tf.size(batch) % 2, branches, name="step")
    return batch


def writes_as_it_goes() -> Any:
    count = v1.get_variable("count", [], tf.int32, v1.zeros_initializer())
    number = numbers()
    with tf.control_dependencies([v1.assign_add(count, 1)]):
        value = tf.identity(number)
    return v1.train.batch([value], 2)


def knows_how_full_a_queue_is() -> Any:
    queue = v1.train.range_input_producer(4, num_epochs=1)
    return v1.train.batch([queue.dequeue() + queue.size(name="fullness")], 2)


def batch_size_from_a_placeholder() -> Any:
    return v1.train.batch([numbers()], v1.placeholder(tf.int32, [], name="size"))


def two_queues_by_one_op() -> Any:
    left, right = (v1.FIFOQueue(5, [tf.int32], [[]]) for _ in range(2))
    value = numbers()
    runs(left, tf.group(left.enqueue([value]), right.enqueue([value]), name="both"))
    return [left.dequeue(), right.dequeue()]


def sorted_into_buckets() -> Any:
    """As contrib's bucket_by_sequence_length did it."""
    length = numbers()
    buckets = [v1.FIFOQueue(5, [tf.int32], [[]]) for _ in range(2)]
    fills = [
        v1.cond(tf.equal(length // 2, place), lambda q=bucket: q.enqueue([length]), tf.no_op)
        for place, bucket in enumerate(buckets)
    ]
    runs(buckets[0], tf.group(*fills, name="sort"))
    batches = v1.FIFOQueue(5, [tf.int32], [[2]])
    runs(batches, *(batches.enqueue([bucket.dequeue_many(2)]) for bucket in buckets))
    return batches.dequeue()


def producers_that_take_more_or_less() -> Any:
    queue = v1.train.range_input_producer(12, num_epochs=1)
    rows = [[queue.dequeue_many(2)], [tf.negative(queue.dequeue_many(3, name="three"))]]
    return v1.train.batch_join(rows, 2, enqueue_many=True)


def producers_with_counts_of_their_own() -> Any:
    queue = v1.train.range_input_producer(4)
    limited = [v1.train.limit_epochs(queue.dequeue(), n, name=f"count_{n}") for n in (2, 3)]
    return v1.train.batch_join([[n] for n in limited], 2)


def producers_of_which_one_keeps_all() -> Any:
    queue = v1.train.range_input_producer(4, num_epochs=1)
    some, every = queue.dequeue(), queue.dequeue()
    kept = v1.FIFOQueue(5, [tf.int32], [[]])
    fill = v1.cond(some > 1, lambda: kept.enqueue([some]), tf.no_op)
    runs(kept, fill, kept.enqueue([every], name="every"))
    return kept.dequeue()


def a_producer_that_writes() -> Any:
    queue = v1.train.range_input_producer(4, num_epochs=1)
    seen = v1.get_variable("seen", [], tf.int32, v1.zeros_initializer())
    plain, counted = queue.dequeue(), queue.dequeue()
    with tf.control_dependencies([v1.assign_add(seen, 1)]):
        counted = tf.identity(counted)
    return v1.train.batch_join([[plain], [counted]], 2)


def inception(threads: int = 4) -> Any:
    names = v1.train.string_input_producer(["a", "b"], num_epochs=1)
    examples = []
    for thread in range(threads):
        reader = v1.TextLineReader(skip_header_lines=thread % 2, name=f"reader_{thread}")
        image = v1.string_to_number(reader.read(names)[1])
        if thread % 2:
            image = tf.multiply(image, 2.0, name="brighter")
        examples.append([tf.add(image, 1.0, name=f"distorted_{thread}")])
    return v1.train.batch_join(examples, 2)


def producers_that_share_some_readers() -> Any:
    names = v1.train.string_input_producer(["a", "b"], num_epochs=1)
    lines = [v1.TextLineReader().read(names)[1] for _ in range(2)]
    rows = [[lines[0]], [lines[1]], [v1.string_join([lines[1], "!"], name="shared")]]
    return v1.train.batch_join(rows, 2)


def ends_at_an_error() -> Any:
    queue = v1.FIFOQueue(5, [tf.int32], [[]])
    errors = (tf.errors.OutOfRangeError, tf.errors.DataLossError)
    runs(queue, queue.enqueue([numbers()], name="enqueue"), queue_closed_exception_types=errors)
    return queue.dequeue()


def reads_records_of_no_bytes() -> Any:
    names = v1.train.string_input_producer(["a.bin"], num_epochs=1)
    return v1.FixedLengthRecordReader(0, name="nothing").read(names)[1]


def chosen_among_queues(place: Any = None) -> Any:
    left, right = (v1.FIFOQueue(5, [tf.int32], [[]]) for _ in range(2))
    for queue in (left, right):
        runs(queue, queue.enqueue([numbers()]))
    place = v1.placeholder_with_default(0, []) if place is None else place
    return tf.queue.QueueBase.from_list(place, [left, right]).dequeue()


def chosen_by_a_constant() -> Any:
    return chosen_among_queues(1)


def dequeued_in_a_cond() -> Any:
    left, right = (v1.train.range_input_producer(4, num_epochs=1) for _ in range(2))
    return v1.cond(numbers() > 1, left.dequeue, right.dequeue)


def no_pipeline() -> Any:
    return tf.constant(1, name="alone") + 1


def a_function_called_by_the_type_of_an_op() -> Any:
    doubled = Defun(tf.int32, func_name="doubles")(lambda number: number * 2)(numbers())
    doubled.set_shape([])
    return v1.train.batch([doubled], 2)


def a_tf_data_iterator() -> Any:
    iterator = v1.data.make_one_shot_iterator(tf.data.Dataset.range(3))
    return v1.train.batch([iterator.get_next(), tf.cast(numbers(), tf.int64)], 2)


NEVER, YET = queueio.NoEquivalent, queueio.NotLifted
REFUSALS: list[tuple[Callable[[], Any], type[Exception], str, str]] = [
    (fed_by_a_placeholder, NEVER, "fed", "does not hold what they feed"),
    (fed_by_a_placeholder_in_a_runner, NEVER, "fed", "fed from outside"),
    (run_in_its_own_way, YET, "enqueue", "'FiveTimes' runs its enqueue ops in its own way"),
    (run_in_its_own_way_before_a_batch, YET, "enqueue", "'FiveTimes' runs its enqueue ops"),
    (started_in_its_own_way, YET, "enqueue", "'Announced' runs its enqueue ops"),
    (fed_over_its_default_by_a_runner, YET, "enqueue", "feeds tensors on the way to it"),
    (run_by_what_is_no_queue_runner, YET, "by_hand", "no queue runner runs it"),
    (run_by_a_runner_that_names_no_op, NEVER, "fed", "does not hold what they feed"),
    (filled_by_nothing, YET, "empty", "nothing in the graph fills it"),
    (filled_by_a_runner_that_keeps_none, YET, "none", "as under keep_input=False"),
    (filled_by_hand, YET, "by_hand", "no queue runner runs it"),
    (filled_by_hand_besides, YET, "by_hand", "no queue runner runs it"),
    (taken_from_twice, YET, "other", "not alone in taking from"),
    (taken_from_twice_in_one_step, YET, "other", "not alone in taking from"),
    (one_reader_for_two_batches, YET, "other/", "each of the two gets only a part"),
    (read_in_the_step_as_well, YET, "batch/", "each of the two gets only a part"),
    (fed_back, NEVER, "loop", "filled from what was taken out of it"),
    (written_by_the_training_step, YET, "", "writes 'scale'"),
    (written_in_a_branch_of_the_training_step, YET, "step", "writes 'scale'"),
    (writes_as_it_goes, YET, "", "changes state as it goes"),
    (knows_how_full_a_queue_is, NEVER, "fullness", "how far other threads have come"),
    (batch_size_from_a_placeholder, YET, "size", "the batch size is not a constant"),
    (two_queues_by_one_op, YET, "both", "fills 2 queues at once"),
    (sorted_into_buckets, YET, "sort", "one or another of 2 queues, and not by comparing one"),
    (producers_that_take_more_or_less, YET, "three", "an element gets the treatment of whichever"),
    (producers_with_counts_of_their_own, YET, "count_3", "CountUpTo' in its limit"),
    (producers_of_which_one_keeps_all, YET, "", "an element gets the treatment of whichever"),
    (a_producer_that_writes, YET, "", "changes state as it goes"),
    (inception, YET, "reader_1", "a file's records get the treatment of whichever reader"),
    (producers_that_share_some_readers, YET, "", "a file's records get the treatment of whichever"),
    (ends_at_an_error, YET, "enqueue", "DataLossError"),
    (reads_records_of_no_bytes, NEVER, "nothing", "no bytes for ever"),
    (chosen_among_queues, YET, "", "decided only when it runs"),
    (chosen_by_a_constant, YET, "", "always the one in place 1 of QueueBase.from_list's"),
    (dequeued_in_a_cond, YET, "", ""),
    (no_pipeline, YET, "", "no queue or reader lies behind it"),
    (a_function_called_by_the_type_of_an_op, YET, "", "only that graph knows this type"),
    (a_tf_data_iterator, NEVER, "", "which is tf.data already"),
]


@pytest.mark.parametrize(
    ("build", "kind", "name", "reason"), REFUSALS, ids=[r[0].__name__ for r in REFUSALS]
)
def test_what_cannot_be_sure_is_refused(
    build: Callable[[], Any], kind: type[Exception], name: str, reason: str, behaviour: str
) -> None:
    with tf.Graph().as_default() as graph:
        fetches = build()
        before = graph.as_graph_def().SerializeToString(deterministic=True)
        with pytest.raises(kind) as refusal:
            queueio.lift(fetches)
        after = graph.as_graph_def().SerializeToString(deterministic=True)
    told: Any = refusal.value
    assert before == after, "a refusal leaves the graph as it was"
    assert name in told.op_name and reason in told.reason
    assert told.op_type == graph.get_operation_by_name(told.op_name).type
    assert "test_refusals.py:" in str(told.origin), "the line that made the op"
    assert told.op_name in str(told) and str(told.origin) in str(told)
    assert told.remedy


@pytest.mark.parametrize("build", [chosen_among_queues, dequeued_in_a_cond])
def test_nobody_is_told_to_choose_among_batches_of_which_the_rest_is_lost(
    build: Callable[[], Any], behaviour: str
) -> None:
    with tf.Graph().as_default(), pytest.raises(YET) as refusal:
        queueio.lift(build())
    told: Any = refusal.value
    assert "feed the other in its place" in told.remedy and "choose among" not in told.remedy


def test_towers_that_take_a_batch_each_are_told_to_be_lifted_together() -> None:
    with tf.Graph().as_default(), pytest.raises(queueio.NotLifted) as refusal:
        queueio.lift(taken_from_twice_in_one_step())
    told: Any = refusal.value
    assert "a batch of its own" in told.remedy and "lift([first, second])" in told.remedy


def test_a_queue_behind_a_dataset_is_told_to_be_written_in_tf_data() -> None:
    with tf.Graph().as_default(), pytest.raises(queueio.NoEquivalent) as refusal:
        queueio.lift(a_tf_data_iterator())
    told: Any = refusal.value
    assert "dataset.map(…).shuffle(…).batch(…)" in told.remedy


def test_producers_that_differ_are_told_with_their_queue_their_number_and_the_way_out() -> None:
    with tf.Graph().as_default():
        batch = inception(6)
        with pytest.raises(queueio.NotLifted) as refusal:
            queueio.lift(batch)
    told = str(refusal.value)
    assert "6 producers of one join draw from 'input_producer'" in told
    assert "'reader_0' differs from 'reader_1' in its skip_header_lines" in told
    assert "maxval=6" in told and "queue engine" in told and "test_refusals.py:" in told


def test_a_python_function_in_a_metagraph_is_refused(tmp_path: Path) -> None:
    path = str(tmp_path / "old.meta")
    with tf.Graph().as_default():
        value = v1.py_func(lambda x: x + 1, [numbers()], tf.int32, name="python")
        value.set_shape([])
        batch = v1.train.batch([value], 2)
        v1.train.export_meta_graph(path)
    with pytest.raises(queueio.NoEquivalent, match="not part of a MetaGraph"):
        lift_meta_graph(path, [batch.name])


def test_nothing_to_fetch_is_refused() -> None:
    with pytest.raises(ValueError, match="no tensor of a graph"):
        queueio.lift([])


def test_a_number_is_no_fetch() -> None:
    with pytest.raises(ValueError, match="neither a tensor nor the name of one"):
        queueio.lift([3])


def test_an_eager_dataset_of_a_trained_variable_is_refused() -> None:
    with tf.Graph().as_default():
        mean = v1.get_variable("mean", [], tf.int32, v1.zeros_initializer())
        plan = queueio.lift(v1.train.batch([numbers() - mean], 2))
    with pytest.raises(queueio.NotLifted, match="known only to a session"):
        plan.to_dataset()


@pytest.mark.long
def test_lifting_ten_thousand_ops_takes_seconds_and_copies_what_is_needed() -> None:
    with tf.Graph().as_default():
        value = numbers()
        for _ in range(10_000):
            value = value + 1
        needless = value
        for _ in range(100):
            needless = needless * 2
        batch = v1.train.batch([value], 2)
        done = threading.Event()
        timer = threading.Timer(60, done.set)
        timer.start()
        started = time.process_time()
        plan = queueio.lift(batch)
        spent = time.process_time() - started
        timer.cancel()
    assert spent < 5, "the walk is linear: 10,000 ops in under 5 seconds"
    (transform,) = [node for node in plan.stages if type(node).__name__ == "Transform"]
    types = [op.type for op in transform.fragment.ops]
    assert types.count("AddV2") == 10_000 and "Mul" not in types


def test_a_runner_of_what_is_no_op_does_not_stand_in_the_way() -> None:
    with tf.Graph().as_default() as graph:
        no_op = types.SimpleNamespace(name="absent")
        runs(tf.queue.FIFOQueue(1, tf.int32), no_op)
        assert Index(graph).evaluators == []


def test_a_table_of_before_tensorflow_1_is_refused_by_name() -> None:
    with tf.Graph().as_default():
        key, *_ = v1.train.slice_input_producer([[b"a", b"b"]], num_epochs=1, shuffle=False)
        table = tf.raw_ops.HashTable(key_dtype=tf.string, value_dtype=tf.int64)
        tf.raw_ops.InitializeTable(table_handle=table, keys=["a"], values=tf.cast([1], tf.int64))
        found = tf.raw_ops.LookupTableFind(
            table_handle=table, keys=key, default_value=tf.cast(-1, tf.int64)
        )
        plan = queueio.lift(v1.train.batch([tf.ensure_shape(found, [])], 2))
        with pytest.raises(queueio.NotLifted, match=r"HashTable op 'HashTable'.*is a reference"):
            plan.to_dataset()
    with pytest.raises(queueio.NotLifted, match=r"HashTable op 'HashTable'.*is a reference"):
        plan.to_dataset()


@pytest.mark.parametrize(("capacity", "kept_back"), [(5, 5), (3, 9), (5, -1)])
def test_a_queue_that_no_session_can_make_is_refused(capacity: int, kept_back: int) -> None:
    def pipeline() -> Any:
        queue = v1.RandomShuffleQueue(capacity, kept_back, [tf.int32], [[]])
        runs(queue, queue.enqueue([numbers()]))
        return queue.dequeue()

    with pytest.raises(queueio.NotLifted, match=f"{kept_back} must be < capacity {capacity}"):
        queueio.lift(pipeline)


def test_what_a_pipeline_remembers_is_not_told_to_be_a_count() -> None:
    with pytest.raises(YET, match=r"Run it on the queue engine; or keep what it counts or remem"):
        queueio.lift(writes_as_it_goes)


def test_more_queues_in_a_row_than_pythons_stack_has_room_for_are_refused() -> None:
    with tf.Graph().as_default():
        number = numbers()
        for _ in range(40):
            number = v1.train.batch([number], 1)[0]
        with pytest.raises(queueio.NotLifted, match="more than 30 queues follow one another"):
            queueio.lift(v1.train.batch([number], 2))
