"""Buckets: every batch holds examples of one bucket, on the queues and in each form in tf.data."""

from __future__ import annotations

import random
from collections import Counter, defaultdict
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
import pytest
import tensorflow as tf

import queueio
from queueio import contrib, train

v1 = tf.compat.v1
Batches = list[tuple[int, list[int]]]


class Case(NamedTuple):
    """A pipeline of a generator's choice: numbers, sorted by their remainder."""

    numbers: list[int]
    sizes: list[int]
    one_size: bool
    threads: int
    pads: bool
    smaller: bool
    keeps: bool

    @classmethod
    def drawn(cls, seed: int) -> Case:
        draw = random.Random(seed)
        numbers = [draw.randrange(40) for _ in range(draw.randrange(20, 60))]
        sizes = [draw.randrange(1, 6) for _ in range(draw.randrange(1, 5))]
        pads, smaller, keeps, one = (draw.random() < 0.5 for _ in range(4))
        return cls(numbers, sizes, one, draw.choice([1, 1, 3]), pads, smaller, keeps)

    def build(self) -> Any:
        """The bucket, and the batch of numbers, each with as many copies as its last digit."""
        n = train.input_producer(tf.constant(self.numbers), num_epochs=1, shuffle=False).dequeue()
        copies = tf.fill([n % 10 if self.pads else 4], n)
        # One remainder more than there are buckets: its numbers belong nowhere.
        bucket = n % (len(self.sizes) + 1)
        return contrib.training.bucket(
            [n, copies],
            bucket,
            self.sizes[0] if self.one_size else list(self.sizes),
            len(self.sizes),
            num_threads=self.threads,
            dynamic_pad=self.pads,
            allow_smaller_final_batch=self.smaller,
            keep_input=tf.not_equal(n % 7, 3) if self.keeps else True,
        )

    @property
    def expected(self) -> Batches:
        """What one thread makes of the numbers, bucket by bucket."""
        held: dict[int, list[int]] = defaultdict(list)
        for n in self.numbers:
            if not (self.keeps and n % 7 == 3):
                held[n % (len(self.sizes) + 1)].append(n)
        made = []
        for bucket in range(len(self.sizes)):
            size, rows = self.sizes[0 if self.one_size else bucket], held[bucket]
            lots = [rows[i : i + size] for i in range(0, len(rows), size)]
            made += [(bucket, lot) for lot in lots if self.smaller or len(lot) == size]
        return made


def told(steps: Any) -> Batches:
    """The bucket and the numbers of each batch, whose copies must be padded to the longest."""
    found = []
    for bucket, (numbers, copies) in steps:
        for n, row in zip(numbers, copies, strict=True):
            shown = [int(n)] * (int(n) % 10 if 0 in copies or copies.shape[1] != 4 else 4)
            assert row.tolist()[: len(shown)] == shown or set(row.tolist()) <= {int(n), 0}
        found.append((int(bucket), [int(n) for n in numbers]))
    return found


def from_queues(case: Case) -> Iterator[Any]:
    with tf.Graph().as_default():
        fetches = case.build()
        with v1.Session() as session:
            session.run(v1.local_variables_initializer())
            coord = train.Coordinator()
            threads = train.start_queue_runners(session, coord)
            try:
                while True:
                    yield session.run(fetches)
            except tf.errors.OutOfRangeError:
                coord.request_stop()
                coord.join(threads)


def elements(dataset: Any) -> Iterator[Any]:
    for bucket, (numbers, copies) in dataset:
        yield bucket.numpy(), (numbers.numpy(), copies.numpy())


def written(plan: Any) -> Any:
    """The dataset of the emitted module."""
    scope: dict[str, Any] = {}
    exec(str(plan.to_source()), scope)
    return scope["input_fn"]()


def check(case: Case, got: Batches, ordered: bool) -> None:
    """The batches are those expected; of several threads, in any arrangement within a bucket."""
    if ordered:
        assert sorted(got) == sorted(case.expected)
        in_turn = [lot for bucket, lot in got if bucket == 0]
        assert in_turn == [lot for bucket, lot in case.expected if bucket == 0]
        return
    assert Counter((b, len(lot)) for b, lot in got) == Counter(
        (b, len(lot)) for b, lot in case.expected
    )
    there = Counter(case.numbers)
    taken = Counter(n for _, lot in got for n in lot)
    assert not taken - there, "no number comes more often than it was put in"
    for bucket, lot in got:
        assert {n % (len(case.sizes) + 1) for n in lot} == {bucket}
        assert not case.keeps or all(n % 7 != 3 for n in lot)


@pytest.mark.long
@pytest.mark.parametrize("seed", [0, 3, 4, 6, 7])
def test_batches_of_a_bucket_are_the_same_on_the_queues_and_in_every_form(seed: int) -> None:
    case = Case.drawn(seed)
    check(case, told(from_queues(case)), ordered=case.threads == 1)
    plan = queueio.lift(case.build)
    chunked, plain = (told(elements(plan.to_dataset(vectorise=fast))) for fast in (True, False))
    assert chunked == plain
    for got in (plain, told(elements(written(plan)))):
        check(case, got, ordered=True)


@pytest.mark.parametrize("seed", [100])
def test_buckets_of_control_flow_v1_lift_as_well(seed: int, v1_behaviour: None) -> None:
    case = Case.drawn(seed)._replace(keeps=True)
    with tf.Graph().as_default():
        plan = queueio.lift(case.build())
    with tf.Graph().as_default():
        batch = v1.data.make_one_shot_iterator(written(plan)).get_next()
        with v1.Session() as session:
            steps = [session.run(batch) for _ in case.expected]
            with pytest.raises(tf.errors.OutOfRangeError):
                session.run(batch)
    check(case, told(steps), ordered=True)


def lengths_of(boundaries: list[int], **more: Any) -> Any:
    n = train.range_input_producer(12, num_epochs=1, shuffle=False).dequeue()
    return contrib.training.bucket_by_sequence_length(
        n, {"word": tf.as_string(n), "n": n}, 2, boundaries, **more
    )


def test_a_length_on_a_boundary_belongs_to_the_longer_bucket() -> None:
    plan = queueio.lift(lambda: lengths_of([4, 9], allow_smaller_final_batch=True))
    lots = sorted(lengths.numpy().tolist() for lengths, _ in plan.to_dataset())
    assert lots == [[0, 1], [2, 3], [4, 5], [6, 7], [8], [9, 10], [11]]


def test_a_dict_comes_back_as_a_dict() -> None:
    plan = queueio.lift(lambda: lengths_of([6]))
    for lengths, batch in plan.to_dataset():
        assert batch["word"].numpy().tolist() == [str(n).encode() for n in lengths.numpy()]
        assert batch["n"].numpy().tolist() == lengths.numpy().tolist()


def test_a_list_of_batch_sizes_stays_as_it_was_and_a_tuple_serves() -> None:
    with tf.Graph().as_default():
        n, sizes = tf.constant(1), [2, 3]
        contrib.training.bucket([n], n, sizes, 2)
        assert sizes == [2, 3]
        _, batch = contrib.training.bucket([n], n, (2, 3), 2)
        assert batch.shape.as_list() == [None]


def test_the_size_summary_of_a_bucket_counts_its_own_examples() -> None:
    with tf.Graph().as_default(), v1.Session() as session:
        n = train.range_input_producer(7, num_epochs=1, shuffle=False).dequeue()
        contrib.training.bucket([n], n % 3 // 2, 9, 2)
        coord = train.Coordinator()
        session.run(v1.local_variables_initializer())
        threads = train.start_queue_runners(session, coord)
        summary = v1.summary.merge_all(scope="bucket")
        sizes: dict[str, float] = {}
        while sum(sizes.values()) < 7:
            told = v1.Summary.FromString(session.run(summary))
            sizes = {v.tag: v.simple_value for v in told.value if v.tag.endswith("/size")}
        coord.request_stop()
        coord.join(threads)
    assert sorted(sizes.values()) == [2.0, 5.0]


def test_the_two_runners_have_the_names_that_they_had_in_tf1() -> None:
    with tf.Graph().as_default() as graph:
        contrib.training.bucket([tf.constant(1)], tf.constant(0), 2, 2, num_threads=3)
        empty, fill = graph.get_collection(v1.GraphKeys.QUEUE_RUNNERS)
        assert empty.name == "bucket/bucket_queue_0"
        assert fill.name == "bucket/top_queue"
    first, second = (f"bucket/enqueue_from_bucket_{i}" for i in range(2))
    assert [op.name for op in empty.enqueue_ops] == [first, second]
    assert [op.name for op in fill.enqueue_ops] == ["bucket/group_enqueues"] * 3


def by_hand(conditions: list[Any], n: Any, worked: Any = lambda batch: batch) -> Any:
    """Buckets as a program makes them itself: a cond with an enqueue for each."""
    top = tf.queue.FIFOQueue(9, [tf.int32], [[2]])
    queues = [tf.queue.FIFOQueue(9, [tf.int32], [[]]) for _ in conditions]
    conds = [
        v1.cond(condition, lambda q=queue: q.enqueue([n]), tf.no_op)
        for condition, queue in zip(conditions, queues, strict=True)
    ]
    train.add_queue_runner(train.QueueRunner(queues[0], [tf.group(*conds)]))
    forward = [top.enqueue([worked(queue.dequeue_many(2))]) for queue in queues]
    train.add_queue_runner(train.QueueRunner(top, forward))
    return top.dequeue()


def test_buckets_made_by_hand_lift_where_a_number_decides() -> None:
    def build() -> Any:
        n = train.range_input_producer(8, num_epochs=1, shuffle=False).dequeue()
        return by_hand([tf.equal(n % 3, 2), tf.equal(0, n % 3)], n)

    def shared() -> Any:
        n = train.range_input_producer(8, num_epochs=1, shuffle=False).dequeue()
        key = n % 3
        return by_hand([tf.equal(key, 2), tf.equal(0, key)], n)

    assert sorted(x.numpy().tolist() for x in queueio.lift(shared).to_dataset()) == [
        [0, 3], [2, 5],
    ]  # fmt: skip
    with pytest.raises(queueio.NotLifted, match="one number"):
        queueio.lift(build)


@pytest.mark.long
def test_the_number_of_a_bucket_may_have_no_static_shape_but_is_a_scalar(
    v1_behaviour: None,
) -> None:
    """As what a `py_func` gives, and a queue without shapes; a cond fails of anything else."""

    def build(rank: int) -> Any:
        n = train.range_input_producer(7, num_epochs=1, shuffle=False).dequeue()
        shaped = tf.reshape(n, tf.fill([n * 0 + rank], 1))
        bare = tf.queue.FIFOQueue(9, [tf.int32, tf.int32])
        train.add_queue_runner(train.QueueRunner(bare, [bare.enqueue([n, shaped])]))
        key, n = bare.dequeue()
        key.set_shape([])
        return contrib.training.bucket([key], n % 3, 2, 3, allow_smaller_final_batch=True)

    def forms(rank: int) -> list[Any]:
        plan = queueio.lift(lambda: build(rank))
        return [plan.to_dataset(), plan.to_dataset(vectorise=False), written(plan)]

    for dataset in forms(0):
        assert sorted((int(key), batch.numpy().tolist()) for key, batch in dataset) == [
            (0, [0, 3]), (0, [6]), (1, [1, 4]), (2, [2, 5]),
        ]  # fmt: skip
    for dataset in forms(1)[:2]:
        with pytest.raises(tf.errors.InvalidArgumentError):
            list(dataset)


@pytest.mark.parametrize("constants", [[7, 8], [b"even", b"odd"], [0.5, 1.5]])
def test_a_constant_of_a_bucket_keeps_its_dtype_in_every_form(constants: list[Any]) -> None:
    dtype = tf.int64 if isinstance(constants[0], int) else tf.constant(constants).dtype

    def build() -> Any:
        n = train.range_input_producer(6, num_epochs=1, shuffle=False).dequeue()
        top = tf.queue.FIFOQueue(9, [dtype, tf.int32], [[], [2]])
        queues = [tf.queue.FIFOQueue(9, [tf.int32], [[]]) for _ in constants]
        key = n % 2
        conds = [
            v1.cond(tf.equal(key, i), lambda q=queue: q.enqueue([n]), tf.no_op)
            for i, queue in enumerate(queues)
        ]
        train.add_queue_runner(train.QueueRunner(queues[0], [tf.group(*conds)]))
        forward = [
            top.enqueue([tf.constant(told, dtype), queue.dequeue_many(2)])
            for told, queue in zip(constants, queues, strict=True)
        ]
        train.add_queue_runner(train.QueueRunner(top, forward))
        return top.dequeue()

    plan = queueio.lift(build)
    for dataset in (plan.to_dataset(), written(plan)):
        assert dataset.element_spec[0].dtype == dtype
        assert sorted((told.numpy(), batch.numpy().tolist()) for told, batch in dataset) == [
            (constants[0], [0, 2]), (constants[1], [1, 3]),
        ]  # fmt: skip


@pytest.mark.parametrize("engine", ["queue", "data"])
def test_buckets_run_in_a_session_that_has_finalized_its_graph(engine: str) -> None:
    with queueio.engine(engine), tf.Graph().as_default():
        n = train.range_input_producer(6, num_epochs=1, shuffle=False).dequeue()
        fetches = contrib.training.bucket([n], n % 2, 3, 2)
        with v1.train.MonitoredTrainingSession() as session:
            lots = []
            while not session.should_stop():
                bucket, batch = session.run(fetches)
                lots.append((int(bucket), batch.tolist()))
    assert sorted(lots) == [(0, [0, 2, 4]), (1, [1, 3, 5])]


def test_buckets_by_comparisons_other_than_with_one_number_are_refused() -> None:
    def build() -> Any:
        n = train.range_input_producer(8, num_epochs=1, shuffle=False).dequeue()
        return by_hand([n < 3, n >= 3], n)

    with pytest.raises(queueio.NotLifted, match=r"one or another of 2 queues.*contrib.training"):
        queueio.lift(build)


def test_ops_between_a_bucket_and_the_top_queue_are_refused() -> None:
    def build() -> Any:
        n = train.range_input_producer(8, num_epochs=1, shuffle=False).dequeue()
        key = n % 2
        return by_hand([tf.equal(key, 0), tf.equal(key, 1)], n, worked=lambda batch: batch + 1)

    with pytest.raises(queueio.NotLifted, match="works on the batch of a bucket"):
        queueio.lift(build)


@pytest.mark.long
def test_an_unequal_example_tells_what_failed_on_both_engines() -> None:
    for engine in ("queue", "data"):
        with queueio.engine(engine), tf.Graph().as_default(), v1.Session() as session:
            n = train.range_input_producer(5, num_epochs=1, shuffle=False).dequeue()
            bad = v1.verify_tensor_all_finite(tf.math.log(3.0 - tf.cast(n, tf.float32)), "no log")
            _, batch = contrib.training.bucket([bad], n % 2, 2, 2)
            session.run(v1.local_variables_initializer())
            coord = train.Coordinator()
            threads = train.start_queue_runners(session, coord)
            with pytest.raises(tf.errors.OpError, match="no log"):
                for _ in range(9):
                    assert np.isfinite(session.run(batch)).all()
                    coord.raise_requested_exception()
            coord.request_stop()
            with pytest.raises(tf.errors.InvalidArgumentError, match="no log"):
                coord.join(threads)
