"""Scripts that are observed one after another know nothing of each other; none runs for ever."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import tensorflow as tf

from queueio.convert import observers
from queueio.convert.observed import _ops
from queueio.convert.observers import Observers

ALONE = ["-c", "from queueio.convert import observed as o; o.FORKS = False; o.main()"]
"""As where no process can be forked."""
COUNTS = """
import os, queueio
import queueio.v1 as tf
queueio.seen = getattr(queueio, "seen", 0) + 1
os.environ["SEEN"] = os.environ.get("SEEN", "") + "x"
batch = tf.train.batch([tf.train.range_input_producer(40, num_epochs=1).dequeue()], 4)
with tf.Session() as sess:
    sess.run(tf.local_variables_initializer())
    tf.train.start_queue_runners(sess)
    for _ in range(3):
        sess.run(batch)
raise ValueError(f"seen {queueio.seen} {os.environ['SEEN']}")
"""


@pytest.mark.long
@pytest.mark.parametrize("program", [observers._PROGRAM, ALONE], ids=["forked", "alone"])
def test_each_script_is_observed_in_a_process_of_its_own(
    program: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(observers, "_PROGRAM", program)
    (tmp_path / "counts.py").write_text(COUNTS)
    order: dict[str, Any] = {"script": str(tmp_path / "counts.py"), "arguments": [], "path": [],
                             "steps": 5, "most": 0}  # fmt: skip
    with Observers(100) as them:
        for name in ("first", "second"):
            out = tmp_path / f"{name}.json"
            assert them.run({**order, "out": str(out)}) == (0, "ValueError: seen 1 x")
            seen = json.loads(out.read_text())
            assert [len(call["0"]["rows"]) for call in seen["calls"]] == [4, 4, 4]
            assert seen["status"] == "failed: exit status 1"


@pytest.mark.long
def test_a_script_that_goes_on_too_long_is_ended_and_the_next_one_runs(tmp_path: Path) -> None:
    (tmp_path / "waits.py").write_text("import sys, time\ntime.sleep(float(sys.argv[1]))\n")
    order: dict[str, Any] = {"script": str(tmp_path / "waits.py"), "path": [], "steps": 1,
                             "most": 0, "out": str(tmp_path / "out.json")}  # fmt: skip
    with Observers(100) as them:
        assert them.run({**order, "arguments": ["0"]})[0] == 0
        them._patience = 1  # the process is there; what is waited for now is the script alone
        assert them.run({**order, "arguments": ["600"]})[0] is None
        them._patience = 100
        assert them.run({**order, "arguments": ["0"]})[0] == 0


@pytest.mark.parametrize("gone", [False, True])
def test_a_process_that_cannot_begin_gives_its_exit_status(
    gone: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(observers, "_PROGRAM", ["-c", "raise SystemExit(3)"])
    start = observers._started

    def started() -> Any:
        process = start()
        if gone:  # before it is told what to do
            process.wait()
        return process

    monkeypatch.setattr(observers, "_started", started)
    with Observers(100) as them:
        assert them.run({"script": "x"}) == (3, "")


def test_what_hooks_fetch_is_seen_though_their_keys_have_no_order() -> None:
    with tf.Graph().as_default() as graph:
        batch, step = tf.constant([1.0], name="batch"), tf.no_op("step")
        fetches = {"caller": [batch, {"step": step}], object(): {"more": batch}}
        assert [op.name for op in _ops(graph, fetches)] == ["batch", "step", "batch"]
