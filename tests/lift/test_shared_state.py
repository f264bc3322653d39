"""Whatever two runs of ops share is lifted as one thing, or refused with its name.

Every kind of state is put into every place where two may meet. What is lifted must deliver what
the queues deliver; that is asked of the queues, not written down.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import tensorflow as tf

import queueio

v1 = tf.compat.v1
EPOCHS = 12


def a_counter() -> tuple[Any, str]:
    return v1.train.limit_epochs(tf.constant(7), EPOCHS, name="counted"), "counted/epochs"


def a_count() -> tuple[Any, str]:
    """Two ops count one variable: the op is not shared, the variable is."""
    counter = v1.Variable(0, name="mine", collections=[v1.GraphKeys.LOCAL_VARIABLES])

    def limited() -> Any:
        handle = getattr(counter, "handle", None)
        if handle is None:
            count = tf.raw_ops.CountUpTo(ref=counter._ref(), limit=EPOCHS)
        else:
            count = tf.raw_ops.ResourceCountUpTo(resource=handle, limit=EPOCHS, T=tf.int32)
        with tf.control_dependencies([count]):
            return tf.identity(7)

    return limited, "mine"


def a_count_whose_numbers_are_used() -> tuple[Any, str]:
    counter = v1.Variable(0, name="number", collections=[v1.GraphKeys.LOCAL_VARIABLES])
    return counter.count_up_to(EPOCHS), "number"


def a_variable() -> tuple[Any, str]:
    seen = v1.get_variable("seen", [], tf.int32, v1.zeros_initializer())
    return v1.assign_add(seen, 1), "seen"


def a_table() -> tuple[Any, str]:
    table = tf.raw_ops.MutableHashTableV2(key_dtype=tf.int32, value_dtype=tf.int32, name="table")
    write = tf.raw_ops.LookupTableInsertV2(table_handle=table, keys=[1], values=[2])
    with tf.control_dependencies([write]):
        return tf.identity(7), "table"


def a_generator() -> tuple[Any, str]:
    return tf.random.uniform([], maxval=1 << 30, dtype=tf.int32, seed=5, name="draws"), "draws"


def a_python_function() -> tuple[Any, str]:
    numbers = itertools.count()
    value = v1.py_func(lambda: np.int32(next(numbers)), [], tf.int32, name="python")
    value.set_shape([])
    return value, "python"


def a_queue() -> tuple[Any, str]:
    queue = v1.train.range_input_producer(EPOCHS, num_epochs=1, name="numbers")
    return queue.dequeue, "numbers"


STATES = [
    a_counter,
    a_count,
    a_count_whose_numbers_are_used,
    a_variable,
    a_table,
    a_generator,
    a_python_function,
    a_queue,
]


def of(made: Any) -> Any:
    """A tensor that changes the state: the one there is, or a new op for it each time."""
    return made() if callable(made) else made


def own(name: str) -> Any:
    return v1.train.range_input_producer(EPOCHS, num_epochs=1, shuffle=False, name=name).dequeue()


def limited(tensor: Any, name: str) -> Any:
    return v1.train.limit_epochs(tensor, EPOCHS, name=name)


def twins(made: Any) -> Any:
    return v1.train.batch_join([[of(made), "s"] for _ in range(2)], 1)


def unlike_members(made: Any) -> Any:
    return v1.train.batch_join([[of(made), "s"], [of(made), "t"]], 1)


def members_that_share_a_queue_too(made: Any) -> Any:
    queue = v1.train.range_input_producer(EPOCHS, num_epochs=1, name="common")
    return v1.train.batch_join([[of(made) * 100 + queue.dequeue()] for _ in range(2)], 1)


def unlike_members_that_share_a_queue_too(made: Any) -> Any:
    queue = v1.train.range_input_producer(EPOCHS, num_epochs=1, name="common")
    rows = [[of(made) * 100 + queue.dequeue()], [of(made) * 100 - queue.dequeue()]]
    return v1.train.batch_join(rows, 1)


def two_pipelines(made: Any) -> Any:
    v1.train.batch([of(made) + own("left")], 1, name="other")
    return v1.train.batch([of(made) + own("right")], 1)


def both_sides_of_a_step(made: Any) -> Any:
    sides = [v1.train.batch([of(made) + own(name)], 1) for name in ("left", "right")]
    return sides


def a_producer_and_the_fetches(made: Any) -> Any:
    return [v1.train.batch([of(made) + own("left")], 1), of(made)]


def a_stage_and_the_one_before_it(made: Any) -> Any:
    first = v1.train.batch([of(made) + own("left")], 1)
    return v1.train.batch([first[0] + of(made)], 1)


def an_example_and_whether_to_keep_it(made: Any) -> Any:
    return v1.train.maybe_batch([of(made) + own("left")], of(made) >= 0, 1)


def keeping_in_another_pipeline(made: Any) -> Any:
    number = own("left")
    v1.train.maybe_batch([number], of(made) + number > 0, 1, name="other")
    return v1.train.batch([of(made) + own("right")], 1)


def one_that_only_keeps_some(made: Any) -> Any:
    queue = v1.FIFOQueue(5, [tf.int32], [[]], name="kept")
    number = own("left")
    fill = v1.cond(number > 3, lambda: queue.enqueue([number + of(made)]), tf.no_op)
    v1.train.add_queue_runner(v1.train.QueueRunner(queue, [fill]))
    v1.train.batch([of(made)], 1, name="other")
    return v1.train.batch([queue.dequeue()], 1)


PLACES = [twins, unlike_members, members_that_share_a_queue_too,
          unlike_members_that_share_a_queue_too, two_pipelines, both_sides_of_a_step,
          a_producer_and_the_fetches, a_stage_and_the_one_before_it,
          an_example_and_whether_to_keep_it, keeping_in_another_pipeline,
          one_that_only_keeps_some]  # fmt: skip
# Where all that touches the state is alike, or runs at once: these are no race.
ONE = {
    *itertools.product(
        (twins, members_that_share_a_queue_too, an_example_and_whether_to_keep_it),
        (a_counter, a_count_whose_numbers_are_used, a_generator, a_python_function),
    ),
    (unlike_members_that_share_a_queue_too, a_counter),
    (unlike_members_that_share_a_queue_too, a_count_whose_numbers_are_used),
    (twins, a_queue), (unlike_members, a_queue), (members_that_share_a_queue_too, a_queue),
    (unlike_members_that_share_a_queue_too, a_queue),
}  # fmt: skip
# Of these a race decides what comes out, in the queues as well.
RACES = {(place, a_queue) for place, state in ONE if state is a_queue and place is not twins}


@pytest.mark.parametrize("place", PLACES, ids=lambda place: place.__name__)
@pytest.mark.parametrize("state", STATES, ids=lambda state: state.__name__)
def test_what_is_shared_is_one_thing_or_is_refused_by_its_name(
    state: Callable[[], Any], place: Callable[[Any], Any], behaviour: str
) -> None:
    with tf.Graph().as_default():
        made, name = state()
        fetches = place(made)
        if (place, state) in ONE:
            queueio.lift(fetches)
            return
        with pytest.raises(queueio.Refusal) as refusal:
            queueio.lift(fetches)
    in_a_cond = "inside a function"  # of which TensorFlow says no more than its queue
    assert any(text in str(refusal.value) for text in (name, "changes state as it goes", in_a_cond))


def distinct(steps: list[Any]) -> tuple[int, int]:
    """How many steps, and how many that differ."""
    return len(steps), len({str([p.tolist() for p in tf.nest.flatten(step)]) for step in steps})


@pytest.mark.parametrize(
    ("place", "state"), sorted(ONE - RACES, key=str), ids=lambda value: value.__name__
)
def test_what_is_one_thing_delivers_as_much_as_the_queues(
    place: Callable[[Any], Any], state: Callable[[], Any], from_queues: Callable[..., list[Any]]
) -> None:
    """As many examples, and no draw twice: two copies of a state would make each twice."""

    def build() -> Any:
        return place(state()[0])

    most = 2 * EPOCHS
    expected = distinct(from_queues(build, most))
    plan = queueio.lift(build)
    for vectorise in (False, True):
        dataset = plan.to_dataset(vectorise=vectorise).take(most)
        assert distinct(list(dataset.as_numpy_iterator())) == expected
    if state is not a_python_function:
        scope: dict[str, Any] = {"__name__": "written"}
        exec(str(plan.to_source()), scope)
        assert distinct(list(scope["input_fn"]().take(most).as_numpy_iterator())) == expected


def test_tables_of_other_words_make_producers_unlike() -> None:
    """Two of one kind, filled with other values: the first does not stand for the second."""

    def build() -> Any:
        queue = v1.train.range_input_producer(4, num_epochs=1, shuffle=False)
        rows = []
        for value in (10, 20):
            table = tf.lookup.StaticHashTable(
                tf.lookup.KeyValueTensorInitializer([0, 1, 2, 3], [value] * 4), -1)  # fmt: skip
            rows.append([table.lookup(queue.dequeue())])
        return v1.train.batch_join(rows, 4)

    (batch,) = queueio.lift(build).to_dataset().as_numpy_iterator()
    assert batch.tolist() == [10, 20, 10, 20]


def test_python_functions_make_producers_unlike_unless_they_are_the_same() -> None:
    def build(*functions: Any) -> Any:
        queue = v1.train.range_input_producer(4, num_epochs=1, shuffle=False)
        rows = []
        for function in functions:
            value = v1.py_func(function, [queue.dequeue()], tf.int32)
            value.set_shape([])
            rows.append([value])
        return v1.train.batch_join(rows, 4)

    def ten(x: Any) -> Any:
        return x + np.int32(10)

    def twenty(x: Any) -> Any:
        return x + np.int32(20)

    with pytest.raises(queueio.NotLifted, match="one of several producers that differ"):
        queueio.lift(lambda: build(ten, twenty))
    assert "Producers" not in str(queueio.lift(lambda: build(ten, ten)))


def test_a_write_behind_a_cond_of_control_flow_v1_is_seen(v1_behaviour: None) -> None:
    with tf.Graph().as_default():
        scale = v1.get_variable("scale", [], tf.int32, v1.zeros_initializer())
        batch = v1.train.batch([own("left") * scale], 2)
        v1.cond(batch[0] > 1, lambda: v1.assign_add(scale, 1), lambda: tf.identity(0))
        with pytest.raises(queueio.NotLifted, match="writes 'scale'"):
            queueio.lift(batch)


def test_a_variable_under_a_second_name_is_the_same_variable() -> None:
    def handle(name: str) -> Any:
        return tf.raw_ops.VarHandleOp(dtype=tf.int32, shape=[], shared_name="one", name=name)

    with tf.Graph().as_default():
        read = tf.raw_ops.ReadVariableOp(resource=handle("first"), dtype=tf.int32)
        batch = v1.train.batch([own("left") * read], 2)
        tf.raw_ops.AssignAddVariableOp(resource=handle("second"), value=1, name="step")
        with pytest.raises(queueio.NotLifted, match="step"):
            queueio.lift(batch)


def test_queues_of_one_shared_name_are_one_queue() -> None:
    with tf.Graph().as_default():
        queues = [v1.FIFOQueue(5, [tf.int32], [[]], shared_name="one", name=n) for n in "ab"]
        for queue in queues:
            fill = queue.enqueue([own(f"for_{queue.name}")])
            v1.train.add_queue_runner(v1.train.QueueRunner(queue, [fill]))
        with pytest.raises(queueio.NotLifted, match="shared_name"):
            queueio.lift(v1.train.batch([queues[0].dequeue()], 2))
