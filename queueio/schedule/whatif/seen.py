"""The pipeline that a tape has recorded, as it was seen: its queues, threads and kinds of call."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

from queueio.errors import message
from queueio.runtime.topology import ENGINE_SCOPE
from queueio.schedule.events import Event
from queueio.schedule.needs import UNKNOWN
from queueio.schedule.tape import Tape
from queueio.schedule.whatif.changes import WhatIfError
from queueio.schedule.whatif.model import Model, QueueCall, QueueRoom, Work, Worker
from queueio.schedule.whatif.waits import (
    Parted,
    by_actor,
    example_queues,
    first_end,
    moved,
    parted,
)
from queueio.words import times

FIRST = 3
"""Calls of a thread that are no measure: TensorFlow prepares them."""
SAMPLES = 20_000


def as_seen(tape: Tape) -> Model:
    """The model whose works take as long as they were seen, whatever delayed them."""
    return Model(_rooms(tape), tuple(workers_of(by_actor(parted(tape)))))


def check(tape: Tape) -> None:
    """Looks whether a tape tells enough.

    Args:
      tape: a free run.

    Raises:
      WhatIfError: it does not.
    """
    if any(ENGINE_SCOPE in name.split("/") for name in tape.levels):
        raise WhatIfError(
            message("the data engine feeds the program", "what-if is about TF1's queues, which do"
                    " not move its examples then", "Run it on the queue engine"))  # fmt: skip
    calls = parted(tape)
    delivered = [each for each in calls if all(move.takes for move in each.event.moves)]
    if not delivered and tape.end != "finished":
        raise WhatIfError(f"the script ended before its queues delivered anything: {tape.end}")
    if not tape.levels:
        raise WhatIfError(
            message("the program's sessions have no queue", "what-if is about the queues that feed"
                    " a program, and it came to its end without one",
                    "Give the arguments with which it makes its batches"))  # fmt: skip
    apart = [name for name, level in tape.levels.items() if level.apart]
    if apart:
        raise WhatIfError(
            message(f"two open sessions have a queue of the same name: {apart[0]}",
                    "what-if knows the calls of a run by the names of their queues",
                    "Give the queues of one session names of their own",
                    right="tf.train.batch([image], 32, name='eval_batch')")
        )  # fmt: skip
    chosen = next((event for event in tape.events if UNKNOWN in event.what), None)
    if chosen is not None:
        raise WhatIfError(
            message(f"{chosen.line or chosen.name}: {chosen.what}",
                    "what-if has to know from the graph which queue a call takes from or fills",
                    "Take from the queue itself, not from what QueueBase.from_list gives",
                    right="queue.dequeue_many(32)")
        )  # fmt: skip
    if len(delivered) < 3 * FIRST:
        ended = first_end(tape, example_queues(tape)) < float("inf")
        until = "before the first of these was closed" if ended else "while it was recorded"
        more = "more input, as files or epochs" if ended else "a longer --seconds, or more steps"
        raise WhatIfError(
            message(f"the program took {times(len(delivered), 'batch', 'batches')} from queues"
                    f" {until}, and {3 * FIRST} are the least", "fewer tell no rate",
                    f"Give it {more}")
        )  # fmt: skip
    for each in calls:
        for move in each.event.moves:
            if move.count < 0:
                verb = "takes from" if move.takes else "puts into"
                raise WhatIfError(
                    message(f"how many elements a call {verb} {move.queue} only the run knows",
                            each.event.line or each.event.what,
                            "what-if needs calls that always move the same number")
                )  # fmt: skip


def _rooms(tape: Tape) -> dict[str, QueueRoom]:
    return {
        name: QueueRoom(level.capacity, level.kept) for name, level in example_queues(tape).items()
    }


def workers_of(actors: dict[str, list[Parted]]) -> Iterable[Worker]:
    start = min(calls[0].event.seconds - calls[0].event.took for calls in actors.values())
    made: dict[str, dict[str, QueueCall]] = {}
    groups = _groups(actors)
    for name, letters in groups.items():
        made[name] = _calls([actors[letter] for letter in letters])
    for name, letters in groups.items():
        for letter in letters:
            calls = actors[letter]
            first = calls[0].event.seconds - calls[0].event.took
            yield Worker(_cycle(calls, made[name]), first - start)


def _groups(actors: dict[str, list[Parted]]) -> dict[str, list[str]]:
    """Threads that do the same: their calls are of one kind each."""
    found: dict[str, list[str]] = defaultdict(list)
    for letter, calls in actors.items():
        found[" + ".join(sorted({kind_of(each.event) for each in calls}))].append(letter)
    return found


def kind_of(event: Event) -> str:
    """What a call is of, in words: those that do the same have the same."""
    return event.what


def _cycle(calls: list[Parted], made: dict[str, QueueCall]) -> tuple[QueueCall, ...]:
    names = [kind_of(each.event) for each in calls]
    return tuple(made[name] for name in (names if len(set(names)) > 1 else names[:1]))


def _calls(threads: list[list[Parted]]) -> dict[str, QueueCall]:
    """The kinds of call that some threads make."""
    works: dict[str, list[Parted]] = defaultdict(list)
    gaps: dict[str, list[float]] = defaultdict(list)
    for calls in threads:
        for number, each in enumerate(calls):
            if number >= min(FIRST, len(calls) - 1):
                works[kind_of(each.event)].append(each)
            if number > min(FIRST, len(calls) - 2):
                gap = each.event.seconds - each.event.took - calls[number - 1].ended
                gaps[kind_of(each.event)].append(max(gap, 0.0))
    return {name: _call(name, each, gaps[name]) for name, each in works.items()}


def _call(name: str, seen: list[Parted], gaps: list[float]) -> QueueCall:
    event = seen[0].event
    free = [each.worked for each in seen if not each.blocked]
    # None was free: the shortest waited least, and are the best bound that there is.
    bound = sorted(each.worked for each in seen)[: max(1, len(seen) // 10)]
    queues = dict.fromkeys(move.queue for move in event.moves)
    takes = tuple((q, n) for q in queues if (n := moved(event, q, True)))
    puts = tuple((q, n) for q in queues if (n := moved(event, q, False)))
    work = Work(_some(free if len(free) >= FIRST else bound), 1.0, event.python)
    return QueueCall(name, takes, puts, Work(_some(gaps or [0.0]), 1.0), work)


def _some(seconds: list[float]) -> tuple[float, ...]:
    return tuple(seconds[:SAMPLES])
