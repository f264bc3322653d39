"""An op tells the user's own line, wherever the user's project lies."""

from __future__ import annotations

from pathlib import Path

import tensorflow as tf

from queueio.graph.origin import origin

PROGRAM = """
import tensorflow as tf
def build():
    return tf.compat.v1.train.batch([tf.constant(1)], 2)
"""


def built_in(path: Path) -> tf.Operation:
    path.parent.mkdir(parents=True)
    path.write_text(PROGRAM)
    scope: dict[str, object] = {}
    exec(compile(PROGRAM, str(path), "exec"), scope)
    with tf.Graph().as_default():
        return scope["build"]().op  # type: ignore[operator]


def test_an_op_of_stock_tensorflow_tells_the_line_of_the_user(tmp_path: Path) -> None:
    found = origin(built_in(tmp_path / "project" / "train.py"))
    assert str(found) == "train.py:4: return tf.compat.v1.train.batch([tf.constant(1)], 2)"


def test_a_project_below_a_folder_called_tensorflow_is_still_the_users(tmp_path: Path) -> None:
    found = origin(built_in(tmp_path / "tensorflow" / "keras" / "train.py"))
    assert found.lineno == 4


def test_an_op_of_an_imported_graph_says_so() -> None:
    with tf.Graph().as_default() as graph:
        tf.constant(1, name="one")
    with tf.Graph().as_default() as other:
        tf.import_graph_def(graph.as_graph_def(), name="")
    assert str(origin(other.get_operation_by_name("one"))) == "imported graph"
