"""Run the codes of `advice_cases.py`, each in a graph and a folder of its own, and print results.

What TensorFlow 1.15.5 gives is kept:

    python3.7 tests/v1/record_advice.py tensorflow old > tests/v1/advice_1_15_5.json

`test_advice.py` runs it with `queueio.v1 new`. Prints {table: {row: [result of each case]}}; a
code that fails gives {"raises": …}, one whose package is missing gives {"lacks": …}.
"""

from __future__ import annotations

import ast
import contextlib
import importlib
import importlib.util
import json
import os
import sys
import tempfile
import traceback

import numpy as np
from advice_cases import TABLES

LIMIT = 100
"""Of a dataset or pipeline, so many steps are read at most."""


def names(tf: object) -> dict:
    """What the codes see."""
    tensor = np.arange(30, dtype=np.float32).reshape(2, 3, 5) / 7
    seen = {
        "tf": tf, "np": np, "os": os, "ast": ast,
        "x": np.float32([[1, -2, 3, 0.25], [0.5, 4, -1, 2.75], [0, 1.5, 2, -3]]),
        "cube": tensor,
        "wide": np.arange(32, dtype=np.float32) % 7,
        "image": np.float32([[[[7.0 * a + 3 * b + c for c in range(3)] for b in range(4)]
                              for a in range(4)]]),
        "constant": tf.constant_initializer(0.1),
        "drain": lambda fetches: drain(tf, fetches),
        "read": lambda data: read(tf, data),
        "told": lambda summary: told(tf, summary),
        "update": lambda metric: metric[1],
    }  # fmt: skip
    if importlib.util.find_spec("tf_slim") is not None:
        seen["tf_slim"] = importlib.import_module("tf_slim")
    return seen


def drain(tf: object, fetches: list) -> list:
    """Everything that a queue pipeline delivers, a list of arrays for each step."""
    steps, wanted = [], list(fetches) if isinstance(fetches, (list, tuple)) else [fetches]
    with tf.train.MonitoredSession() as sess:
        while len(steps) < LIMIT and not sess.should_stop():
            try:
                steps.append([np.asarray(value) for value in sess.run(wanted)])
            except tf.errors.OutOfRangeError:
                break
    return steps


def read(tf: object, data: object) -> list:
    """The elements of a dataset."""
    iterator = tf.data.make_one_shot_iterator(data)
    following, found = iterator.get_next(), []
    with tf.Session() as sess:
        while len(found) < LIMIT:
            try:
                found.append(sess.run(following))
            except tf.errors.OutOfRangeError:
                break
    return found


def told(tf: object, summary: object) -> list:
    """Tag, kind and numbers of a summary."""
    with tf.Session() as sess:
        parsed = tf.Summary.FromString(sess.run(summary))
    return [
        [v.tag, v.WhichOneof("value"), v.simple_value, v.histo.sum, list(v.histo.bucket),
         [v.image.height, v.image.width, v.image.colorspace],
         v.audio.length_frames]
        for v in parsed.value
    ]  # fmt: skip


def result(tf: object, code: str) -> object:
    """What a code gives, as JSON can hold it."""
    with tf.Graph().as_default():
        seen = names(tf)
        if "\n" in code or code.startswith("y = "):
            exec(code, seen)
            value = seen["y"]
        else:
            value = eval(code, seen)
        return plain(tf, value)


def plain(tf: object, value: object) -> object:
    """A value, its tensors evaluated, as lists, numbers and strings."""
    if isinstance(value, dict):
        return {str(key): plain(tf, each) for key, each in value.items()}
    if isinstance(value, (tuple, list)):
        if value and all(tf.is_tensor(each) or isinstance(each, tf.Variable) for each in value):
            value = evaluated(tf, list(value))
        return [plain(tf, each) for each in value]
    if tf.is_tensor(value) or isinstance(value, tf.Variable):
        return plain(tf, evaluated(tf, value))
    if isinstance(value, (np.ndarray, np.generic)):
        if isinstance(value, np.ndarray) or value.shape:
            return {"dtype": value.dtype.str, "shape": list(value.shape),
                    "values": plain(tf, value.tolist())}  # fmt: skip
        return plain(tf, value.item())
    if isinstance(value, bytes):
        return value.decode("latin-1")
    if isinstance(value, complex):
        return [value.real, value.imag]
    return value if isinstance(value, (int, float, str, bool, type(None))) else str(value)


def evaluated(tf: object, value: object) -> object:
    """The value of tensors, once variables and tables are there."""
    with tf.Session() as sess:
        sess.run([tf.global_variables_initializer(), tf.local_variables_initializer(),
                  tf.tables_initializer()])  # fmt: skip
        return sess.run(value)


def outcome(tf: object, case: object, side: str) -> object:
    """The result of one side of a case in an empty folder, or why there is none."""
    if side == "new" and case.needs and importlib.util.find_spec(case.needs) is None:
        return {"lacks": case.needs}
    home = os.getcwd()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        try:
            with contextlib.redirect_stdout(sys.stderr):
                return result(tf, getattr(case, side))
        except Exception as error:
            traceback.print_exc()
            return {"raises": f"{type(error).__name__}: {error}"[:300]}
        finally:
            os.chdir(home)


def main(module: str, side: str) -> None:
    """Runs all codes of a side, "old" or "new"."""
    tf = importlib.import_module(module)
    found = {
        table: {row: [outcome(tf, case, side) for case in cases] for row, cases in rows.items()}
        for table, rows in TABLES.items()
    }
    found["codes"] = {
        table: {row: [getattr(case, side) for case in cases] for row, cases in rows.items()}
        for table, rows in TABLES.items()
    }
    print(json.dumps(found, sort_keys=True, indent=None).replace('], "', '],\n"'))


if __name__ == "__main__":
    main(*sys.argv[1:])
