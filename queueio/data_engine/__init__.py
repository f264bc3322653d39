"""The data engine: unchanged TF1 code, its batches made by tf.data.

    takeover.py   what a batch builder builds instead, or why it does not
    runner.py     the one queue runner that fills the queue of ready batches
    beside.py     batches of a queue that the program takes examples from, too
    readers.py    ops that ask a reader itself, which tf.data does not read with
    rewrites.py   sessions that are told to rewrite their graph otherwise than usual
    closes.py     ops of the program's that close a queue before the batch
    failure.py    its errors, told of the user's own ops; end.py, its natural end in numbers
    saver.py      the script's Saver saves the position; position.py, how; gate.py, when
    own_queues.py a queue of the program's own, and whether tf.data fills it; filler.py, how
    takes.py      what a session call takes; begun.py, calls that wait for an iterator's begin
    asked.py      session calls that reach before the batch
    export.py     MetaGraphs for plain queue runners
    report.py     which pipeline ran on which engine, and what it delivered

A batch builder builds TF1's graph in either engine. Here the batch comes out of a further queue,
of ready batches. Who fills that one is decided when the runners are started, because only then
is the graph complete: a tf.data iterator made from the lifted plan, or, where that would not be
the same, TF1's own queues and a thread that passes their batches on. Any other queue stays as it
is; what its queue runner would put into it comes from such an iterator.
"""

from __future__ import annotations

from queueio.data_engine.takeover import Takeover, take_over

__all__ = ["Takeover", "take_over"]
