"""What is wrong with a run, by itself or beside another run of the same program."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from queueio.words import times

IDLE = 300
"""Steps in a row that move nothing, after which a run is given up."""
WAITED = 1500
"""Steps in a row for which the main thread waits for a queue that does not grow, for the same."""

KINDS = 8
"""So many parts, each another one, are taken for names of the examples rather than for classes."""

LESSONS: dict[str, tuple[str, str]] = {
    "deadlock": (
        "queueio/runtime/threads/queue_runner.py",
        "A full queue stops who fills it, an empty one who empties it. Whoever waits needs somebody"
        " who can go on without it: start the runners, close a queue when its input ends, let all"
        " threads take and fill queues in one order, and have the coordinator cancel the queues.",
    ),
    "livelock": (
        "queueio/runtime/threads/coordinator.py",
        "Threads turn, and nothing comes of it. Who ends the run must be sure to: request_stop in a"
        " finally block, a queue that is closed when its input ends.",
    ),
    "starved step": (
        "queueio/stages/queues/example_queue.py",
        "Each call takes its own elements: two that read one queue share it out by chance, and one"
        " may get nothing. Give each its own pipeline.",
    ),
    "lost tail": (
        "queueio/stages/batching/batch.py",
        "A stop, or a cancelled queue, throws away what is still in the queues. Let the end of the"
        " input stop the run: take until OutOfRangeError, and close the queue without cancelling.",
    ),
    "example twice": (
        "queueio/stages/filenames/epochs.py",
        "Who counts, and who takes by the count, are not one step: two threads see the same number,"
        " or a counter begins anew. Let one op count (range_input_producer, limit_epochs), and"
        " initialise it once, before any thread starts.",
    ),
    "torn pair": (
        "queueio/stages/queues/zip.py",
        "What belongs together has to travel together: put both parts into one element of one"
        " queue, and take them by one dequeue.",
    ),
    "hidden cause": (
        "queueio/runtime/threads/coordinator.py",
        "A thread that dies closes its queue, and that looks like the end of the input. Pass the"
        " error to the coordinator, and coord.join raises it.",
    ),
    "use before initialisation": (
        "queueio/stages/filenames/epochs.py",
        "A thread that runs first finds no variable. Run global_variables_initializer and, for"
        " num_epochs, local_variables_initializer, before start_queue_runners or any other thread.",
    ),
    "ends that differ": (
        "queueio/stages/queues/example_queue.py",
        "How it ends depends on who was faster. Let one thread decide about the end, by the end of"
        " the input rather than by time or by what another thread has done so far.",
    ),
}
"""Of each kind: where it is taught, and what to do."""


@dataclass(frozen=True)
class RunEnd:
    """What a child told of its run; the fields are those of its message."""

    end: str
    line: str
    names: list[str]
    steps: int
    why: str = ""
    status: Any = None
    error: str = ""
    error_types: list[str] = field(default_factory=list)
    seconds: float = 0.0
    uncontrolled: list[str] = field(default_factory=list)
    standings: list[dict[str, Any]] = field(default_factory=list)
    levels: list[dict[str, Any]] = field(default_factory=list)
    taken: dict[str, list[Any]] = field(default_factory=dict)
    unset: dict[str, str] = field(default_factory=dict)
    left: dict[str, int] = field(default_factory=dict)
    idle: dict[str, int] = field(default_factory=dict)
    main_waits: int = 0
    choices: list[str] = field(default_factory=list)
    failed: dict[str, str] = field(default_factory=dict)
    crews: dict[str, int] = field(default_factory=dict)

    @property
    def counts(self) -> dict[str, int]:
        """By the thread that took them, the number of elements."""
        return {name: sum(len(rows) for _, rows in each) for name, each in self.taken.items()}

    @property
    def rows(self) -> Counter[str]:
        """How often each element was delivered."""
        return Counter(row for each in self.taken.values() for _, rows in each for row in rows)


@dataclass(frozen=True)
class RaceFinding:
    """Something that goes wrong.

    Attributes:
      kind: a key of `LESSONS`.
      text: what happened.
      beside: the line of the run that it differs from; "" where none is needed.
    """

    kind: str
    text: str
    beside: str = ""


def alone(run: RunEnd) -> RaceFinding | None:
    """What is wrong with a run by itself."""
    if run.unset:
        name, text = next(iter(run.unset.items()))
        return RaceFinding("use before initialisation", f"{name}: {text}")
    if run.uncontrolled:  # what it waits for may come yet
        return None
    if run.end == "deadlock":
        waiting = [s for s in run.standings if s["state"] != "done"]
        return RaceFinding("deadlock", "; ".join(map(_waits, waiting)))
    if run.end == "cut off" and in_vain(run.idle, run.main_waits):
        alone_awake = set(run.idle) == {"main wake"}  # it looks again and again: nobody comes
        return RaceFinding("deadlock" if alone_awake else "livelock", _vainly(run))
    if run.end == "finished" and not run.status and run.failed:
        name, text = next(iter(run.failed.items()))
        return RaceFinding(
            "hidden cause", f"the program ended as if all were well, but {name} died of {text}"
        )
    return None


def between(run: RunEnd, other: RunEnd) -> RaceFinding | None:
    """What is wrong with two runs that came to an end of their own: they differ."""
    if run.end != "finished" or other.end != "finished" or run.uncontrolled or other.uncontrolled:
        return None
    if (run.status, run.error_types[:1]) != (other.status, other.error_types[:1]):
        text = f"one run ends with {ending(run)}, another with {ending(other)}"
        return RaceFinding("ends that differ", text, other.line)
    more, less = sorted((run, other), key=lambda each: -sum(each.counts.values()))
    again = _again(more, less) or _again(less, more) or _exchanged(more, less)
    if again:
        return RaceFinding("example twice", again, other.line)
    counts = [sum(each.counts.values()) for each in (more, less)]
    if counts[0] != counts[1]:
        text = f"{times(counts[0], 'element')} in one run, {counts[1]} in another"
        return RaceFinding("lost tail", text, other.line)
    if run.counts != other.counts:
        return _shared(run, other)
    torn = _torn(run, other)
    return None if torn is None else RaceFinding("torn pair", torn, other.line)


def _waits(standing: dict[str, Any]) -> str:
    why = standing["why"] or (f"waits in {standing['what']}" if standing["what"] else "waits")
    line = f" ({standing['line']})" if standing["line"] else ""
    return f"{standing['name']}: {why}{line}"


def in_vain(idle: Mapping[str, int], main_waits: int) -> bool:
    """Whether a run that is so long without having moved will not any more.

    Args:
      idle: by the kind of the step, main's apart, how many in a row have moved nothing.
      main_waits: for how many the main thread has waited for a queue that did not grow.
    """
    wakes = idle.get("wake", 0) + idle.get("main wake", 0)
    polls = idle.get("run", 0) <= wakes and not idle.get("main run")
    return main_waits >= WAITED or (polls and sum(idle.values()) >= IDLE)


def _vainly(run: RunEnd) -> str:
    main = run.standings[0]
    if set(run.idle) == {"main wake"}:
        return "; ".join(_waits(s) for s in run.standings if s["state"] != "done")
    if run.main_waits >= WAITED:
        return (
            f"{times(run.main_waits, 'step')}, none of which feeds main, which waits: {main['why']}"
        )
    return f"{sum(run.idle.values())} steps that move nothing; {_waits(main)}"


def ending(run: RunEnd) -> str:
    """How a run that came to its end did so, in words."""
    if isinstance(run.status, str):  # Python shows it, and exits with 1
        return f"exit status 1 ({run.status})"
    return run.error or (f"exit status {run.status}" if run.status else "success")


def _again(run: RunEnd, other: RunEnd) -> str:
    """Says of an element that comes too often; "" where each comes as often as it should.

    Where the other run has each element equally often, that is how often; a run that lost its tail
    has not. Where neither has, the greatest number counts.
    """
    rows, before = run.rows, other.rows
    if "" in rows or "" in before or not rows or not before:
        return ""
    most, usual = max(rows.values()), max(before.values())
    whole = len(set(rows.values())) == 1 and rows.keys() >= before.keys()
    lost = whole and len(set(before.values())) > 1
    short = not lost and not whole and any(other.left.values())
    if most <= usual or lost or short:
        return ""
    row = next(row for row in rows if rows[row] == most)
    return f"an element comes {times(most, 'time')} in one run, {before.get(row, 0)} in another"


def _exchanged(more: RunEnd, less: RunEnd) -> str:
    """Says of an element that the run that got fewer has more often: that is no tail it lost."""
    rows, fewer = more.rows, less.rows
    if "" in rows or "" in fewer or rows.total() == fewer.total():
        return ""
    often = [row for row, count in fewer.items() if count > max(rows.get(row, 0), 1)]
    often += [row for row, count in rows.items() if count > 1 and fewer - rows]
    if not often:
        return ""
    return (
        f"an element comes {times(rows[often[0]], 'time')} in one run, {fewer[often[0]]} in another"
    )


def _shared(run: RunEnd, other: RunEnd) -> RaceFinding:
    names = sorted({*run.counts, *other.counts})
    first = next(n for n in names if run.counts.get(n, 0) != other.counts.get(n, 0))
    got, had = run.counts.get(first, 0), other.counts.get(first, 0)
    text = f"{first} gets {times(got, 'element')} in one run, {had} in another, of the same queue"
    return RaceFinding(
        "starved step" if not (got and had) else "ends that differ", text, other.line
    )


def _torn(run: RunEnd, other: RunEnd) -> str | None:
    """Says of parts that both runs have, each equally often, that they came with other partners.

    A part that repeats in the data, such as a label, has many partners, and a run that leaves
    elements behind may have taken others of them. So both have taken all, or there are many parts
    and each is one of its kind.
    """
    one, two = _pairs(run), _pairs(other)
    whole = not any(run.left.values()) and not any(other.left.values())
    for place in one.keys() & two.keys():
        parts = [Counter(each) for each in zip(*one[place], strict=True)]
        same = parts == [Counter(each) for each in zip(*two[place], strict=True)]
        single = all(KINDS <= len(each) == each.total() for each in parts)
        if same and (whole or single) and Counter(one[place]) != Counter(two[place]):
            return "an element has one partner in one run, and another one in another"
    return None


def _pairs(run: RunEnd) -> dict[tuple[str, int], list[tuple[str, str]]]:
    """By queue and place, each element's first part with the one there."""
    found: dict[tuple[str, int], list[tuple[str, str]]] = defaultdict(list)
    for each in run.taken.values():
        for queue, rows in each:
            for row in rows:
                first, *parts = row.split("|")
                for place, part in enumerate(parts):
                    found[queue, place].append((first, part))
    return found
