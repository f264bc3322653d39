"""Changes applied while a script builds its graph: the script itself stays as it is.

Meant for a process that ends with the run: nothing is put back.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import tensorflow.compat.v1 as tf
from tensorflow.python.framework import ops

from queueio.errors import message
from queueio.graph.traversal import is_queue, op_of, upstream
from queueio.runtime import calls
from queueio.runtime.threads import queue_runner
from queueio.runtime.topology import queue_op_of, stage_name
from queueio.schedule.tape import Tape
from queueio.schedule.whatif.changes import KnobChange, WhatIfError
from queueio.schedule.whatif.predict import knobs_of
from queueio.schedule.whatif.seen import as_seen, check
from queueio.words import stage

Figures = dict[tuple[str, str], int]
_TAKES_MANY = ("QueueDequeueMany", "QueueDequeueUpTo")


def apply(changes: Iterable[tuple[str, str, int]]) -> None:
    """From now on, queues are built, emptied and filled with other figures.

    Args:
      changes: queue, knob and value of each.
    """
    figures = {(queue, knob): value for queue, knob, value in changes}
    _wrap_graph(figures)
    queue_runner.stand_ins.append(lambda runner, *given: _set_threads(runner, figures))


def check_applied(tape: Tape, changes: Iterable[KnobChange]) -> None:
    """Looks whether a run with changes had them.

    Args:
      tape: the run.
      changes: each with its queue.

    Raises:
      WhatIfError: it failed, or a queue was as before: it came out of a saved graph, or the
        program fills it by threads of its own.
    """
    if tape.end != "finished" and not any(event.moves for event in tape.events):
        raise WhatIfError(f"the script fails with the changes: {tape.end}")
    check(tape)
    known = knobs_of(as_seen(tape))
    for change in changes:
        seen = getattr(known.get(change.queue), change.knob, None)
        if seen != change.value and (seen or change.value):
            raise WhatIfError(
                message(f"{change} could not be made: the run had {seen}",
                        "only queues that the script builds itself, and threads of its queue"
                        " runners, can be changed from outside",
                        "Change the script, and record that one"))  # fmt: skip


def calm() -> None:
    """From now on, the threads of new sessions do not turn round while they have no work."""

    def around(make: Callable[..., Any]) -> Callable[..., Any]:
        def init(sess: Any, target: str = "", graph: Any = None, config: Any = None) -> None:
            calmer = tf.ConfigProto()
            if config is not None:
                calmer.CopyFrom(config)
            calmer.experimental.disable_thread_spinning = True
            make(sess, target, graph, calmer)

        return init

    calls.wrap(__init__=around)


def _wrap_graph(figures: Figures) -> None:
    make = ops.Graph._create_op_internal

    def create(
        graph: Any, op_type: str, inputs: Any, dtypes: Any = None, input_types: Any = None,
        name: str | None = None, attrs: Any = None, *more: Any, **others: Any,
    ) -> Any:  # fmt: skip
        if op_type.removesuffix("V2") in _TAKES_MANY:
            inputs = _other_batch(inputs, figures)
        elif attrs and "capacity" in attrs and "Queue" in op_type:
            attrs = _other_room(graph, name or op_type, attrs, figures)
        return make(graph, op_type, inputs, dtypes, input_types, name, attrs, *more, **others)

    ops.Graph._create_op_internal = create


def _other_batch(inputs: Any, figures: Figures) -> Any:
    queue = op_of(inputs[0])
    queue = queue if is_queue(queue) else upstream(queue)
    size = figures.get((stage_name(queue), "batch_size"))
    if size is None:
        return inputs
    return [inputs[0], tf.constant(size, tf.int32, name="what_if_batch_size"), *inputs[2:]]


def _other_room(graph: Any, name: str, attrs: Any, figures: Figures) -> Any:
    """The attributes of a queue: by the whole name that it is about to get."""
    whole = name.removesuffix("/") if name.endswith("/") else graph.unique_name(name, False)
    found = dict(attrs)
    for knob in ("capacity", "min_after_dequeue"):
        if (stage(whole), knob) in figures and knob in found:
            found[knob] = type(found[knob])(i=figures[stage(whole), knob])
    return found


def _set_threads(runner: Any, figures: Figures) -> None:
    """One enqueue op for each thread: as many as there are are taken in turn."""
    count = figures.get((stage_name(queue_op_of(runner)), "threads"))
    if count is not None:
        distinct = list(runner._enqueue_ops)
        runner._enqueue_ops = [distinct[n % len(distinct)] for n in range(count)]
