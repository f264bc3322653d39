"""What kernels use in place of `Dataset.map` and its like gives what those give."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import tensorflow as tf

from queueio.compile.kernels.as_written import flat_mapped, kept, lasting, mapped, scanned

v1 = tf.compat.v1
Made = Callable[[tf.data.Dataset], tf.data.Dataset]


def pairs() -> tf.data.Dataset:
    return tf.data.Dataset.range(9).map(
        lambda n: (n, (tf.strings.as_string(n), tf.equal(n % 2, 0)))
    )


def added(total: tf.Tensor, new: Any) -> tuple[tf.Tensor, Any]:
    number, (text, even) = new
    return total + number, (total, text, even)


def grown(rows: tf.Tensor, new: Any) -> tuple[tf.Tensor, tf.Tensor]:
    more = tf.concat([rows, new[0][tf.newaxis]], 0)
    return more, tf.shape(more)[0]


def repeated(number: tf.Tensor, more: Any) -> tf.data.Dataset:
    return tf.data.Dataset.from_tensors((more[0], False)).repeat(number)


ZERO, NO_ROWS = np.int64(0), np.zeros([0], np.int64)
FORMS: dict[str, tuple[Made, Made]] = {
    "map": (
        lambda d: mapped(d, lambda n, more: (True, (more[0], n * 2))),
        lambda d: d.map(lambda n, more: (True, (more[0], n * 2))),
    ),
    "side by side": (
        lambda d: mapped(d, lambda n, more: {"a": n, "b": more[1]}, 3),
        lambda d: d.map(lambda n, more: {"a": n, "b": more[1]}),
    ),
    "flat_map": (lambda d: flat_mapped(d, repeated), lambda d: d.flat_map(repeated)),
    "filter": (
        lambda d: kept(d, lambda n, more: tf.logical_and(more[1], n > 1)),
        lambda d: d.filter(lambda n, more: tf.logical_and(more[1], n > 1)),
    ),
    "scan": (lambda d: scanned(d, ZERO, added), lambda d: d.scan(ZERO, added)),
    "scan of a state that grows": (
        lambda d: scanned(d, NO_ROWS, grown),
        lambda d: d.scan(NO_ROWS, grown),
    ),
    "take_while": (
        lambda d: lasting(d, lambda n, more: n < 5),
        lambda d: d.take_while(lambda n, more: n < 5),
    ),
}


@pytest.mark.parametrize("form", FORMS)
def test_it_gives_what_tf_data_gives(form: str) -> None:
    ours, theirs = (made(pairs()) for made in FORMS[form])
    assert ours.element_spec == theirs.element_spec
    assert list(ours.as_numpy_iterator()) == list(theirs.as_numpy_iterator())


@pytest.mark.parametrize("form", FORMS)
def test_it_gives_the_same_in_a_session(form: str) -> None:
    ours, theirs = FORMS[form]
    expected = list(theirs(pairs()).as_numpy_iterator())
    with tf.Graph().as_default(), v1.Session() as session:
        way = v1.data.make_initializable_iterator(ours(pairs()))
        element = way.get_next()
        session.run(way.initializer)
        assert [session.run(element) for _ in expected] == expected
        with pytest.raises(tf.errors.OutOfRangeError):
            session.run(element)


def test_what_it_closes_over_is_the_same_in_each_pass() -> None:
    captured = tf.Variable(5, dtype=tf.int64)
    dataset = mapped(tf.data.Dataset.range(3), lambda n: n + captured)
    assert list(dataset.as_numpy_iterator()) == [5, 6, 7]
    captured.assign(7)
    assert list(dataset.as_numpy_iterator()) == [7, 8, 9]


def test_an_error_in_a_function_comes_with_its_element() -> None:
    dataset = mapped(tf.data.Dataset.range(3), lambda n: 6 // (2 - n), 2)
    found = iter(dataset)
    assert [int(next(found)), int(next(found))] == [3, 6]
    with pytest.raises(tf.errors.InvalidArgumentError):
        next(found)


def test_a_parameter_that_is_not_used_is_no_reason_to_warn(
    caplog: pytest.LogCaptureFixture,
) -> None:
    mapped(pairs(), lambda _, more: more)
    assert not caplog.records
