"""Runs old scripts of the recipes: `python run_recipe_old.py SCRIPT …`.

Each is run whole, as `queueio run` runs it. What its training steps took from the queue is
written beside it, as `SCRIPT.npz`.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np

import queueio.v1 as tf
from queueio.script.program import run_file

sys.path.insert(0, str(Path(__file__).resolve().parent))
from recipe_steps import save, without_chance

without_chance(tf.image)
tf.random_crop = tf.image.random_crop
TAKES = ("QueueDequeueManyV2", "QueueDequeueUpToV2")
plain = tf.Session.run


def watched(steps: list[Any]) -> Any:
    """`Session.run` that also fetches the batch which a training step takes, in the same call."""

    def run(session: Any, fetches: Any, *args: Any, **kwargs: Any) -> Any:
        if not isinstance(fetches, list) or not tf.is_tensor(fetches[-1]):  # an initializer
            return plain(session, fetches, *args, **kwargs)
        (taken,) = (op for op in session.graph.get_operations() if op.type in TAKES)
        found, batch = plain(session, [fetches, list(taken.outputs)], *args, **kwargs)
        steps.append(batch)
        return found

    return run


def main() -> None:
    for script in sys.argv[1:]:
        steps: list[Any] = []
        tf.Session.run = watched(steps)
        tf.reset_default_graph()
        status = run_file(script, [])
        assert not status, f"{script} ended with {status}"
        save(Path(script).with_suffix(".npz"), [[np.asarray(part) for part in s] for s in steps])


main()
