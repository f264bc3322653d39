"""A session call that is given one output of an op, and needs another: the op runs all the same."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import tensorflow as tf

import queueio
from queueio import io, settings, train
from queueio.graph.traversal import replaced

v1 = tf.compat.v1
SOON = v1.RunOptions(timeout_in_ms=5000)
"""A call that waits for ever ends, as an error."""


def run(session: Any, fetches: Any, feeds: dict[Any, Any]) -> Any:
    return session.run(fetches, feeds, options=SOON)


@pytest.mark.parametrize("own_take", [False, True], ids=["lifted", "on queues"])
@pytest.mark.filterwarnings("ignore::queueio.errors.FallbackWarning")
def test_a_batch_that_is_given_in_part_is_taken_all_the_same(own_take: bool) -> None:
    with tf.Graph().as_default(), queueio.engine("data"), settings.override(small_job=0):
        number = train.range_input_producer(6, shuffle=False).dequeue()
        numbers, more = train.batch([number, number + 100], 4)
        if own_take:
            v1.get_collection(v1.GraphKeys.QUEUE_RUNNERS)[-1].queue.dequeue()
        with v1.Session() as session, queueio.running(session):
            given = {numbers: [1, 2, 3, 4]}
            taken = [run(session, [numbers, more], given) for _ in range(2)]
            assert [list(both[0]) for both in taken] == [[1, 2, 3, 4]] * 2
            assert [list(both[1]) for both in taken] == [[100, 101, 102, 103], [104, 105, 100, 101]]
            assert list(run(session, numbers, given | {more: [0] * 4})) == [1, 2, 3, 4]
            assert list(run(session, numbers, {})) == [2, 3, 4, 5]


@pytest.mark.filterwarnings("ignore::queueio.errors.FallbackWarning")
def test_a_column_beside_a_given_one_comes_from_the_file(tmp_path: Path) -> None:
    (tmp_path / "lines").write_text("1,2\n" * 9)
    with tf.Graph().as_default(), queueio.engine("data"), settings.override(small_job=0):
        names = train.string_input_producer([str(tmp_path / "lines")])
        first, second = v1.decode_csv(io.TextLineReader().read(names)[1], [[0], [0]])
        train.batch([first, second], 2)
        with v1.Session() as session, queueio.running(session):
            assert run(session, [first, second], {first: 5}) == [5, 2]


def test_an_op_is_replaced_where_nobody_needs_what_is_not_given() -> None:
    with tf.Graph().as_default():
        left, right = tf.split(tf.constant([1, 2]), 2)
        op = left.op
        with tf.control_dependencies([op]):
            after = tf.constant(3) + 4
        fed = tf.stack([left])
        assert replaced([fed], [left]) == replaced([left, fed], [left]) == {op}
        assert replaced([fed, right], [left, right]) == {op}
        needing = ([right], [tf.stack([left, right])], [op], [fed, after])
        assert [replaced(fetched, [left]) for fetched in needing] == [set()] * 4
        given = v1.placeholder(tf.int32)
        assert replaced([given + 1], [given]) == {given.op}
