"""`queueio whatif` on a real script: what it says, and that the changes are really made."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.processes import python

SCRIPT = """
import sys, time
import tensorflow as tf
number = tf.train.range_input_producer(1000).dequeue()
row = tf.py_func(lambda n: (time.sleep(0.004), n)[1], [number], tf.int32)
row.set_shape([])
print("of the script")
if "twice" in sys.argv:
    batch = tf.train.shuffle_batch_join([[row], [row]], 4, 40, 10)
else:
    batch = tf.train.shuffle_batch([row], 4, 40, 10)
with tf.Session() as sess:
    coord = tf.train.Coordinator()
    tf.train.start_queue_runners(sess, coord)
    while "none" not in sys.argv:
        sess.run(batch)
"""
DRIVER = """
import json, sys
from queueio.schedule.child import Order, warm
from queueio.schedule.whatif.command import recorded_model, verified
from queueio.schedule.whatif.record import recorded
from queueio.schedule.whatif.changes import KnobChange, WhatIfError
from queueio.schedule.whatif.seen import as_seen
from queueio.schedule.whatif.predict import knobs_of
warm()
told = {}
order = Order(sys.argv[1], events=True, quiet_until=-1)
told["today"] = knobs_of(recorded_model(order, 3.0).model)["shuffle_batch"]
changes = (("shuffle_batch", "capacity", 60), ("shuffle_batch", "min_after_dequeue", 20),
           ("shuffle_batch", "threads", 3), ("shuffle_batch", "batch_size", 8))
told["with"] = knobs_of(as_seen(recorded(order.__class__(
    sys.argv[1], events=True, quiet_until=-1, changes=changes), 3.0).tape))["shuffle_batch"]
told["joined"] = knobs_of(as_seen(recorded(order.__class__(
    sys.argv[1], ("twice",), events=True, quiet_until=-1,
    changes=(("shuffle_batch_join", "threads", 5),)), 3.0).tape))["shuffle_batch_join"]
try:
    verified(order, [KnobChange("elsewhere", "capacity", 3)], 3.0)
except WhatIfError as error:
    told["refused"] = str(error)
print(json.dumps(told))
"""


@pytest.mark.long
def test_the_changes_are_made_in_the_graph_that_the_script_builds(tmp_path: Path) -> None:
    script = tmp_path / "train.py"
    script.write_text(SCRIPT)

    done = python("-c", DRIVER, script, cwd=tmp_path, timeout=120)

    assert done.returncode == 0, done.stderr
    assert "of the script" not in done.stdout
    told = json.loads(done.stdout.splitlines()[-1])
    assert told["today"] == [40, 10, 1, 4]
    assert told["with"] == [60, 20, 3, 8]
    assert told["joined"] == [40, 10, 5, 4]
    assert "elsewhere.capacity=3 could not be made" in told["refused"]


@pytest.mark.long
def test_the_command_predicts_and_verifies_and_refuses_a_queue_that_is_not_there(
    tmp_path: Path,
) -> None:
    script = tmp_path / "train.py"
    script.write_text(SCRIPT)
    start = ("-m", "queueio", "whatif", "--seconds", "3")

    done = python(*start, "--verify", "--set", "threads=4", script, cwd=tmp_path, timeout=120)
    lost = python(*start, "--set", "shuffle.threads=4", script, cwd=tmp_path, timeout=120)

    assert done.returncode in (0, 1), done.stderr  # how far off it is, is measured elsewhere
    for said in ("now", "predicted", "measured", "examples/s", "shuffle_batch.threads=4 gives"):
        assert said in done.stdout
    assert lost.returncode == 2
    assert "no queue 'shuffle'" in lost.stderr
    assert "shuffle_batch" in lost.stderr
