"""A model with other works."""

from __future__ import annotations

import statistics
from collections.abc import Callable
from dataclasses import replace

from queueio.schedule.whatif.model import Model, QueueCall, Work


def kinds(model: Model) -> list[QueueCall]:
    """The kinds of call of a model."""
    return list(dict.fromkeys(call for worker in model.workers for call in worker.calls))


def mapped(model: Model, change: Callable[[QueueCall], QueueCall]) -> Model:
    """A model with other calls: each kind is changed once."""
    new = {call: change(call) for call in kinds(model)}
    workers = (replace(w, calls=tuple(new[call] for call in w.calls)) for w in model.workers)
    return replace(model, workers=tuple(workers))


def of_mean(work: Work, by: float, used: float | None) -> Work:
    """A work that takes so many times as long, and so many processor seconds."""
    seconds = tuple(max(each * by, 1e-9) for each in work.seconds)
    cores = work.cores if used is None else used / statistics.fmean(seconds)
    return replace(work, seconds=seconds, cores=cores)
