"""What TF1 checks inside of a branch is no check outside; branches may give constants alone."""

from __future__ import annotations

from typing import Any

import pytest
import tensorflow as tf

import queueio

v1 = tf.compat.v1


@pytest.mark.parametrize("told", [["at least 2"], None], ids=["a text", "the number"])
def test_an_assertion_in_a_branch_does_not_fail_for_the_other_branch(
    told: list[str] | None, v1_behaviour: None
) -> None:
    def build() -> Any:
        number = v1.train.range_input_producer(4, num_epochs=1, shuffle=False).dequeue()

        def checked() -> Any:
            with tf.control_dependencies([v1.Assert(number >= 2, told or [number])]):
                return tf.identity(number)

        with tf.control_dependencies([v1.Assert(number < 9, ["below 9"])]):
            number = tf.identity(number)
        return v1.train.batch([v1.cond(number >= 2, checked, lambda: number * 10)], 4)

    module = str(queueio.lift(build).to_source())
    assert "below 9" in module, "what is checked for all is still checked"
    scope: dict[str, Any] = {"__name__": "written"}
    exec(module, scope)
    assert [batch.tolist() for batch in scope["input_fn"]().as_numpy_iterator()] == [[0, 10, 2, 3]]


def numbers() -> Any:
    return v1.train.range_input_producer(6, num_epochs=1, shuffle=False).dequeue()


def below(number: Any, most: int) -> Any:
    with tf.control_dependencies([v1.assert_less(number, most)]):
        return number * 10


def in_one_branch() -> Any:
    number = numbers()
    return v1.cond(number > 1, lambda: below(number, 3), lambda: -number)


def in_the_other_branch() -> Any:
    number = numbers()
    return v1.cond(number > 3, lambda: -number, lambda: below(number, 3))


def by_itself() -> Any:
    number = numbers()

    def checked() -> Any:
        with tf.control_dependencies([v1.Assert(number < 3, ["too large", number])]):
            return tf.identity(number)

    return v1.cond(number > 1, checked, lambda: -number)


def deeper() -> Any:
    number = numbers()

    def inside() -> Any:
        return v1.cond(number > 2, lambda: below(number + 1, 5), lambda: number * 0)

    return v1.cond(number > 1, inside, lambda: -number)


def around_another() -> Any:
    number = numbers()

    def inside() -> Any:
        return v1.cond(below(number, 4) > 20, lambda: number + 5, lambda: number + 6)

    return v1.cond(number > 1, inside, lambda: -number)


def beside_another() -> Any:
    number = numbers()
    large = number > 1
    one = v1.cond(large, lambda: below(number, 4), lambda: -number)
    return one + v1.cond(large, lambda: number + 1, lambda: number + 2)


def of_infinity() -> Any:
    number = numbers()

    def inside() -> Any:
        share = 1 / tf.cast(number - 3, tf.float32)
        with tf.control_dependencies([v1.check_numerics(share, "divided by zero")]):
            return tf.identity(number)

    return v1.cond(number > 1, inside, lambda: -number)


@pytest.mark.parametrize(
    "build",
    [
        in_one_branch,
        in_the_other_branch,
        by_itself,
        deeper,
        around_another,
        beside_another,
        of_infinity,
    ],
)
def test_an_assertion_in_a_branch_fails_where_that_branch_is_taken(
    build: Any, v1_behaviour: None
) -> None:
    def pipeline() -> Any:
        return v1.train.batch([build()], 1)

    def seen(batches: Any) -> tuple[list[int], str]:
        found: list[int] = []
        try:
            for batch in batches:
                found += batch.tolist()
        except tf.errors.InvalidArgumentError:
            return found, "failed"
        return found, "ended"

    def queues() -> Any:
        with tf.Graph().as_default(), v1.Session() as session:
            batch = pipeline()
            session.run(v1.local_variables_initializer())
            coordinator = tf.train.Coordinator()
            threads = v1.train.start_queue_runners(session, coordinator)
            try:
                while True:
                    yield session.run(batch)
            except tf.errors.OutOfRangeError:
                coordinator.request_stop()
            coordinator.join(threads)

    scope: dict[str, Any] = {"__name__": "written"}
    exec(str(queueio.lift(pipeline).to_source()), scope)
    expected = seen(queues())
    assert expected[1] == "failed"
    assert seen(scope["input_fn"]().as_numpy_iterator()) == expected


def written(build: Any, control_flow: int) -> Any:
    """What the written module gives."""
    if control_flow == 2:
        v1.enable_control_flow_v2()
    try:
        module = str(queueio.lift(build).to_source())
    finally:
        v1.disable_control_flow_v2()
    scope: dict[str, Any] = {"__name__": "written"}
    exec(module, scope)
    return scope["input_fn"]().as_numpy_iterator()


@pytest.mark.parametrize("control_flow", [1, 2])
@pytest.mark.parametrize("chosen", [True, False])
def test_a_condition_that_the_graph_knows_is_written(
    chosen: bool, control_flow: int, v1_behaviour: None
) -> None:
    def build() -> Any:
        number = numbers()
        known = tf.equal(tf.size(tf.constant([7, 7])), 2 if chosen else 3)
        inside = v1.cond(
            number > 2, lambda: v1.cond(known, lambda: number, lambda: -number), lambda: number
        )
        return v1.train.batch([v1.cond(known, lambda: inside * 10, lambda: inside - 10)], 6)

    (batch,) = written(build, control_flow)
    taken, left = [0, 10, 20, 30, 40, 50], [-10, -9, -8, -13, -14, -15]
    assert batch.tolist() == (taken if chosen else left)


def test_a_loop_begins_and_goes_on_with_constant_rows(v1_behaviour: None) -> None:
    def build() -> Any:
        number, row = numbers(), tf.constant([1, 2, 3])

        def step(turn: Any, sums: Any, last: Any) -> Any:
            return turn + 1, sums + row * number, tf.constant([7, 8])

        start = [0, row, tf.constant([0, 0])]
        _, sums, last = tf.while_loop(lambda turn, *_: turn < number, step, start)
        kept = v1.cond(number > 3, lambda: row, lambda: row * 10)
        return v1.train.batch([sums, last, kept], 3)

    _, (sums, last, kept) = written(build, control_flow=2)
    assert sums.tolist() == [[10, 20, 30], [17, 34, 51], [26, 52, 78]]
    assert last.tolist() == [[7, 8]] * 3 and kept.tolist() == [[10, 20, 30], [1, 2, 3], [1, 2, 3]]


def chosen() -> Any:
    number = numbers()
    return v1.cond(number > 3, lambda: tf.constant(1), lambda: tf.constant(0))


def chosen_twice() -> Any:
    number = numbers()

    def large() -> Any:
        return v1.cond(number > 4, lambda: tf.constant(3), lambda: tf.constant(2))

    return v1.cond(number > 2, large, lambda: tf.constant(1))


def chosen_of_a_larger_one() -> Any:
    number = numbers()
    which = v1.cond(number > 3, lambda: (number, tf.constant(1)), lambda: (-number, tf.constant(0)))
    return which[1]


@pytest.mark.parametrize(
    ("build", "expected"),  # of TF 1.15.5
    [
        (chosen, [0, 0, 0, 0, 1, 1]),
        (chosen_twice, [1, 1, 1, 2, 2, 3]),
        (chosen_of_a_larger_one, [0, 0, 0, 0, 1, 1]),
    ],
)
def test_a_choice_between_constants_is_written_down(
    build: Any, expected: list[int], v1_behaviour: None
) -> None:
    def pipeline() -> Any:
        return v1.train.batch([build()], 6)

    assert [batch.tolist() for batch in written(pipeline, control_flow=1)] == [expected]
    assert ".map(" in queueio.lift(pipeline).explain()


@pytest.mark.parametrize("at_once", [1, 10])
def test_a_loop_runs_as_many_turns_side_by_side_as_it_did(at_once: int) -> None:
    """With one, the third turn has the third draw."""

    def build() -> Any:
        drawn = tf.while_loop(
            lambda turn, _: turn < 3,
            lambda turn, _: (turn + 1, v1.random_uniform([], seed=3)),
            (0, 0.0), parallel_iterations=at_once,
        )[1]  # fmt: skip
        return v1.train.batch([numbers(), drawn], 3)

    module = str(queueio.lift(build).to_source())
    assert "tf.while_loop" in module
    assert ("parallel_iterations=1" in module) == (at_once == 1)


def test_a_branch_looks_words_up_in_a_table_with_the_default_from_around_it(
    v1_behaviour: None,
) -> None:
    def build() -> Any:
        words = tf.lookup.KeyValueTensorInitializer(["a", "b"], [10, 20], tf.string, tf.int32)
        table = tf.lookup.StaticHashTable(words, -1)
        word = v1.train.string_input_producer(["a", "c", "x"], 1, shuffle=False).dequeue()
        found = v1.cond(
            tf.equal(word, "x"), table.size, lambda: tf.cast(table.lookup(word), tf.int64)
        )
        return v1.train.batch([tf.reshape(found, [])], 3)

    scope: dict[str, Any] = {"__name__": "written"}
    exec(str(queueio.lift(build).to_source()), scope)
    assert [batch.tolist() for batch in scope["input_fn"]().as_numpy_iterator()] == [[10, -1, 2]]
