"""What queueio looks at may be fed afterwards, as if nobody had looked."""

from __future__ import annotations

from typing import Any

import numpy as np
import tensorflow as tf

from queueio import forensics, train
from queueio.graph.static_values import static_value

v1 = tf.compat.v1


def test_a_tensor_whose_value_was_asked_for_may_be_fed():
    with tf.Graph().as_default(), v1.Session() as session:
        part: Any = tf.constant([1, 2])
        whole = tf.stack([part, part])
        assert np.array_equal(static_value(whole), [[1, 2], [1, 2]])
        assert session.run(whole, {part: [3, 4]}).tolist() == [[3, 4], [3, 4]]
        assert session.run(whole + 1, {whole: [[0, 0], [0, 0]]}).tolist() == [[1, 1], [1, 1]]


def test_what_may_not_be_fed_still_may_not():
    with tf.Graph().as_default() as graph:
        tensor = tf.constant(1)
        graph.prevent_feeding(tensor)
        static_value(tensor)
        assert not graph.is_feedable(tensor)


def test_the_names_of_a_producer_may_be_fed_as_in_tf1(tmp_path):
    file = tmp_path / "a.txt"
    file.write_text("one\n")
    with tf.Graph().as_default(), v1.Session() as session:
        names = tf.constant([str(file)])
        queue = train.string_input_producer(names, shuffle=False)
        line = v1.TextLineReader().read(queue)[1]
        assert forensics.files_of(line) == [str(file)]
        assert session.run(tf.identity(names), {names: ["b"]}).tolist() == [b"b"]
