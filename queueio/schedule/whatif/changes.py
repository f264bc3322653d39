"""What can be changed of a queue: capacity, min_after_dequeue, threads, batch_size."""

from __future__ import annotations

import difflib
from collections.abc import Container, Iterable, Sequence
from typing import NamedTuple

from queueio.errors import message

KNOBS = ("capacity", "min_after_dequeue", "threads", "batch_size")
LEAST = {"capacity": 1, "min_after_dequeue": 0, "threads": 1, "batch_size": 1}


class WhatIfError(ValueError):
    """A question that cannot be asked, or not be answered."""


class KnobChange(NamedTuple):
    """A figure of a queue that is to be another one.

    Attributes:
      queue: as it is shown; "" for the only one that has such a figure.
      knob: which figure: one of `KNOBS`.
      value: what it is to be.
    """

    queue: str
    knob: str
    value: int

    def __str__(self) -> str:
        return f"{self.queue}.{self.knob}={self.value}"


class Knobs(NamedTuple):
    """A queue's figures, as a run had them; None where it has no such figure.

    Attributes:
      capacity, min_after_dequeue: of the queue.
      threads: that fill it.
      batch_size: that is taken from it.
    """

    capacity: int | None
    min_after_dequeue: int | None
    threads: int | None
    batch_size: int | None


def from_text(text: str) -> KnobChange:
    """Reads `QUEUE.KNOB=VALUE`.

    Args:
      text: what a user wrote; the queue may be left out where one only has such a figure.

    Returns:
      The change.

    Raises:
      WhatIfError: it is no such text, or no possible value.
    """
    name, equals, value = text.partition("=")
    queue, _, knob = name.strip().rpartition(".")
    knob = knob.replace("-", "_")
    if not equals or knob not in KNOBS:
        near = difflib.get_close_matches(knob, KNOBS, n=1) or ["capacity"]
        number = value if value.strip().isdecimal() else 100
        raise WhatIfError(
            message(f"{text!r} is no change", f"what can be changed is {', '.join(KNOBS)}",
                    f"For instance: --set {queue or 'QUEUE'}.{near[0]}={number}")
        )  # fmt: skip
    if not value.strip().isdecimal() or int(value) < LEAST[knob]:
        raise WhatIfError(f"{text!r}: {knob} has to be a whole number of {LEAST[knob]} or more.")
    return KnobChange(queue, knob, int(value))


def resolved(
    changes: Iterable[KnobChange], known: dict[str, Knobs], seen: Container[str] = ()
) -> list[KnobChange]:
    """The changes with the queues that they mean.

    Args:
      changes: as they were written.
      known: by queue, its figures today.
      seen: all queues of the run, also those without figures.

    Returns:
      The changes, each with its queue's name.

    Raises:
      WhatIfError: there is no such queue or figure, or no queue could be as it is asked for.
    """
    found = [_resolved(change, known, seen) for change in changes]
    for queue, knobs in known.items():
        _check_room(queue, changed(knobs, [each for each in found if each.queue == queue]))
    return found


def changed(knobs: Knobs, changes: Sequence[KnobChange]) -> Knobs:
    """The figures of a queue after the changes of it."""
    return knobs._replace(**{each.knob: each.value for each in changes})


def _resolved(change: KnobChange, known: dict[str, Knobs], seen: Container[str]) -> KnobChange:
    having = [queue for queue, knobs in known.items() if getattr(knobs, change.knob) is not None]
    if not change.queue and len(having) == 1:
        return change._replace(queue=having[0])
    if change.queue in having:
        return change
    if change.queue in known:
        what = f"{change.queue} has no {change.knob} that could be changed"
    elif change.queue in seen:
        what = (
            f"{change.queue} cannot be changed: it holds names of files or a list, put before the"
            " examples are made, or nothing was put into it while the run was recorded"
        )
    elif change.queue:
        what = f"the run had no queue {change.queue!r}"
    else:
        what = f"{change.knob} of which queue?"
    raise WhatIfError(
        message(what, f"queues whose {change.knob} can be changed: {', '.join(having) or 'none'}",
                f"--set {having[0] if having else 'QUEUE'}.{change.knob}={change.value}")
    )  # fmt: skip


def _check_room(queue: str, knobs: Knobs) -> None:
    if knobs.capacity is not None and knobs.capacity <= (knobs.min_after_dequeue or 0):
        raise WhatIfError(
            f"{queue}: a capacity of {knobs.capacity} has to exceed min_after_dequeue,"
            f" {knobs.min_after_dequeue}, or nothing could ever be taken."
        )
