"""A pipeline with other figures, predicted: the model with changes, simulated."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

from queueio.schedule.tape import Tape
from queueio.schedule.whatif.changes import KnobChange, Knobs
from queueio.schedule.whatif.measure import Figures, figures, log_of
from queueio.schedule.whatif.model import Model, QueueCall, Worker
from queueio.schedule.whatif.reworked import kinds, mapped, of_mean
from queueio.schedule.whatif.simulate import simulate

CALLS = 60_000
"""That are simulated at most."""


class Prediction(NamedTuple):
    """What a change is expected to bring.

    Attributes:
      now: as it was measured.
      then: as it is predicted.
      other: as it is predicted under the other assumption; `then`, where none is made.
      assumes: what is assumed, in sentences.
    """

    now: Figures
    then: Figures
    other: Figures
    assumes: tuple[str, ...]


def knobs_of(model: Model) -> dict[str, Knobs]:
    """What can be changed of a pipeline.

    Args:
      model: the pipeline.

    Returns:
      By queue, its figures today.
    """
    return {name: _knobs(model, name) for name in model.queues}


def _knobs(model: Model, queue: str) -> Knobs:
    room = model.queues[queue]
    fill = sum(any(name == queue for name, _ in _puts(worker)) for worker in model.workers)
    many = {count for call in kinds(model) for name, count in call.takes if name == queue}
    return Knobs(
        room.capacity if room.capacity >= 0 else None,
        room.kept if room.kept else None,
        fill or None,
        many.pop() if len(many) == 1 and many != {1} else None,
    )


def _puts(worker: Worker) -> list[tuple[str, int]]:
    return [put for call in worker.calls for put in call.puts]


def predict(tape: Tape, model: Model, changes: Sequence[KnobChange], seed: int = 0) -> Prediction:
    """The figures of a run, and those that changes would bring.

    Args:
      tape: the run.
      model: what was fitted to it.
      changes: each with its queue.
      seed: of the simulation.

    Returns:
      Both, and what is assumed.
    """
    seconds = tape.events[-1].seconds
    now = figures(log_of(tape))
    base = figures(simulate(model, seconds, seed, CALLS))
    then, other = (
        figures(simulate(with_changes(model, changes, grows), seconds, seed, CALLS))
        for grows in (False, True)
    )
    # Where the model is a little off today, it will be then.
    by = now.examples / base.examples if base.examples else 1.0
    return Prediction(now, _times(then, by), _times(other, by), _assumptions(model, changes))


def _times(seen: Figures, by: float) -> Figures:
    return seen._replace(examples=seen.examples * by, steps=seen.steps * by)


def with_changes(model: Model, changes: Sequence[KnobChange], grows: bool = False) -> Model:
    """A model with other figures.

    Args:
      model: the pipeline.
      changes: each with its queue.
      grows: whether the work of a call that takes another number of elements grows with it;
        else it stays as it is.

    Returns:
      The model.
    """
    for queue in model.queues:
        mine = [change for change in changes if change.queue == queue]
        for change in mine:
            model = _with(model, change, grows)
    return model


def _with(model: Model, change: KnobChange, grows: bool) -> Model:
    queue, knob, value = change
    if knob == "threads":
        return replace(model, workers=_filled_by(model.workers, queue, value))
    if knob == "batch_size":
        return mapped(model, lambda call: _taking(call, queue, value, grows))
    field = "capacity" if knob == "capacity" else "kept"
    room = replace(model.queues[queue], **{field: value})
    return replace(model, queues={**model.queues, queue: room})


def _filled_by(workers: tuple[Worker, ...], queue: str, count: int) -> tuple[Worker, ...]:
    fill = [worker for worker in workers if any(name == queue for name, _ in _puts(worker))]
    others = [worker for worker in workers if worker not in fill]
    return (*others, *(fill[n % len(fill)] for n in range(count)))


def _taking(call: QueueCall, queue: str, count: int, grows: bool) -> QueueCall:
    takes = dict(call.takes)
    if queue not in takes:
        return call
    by = count / takes[queue]
    takes[queue] = count
    work = of_mean(call.work, by, None) if grows else call.work
    return replace(call, takes=tuple(takes.items()), work=work)


def _assumptions(model: Model, changes: Sequence[KnobChange]) -> tuple[str, ...]:
    said = []
    knobs = {change.knob: change for change in changes}
    if "batch_size" in knobs:
        said.append(
            "one batch size was seen: a step's own time is assumed to stay, or to grow with the"
            " batch; where that makes a difference, both are told"
        )
    if "threads" in knobs:
        said.append(
            "threads hinder one another by cores, by TensorFlow's pool of"
            f" {model.pool or 'many'} threads (inter_op_parallelism_threads), and in py_func by the"
            " interpreter's lock; by nothing else"
        )
    return tuple(said)
