"""Constants of a script that somebody edits after `convert --write`: followed, or refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from .test_convert import queueio
from .test_write import LOOP

SCRIPT = """import numpy as np
import tensorflow as tf
FILES = ['a.txt']
EPOCHS = 1
WIDTH = 2
SCALE = 2.0
MEAN = np.array([1, 2], np.float32)
OFFSETS = {'first': 1, 'second': -4.0, 'unused': 7}
RATE = 0.1

class Config(object):
    EXPONENT, STEPS = 2, 100

BATCH = 3

def scaled(number):
    x = tf.fill([WIDTH], number * SCALE) - MEAN[0]
    return tf.pow(x, Config.EXPONENT) + OFFSETS['second']

def inputs():
    queue = tf.train.string_input_producer(FILES, num_epochs=EPOCHS, shuffle=False)
    number = tf.string_to_number(tf.TextLineReader().read(queue)[1])
    return tf.train.batch([scaled(number)], BATCH)

batch = inputs()
"""
SCRIPT += LOOP.format(fetches="RATE, OFFSETS['unused'], Config.STEPS, sess.run(batch).tolist()")
EDITS = [
    ("EPOCHS = 1", "EPOCHS = 2", ""),
    ("FILES = ['a.txt']", "FILES = ['b.txt', 'a.txt']", ""),
    ("BATCH = 3", "BATCH = 2", ""),
    ("RATE = 0.1", "RATE = 0.2", ""),
    ("'unused': 7", "'unused': 8", ""),
    ("STEPS = 2, 100", "STEPS = 2, 200", ""),
    ("WIDTH = 2", "WIDTH = 3", "WIDTH=3"),
    ("SCALE = 2.0", "SCALE = 3.0", "SCALE=3.0"),
    ("([1, 2]", "([5, 2]", "MEAN.tolist()=[5.0, 2.0]"),
    ("'second': -4.0", "'second': -5.0", "OFFSETS['second']=-5.0"),
    ("STEPS = 2, 100", "STEPS = 3, 100", "Config.EXPONENT=3"),
]
"""What stands there, what it is edited to, and what is told where it cannot be followed."""
WRITTEN = {
    "Config.EXPONENT": "2",
    "MEAN.tolist()": "[1.0, 2.0]",
    "OFFSETS['second']": "-4.0",
    "SCALE": "2.0",
    "WIDTH": "2",
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The script, changed, beside itself as it was."""
    made = tmp_path_factory.mktemp("edited")
    for name, first in (("a", 0), ("b", 100)):
        (made / f"{name}.txt").write_text("".join(f"{first + n}\n" for n in range(6)))
    (made / "old.py").write_text(SCRIPT)
    (made / "train.py").write_text(SCRIPT)
    done = queueio(made, "convert", "train.py", "--write")
    assert done.returncode == 0, done.stdout + done.stderr[-2000:]
    return made


@pytest.mark.long
@pytest.mark.parametrize(("line", "edit", "refused"), EDITS)
def test_the_changed_script_follows_an_edit_or_says_what_it_was_written_for(
    line: str, edit: str, refused: str, folder: Path
) -> None:
    for name in ("old", "train"):
        text = (folder / f"{name}.py").read_text()
        assert text.count(line) == 1
        (folder / f"{name}_edited.py").write_text(text.replace(line, edit))
    old, new = (queueio(folder, "run", f"{name}_edited.py") for name in ("old", "train"))
    assert "done" in old.stdout, old.stderr[-2000:]
    if not refused:
        assert new.stdout == old.stdout, new.stderr[-2000:]
    else:
        assert "GOT" not in new.stdout
        told = ", ".join(f"{name}={value}" for name, value in WRITTEN.items())
        assert f"ValueError: input_fn() was written for {told}, not for " in new.stderr
        assert refused in new.stderr.rpartition("not for ")[2]
