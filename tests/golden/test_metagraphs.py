"""MetaGraphs saved by TensorFlow 1.15.5 still run, and deliver the same examples."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest
import tensorflow as tf

sys.path.insert(0, str(Path(__file__).parent))

from queueio import train

from expected import MANIFEST, METAGRAPHS, check, flat_fetches

v1 = tf.compat.v1
CONFIG = v1.ConfigProto(operation_timeout_in_ms=20000)


@pytest.mark.parametrize("entry", MANIFEST, ids=[entry["name"] for entry in MANIFEST])
def test_a_metagraph_of_tf1_delivers_what_it_did(
    entry: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(METAGRAPHS)
    steps = []
    with tf.Graph().as_default(), v1.Session(config=CONFIG) as session:
        v1.train.import_meta_graph(entry["meta"])
        session.run(entry["initialise"])
        coordinator = train.Coordinator()
        threads = train.start_queue_runners(session, coordinator)
        with pytest.raises(tf.errors.OpError) as end:
            while True:
                steps.append(session.run(flat_fetches(entry)))
        coordinator.request_stop()
        coordinator.join(threads, stop_grace_period_secs=10)
    check(entry, steps)
    assert type(end.value).__name__ == entry["end"]
    assert end.value.op.name == entry["ends_at"]
