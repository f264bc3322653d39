"""What a session call takes from queues and puts into them, and whether it can now.

The rules are those of TensorFlow's queues. A dequeue wants its elements beside those that a
shuffling queue keeps back; a closed queue makes nobody wait; an op of many elements takes or puts
them bit by bit, so that it may well be larger than the queue.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from queueio.graph.static_values import static_value
from queueio.graph.traits import Effect, row_of
from queueio.graph.traversal import (
    in_branch,
    is_counter,
    is_dequeue,
    is_enqueue,
    is_read,
    is_take,
    kind,
    op_of,
    put_into,
    taken_from,
    upstream,
)
from queueio.runtime.calls import SessionCall
from queueio.runtime.topology import key, stage_name
from queueio.schedule.events import Level

UNKNOWN = "a queue that only the run knows"
"""One of several, which is chosen while the graph runs: QueueBase.from_list."""


@dataclass(frozen=True, eq=False)
class Need:
    """An op of a call that takes from a queue, or puts into it.

    Attributes:
      op, queue: the op, and the key of the queue.
      takes: whether it takes.
      reads: whether a reader takes: a file's name, and only when it is done with the last file.
      many: whether it moves several elements, bit by bit; `static`: how many, as far as the
        graph says.
      sure: whether each run of the call reaches it.
    """

    op: Any
    queue: str
    takes: bool
    reads: bool
    many: bool
    sure: bool
    static: int | None = 1

    def count(self, call: SessionCall) -> int | None:
        """The elements that it moves; None where only the run knows."""
        if self.many and call.feed_dict:
            for tensor, value in call.feed_dict.items():
                if tensor is self.op.inputs[1]:
                    return int(value) if self.takes else len(value)
        return self.static


@dataclass(frozen=True)
class Needs:
    """All that a call does to queues.

    Attributes:
      takes, puts: by queue.
      closes: the queues that it closes.
      may_end: whether something in it may end before it puts: a count of epochs.
      lasts: whether it changes variables.
      what: in words, such as `dequeue_many from batch`.
      python: whether it runs a Python function.
      unknown: whether it takes from, or puts into, a queue that only the run knows.
    """

    takes: dict[str, list[Need]]
    puts: dict[str, list[Need]]
    closes: frozenset[str]
    may_end: bool
    lasts: bool
    what: str
    python: bool = False
    unknown: bool = False

    @property
    def queues(self) -> frozenset[str]:
        """All queues that it touches."""
        return frozenset([*self.takes, *self.puts, *self.closes])


@dataclass(frozen=True)
class Block:
    """Why a call would wait.

    Attributes:
      why: in words; `queue`, the queue, as it is shown.
      firm: whether it would wait for certain; else only the run can tell.
    """

    why: str
    queue: str
    firm: bool = True


def needs_of(call: SessionCall) -> Needs:
    """Reads the graph of a call; what the call feeds is neither computed nor taken."""
    ops = call.runs()
    takes: dict[str, list[Need]] = {}
    puts: dict[str, list[Need]] = {}
    for op in ops:
        taken, put = taken_from(op), put_into(op)
        if taken is not None:
            many = is_dequeue(op) and kind(op) != "QueueDequeue"
            static = _value(op.inputs[1]) if many else 1
            need = Need(op, key(taken), True, is_read(op), many, not in_branch(op), static)
            takes.setdefault(need.queue, []).append(need)
        elif put is not None:
            many = kind(op) == "QueueEnqueueMany"
            static = _rows(op.inputs[1]) if many else 1
            need = Need(op, key(put), False, False, many, not in_branch(op), static)
            puts.setdefault(need.queue, []).append(need)
    closes = [op for op in ops if kind(op) == "QueueClose"]
    chosen = [
        op for op in ops
        if (is_take(op) and taken_from(op) is None) or (is_enqueue(op) and put_into(op) is None)
    ]  # fmt: skip
    return Needs(
        takes,
        puts,
        frozenset(key(upstream(op)) for op in closes),
        any(map(is_counter, ops)),
        any("Assign" in op.type or "Apply" in op.type for op in ops),
        _words(call, takes, puts, closes, chosen),
        any(row_of(op.type).effect is Effect.RUNS_PYTHON for op in ops),
        bool(chosen),
    )


def block(
    call: SessionCall, needs: Needs, levels: dict[str, Level], behind: dict[tuple[str, bool], str]
) -> Block | None:
    """Why a call would wait now; None when it would not.

    Args:
      call, needs: the call, and what it does to queues.
      levels: of all queues.
      behind: who already waits inside, by queue and whether they take: those come first.
    """
    found = [
        why
        for takes, each in ((True, needs.takes), (False, needs.puts))
        for queue, wanted in each.items()
        if queue in levels
        and (why := _block(call, levels[queue], wanted, behind.get((queue, takes)))) is not None
    ]
    if not found:
        return None
    ends = needs.may_end or any(levels[q].closed for q in needs.takes if q in levels)
    firm = all(why.firm for why in found) and not ends
    first = found[0]
    return Block(first.why, first.queue, firm)


def may_enter(call: SessionCall, needs: Needs, levels: dict[str, Level]) -> bool:
    """Whether a call that is not blocked may all the same wait inside.

    It moves more than its queue can hold, or only the run knows how much, or a reader may find a
    file empty and want another one.
    """
    for queue, wanted in (*needs.takes.items(), *needs.puts.items()):
        counts = [need.count(call) for need in wanted]
        if None in counts or any(need.reads or not need.sure for need in wanted):
            return True
        level = levels.get(queue)
        if level is not None and level.capacity >= 0 and not level.closed:
            kept = level.kept if wanted[0].takes else 0
            if sum(filter(None, counts)) > level.capacity - kept:
                return True
    return False


def _block(call: SessionCall, level: Level, wanted: list[Need], behind: str | None) -> Block | None:
    takes = wanted[0].takes
    if level.closed:
        return None
    if behind is not None:
        return Block(f"{level}: behind {behind}, who waits inside", level.name)
    counts = [need.count(call) for need in wanted]
    count = None if None in counts else sum(filter(None, counts))
    room = level.size - level.kept if takes else level.capacity - level.size
    at_most = level.capacity - (level.kept if takes else 0)
    if level.capacity < 0 and not takes:
        return None
    too_many = count is None or (level.capacity >= 0 and count > at_most)
    if room >= (1 if too_many and any(need.many for need in wanted) else count or 1):
        return None
    firm = all(need.sure and not need.reads for need in wanted) and not (
        room > 0 and any(need.many for need in wanted)
    )
    return Block(_why(level, takes, count), level.name, firm)


def _why(level: Level, takes: bool, count: int | None) -> str:
    if not takes:
        more = f", and {count} are to go in" if count and count > 1 else ""
        return f"{level.name} is full ({level.size} of {level.capacity}{more})"
    if level.size == 0:
        return f"{level.name} is empty"
    if level.kept:
        return (
            f"{level.name} holds {level.size}: {count} are wanted beside the {level.kept} of"
            " min_after_dequeue"
        )
    return f"{level.name} holds {level.size} of the {count} that are wanted"


def _value(tensor: Any) -> int | None:
    value = static_value(tensor)
    return None if value is None else int(value)


def _rows(tensor: Any) -> int | None:
    shape = tensor.shape
    return None if shape.rank is None or shape.rank == 0 else shape[0].value


def _words(call: SessionCall, takes: Any, puts: Any, closes: list[Any], chosen: list[Any]) -> str:
    """What a call does, as far as queues know; else the names of what it fetches."""
    said = [
        f"{_verb(need.op)} {'from' if need.takes else 'into'} {_shown(need)}"
        for needs in (*takes.values(), *puts.values())
        for need in needs
        if not (need.reads and puts)
    ]
    said += [f"{_verb(op)} {'from' if is_take(op) else 'into'} {UNKNOWN}" for op in chosen]
    said += [f"close {stage_name(upstream(op))}" for op in closes]
    if not said or (not puts and not closes):
        names = [getattr(op_of(item), "name", str(item)) for item in call.fetched()]
        said.insert(0, "run " + ", ".join(names[:2]) + (", …" if len(names) > 2 else ""))
    return "; ".join(said)


def _verb(op: Any) -> str:
    return {
        "QueueEnqueue": "enqueue",
        "QueueEnqueueMany": "enqueue_many",
        "QueueDequeue": "dequeue",
        "QueueDequeueMany": "dequeue_many",
        "QueueDequeueUpTo": "dequeue_up_to",
    }.get(kind(op), "read")


def _shown(need: Need) -> str:
    queue = taken_from(need.op) if need.takes else put_into(need.op)
    return stage_name(queue)
