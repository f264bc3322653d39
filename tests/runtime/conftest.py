"""A watched TensorFlow, and programs of many cases that run once in a process of their own."""

from __future__ import annotations

import json
import os
import warnings
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.processes import environment, python

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent


def warned(
    category: type[Warning], *calls: tuple[Any, dict[Any, Any]]
) -> tuple[list[Any], list[str]]:
    """What calls give while queue runners run, and the warnings of one kind."""
    import tensorflow as tf

    from queueio.runtime.threads.start import running

    with tf.compat.v1.Session() as sess, warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        with running(sess):
            results = [sess.run(fetches, feeds).tolist() for fetches, feeds in calls]
    return results, [str(w.message) for w in caught if w.category is category]


@pytest.fixture
def watched() -> Iterator[None]:
    """Session.run and the stock classes wrapped, as by `import queueio.train`."""
    import tensorflow as tf

    from queueio.runtime import watch

    watch.install()
    verbosity = tf.compat.v1.logging.get_verbosity()
    tf.compat.v1.logging.set_verbosity(tf.compat.v1.logging.FATAL)
    yield
    tf.compat.v1.logging.set_verbosity(verbosity)


def outcomes(program: str, directory: Path, limit: float, **env: str) -> dict[str, Any]:
    """Run programs/<program>.py, which prints one JSON object per case, and collect them."""
    more = environment(PYTHONPATH=f"{ROOT}{os.pathsep}{HERE}", **env)
    file = HERE / "programs" / f"{program}.py"
    done = python(file, cwd=directory, env=more, timeout=limit)
    found = {}
    for line in done.stdout.splitlines():
        if line.startswith("{"):
            case = json.loads(line)
            found[case["case"]] = case
    assert done.returncode == 0, f"{program} died: {done.stdout}\n{done.stderr[-3000:]}"
    found["stderr"] = done.stderr
    return found


def stalled(program: str, directory: Path) -> dict[str, Any]:
    """The same of cases that hang, with a short patience, and an error where that is over."""
    stalls = {"QUEUEIO_ON_STALL": "raise", "QUEUEIO_STALL_SECONDS": "0.5"}
    return outcomes(program, directory, 120, **stalls)


def check_stalled(case: dict[str, Any], words: Iterable[str]) -> None:
    """That a case ended in QueueStalled, and was told these words."""
    assert case["type"] == "QueueStalled", case
    for each in words:
        assert each in case["message"]
