"""The queue names of TF1's `tf.train`, for use inside a graph.

    from queueio import train

    with tf.Graph().as_default():
        names = train.string_input_producer(["a.csv"], num_epochs=1)

Importing this module puts a thin wrapper around `tf.compat.v1.Session.run`, which finds out why
a call waits or what really failed; `queueio.runtime.watch.uninstall()` takes it off again.
"""

from __future__ import annotations

from types import SimpleNamespace as _Namespace

from queueio import engine as _engine
from queueio.runtime import watch as _watch
from queueio.runtime.threads.coordinator import Coordinator, LooperThread
from queueio.runtime.threads.queue_runner import QueueRunner
from queueio.runtime.threads.start import add_queue_runner, start_queue_runners
from queueio.stages.batching.batch import batch, batch_join, maybe_batch, maybe_batch_join
from queueio.stages.batching.shuffle_batch import (
    maybe_shuffle_batch,
    maybe_shuffle_batch_join,
    shuffle_batch,
    shuffle_batch_join,
)
from queueio.stages.filenames.epochs import limit_epochs
from queueio.stages.filenames.input_producer import input_producer
from queueio.stages.filenames.match import match_filenames_once
from queueio.stages.filenames.range import range_input_producer
from queueio.stages.filenames.slice import slice_input_producer
from queueio.stages.filenames.string import string_input_producer

queue_runner = _Namespace(
    QueueRunner=QueueRunner,
    add_queue_runner=add_queue_runner,
    start_queue_runners=start_queue_runners,
)
"""TF1's `tf.train.queue_runner`."""

__all__ = [
    "Coordinator",
    "LooperThread",
    "QueueRunner",
    "add_queue_runner",
    "batch",
    "batch_join",
    "input_producer",
    "limit_epochs",
    "match_filenames_once",
    "maybe_batch",
    "maybe_batch_join",
    "maybe_shuffle_batch",
    "maybe_shuffle_batch_join",
    "queue_runner",
    "range_input_producer",
    "shuffle_batch",
    "shuffle_batch_join",
    "slice_input_producer",
    "start_queue_runners",
    "string_input_producer",
]

_watch.install()
_engine.begin()
