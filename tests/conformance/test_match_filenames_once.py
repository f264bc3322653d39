"""train.match_filenames_once: the files of a pattern, in a local variable."""

from __future__ import annotations

from typing import Any

import pytest
import tensorflow as tf

from queueio import train

v1 = tf.compat.v1


def test_a_pattern_without_a_match_fails_when_its_names_are_used(run: Any, data: Any) -> None:
    names = train.match_filenames_once("data/nothing-*.txt")
    outcome = run(train.string_input_producer(names).dequeue())
    assert isinstance(outcome.end, tf.errors.OutOfRangeError)
    assert isinstance(outcome.join, tf.errors.InvalidArgumentError)


def test_without_the_local_initialiser_it_is_not_initialised(session: Any, data: Any) -> None:
    names = train.match_filenames_once("data/lines-*.txt")
    with pytest.raises((tf.errors.FailedPreconditionError, tf.errors.NotFoundError)):
        session.run(tf.identity(names))


def test_it_is_a_local_variable_of_strings(graph: Any) -> None:
    train.match_filenames_once("data/lines-*.txt")
    (variable,) = graph.get_collection(v1.GraphKeys.LOCAL_VARIABLES)
    assert (variable.op.name, variable.dtype.base_dtype) == ("matching_filenames", tf.string)
    assert graph.get_collection(v1.GraphKeys.GLOBAL_VARIABLES) == []
    assert graph.get_collection(v1.GraphKeys.TRAINABLE_VARIABLES) == []


def test_names_are_sorted_and_stay_as_they_were_first_seen(session: Any, data: Any) -> None:
    names = tf.identity(train.match_filenames_once("data/lines-*.txt"))
    session.run(v1.local_variables_initializer())
    (data / "lines-9.txt").write_text("late")
    assert session.run(names).tolist() == [b"data/lines-0.txt", b"data/lines-1.txt"]


def test_a_list_of_patterns_and_a_name(session: Any, graph: Any, data: Any) -> None:
    names = train.match_filenames_once(["data/lines-*.txt", "data/whole-a.*"], name="found")
    session.run(v1.local_variables_initializer())
    got = session.run(tf.identity(names))
    assert set(got) == {b"data/lines-0.txt", b"data/lines-1.txt", b"data/whole-a.txt"}
    assert graph.get_collection(v1.GraphKeys.LOCAL_VARIABLES)[0].op.name == "found"


def test_a_producer_of_the_names_reads_each_file(values: Any, data: Any) -> None:
    names = train.match_filenames_once("data/lines-*.txt")
    queue = train.string_input_producer(names, num_epochs=2, shuffle=False)
    assert values(queue.dequeue()) == [b"data/lines-0.txt", b"data/lines-1.txt"] * 2
