"""What was kept of a dataset is not taken by a run that would make another one."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from queueio.compile import definition
from tests.processes import ONEDNN, ROOT

Run = Callable[..., subprocess.CompletedProcess[str]]
SWISH = """
import tensorflow as tf
import queueio
from queueio import train
v1 = tf.compat.v1
tf.get_logger().setLevel("ERROR")

with tf.Graph().as_default(), queueio.engine("data"):
    numbers = train.range_input_producer(9, num_epochs=1, shuffle=False)
    number = tf.cast(numbers.dequeue(), tf.float32)
    image = tf.fill([1, 2, 2, 1], number / 7)
    normal = v1.nn.fused_batch_norm(image, [1.0], [0.0], [0.5], [1.0], is_training=False)[0]
    product = tf.matmul(tf.fill([2, 3], number / 9), tf.fill([3, 2], 0.3))
    batch = train.batch([tf.nn.relu(normal), product * tf.sigmoid(product)], 3)
    with v1.Session() as session:
        session.run(v1.local_variables_initializer())
        with queueio.running(session):
            for _ in range(3):
                print([part.tobytes().hex() for part in session.run(batch)])
"""


def told(run_python: Run, cache: Path | str, **more: str) -> str:
    done = run_python(SWISH, env={"QUEUEIO_CACHE": str(cache), **more}, timeout=120)
    assert done.stdout.count("\n") == 3, done.stderr
    return done.stdout


@pytest.mark.long
def test_what_was_made_for_other_kernels_is_not_taken(run_python: Run, tmp_path: Path) -> None:
    with_onednn = told(run_python, tmp_path / "1", **{ONEDNN: "1"})
    without = told(run_python, tmp_path / "0", **{ONEDNN: "0"})
    assert told(run_python, tmp_path / "1", **{ONEDNN: "0"}) == without
    assert told(run_python, tmp_path / "0", **{ONEDNN: "1"}) == with_onednn


@pytest.mark.long
def test_a_package_in_an_archive_is_told_by_the_archive(run_python: Run, tmp_path: Path) -> None:
    archive = shutil.make_archive(str(tmp_path / "package"), "zip", ROOT, "queueio")
    kept = tmp_path / "kept"
    for changed, files in ((1, 1), (1, 1), (2, 2)):
        os.utime(archive, (changed, changed))
        told(run_python, kept, PYTHONPATH=archive)
        assert len(list(kept.iterdir())) == files


def test_a_frozen_package_is_told_by_its_program(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(definition, "__file__", "/nowhere/queueio/compile/definition.pyc")
    ((program, size, _),) = definition._own_files()
    assert (program, size) == (sys.executable, os.stat(sys.executable).st_size)
