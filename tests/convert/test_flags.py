"""Which of a script's own arguments feed a pipeline, and are tried with another value."""

from __future__ import annotations

from pathlib import Path

import pytest

from queueio.convert.flags import NOWHERE, other_arguments
from queueio.convert.source import Script

HEAD = """import tensorflow as tf
FLAGS = tf.app.flags.FLAGS
tf.app.flags.DEFINE_string('folder', '.', '')
tf.app.flags.DEFINE_string('logs', '.', '')
def main():
"""
FEEDS = {
    "by itself": "    files = [FLAGS.folder]\n",
    "appended": "    files = []\n    files.append(FLAGS.folder)\n",
    "put into it": "    files = ['a']\n    files[0] = FLAGS.folder\n",
    "under another name": "    files = ['a']\n    more = files\n    more += [FLAGS.folder]\n",
}


@pytest.mark.parametrize("how", FEEDS)
def test_a_flag_that_feeds_the_files_is_tried_and_no_other(how: str, tmp_path: Path) -> None:
    path = tmp_path / "script.py"
    path.write_text(f"{HEAD}{FEEDS[how]}    print(FLAGS.logs)\n")
    source = Script(str(path))
    home = next(f for f in source.tree.body if getattr(f, "name", "") == "main")
    assert list(other_arguments(source, home, ["files"], ())) == [(f"--folder={NOWHERE}",)]
