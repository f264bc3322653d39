"""The script of 2016: untouched TF1 code, which trains on today's TensorFlow."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

SCRIPT = Path(__file__).resolve().parents[2] / "examples" / "train_digits.py"
Run = Callable[..., subprocess.CompletedProcess[str]]

# The least that lets TF1 code run without queueio: the module's name, and v2 behaviour off.
ON_STOCK = f"""
import runpy, sys
import tensorflow.compat.v1 as tf
tf.disable_v2_behavior()
sys.modules["tensorflow"] = tf
sys.argv = ["train_digits.py", "--num_epochs=10"]
runpy.run_path({str(SCRIPT)!r}, run_name="__main__")
"""

ON_QUEUEIO = f"""
from queueio.script.program import run_file
raise SystemExit(run_file({str(SCRIPT)!r}, ["--num_epochs=10"]))
"""


def accuracy(done: subprocess.CompletedProcess[str]) -> float:
    found = re.search(r"test accuracy: ([\d.]+) \((\d+) of 360\)", done.stdout)
    assert done.returncode == 0 and found, done.stdout + done.stderr
    return float(found[1])


def test_it_dies_on_plain_tensorflow_2(run_python: Run) -> None:
    done = run_python(SCRIPT)
    assert done.returncode == 1
    assert "has no attribute 'app'" in done.stderr


def test_it_knows_nothing_of_queueio() -> None:
    assert "queueio" not in SCRIPT.read_text()


@pytest.mark.long
def test_it_learns_on_the_queue_engine(run_python: Run) -> None:
    done = run_python(ON_QUEUEIO)
    assert accuracy(done) > 0.9
    # 1,437 images, ten times over, in batches of 50: 287 full ones and a last one of 20.
    assert "Done training for 10 epochs, 288 steps." in done.stdout


@pytest.mark.long
def test_it_learns_on_stock_compat_v1(run_python: Run) -> None:
    done = run_python(ON_STOCK)
    assert accuracy(done) > 0.9
    assert "Done training for 10 epochs, 288 steps." in done.stdout
