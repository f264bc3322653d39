"""Runs the old snippets of the guide: `python run_old.py SNIPPETS.json RESULTS.json`."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import queueio.v1 as tf


def steps(code: str) -> list[Any]:
    """What `batch` gives until the input ends."""
    with tf.Graph().as_default(), tf.Session() as session:
        names = {"tf": tf}
        exec(code, names)
        session.run([tf.global_variables_initializer(), tf.local_variables_initializer()])
        coordinator = tf.train.Coordinator()
        threads = tf.train.start_queue_runners(session, coordinator)
        found = []
        try:
            while len(found) < 20:
                found.append(session.run(names["batch"]))
        except tf.errors.OutOfRangeError:
            pass
        coordinator.request_stop()
        coordinator.join(threads, stop_grace_period_secs=10)
        return [plain(step) for step in found]


def plain(step: Any) -> Any:
    return json.loads(json.dumps(step.tolist(), default=lambda text: text.decode()))


def main() -> None:
    snippets = json.loads(Path(sys.argv[1]).read_text())
    Path(sys.argv[2]).write_text(json.dumps({key: steps(code) for key, code in snippets.items()}))


main()
