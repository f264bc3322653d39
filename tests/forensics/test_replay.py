"""The search for a bad record leaves no trace in the program: nothing is enqueued, nobody told."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import tensorflow as tf

from queueio.forensics import locate
from queueio.runtime import calls

v1 = tf.compat.v1


def _read(tmp_path: Path) -> Any:
    (tmp_path / "numbers.txt").write_text("1\n2\n3\nbad\n")
    queue = v1.train.string_input_producer([str(tmp_path / "numbers.txt")], shuffle=False)
    return v1.TextLineReader().read(queue)[1]


def _run_to_its_error(session: Any, op: Any) -> tf.errors.OpError:
    fill = next(o for o in session.graph.get_operations() if o.type == "QueueEnqueueManyV2")
    session.run([v1.local_variables_initializer(), fill])
    with pytest.raises(tf.errors.InvalidArgumentError) as caught:
        for _ in range(9):
            session.run(op)
    return caught.value


def test_an_enqueue_under_a_condition_is_not_run_again(conds_of_tf1: None, tmp_path: Path) -> None:
    with tf.Graph().as_default(), v1.Session() as session:
        line = _read(tmp_path)
        queue = v1.FIFOQueue(99, [tf.string], [[]])

        def checked() -> Any:
            with tf.control_dependencies([v1.Assert(tf.not_equal(line, "bad"), [line])]):
                return queue.enqueue([line])

        fill = v1.cond(tf.not_equal(line, "2"), checked, tf.no_op)
        error = _run_to_its_error(session, fill)
        locate(error, fill, session)
        assert session.run(queue.size()) == 2


def test_what_a_failing_op_waits_for_is_not_run_again(tmp_path: Path) -> None:
    with tf.Graph().as_default(), v1.Session() as session:
        line = _read(tmp_path)
        seen = v1.get_variable("seen", [], tf.int32, v1.zeros_initializer(), use_resource=True)
        session.run(seen.initializer)
        with tf.control_dependencies([v1.assign_add(seen, 1)]):
            number = v1.string_to_number(line)
        error = _run_to_its_error(session, number)
        locate(error, number.op, session)
        assert session.run(seen) == 4


def test_nobody_who_watches_the_programs_calls_is_told(tmp_path: Path) -> None:
    told: list[Any] = []

    def watched(method: Callable[..., Any]) -> Callable[..., Any]:
        def run(*args: Any, **kwargs: Any) -> Any:
            told.append(args)
            return method(*args, **kwargs)

        return run

    with tf.Graph().as_default(), v1.Session() as session:
        number = v1.string_to_number(_read(tmp_path))
        error = _run_to_its_error(session, number)
        unwrap = calls.wrap(run=watched)
        try:
            found = locate(error, number.op, session)
        finally:
            unwrap()
    assert found is not None and found.key.endswith("numbers.txt:4")
    assert not told
