"""io.decode_csv: a line, or a vector of lines, to one tensor per column."""

from __future__ import annotations

from typing import Any

import pytest
import tensorflow as tf

from queueio import io


@pytest.mark.parametrize("line", ["1,2", "1,2,3,4", ""])
def test_another_number_of_columns_is_refused(session: Any, line: str) -> None:
    columns = io.decode_csv(line, [[0.0], [0], [""]])
    with pytest.raises(tf.errors.InvalidArgumentError):
        session.run(columns)


def test_a_field_that_is_no_number_is_refused(session: Any) -> None:
    with pytest.raises(tf.errors.InvalidArgumentError, match="four"):
        session.run(io.decode_csv("1,four", [[0.0], [0]]))


def test_a_required_field_may_not_be_empty(session: Any) -> None:
    with pytest.raises(tf.errors.InvalidArgumentError):
        session.run(io.decode_csv(",2", [tf.constant([], tf.float32), [0]]))


def test_a_default_of_several_values_is_refused() -> None:
    with pytest.raises(ValueError):
        io.decode_csv("1", [tf.zeros([2])])


def test_each_column_has_the_dtype_of_its_default(session: Any) -> None:
    columns = io.decode_csv('1.5,2,"a, ""b"""', [[0.0], [0], [""]])
    assert [c.dtype for c in columns] == [tf.float32, tf.int32, tf.string]
    assert session.run(columns) == [1.5, 2, b'a, "b"']


def test_empty_fields_take_their_defaults(session: Any) -> None:
    assert session.run(io.decode_csv(",,", [[2.5], [7], ["x"]])) == [2.5, 7, b"x"]


def test_a_vector_of_lines_gives_vectors(session: Any) -> None:
    a, b = session.run(io.decode_csv(["1,2", "3,4"], [[0], [0]]))
    assert (a.tolist(), b.tolist()) == ([1, 3], [2, 4])


def test_options(session: Any) -> None:
    line = '5;skipped;NA;"q'
    columns = io.decode_csv(
        line, [[0], [1.5], [""]], ";", False, na_value="NA", select_cols=[0, 2, 3], name="cells"
    )
    assert columns[0].op.name == "cells"
    assert session.run(columns) == [5, 1.5, b'"q']
