"""Run functions, each with a time limit, and print how each ended as JSON.

Most of them wait, so some processes share them.
"""

from __future__ import annotations

import faulthandler
import json
import os
import sys
import threading
import time
from collections.abc import Callable
from typing import Any

import tensorflow as tf

from queueio.runtime import watch

v1 = tf.compat.v1
CASES: list[Callable[[], Any]] = []
LIMIT = 20.0
PROCESSES = 4


def case(function: Callable[[], Any]) -> Callable[[], Any]:
    CASES.append(function)
    return function


def main() -> None:
    v1.logging.set_verbosity(v1.logging.FATAL)
    threading.excepthook = lambda args: None
    begun = [_begin(CASES[first::PROCESSES]) for first in range(PROCESSES)]
    ended = [os.waitpid(process, 0)[1] for process in begun]
    sys.exit(any(ended))


def _begin(functions: list[Callable[[], Any]]) -> int:
    process = os.fork()
    if process == 0:
        watch.install()
        for function in functions:
            faulthandler.dump_traceback_later(LIMIT, exit=True)
            print(json.dumps(outcome(function)), flush=True)
        sys.stderr.flush()
        os._exit(0)
    return process


def outcome(function: Callable[[], Any]) -> dict[str, Any]:
    started = time.monotonic()
    error: BaseException | None = None
    value = None
    try:
        with tf.Graph().as_default():
            value = function()
    except BaseException as raised:
        error = raised
    seconds = time.monotonic() - started
    return {
        "case": function.__name__,
        "type": type(error).__name__ if error else None,
        "message": str(getattr(error, "message", None) or error) if error else None,
        "notes": list(getattr(error, "__notes__", ())) if error else [],
        "cause": type(error.__cause__).__name__ if error and error.__cause__ else None,
        "seconds": seconds,
        "threads": left_over(),
        "value": value,
    }


def left_over(patience: float = 3.0) -> list[str]:
    """Queue runner threads that do not end by themselves."""
    runners = [t for t in threading.enumerate() if t.name.startswith("QueueRunnerThread")]
    deadline = time.monotonic() + patience
    for thread in runners:
        thread.join(max(0.0, deadline - time.monotonic()))
    return [thread.name for thread in runners if thread.is_alive()]
