"""What a reader takes the names of its files from."""

from __future__ import annotations

import pytest
import tensorflow as tf

from queueio import io


@pytest.mark.parametrize("given", ["a.csv", ["a.csv"]])
def test_a_name_where_a_queue_of_names_is_wanted_gets_the_line_that_makes_one(given):
    with tf.Graph().as_default(), pytest.raises(AttributeError) as raised:
        io.TextLineReader().read(given)
    assert f"'{type(given).__name__}' object has no attribute 'queue_ref'" in str(raised.value)
    assert "right: reader.read(tf.train.string_input_producer(['a.csv']))" in str(raised.value)
