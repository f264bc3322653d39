"""Records what TensorFlow 1.15.5 delivers for random pipelines.

PYTHONPATH=. .venv-tf1/bin/python -m tests.forms.record_tf1 HOW_MANY SEED > TF_1_15_5.json
"""

from __future__ import annotations

import json
import random
import sys
import tempfile
from dataclasses import asdict
from typing import Any

import tensorflow as tf
from tests.forms.pipelines import Builder, Pipe, drawn, rows_of

v1 = tf.compat.v1


def delivered(pipe: Pipe) -> list[Any]:
    """The batches up to the natural end."""
    steps = []
    with tempfile.TemporaryDirectory() as folder, tf.Graph().as_default():
        batch = Builder(pipe, v1.train, folder).batch()
        with v1.Session() as session:
            session.run([v1.global_variables_initializer(), v1.local_variables_initializer()])
            coordinator = v1.train.Coordinator()
            threads = v1.train.start_queue_runners(session, coordinator)
            try:
                while True:
                    steps.append(session.run(batch))
            except v1.errors.OutOfRangeError:
                coordinator.request_stop()
            coordinator.join(threads)
    return steps


def main() -> None:
    how_many, seed = map(int, sys.argv[1:])
    chance = random.Random(seed)
    told = []
    for _ in range(how_many):
        pipe = drawn(lambda *choices: chance.choice(choices))
        steps = delivered(pipe)
        told.append({
            "pipe": asdict(pipe),
            "sizes": [len(step["value"]) for step in steps],
            "rows": sorted(repr(row) for step in steps for row in rows_of(step)),
        })  # fmt: skip
    print(json.dumps(told))


main()
