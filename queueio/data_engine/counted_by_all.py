"""Epoch counters on another task, where `replica_device_setter` puts them: all workers count."""

from __future__ import annotations

from collections.abc import Iterable

import tensorflow as tf

from queueio.graph.index import Evaluator
from queueio.graph.refusal import refuse
from queueio.graph.traversal import ancestors, is_counter, root, upstream


def check_counted_alone(evaluators: Iterable[Evaluator]) -> None:
    """Refuses a pipeline whose epochs other workers of a cluster may count as well.

    A variable of that name is one for all that place it there. TF1's producers share the epochs
    out, one by one. tf.data reads the counter when it begins, and each worker would read them all.

    Raises:
      NotLifted: names the variable.
    """
    for evaluator in evaluators:
        tasks = {_task(upstream(enqueue.op)) for enqueue in evaluator.enqueues}
        for op in filter(is_counter, ancestors([evaluator.op])):
            variable = root(op.inputs[0]).op
            if _task(variable) and tasks - {_task(variable)}:
                where = " ".join(sorted(repr(task) for task in tasks - {_task(variable)} if task))
                raise refuse(
                    variable,
                    f"it counts epochs on {_task(variable)!r}, for all workers that place it there,"
                    f" and the queue is {f'on {where}' if where else 'elsewhere'}",
                    "Where each worker is to read num_epochs by itself, build the input under"
                    " tf.device('/job:worker/task:…'), not under replica_device_setter",
                )


def _task(op: object) -> str:
    """The task that an op is placed on, "" where the program names none."""
    spec = tf.DeviceSpec.from_string(getattr(op, "device", ""))
    return str(tf.DeviceSpec(job=spec.job, replica=spec.replica, task=spec.task).to_string())
