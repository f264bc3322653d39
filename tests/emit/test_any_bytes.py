"""Bytes of any kind come through: in the lines of files, in constants, in the file beside."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess

import pytest

_RUN = """
import importlib.util, itertools, sys
import numpy as np, tensorflow as tf
import queueio
v1 = tf.compat.v1

def queued(tensors):
    with v1.Session() as session:
        session.run([v1.local_variables_initializer(), v1.global_variables_initializer()])
        coordinator = tf.train.Coordinator()
        threads = v1.train.start_queue_runners(session, coordinator)
        found = []
        try:
            while True:
                found.append([part.tolist() for part in tf.nest.flatten(session.run(tensors))])
        except tf.errors.OutOfRangeError:
            coordinator.request_stop()
            coordinator.join(threads)
    return found

def listed(dataset):
    steps = map(tf.nest.flatten, dataset.as_numpy_iterator())
    return [[part.tolist() for part in step] for step in steps]

def check(build, *needles):
    with tf.Graph().as_default():
        tensors = build()
        wanted = queued(tensors)
        plan = queueio.lift(tensors)
    assert wanted and listed(plan.to_dataset()) == wanted, "dataset"
    for style in ("plain", "fast"):
        module = plan.to_source(style=style)
        module.write("written.py")
        spec = importlib.util.spec_from_file_location("written", "written.py")
        made = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(made)
        assert listed(made.input_fn()) == wanted, (style, str(module))
    return str(module)
"""


@pytest.mark.long
def test_lines_are_the_same_whatever_is_in_them(
    run_python: Callable[..., CompletedProcess[str]], tmp_path: Path
) -> None:
    for number, size in enumerate(range(6)):
        for i, parts in enumerate(itertools.product([b"a", b"\r", b"\n"], repeat=size)):
            (tmp_path / f"{number}-{i:03}.txt").write_bytes(b"".join(parts))
    body = """
def build(keys):
    names = queueio.train.string_input_producer(
        sorted(tf.io.gfile.glob("*.txt")), num_epochs=1, shuffle=False)
    key, line = v1.TextLineReader().read(names)
    return v1.train.batch([key, line] if keys else [line], 3, allow_smaller_final_batch=True)

check(lambda: build(True))
check(lambda: build(False))
"""
    done = run_python(_RUN + body, cwd=tmp_path, timeout=200)
    assert done.returncode == 0, done.stderr[-2000:]


_KINDS = """
rng = np.random.RandomState(0)
def word():
    return bytes(rng.choice([0, 9, 10, 13, 34, 39, 92, 97, 128, 195, 255], rng.randint(0, 5)))

def rows(count, width):
    words = [word() for _ in range(count * width)]
    return [words[i * width : (i + 1) * width] for i in range(count)]
"""

_NUMBER = (
    "tf.strings.as_string(v1.train.range_input_producer(5, num_epochs=1, shuffle=False).dequeue())"
)
_BUILDS = {
    "rows": "v1.train.slice_input_producer([tf.constant(given)], num_epochs=1, shuffle=False)",
    "a list": "[v1.train.input_producer("
              "tf.constant(sum(given, [])), num_epochs=1, shuffle=False).dequeue()]",
    "beside the rows": f"[tf.strings.join([tf.constant(sum(given, [])), {_NUMBER}])]",
}  # fmt: skip


@pytest.mark.long
@pytest.mark.parametrize("count", [3, 300])
def test_constants_may_hold_any_bytes(
    count: int, run_python: Callable[..., CompletedProcess[str]]
) -> None:
    body = "".join(
        f"given = rows({count}, 2)\n"
        f"print({name!r}, flush=True)\n"
        f"check(lambda: v1.train.batch({build}, 2, allow_smaller_final_batch=True))\n"
        for name, build in _BUILDS.items()
    )
    done = run_python(_RUN + _KINDS + body, timeout=200)
    assert done.returncode == 0, done.stdout + done.stderr[-2000:]


@pytest.mark.long
def test_a_table_and_the_defaults_of_records_may_hold_any_bytes(
    run_python: Callable[..., CompletedProcess[str]],
) -> None:
    body = r"""
def build():
    keys = [b"a\0\0", b"a", b"\xff", b"\r", "ü".encode()]
    line = v1.train.input_producer(
        [k + b"," for k in keys], num_epochs=1, shuffle=False).dequeue()
    word, other = v1.decode_csv(line, [[b"\xfe\0"], [b"\xff\xfe\0"]])
    record = tf.train.Example().SerializeToString()
    features = v1.parse_single_example(tf.constant(record), {
        "a": v1.FixedLenFeature([2], tf.string, [b"x\0", b"\xff"])})
    joined = tf.strings.join([word, other], separator="\0")
    return v1.train.batch([word, joined, features["a"]], 2, allow_smaller_final_batch=True)

check(build)
"""
    done = run_python(_RUN + body, timeout=200)
    assert done.returncode == 0, done.stderr[-2000:]


@pytest.mark.long
def test_what_ops_are_given_as_attributes_may_hold_any_bytes(
    run_python: Callable[..., CompletedProcess[str]],
) -> None:
    body = r"""
def build():
    word = v1.train.input_producer(
        [b"b,\xff", b"\0b", b"1,b"], num_epochs=1, shuffle=False).dequeue()
    line = tf.strings.join([word, b"x"], b"\xff")
    columns = v1.decode_csv(tf.strings.join([word, b",1"]), [[""], [""]], na_value=b"\xfe",
                            select_cols=[0, 1])
    return v1.train.batch([
        line, *columns, tf.strings.regex_replace(word, "b", b"\xfe"),
        v1.reduce_join([word, "y"], 0, separator=b"\xfd"),
        tf.debugging.check_numerics(tf.cast(tf.strings.length(word), "float"), b"\xfc")], 2)

check(build)
"""
    done = run_python(_RUN + body, timeout=200)
    assert done.returncode == 0, done.stderr[-2000:]
