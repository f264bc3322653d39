"""Calls that make several pipelines: one module serves them all, or each keeps its own."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.processes import python

HEAD = """import sys
import tensorflow as tf

def lines(queue, skip=0):
    return tf.TextLineReader(skip_header_lines=skip).read(queue)[1]
"""
MANY = "['{}-%05d.csv' % i for i in range(3000)]"

# What the home does, the calls of it, and what is passed for both pipelines.
ONE = {
    "two lists of files": (
        "def inputs(files):\n"
        "    x = tf.string_to_number(lines(tf.train.string_input_producer(files)))\n"
        "    return tf.train.batch([x], 4)",
        "inputs(['train.csv'])\ninputs(['test.csv', 'more.csv'])", {"files": "files"}),
    "files and sizes, by two functions": (
        "def inputs(files, size):\n"
        "    x = tf.string_to_number(lines(tf.train.string_input_producer(files)))\n"
        "    return tf.train.shuffle_batch([x], size, 100, 10)",
        "def train(): return inputs(['train.csv'], 4)\n"
        "def test(): return inputs(['test.csv'], 2)\ntrain(), test()",
        {"files": "files", "batch_size": "size"}),
    "files and epochs": (
        "def inputs(files, epochs=None):\n"
        "    x = lines(tf.train.string_input_producer(files, num_epochs=epochs))\n"
        "    return tf.train.batch([x], 4)",
        "inputs(['train.csv'], None)\ninputs(['test.csv'], 1)",
        {"files": "files", "num_epochs": "epochs"}),
    "the turns of a loop": (
        "def inputs(name):\n"
        "    x = lines(tf.train.string_input_producer([name]))\n"
        "    return tf.train.batch([x], 4)",
        "for name in ('a.csv', 'b.csv', 'c.csv'): inputs(name)", {"files": "[name]"}),
    "so many files that they stand beside the module": (
        "def inputs(files):\n"
        "    x = lines(tf.train.string_input_producer(files))\n"
        "    return tf.train.batch([x], 4)",
        f"inputs({MANY.format('train')})\ninputs({MANY.format('test')})", {"files": "files"}),
    "the same twice": (
        "def inputs():\n"
        "    x = lines(tf.train.string_input_producer(['a.csv'], shuffle=False))\n"
        "    return tf.train.batch([x], 4)", "inputs()\ninputs()", {}),
}  # fmt: skip
SEVERAL = {
    "a shuffle and none": (
        "def inputs(files, shuffle):\n"
        "    x = lines(tf.train.string_input_producer(files, shuffle=shuffle))\n"
        "    return tf.train.batch([x], 4)",
        "inputs(['train.csv'], True)\ninputs(['test.csv'], False)",
        "`shuffle` is not fixed in the script (line 9: `inputs(['train.csv'], True)` gives True, "),
    "what is skipped": (
        "def inputs(files, skip):\n"
        "    x = lines(tf.train.string_input_producer(files), skip)\n"
        "    return tf.train.batch([x], 4)",
        "inputs(['train.csv'], 1)\ninputs(['test.csv'], 0)", "`skip` is not fixed in the script ("),
    "ops of one of both": (
        "def inputs(files, flip=False):\n"
        "    x = lines(tf.train.string_input_producer(files))\n"
        "    if flip: x = tf.string_join([x, '!'])\n"
        "    return tf.train.batch([x], 4)",
        "inputs(['train.csv'], flip=True)\ninputs(['test.csv'])", "flip"),
    "a number of the loop": (
        "def inputs(x):\n    return tf.train.batch([x], 4)",
        "for i in range(2):\n"
        "    x = tf.string_to_number(lines(tf.train.string_input_producer(['a.csv'])))\n"
        "    inputs(x + i)", "made outside of 'inputs'"),
    "a number of the loop around the call": (
        "def inputs(files):\n    found = []\n    for i in range(2):\n"
        "        x = tf.string_to_number(lines(tf.train.string_input_producer(files)))\n"
        "        found.append(tf.train.batch([x + i], 4))\n    return found",
        "inputs(['a.csv'])", "depends on i, "),
    "constants that Python counted up": (
        "COUNT = [0]\ndef inputs(files):\n"
        "    COUNT[0] += 1\n"
        "    x = tf.string_to_number(lines(tf.train.string_input_producer(files))) + COUNT[0]\n"
        "    return tf.train.batch([x], 4)",
        "inputs(['a.csv'])\ninputs(['b.csv'])", "COUNT"),
    "a seed of the graph, which counts ops": (
        "tf.set_random_seed(7)\ndef inputs(files):\n"
        "    x = tf.string_to_number(lines(tf.train.string_input_producer(files)))\n"
        "    return tf.train.batch([x + tf.random_uniform([])], 4)",
        "inputs(['a.csv'])\ninputs(['b.csv'])",
        "this call makes 2 pipelines, which differ in more than input_fn() has arguments for"),
    "a pipeline that cannot be written": (
        "def inputs(files, more):\n"
        "    x = lines(tf.train.string_input_producer(files))\n"
        "    return tf.train.batch([tf.string_join([x, more])], 4)",
        "inputs(['a.csv'], 'b')\n"
        "inputs(['a.csv'], tf.train.batch([tf.constant('c')], 2)[0])", ""),
}  # fmt: skip

TOGETHER = {
    "two calls on one line": (
        "def inputs(files):\n"
        "    x = lines(tf.train.string_input_producer(files))\n"
        "    y = lines(tf.train.string_input_producer(files))\n"
        "    return tf.train.batch([x], 4), tf.train.batch([y], 4)", "inputs(['a.csv'])", ""),
}  # fmt: skip


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list]:
    folder = tmp_path_factory.mktemp("calls")
    for name in ("train", "test", "more", "a", "b", "c"):
        (folder / f"{name}.csv").write_text("1\n2\n")
    paths = {}
    for number, (case, (home, calls, _)) in enumerate((ONE | SEVERAL | TOGETHER).items()):
        paths[case] = path = folder / f"script_{number}.py"
        path.write_text(f"{HEAD}{home}\n{calls}\n")
    order = folder / "cases.json"
    order.write_text(json.dumps([str(path) for path in paths.values()]))
    script = Path(__file__).parent / "replaced_calls.py"
    done = python(script, order, cwd=folder, timeout=280)
    assert done.returncode == 0, done.stderr[-3000:]
    lines = [json.loads(x.removeprefix("CASE ")) for x in done.stdout.splitlines() if "CASE" in x]
    return dict(zip(paths, lines, strict=True))


@pytest.mark.parametrize("case", ONE)
def test_one_module_serves_pipelines_that_differ_in_what_is_passed_only(
    case: str, made: dict[str, list]
) -> None:
    ((_, names, passed, stays),) = made[case]
    assert not stays and passed == ONE[case][2]
    assert names in ("batch and batch_1", "batch, batch_1 and batch_2",
                     "shuffle_batch and shuffle_batch_1")  # fmt: skip


@pytest.mark.parametrize("case", SEVERAL)
def test_a_call_stays_whose_pipelines_differ_in_more_and_the_reason_says_in_what(
    case: str, made: dict[str, list]
) -> None:
    (_, _, _, stays), *_ = made[case]
    assert stays.startswith("line ") and SEVERAL[case][2] in stays
    assert "; call the module of each " in stays
    assert stays.endswith("in place of the loop" if "around" in case else "function is called")


def test_a_line_with_two_calls_stays_since_nobody_knows_which_made_what(
    made: dict[str, list],
) -> None:
    (_, _, _, stays), *_ = made["two calls on one line"]
    assert stays.startswith("line 9: 2 pipelines are made here, and it is not sure by which of the")
    assert stays.endswith(" 2 calls; give each call a line of its own")
