"""Which scripts of a comparison are TensorFlow 1's own, so that theirs is the drop-in."""

from __future__ import annotations

from pathlib import Path

import pytest

import queueio.compare as comparing
from queueio.compare.sides.side import CannotRun
from queueio.compare.sides.untouched import is_untouched

OF_TF1 = """
def inputs():
    return {0}.train.batch([{0}.train.range_input_producer(9).dequeue()], 3)
"""
PLAIN = {
    "alone": ("import tensorflow as tf", "tf"),
    "among others": ("import os, tensorflow as tf", "tf"),
    "in full": ("import tensorflow", "tensorflow"),
    "in a try": ("try:\n  import tensorflow as tf\nexcept ImportError:\n  raise", "tf"),
    "a submodule": ("import tensorflow.python.platform\nimport tensorflow", "tensorflow"),
    "with a comment": ("# Python 2 and 3 compatible.\nimport tensorflow as tf", "tf"),
    "with a name of version 1": (
        "import tensorflow as tf\ntf.compat.v1.logging.set_verbosity(tf.compat.v1.logging.ERROR)",
        "tf",
    ),
    "with bytes": ("import tensorflow as tf\nA = lambda s: tf.compat.as_bytes(s)", "tf"),
}
CHOSEN = {
    "version 1": ("import tensorflow.compat.v1 as tf", "tf"),
    "version 1 from": ("from tensorflow.compat import v1 as tf", "tf"),
    "compat": ("from tensorflow import compat\ntf = compat.v1", "tf"),
    "by name and for names": (
        "import tensorflow as tf\ntf.compat.v1.disable_v2_behavior()\ntf = tf.compat.v1",
        "tf",
    ),
    "by name": ("import tensorflow as tf\ntf = tf.compat.v1", "tf"),
    "the drop-in": ("import queueio.v1 as tf", "tf"),
    "another's": ("import mine as tf", "tf"),
}


def test_a_script_that_asks_for_one_name_in_both_ways_has_chosen(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text("""import tensorflow as tf
Session = tf.Session if hasattr(tf, "Session") else tf.compat.v1.Session
""")
    assert not is_untouched(str(script))


@pytest.mark.parametrize("name", [*PLAIN, *CHOSEN])
def test_a_script_of_tf1_is_known_by_its_code(name: str, tmp_path: Path) -> None:
    head, module = {**PLAIN, **CHOSEN}[name]
    (tmp_path / "script.py").write_text(head + OF_TF1.format(module))
    assert is_untouched(str(tmp_path / "script.py")) is (name in PLAIN)


def test_names_that_tensorflow_2_has_too_tell_nothing(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text("import tensorflow as tf\n# tf.train.batch( was here\ntf.train.Example()\n")
    assert not is_untouched(str(script))


def test_a_name_that_tensorflow_2_has_not_is_refused_with_the_drop_in(tmp_path: Path) -> None:
    (tmp_path / "reader_of_tf1.py").write_text("import tensorflow as tf" + OF_TF1.format("tf"))
    script = tmp_path / "script.py"
    script.write_text("import reader_of_tf1\n\ndef inputs():\n    return reader_of_tf1.inputs()\n")
    with pytest.raises(CannotRun, match=r"has no attribute 'batch'\. `import queueio\.v1 as tf`"):
        comparing(f"{script}:inputs", f"{script}:inputs", cost=False)


def test_a_script_that_requires_arguments_is_told_that_it_gets_none(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text("""import argparse
parser = argparse.ArgumentParser()
parser.add_argument("--data", required=True)
parser.parse_args()
""")
    with pytest.raises(CannotRun, match=r"SystemExit: 2\. It is given no arguments"):
        comparing(f"{script}:inputs", f"{script}:inputs", cost=False)
