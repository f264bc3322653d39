"""The processor seconds of each kind of call, told from what the whole process used."""

from __future__ import annotations

import statistics
from collections import defaultdict

import numpy as np

from queueio.schedule.tape import Tape
from queueio.schedule.whatif.seen import FIRST, kind_of, workers_of
from queueio.schedule.whatif.waits import Parted, by_actor, parted

Part = tuple[str, bool]
"""What uses cores: of a kind of call, the call (True) or what is before it."""


def cpu_seconds(tape: Tape, cores: float) -> dict[Part, float]:
    """The processor seconds that each part uses each time, told from those between looks.

    The least squares of what was used against what went on, none below 0; drawn a little towards
    the average, which decides where the looks cannot tell two parts apart.

    Args:
      tape: a run whose idle threads sleep.
      cores: that it could use.

    Returns:
      Seconds by part; {} where there are too few looks.
    """
    actors = by_actor(parted(tape))
    looks = [event for event in tape.events if event.kind == "look" and event.cpu]
    if len(looks) < 2 * FIRST or not actors:
        return {}
    times = np.array([event.seconds for event in looks])
    used = np.diff([event.cpu for event in looks])
    spans = _spans(actors)
    busy = np.stack([_overlap(each, times) for each in spans.values()], 1)
    mean = min(max(used.sum() / max(busy.sum(), 1e-9), 0.0), float(cores))
    share = dict(zip(spans, _least_squares(busy, used, mean, cores), strict=True))
    long = {part: sum(end - begin for begin, end in each) for part, each in spans.items()}
    return {part: float(share[part]) * long[part] / len(spans[part]) for part in spans}


def _spans(actors: dict[str, list[Parted]]) -> dict[Part, list[tuple[float, float]]]:
    """When each part went on: a blocked putter's work as long as it usually takes."""
    model = tuple(workers_of(actors))
    usual = {c.name: statistics.fmean(c.work.seconds) for worker in model for c in worker.calls}
    found: dict[Part, list[tuple[float, float]]] = defaultdict(list)
    for calls in actors.values():
        last = None
        for each in calls:
            name = kind_of(each.event)
            long = min(each.worked, usual[name]) if each.blocked else each.worked
            found[name, True].append((each.began, each.began + long))
            if last is not None:
                found[name, False].append((last, max(last, each.event.seconds - each.event.took)))
            last = each.ended
    return found


def _overlap(spans: list[tuple[float, float]], times: np.ndarray) -> np.ndarray:
    """The seconds of all spans between each two times."""
    began, ended = np.array(spans).T
    done = [np.clip(np.minimum(ended, time) - began, 0.0, None).sum() for time in times]
    return np.diff(done)


def _least_squares(busy: np.ndarray, used: np.ndarray, mean: float, most: float) -> np.ndarray:
    weight = 0.05 * np.sqrt((busy**2).sum(0).mean())
    left = np.concatenate([busy, weight * np.eye(busy.shape[1])])
    right = np.concatenate([used, np.full(busy.shape[1], weight * mean)])
    found = np.full(busy.shape[1], mean)
    for _ in range(200):
        for n in range(len(found)):
            column = left[:, n]
            rest = right - left @ found + column * found[n]
            found[n] = min(max(column @ rest / max(column @ column, 1e-18), 0.0), most)
    return found
