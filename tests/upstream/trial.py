"""The tests of one file in one setting: `python -m tests.upstream.trial FILE KIND SECONDS`.

Each test runs in a process of its own, forked before anything was built: what one of them leaves
behind, threads that wait for ever above all, is not there for the next. Prints one line of JSON
for each test.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import time
import types
import unittest
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tests.upstream.adapt import adapt

_NAP = 0.01


def tests_of(path: str, resource_variables: bool) -> Iterator[unittest.TestCase]:
    """The test cases of an adapted file, in its order."""
    import queueio.v1 as tf

    if resource_variables:
        tf.enable_resource_variables()
    module = types.ModuleType(Path(path).stem)
    sys.modules[module.__name__] = module
    exec(compile(adapt(Path(path).read_text(), resource_variables), path, "exec"), vars(module))
    loader = unittest.TestLoader()
    for case in vars(module).values():
        if isinstance(case, type) and issubclass(case, unittest.TestCase):
            for name in loader.getTestCaseNames(case):
                if name != "test_session":  # TensorFlow's own, one for each class
                    yield case(name)


def run_alone(test: unittest.TestCase, limit: float) -> tuple[str, str]:
    """(passed, failed, skipped or hung; what went wrong) of a test in a process of its own."""
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        os.write(write, json.dumps(_run(test)).encode()[:60_000])
        os._exit(0)
    os.close(write)
    hung = not _ended(child, limit)
    with os.fdopen(read) as pipe:
        told = "" if hung else pipe.read()
    if hung:
        return "hung", f"still running after {limit:g} seconds"
    outcome, why = json.loads(told) if told else ("failed", "the process died")
    return outcome, why


def _run(test: unittest.TestCase) -> tuple[str, str]:
    result = unittest.TestResult()
    test.run(result)
    if result.skipped:
        return "skipped", result.skipped[0][1]
    wrong = [text for _, text in result.errors + result.failures]
    return ("failed", wrong[0][-20_000:]) if wrong else ("passed", "")


def _ended(child: int, limit: float) -> bool:
    end = time.monotonic() + limit
    while os.waitpid(child, os.WNOHANG) == (0, 0):
        if time.monotonic() > end:
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
            return False
        time.sleep(_NAP)
    return True


def main(path: str, kind: str, limit: str, *only: str) -> None:
    """Runs the tests of `path`, or those whose names have a part of `only`."""
    for test in tests_of(path, kind == "resource"):
        name = f"{type(test).__name__}.{test._testMethodName}"
        if only and not any(part in name for part in only):
            continue
        outcome, why = run_alone(test, float(limit))
        row: dict[str, Any] = {"test": name, "outcome": outcome, "why": why}
        print(json.dumps(row), flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
