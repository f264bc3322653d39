"""A model of the pipeline that a tape has recorded: the work of each kind of call, and its cores.

What a work takes on a machine with nothing else to do is not seen: others worked beside it. So the
model is run as the pipeline was, and each work made shorter by as much as it comes out too long,
until what it takes beside the others is what was measured.
"""

from __future__ import annotations

import statistics
from dataclasses import replace
from functools import partial

from queueio.schedule.tape import Tape
from queueio.schedule.whatif.model import Log, Model, QueueCall
from queueio.schedule.whatif.processor import Part, cpu_seconds
from queueio.schedule.whatif.reworked import kinds, mapped, of_mean
from queueio.schedule.whatif.seen import as_seen, check
from queueio.schedule.whatif.simulate import simulate

ROUNDS, CALLS = 5, 6000
"""Of the calibration: how often it runs, and how many calls at most."""


def fitted(tape: Tape, cores: float, calm: Tape | None = None, pool: int = 0) -> Model:
    """The model of a recorded run.

    Args:
      tape: a free run of which each call is told.
      cores: that it could use.
      calm: another run of the same, in which TensorFlow's threads slept while they had nothing to
        do: it tells how much of the work is a core's; None where `tape` itself is such a run.
      pool: the threads that run the ops of all calls; 0 for as many as are needed.

    Returns:
      The model: simulated as it is, it gives the run's figures.

    Raises:
      WhatIfError: the tape says too little: no queue gave anything, or not how much is moved.
    """
    check(tape)
    used = cpu_seconds(calm or tape, cores)
    model = replace(as_seen(tape), cores=cores, pool=pool)
    return calibrated(model, used, tape.events[-1].seconds)


def calibrated(model: Model, used: dict[Part, float], seconds: float) -> Model:
    """The model whose works, beside one another, take as long as they were measured.

    What a work sleeps is made shorter by as much as it comes out too long.

    Args:
      model: its works as they were measured.
      used: the processor seconds of each part.
      seconds: how long to simulate, at most.

    Returns:
      The model.
    """
    goal = {call.name: statistics.fmean(call.work.seconds) for call in kinds(model)}
    model = mapped(model, lambda call: _using(call, used))
    for _ in range(ROUNDS):
        log = simulate(model, seconds, calls=CALLS)
        took = {name: _mean_work(log, name) for name in goal}
        late = {name: took[name] - each if took[name] else 0.0 for name, each in goal.items()}
        model = mapped(model, partial(_shorter, late=late))
    return model


def _mean_work(log: Log, name: str) -> float:
    took = [done.worked for done in log.calls if done.name == name]
    return statistics.fmean(took) if took else 0.0


def _using(call: QueueCall, used: dict[Part, float]) -> QueueCall:
    before = of_mean(call.before, 1.0, used.get((call.name, False)))
    return replace(call, before=before, work=of_mean(call.work, 1.0, used.get((call.name, True))))


def _shorter(call: QueueCall, late: dict[str, float]) -> QueueCall:
    """A call whose work takes less, but no less than its processor seconds on its cores."""
    mean = statistics.fmean(call.work.seconds)
    used = mean * call.work.cores
    least = used / max(call.work.cores, 1.0)
    return replace(
        call, work=of_mean(call.work, max(mean - late[call.name], least, mean / 2) / mean, used)
    )
