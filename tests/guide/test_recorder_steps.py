"""The guide's steps with the recorder, done as they are written."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import textwrap
from collections.abc import Callable
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parent))
import recipe_data

ROOT = Path(__file__).resolve().parents[2]
BLOCK = re.compile(r"^   ```\n(.*?)^   ```$", re.DOTALL | re.MULTILINE)
NEW = """
import tensorflow as tf

def input_fn(num_epochs=1):
    lines = tf.data.TextLineDataset("train-0.csv").skip(1)
    return lines.repeat(num_epochs).shuffle(51).batch(8, drop_remainder=True).map(lambda x: (x,))
"""
Run = Callable[..., subprocess.CompletedProcess[str]]


@pytest.mark.long
def test_what_is_recorded_there_is_compared_here(run_python: Run, tmp_path: Path) -> None:
    recipe_data.write(tmp_path)
    guide = (ROOT / "MIGRATION.md").read_text()
    part = guide[guide.index("### The recorder, step by step") :]
    function, record, compare = map(textwrap.dedent, BLOCK.findall(part)[:3])
    # The tests have no TensorFlow 1; the recorder takes TF1's names from where they are now.
    (tmp_path / "train.py").write_text(f"import tensorflow.compat.v1 as tf\n\n{function}")
    (tmp_path / "new.py").write_text(NEW)
    shutil.copy(ROOT / "queueio" / "recorder.py", tmp_path)

    done = run_python(tmp_path / "recorder.py", *record.split()[2:], cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    said = re.search(r"It prints `(.+?)`", part)
    assert said and said[1] == done.stdout.strip()

    command = f"import sys\nsys.argv[:] = {compare.split()!r}\nfrom queueio.cli import main\nmain()"
    done = run_python(command, cwd=tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.startswith("Identical examples: the same 40 examples")
