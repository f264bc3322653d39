"""A hundred sessions started and ended in one process leave nothing behind."""

from __future__ import annotations

import json

import pytest

from tests.processes import ROOT, python

PROGRAM = """
import dataclasses, json
from benchmarks.soak import cycles, v1
v1.logging.set_verbosity(v1.logging.FATAL)
for number, figures in cycles(100, 20):
    print(json.dumps([number, dataclasses.asdict(figures)]))
"""


@pytest.fixture(scope="module")
def figures(tmp_path_factory):
    done = python("-c", PROGRAM, cwd=ROOT, timeout=120)
    lines = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("[")]
    assert [number for number, _ in lines] == [0, 20, 40, 60, 80, 100], done.stderr
    return [figures for _, figures in lines]


@pytest.mark.long
@pytest.mark.parametrize("kind", ["python_threads", "system_threads", "files"])
def test_threads_and_files_do_not_grow(figures, kind):
    """TensorFlow makes some of its own late; what leaks grows to the last."""
    *warm, last = (each[kind] for each in figures[1:])
    assert last <= max(warm)


def test_memory_does_not_grow_with_the_number_of_sessions(figures):
    """A leaked session would cost over 100 KiB, so 80 of them over 8 MiB."""
    assert figures[-1]["resident"] - figures[1]["resident"] < 4
