"""Run functions one by one, each with a time limit, and print how each ended as JSON."""

from __future__ import annotations

import faulthandler
import json
import threading
import time
from collections.abc import Callable
from typing import Any

import tensorflow as tf

from queueio.runtime import watch

v1 = tf.compat.v1
CASES: list[Callable[[], Any]] = []
LIMIT = 20.0


def case(function: Callable[[], Any]) -> Callable[[], Any]:
    CASES.append(function)
    return function


def main() -> None:
    v1.logging.set_verbosity(v1.logging.FATAL)
    threading.excepthook = lambda args: None
    watch.install()
    for function in CASES:
        faulthandler.dump_traceback_later(LIMIT, exit=True)
        print(json.dumps(outcome(function)), flush=True)
    faulthandler.cancel_dump_traceback_later()


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
