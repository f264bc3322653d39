"""The command line, the function for test suites, and what an interruption leaves."""

from __future__ import annotations

import json
import os
import pty
import re
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import tensorflow as tf
from click.testing import CliRunner

import queueio
from queueio.compare.command import compare as command
from queueio.compare.reading import lockstep
from queueio.testing import assert_equivalent
from tests.processes import python

SCRIPT = """
import tensorflow as tf

def old(num_epochs=1):
    train = tf.compat.v1.train
    number = train.range_input_producer(50, num_epochs=num_epochs, shuffle=False).dequeue()
    return train.batch([number], 8, allow_smaller_final_batch=True)

def new(epochs=1):
    return tf.data.Dataset.range(50, output_type=tf.int32).repeat(epochs).batch(8)

def less(epochs=1):
    return new(epochs).take(3)
"""


@pytest.fixture
def script(tmp_path: Path) -> Path:
    path = tmp_path / "input.py"
    path.write_text(SCRIPT)
    return path


def run(*arguments: Any) -> Any:
    return CliRunner().invoke(command, [str(a) for a in arguments])


@pytest.mark.long
def test_equal_sides_end_with_0_and_epochs_are_passed_on(script: Path) -> None:
    done = run(f"{script}:old", f"{script}:new", "--epochs", 2, "--no-cost")
    assert done.exit_code == 0, done.output
    assert done.stdout.startswith(
        "Identical stream: 100 examples in 13 batches, in the same order."
    )


@pytest.mark.long
def test_different_sides_end_with_1_and_say_why_first(script: Path, tmp_path: Path) -> None:
    html, data = tmp_path / "r.html", tmp_path / "r.json"
    arguments = ("--no-cost", "--html", html, "--json", data)
    done = run(f"{script}:old", f"{script}:less", *arguments)
    assert done.exit_code == 1, done.output
    assert done.stdout.startswith("Different: 26 examples of the old side are missing")
    assert html.read_text().startswith("<!DOCTYPE html>")
    found = json.loads(data.read_text())
    assert (found["ok"], found["level"]) == (False, "different")
    assert found["findings"][0]["count"] == 26


def test_the_functions_of_a_script_may_need_autograph(tmp_path: Path) -> None:
    script = tmp_path / "pipelines.py"
    script.write_text(
        SCRIPT
        + """
def written(epochs=1):
    itself = lambda number: number + 0 if number > 25 else number
    return tf.data.Dataset.range(50, output_type=tf.int32).map(itself).batch(8)
"""
    )
    done = run(f"{script}:new", f"{script}:written", "--no-cost")
    assert done.exit_code == 0, done.output


def test_an_ignored_finding_is_no_fault() -> None:
    fixed = tf.data.Dataset.range(8).batch(4, drop_remainder=True)
    open_ = tf.data.Dataset.range(8).batch(4)
    assert not queueio.compare(fixed, open_, cost=False).ok
    assert queueio.compare(fixed, open_, cost=False, ignore=["static-shape"]).ok


def test_the_assertion_fails_with_the_finding() -> None:
    numbers = tf.data.Dataset.range(8)
    assert assert_equivalent(numbers.batch(4), numbers.batch(4)).level == "identical stream"
    with pytest.raises(AssertionError, match="1 example of the old side is missing"):
        assert_equivalent(numbers.batch(4), numbers.filter(lambda n: n != 3).batch(4))


def test_costs_are_measured_for_both_sides() -> None:
    numbers = tf.data.Dataset.range(2000).batch(10)
    result = queueio.compare(numbers, numbers, cost_seconds=0.01)
    for side in (result.old, result.new):
        assert side.cost is not None
        assert side.cost.rate > 0 and side.cost.first_batch_seconds > 0 and side.cost.turns == 3


@pytest.mark.long
def test_sides_without_end_are_stopped_and_said_to_be() -> None:
    numbers = tf.data.Dataset.range(100).repeat().batch(10)
    result = queueio.compare(numbers, numbers, cost=False)
    assert result.ok
    assert [f.code for f in result.findings] == ["cut-off"]
    assert result.old.examples == lockstep.UNBOUNDED_LIMIT


def test_shuffled_sides_cut_at_a_limit_are_no_false_alarm() -> None:
    numbers = tf.data.Dataset.range(1000).shuffle(50).repeat().batch(10)
    result = queueio.compare(numbers, numbers, limit=500, cost=False)
    assert result.ok, str(result)


@pytest.mark.long
def test_the_progress_bar_has_the_rate_and_the_time_left(tmp_path: Path) -> None:
    (tmp_path / "slow.py").write_text(SLOW)
    shown = on_a_terminal(["slow.py:input_fn", "slow.py:input_fn", "--no-cost"], tmp_path)
    assert re.search(r"old .*[1-9]\d* examples [1-9]\d*/s 0:00:0\d 0:00:0\d", shown), shown[-2000:]
    assert "Identical stream: 400 examples" in shown


SLOW = """
import time
import tensorflow as tf

def wait(n):
    time.sleep(0.02)
    return n

def input_fn():
    made = tf.data.Dataset.range(400).batch(4, drop_remainder=True)
    return made.map(lambda n: tf.ensure_shape(tf.numpy_function(wait, [n], tf.int64), [4]))
"""


def on_a_terminal(arguments: list[str], folder: Path) -> str:
    """What `queueio compare` writes to a terminal of 120 columns, without the escape codes."""
    ours, theirs = pty.openpty()
    environment = {**os.environ, "COLUMNS": "120", "TERM": "xterm", "TF_CPP_MIN_LOG_LEVEL": "3"}
    code = f"from queueio.compare.command import compare; compare({arguments!r})"
    with subprocess.Popen(
        [sys.executable, "-c", code], stdin=theirs, stdout=theirs, stderr=theirs, cwd=folder,
        env=environment,
    ) as process:  # fmt: skip
        os.close(theirs)
        timer = threading.Timer(60, process.kill)
        timer.start()
        written = b"".join(iter(lambda: _read(ours), b""))
        timer.cancel()
    os.close(ours)
    assert process.returncode == 0, written
    return re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", written.decode())


def _read(terminal: int) -> bytes:
    try:
        return os.read(terminal, 4096)
    except OSError:  # the other end is closed
        return b""


def test_ctrl_c_gives_the_verdict_so_far(monkeypatch: pytest.MonkeyPatch) -> None:
    numbers = tf.data.Dataset.range(1000)
    step = lockstep._step
    steps: Iterator[int] = iter(range(1000))

    def interrupted(*arguments: Any) -> bool:
        if next(steps) == 51:
            raise KeyboardInterrupt
        return step(*arguments)

    monkeypatch.setattr(lockstep, "_step", interrupted)
    result = queueio.compare(numbers.batch(10), numbers.batch(10))
    assert result.verdict.startswith("So far (interrupted): Identical")
    assert 200 <= result.old.examples <= 300


def test_a_missing_key_of_an_infinite_side_ends_too() -> None:
    finite = tf.data.Dataset.range(100).batch(10)
    result = queueio.compare(finite, finite.repeat(), cost=False)
    assert [f.code for f in result.findings] == ["never-ends"]


UNTOUCHED = """
import tensorflow as tf

def input_fn(num_epochs=1):
    number = tf.train.range_input_producer(50, num_epochs=num_epochs, shuffle=False).dequeue()
    return tf.train.batch([number], 8, allow_smaller_final_batch=True)
"""

MODERN = """
import tensorflow as tf

def input_fn(num_epochs=1):
    return tf.data.Dataset.range(50, output_type=tf.int32).repeat(num_epochs).batch(8)
"""


def test_an_untouched_tf1_script_is_compared_as_it_is(tmp_path: Path, run_python: Any) -> None:
    (tmp_path / "old.py").write_text(UNTOUCHED)
    (tmp_path / "new.py").write_text(MODERN)
    call = "['old.py:input_fn', 'new.py:input_fn', '--epochs', '2', '--no-cost']"
    code = f"from queueio.compare.command import compare\ncompare({call})\n"
    done = run_python(code, cwd=tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.startswith("Identical stream: 100 examples in 13 batches")


def test_an_unknown_code_is_refused_with_the_nearest(script: Path) -> None:
    done = run(f"{script}:old", f"{script}:new", "--ignore", "static-shapes")
    assert done.exit_code == 2
    assert "'static-shapes': no finding has this code. Did you mean 'static-shape'?" in done.output


def test_a_report_that_cannot_be_written_is_refused_before_the_sides_run(
    script: Path, tmp_path: Path
) -> None:
    script.write_text("raise SystemExit('it ran')\n")
    for option in ("--html", "--json"):
        done = run(f"{script}:old", f"{script}:new", option, tmp_path / ("n" * 300))
        assert done.exit_code == 2 and "cannot be written" in done.output, done.output
    kept = tmp_path / "report.html"
    run(f"{script}:old", f"{script}:new", "--html", kept)
    assert not kept.exists()


WITH_FLAGS = """
import tensorflow as tf

tf.app.flags.DEFINE_integer("size", 6, "How many numbers.")

def numbers(num_epochs=1):
    size = tf.app.flags.FLAGS.size
    return tf.train.range_input_producer(size, num_epochs=num_epochs, shuffle=False).dequeue()
"""


WITHOUT_FLAGS = """
import tensorflow as tf

def numbers(num_epochs=1):
    return tf.train.range_input_producer(6, num_epochs=num_epochs, shuffle=False).dequeue()
"""


def test_options_of_the_command_are_no_flags_of_a_script(tmp_path: Path) -> None:
    (tmp_path / "flags.py").write_text(WITH_FLAGS)
    (tmp_path / "plain.py").write_text(WITHOUT_FLAGS)
    sides = ("flags.py:numbers", "plain.py:numbers")
    done = python("-m", "queueio", "compare", *sides, "--epochs", "2", "--no-cost", cwd=tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "Identical stream: 12 examples" in done.stdout
