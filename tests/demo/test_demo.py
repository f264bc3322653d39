"""`queueio demo`, run as a whole: nothing of the script changes, and what it shows is so."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner
from rich.console import Console

from queueio.demo import comparison, demo

Run = Callable[..., subprocess.CompletedProcess[str]]

# The script's graph as it is, and in a run that is observed.
NAMES = """
import queueio.v1 as tf
from queueio.schedule.observe import FreeRun

def names():
    with tf.Graph().as_default() as graph:
        files = tf.train.string_input_producer(["a", "b"], num_epochs=1)
        key, value = tf.TFRecordReader().read(files)
        tf.train.shuffle_batch([key, value], 2, capacity=9, min_after_dequeue=5)
        with tf.Session() as sess:
            sess.run(tf.local_variables_initializer())
            if seen:
                seen.look()
    return {op.name: op.type for op in graph.get_operations()}

seen = None
alone, run = names(), tf.Session.run
with FreeRun(every=9.0).watching() as seen:
    watched = names()
assert tf.Session.run is run, "the session was not given back"
extra = {name for name in watched if name.startswith("queueio_watch/")}
assert extra and set(watched) - extra == set(alone), set(watched) ^ set(alone)
"""

DEMO = """
from queueio.demo import demo
demo(["--epochs", "5"])
"""

BROKEN = """
import pathlib, tempfile, queueio.demo
folder = pathlib.Path(tempfile.mkdtemp())
(folder / "train_digits.py").write_text("import tensorflow as tf\\nraise SystemExit(3)\\n")
queueio.demo.examples = lambda: folder
queueio.demo.demo([])
"""


@pytest.mark.long
def test_the_script_keeps_the_names_of_its_ops(run_python: Run) -> None:
    done = run_python(NAMES)
    assert done.returncode == 0, done.stderr


def test_a_script_that_fails_ends_the_demo_with_its_status(run_python: Run) -> None:
    done = run_python(BROKEN)
    assert done.returncode == 3, done.stderr
    assert "What the run shows" not in done.stdout


@pytest.mark.long
def test_the_demo_proves_what_it_claims_in_plain_lines(run_python: Run, tmp_path: Path) -> None:
    done = run_python(DEMO, env={"COLUMNS": "120"}, timeout=200, starts=True)
    assert done.returncode == 0, done.stdout + done.stderr
    found = re.search(r"test accuracy +([\d.]+)%", done.stdout)
    assert found and float(found[1]) > 90
    assert re.search(r"examples read per epoch +1,437 +7,185 in 5 epochs", done.stdout)
    assert done.stdout.count("each exactly once       yes") == 2
    assert re.search(r"examples per second +[\d,]+", done.stdout)
    assert re.search(r"input_train: filename queue \d+ of 32 \(.*records read", done.stdout)
    assert "script │ Done training for 5 epochs" in done.stdout
    assert "Identical examples: the same 4,311 examples on both sides" in done.stdout
    assert "Identical examples" in (tmp_path / "demo-report.html").read_text()
    # In a pipe there is no live table, and TensorFlow's greeting is kept off.
    assert "\x1b" not in done.stdout
    assert done.stderr == ""


def test_a_report_that_cannot_be_written_is_refused_before_the_training(tmp_path: Path) -> None:
    page = tmp_path / "no" / "report.html"
    done = CliRunner().invoke(demo, ["--report", str(page)])
    assert done.exit_code == 2
    assert f"{str(page)!r} cannot be written" in done.output.replace("\n", " ")
    assert "Importing TensorFlow" not in done.output


def test_a_comparison_that_fails_after_its_table_says_why(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def failed(command: list[str], **how: object) -> subprocess.CompletedProcess[str]:
        told = "Traceback (most recent call last):\nPermissionError: report.html"
        return subprocess.CompletedProcess(command, 1, stdout="the same examples", stderr=told)

    monkeypatch.setattr(comparison.subprocess, "run", failed)
    console = Console(file=sys.stdout, record=True, width=100)
    assert not comparison.compare_engines(console, tmp_path, tmp_path / "report.html")
    said = console.export_text()
    assert "the same examples" in said
    assert "PermissionError: report.html" in said
