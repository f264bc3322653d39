"""Run by test_moved.py under `queueio run`: what a script and the libraries that it imports see."""

import importlib
import json
import sys

import numpy as np
import tensorflow as tf
import today_lib
import today_lib_written
import used_then

from queueio.compat import moved


def reached(module: object) -> object:
    """A module as the script's own import gives it, which may be queueio's view of it."""
    return importlib.import_module(module.__name__)


def sees(see: object) -> list:
    """The rows that a file cannot see."""
    unseen = []
    for address in moved.ROWS:
        module, _, name = address.partition(":")
        importlib.import_module(module)
        if not see(sys.modules[module], name):
            unseen.append(address)
    return unseen


found = {
    "script": sees(lambda module, name: used_then.sees(reached(module), name)),
    "library": sees(used_then.sees),
    "today": sees(today_lib.sees),
    "written": sees(today_lib_written.sees),
    "imports": used_then.IMPORTED,
    "methods": [
        hasattr(np.zeros(1), "tostring"), used_then.tostring(), today_lib.tostring(),
        today_lib_written.tostring(),
    ],
    "same": tf.Tensor.__name__,
}  # fmt: skip
sys.path.insert(0, sys.argv[1])
from advice_cases import TABLES  # noqa: E402
from record_advice import outcome  # noqa: E402

found["numpy"] = {
    row: [outcome(tf, case, "old") for case in cases]
    for row, cases in TABLES["NUMPY"].items()
    if row.replace("np.lib.", "numpy.lib:").replace("np.", "numpy:") in moved.NUMPY
    or row.removeprefix("x.") in ("itemset", "newbyteorder", "ptp", "tostring")
}
print(json.dumps(found))
