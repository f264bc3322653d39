"""Who fills a queue, and whether who empties it is alone in doing so.

Several enqueue ops on one queue are a join. Where they share what they change (a queue further up,
as many readers of one filename queue do, or a counter) they are one stream worked on several times
over: they are grouped, and one of each kind stands for all that do the same.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

from queueio.graph.choosing import FEED
from queueio.graph.error_text import CONSEQUENCES
from queueio.graph.in_branches import DO, WHY, is_runnable
from queueio.graph.index import Enqueue, Evaluator, Index
from queueio.graph.refusal import refuse
from queueio.graph.runners import has_its_own_way
from queueio.graph.session_state import Shared, held_by
from queueio.graph.traversal import (
    ancestors,
    is_counter,
    is_read,
    root,
    through_switch,
    upstream,
)
from queueio.lift.barriers import refuse_barrier
from queueio.lift.ends import check_one_runner
from queueio.lift.likeness import difference, told_apart
from queueio.lift.sharing import check_alone, components, shared


@dataclass(frozen=True, eq=False)
class Group:
    """The producers of one queue that share what they change: queues, counters, generators.

    Attributes:
      kinds: the first producer of each kind.
      turns: for each producer, in the order of the join, the place of its kind.
      threads: how many threads run them.
    """

    kinds: tuple[tuple[Evaluator, Enqueue], ...]
    turns: tuple[int, ...]
    threads: int

    def race(self, place: int, unlike: Any = None) -> Exception:
        """The refusal of the kind at `place`, which cannot stand in the place of the first."""
        (first, enqueue), (_, other) = self.kinds[0], self.kinds[place]
        unlike = unlike or _unlike(self.kinds[0], self.kinds[place])
        return _race(first, len(self.turns), enqueue, other, unlike)


class Feeders:
    """The producers of the queues of one graph, checked as they are asked for."""

    def __init__(self, index: Index) -> None:
        self._index = index
        self._twins: dict[Any, set[Any]] = {}
        self._together: dict[Any, set[Evaluator]] = {}
        self._by_reader: set[Any] = set()

    def groups(self, queue: Any) -> Iterator[Group]:
        """The producers of a queue, by the state that they share.

        Raises:
          NotLifted, NoEquivalent: nothing fills the queue, or not only queue runners do; or which
            producer takes what decides over more than its treatment.
        """
        feeders = self._index.feeders(queue)
        self._check_fed(queue, feeders)
        check_one_runner(self._index, queue, [evaluator for evaluator, _ in feeders])
        _check_barriers(feeders)
        for members in components(feeders, held_by(queue)):
            evaluators = [evaluator for evaluator, _ in members]
            check_alone(evaluators, self._index.evaluators)
            self._pair(members)
            group = _by_kind(members)
            if len(group.kinds) > 1:
                _check_sharing(group, evaluators, held_by(queue))
                self._check_takes(group, evaluators)
            yield group

    def check_consumers(self, queue: Any, consumer: Any, by: Evaluator | None) -> None:
        """Refuses a queue whose elements do not all go the same way.

        Args:
          queue: the queue op.
          consumer: the op that takes from it, on the way that is being lifted.
          by: who runs `consumer`; None where it belongs to the fetches.
        """
        use = self._index.uses[queue]
        also = next(
            (op for op in self._index.uses if op is not queue and held_by(op) == held_by(queue)),
            None,
        )
        if also is not None:
            raise refuse(
                also,
                f"by its shared_name it is the queue {queue.name!r} as well, and what goes into"
                " either comes out of both",
                "Make the queue once, and use it in both places",
            )
        if consumer is not None and through_switch(consumer):
            raise refuse(
                consumer,
                "it takes from its queue only under a condition",
                f"Take from the queues outside of the cond; {FEED}",
            )
        for op in use.unclear:
            raise refuse(op, f"it uses the queue {queue.name!r} inside a function",
                         "Take from the queue outside of conds and loops")  # fmt: skip
        mine = self._twins.get(consumer, {consumer})
        others = [op for op in use.takers if op not in mine]
        if consumer is not None and is_read(consumer):
            reads = self._index.reads[root(consumer.inputs[0]).op]
            others += [op for op in reads if op not in mine and op not in others]
        if others:
            raise refuse(
                others[0],
                f"it is not alone in taking from {queue.name!r}: each element goes to"
                " whichever comes first",
                "Take from the queue once. Where both places are to have the same, use the result"
                " in both; where each is to have a batch of its own, as towers are, lift them"
                " together: queueio.lift([first, second])",
            )
        runs = self._index.evaluators_of.get(consumer, [])
        together = self._together.get(consumer, {by})
        stranger = next((e for e in runs if e not in together), None)
        if stranger is not None and any(e in use.enqueues for e in stranger.enqueues):
            raise loop(queue)
        if stranger is not None:
            raise refuse(
                stranger.op,
                f"its queue runner runs {consumer.name!r} too, so each of the two gets only a part"
                " of what comes out",
                "Give each queue its own reader, or enqueue once and split after the dequeue",
            )

    def take_together(self, takers: Sequence[Any]) -> None:
        """Notes that a session call runs all these dequeues of a queue whenever it runs one."""
        together = set(takers)
        self._twins.update((taker, together) for taker in takers)
        for taker in takers[1:]:
            self.check_consumers(upstream(taker), taker, None)

    def readers_beside(self, read: Any) -> int:
        """How many readers share the queue of op `read`, under one join."""
        return len({_reader(op) for op in self._twins.get(read, {read})})

    def tells_readers(self, point: Any) -> bool:
        """Whether producers differ by the reader that they have, so that it matters who read."""
        return point in self._by_reader

    def check_bucket(self, queue: Any) -> None:
        """Refuses a queue that is one of several that an op fills, as `groups` does any other."""
        feeders = self._index.feeders(queue)
        self._check_fed(queue, feeders, buckets=True)
        for evaluator, _ in feeders:
            _check_once(evaluator)
            check_alone([evaluator], self._index.evaluators)

    def _check_fed(
        self, queue: Any, feeders: list[tuple[Evaluator, Enqueue]], buckets: bool = False
    ) -> None:
        run = {id(enqueue) for _, enqueue in feeders}
        loose = [e for e in self._index.uses[queue].enqueues if id(e) not in run]
        if loose:
            raise _not_run(loose[0].outer, queue)
        if not feeders:
            every = self._index.evaluators
            own = [each.op for each in every if getattr(each.runner, "name", "") == queue.name]
            if own:
                raise refuse(
                    queue,
                    f"nothing in the graph fills it: its queue runner runs {own[0].name!r}, which"
                    " puts nothing into it, as under keep_input=False",
                    "Let keep_input be True for some examples, or leave this queue out",
                )
            raise refuse(
                queue,
                "nothing in the graph fills it",
                "Lift the graph after its enqueue ops and queue runners were made",
            )
        for idle in self._index.idle_beside(feeders):
            raise refuse(idle, f"a queue runner of {queue.name!r} runs it too, and it puts nothing"
                         " into the queue", "Run it in the training step, or as a dependency of"
                         " a tensor that is enqueued")  # fmt: skip
        for evaluator, enqueue in feeders:
            _check_way(evaluator)
            if len(evaluator.enqueues) > 1 and not buckets:
                raise _several_at_once(evaluator)
            _check_ends(evaluator, enqueue)

    def _pair(self, members: list[tuple[Evaluator, Enqueue]]) -> None:
        """Notes that the points of producers that share their queues stand for one another."""
        evaluators = {evaluator for evaluator, _ in members}
        for evaluator in evaluators:
            _check_once(evaluator)
        for point in members[0][0].points:
            same = {p for e in evaluators for p in e.points if upstream(p) is upstream(point)}
            for twin in same:
                self._twins[twin] = same
                self._together[twin] = evaluators

    def _check_takes(self, group: Group, evaluators: list[Evaluator]) -> None:
        """Refuses producers of which it matters who takes what, beyond how it is treated."""
        for place, (kind_of, _) in enumerate(group.kinds):
            for point in group.kinds[0][0].points:
                for twin in kind_of.points:
                    unlike = difference(point, twin) if upstream(twin) is upstream(point) else None
                    if unlike is not None:
                        raise group.race(place, unlike)
        points = {point for evaluator in evaluators for point in evaluator.points}
        readers = {_reader(point) for point in points if is_read(point)}
        if len(readers) > 1:
            if not len(readers) == len(points) == len(evaluators):
                raise group.race(1)
            self._by_reader |= points


def _check_barriers(feeders: list[tuple[Evaluator, Enqueue]]) -> None:
    """Refuses producers that put into a barrier as well: the queue alone is not what they fill."""
    for evaluator, _ in feeders:
        for op in ancestors([evaluator.op]):
            if op.type == "BarrierInsertMany":
                raise refuse_barrier(op)


def _check_once(evaluator: Evaluator) -> None:
    """Refuses an op that takes from one queue by two ops: which is first is a race in each run."""
    points = sorted(evaluator.points, key=lambda op: op.name)
    for one, other in combinations(points, 2):
        if upstream(one) is upstream(other):
            raise shared(held_by(upstream(one)), other, one, other)


def _check_sharing(group: Group, evaluators: list[Evaluator], filled: Shared) -> None:
    """Refuses producers that differ and share more than a stream, which they can take in turns."""
    placed = zip(evaluators, group.turns, strict=True)
    for (one, place), (other, another) in combinations(placed, 2):
        if place != another:
            for state, op in one.changes.items():
                again = other.changes.get(state) if state != filled else None
                if again is not None and not _by_turns(state, op, again, one, other):
                    raise shared(state, again, one.op, other.op)


def _by_turns(state: Shared, op: Any, again: Any, one: Evaluator, other: Evaluator) -> bool:
    """Whether producers that change a state by `op` and `again` can do so in turns."""
    queues = {upstream(point) for point in one.points}
    if not queues or queues != {upstream(point) for point in other.points}:
        return False
    return state.is_stream or (op is again and is_counter(op))


def _by_kind(members: list[tuple[Evaluator, Enqueue]]) -> Group:
    kinds: list[tuple[Evaluator, Enqueue]] = []
    turns = []
    for evaluator, enqueue in members:
        place = 0
        while place < len(kinds) and _unlike(kinds[place], (evaluator, enqueue)) is not None:
            place += 1
        if place == len(kinds):
            kinds.append((evaluator, enqueue))
        turns.append(place)
    threads = sum(evaluator.threads for evaluator, _ in members)
    return Group(tuple(kinds), tuple(turns), threads)


def _unlike(one: tuple[Evaluator, Enqueue], other: tuple[Evaluator, Enqueue]) -> Any:
    """The first two ops that differ in what two producers enqueue, or run besides; or None."""
    (runs, enqueue), (also_runs, beside) = one, other
    return difference(enqueue.outer, beside.outer) or difference(runs.op, also_runs.op)


def _race(first: Evaluator, count: int, enqueue: Enqueue, other: Enqueue, unlike: Any) -> Exception:
    """The refusal of producers that share a queue and do not treat what they take alike."""
    reads = is_read(first.points[0])
    shared = upstream(first.points[0]).name
    part = "a file's records get the treatment of whichever reader takes the file" if reads else (
        "an element gets the treatment of whichever producer takes it"
    )  # fmt: skip
    return refuse(
        unlike[1],
        f"{count} producers of one join draw from {shared!r}, but {enqueue.outer.name!r}"
        f" and {other.outer.name!r} differ ({told_apart(*unlike)}); {part}, which is a race",
        "Run this pipeline on the queue engine, which keeps the race; or let every example draw"
        " its treatment in producers that are alike, `which = tf.random.uniform([],"
        f" maxval={count}, dtype=tf.int32)` and tf.switch_case(which, [...]); or give each"
        " producer a string_input_producer with files of its own",
    )


def loop(queue: Any) -> Exception:
    """The refusal of a queue that is filled from what was taken out of it."""
    return refuse(
        queue,
        "it is filled from what was taken out of it: such a loop has no end in tf.data",
        "Use num_epochs, or Dataset.repeat, for several passes",
        never=True,
    )


MOST_QUEUES = 30
"""Each queue on the way takes some frames of Python's stack: to lift, to compare, to compile it."""


def too_deep(queue: Any) -> Exception:
    """The refusal of a queue with too many others behind it."""
    return refuse(
        queue,
        f"more than {MOST_QUEUES} queues follow one another on the way to the batch",
        "Leave out the queues in between: tf.data needs none between two maps",
    )


def _reader(read: Any) -> Any:
    return root(read.inputs[0]).op


def _several_at_once(evaluator: Evaluator) -> Exception:
    """The refusal of an op that fills several queues: always all, or one or another of them."""
    several = f"{len(evaluator.enqueues)} queues"
    if all(e.body is not None or through_switch(e.op) for e in evaluator.enqueues):
        return refuse(
            evaluator.op,
            f"one run of it puts an element into one or another of {several}, by a condition of"
            " each: these are buckets",
            "Lift a function that returns the tensors of one element and makes no buckets, and sort"
            " the dataset with Dataset.bucket_by_sequence_length, or group_by_window",
        )
    return refuse(
        evaluator.op,
        f"one run of it fills {several} at once",
        "Put the tensors into one queue together",
    )


def _check_way(evaluator: Evaluator) -> None:
    """Refuses an op that a runner cannot run, and what it does beyond: that is in no graph."""
    runner, op = evaluator.runner, evaluator.op
    if not is_runnable(op):
        raise refuse(op, WHY, DO)
    if has_its_own_way(runner):
        raise refuse(
            op,
            f"the class {type(runner).__name__!r} runs its enqueue ops in its own way, and how"
            " often, and fed with what, is in its Python code and not in the graph",
            "Use tf.train.QueueRunner itself where that does the same, or feed the data from"
            " Python with tf.data.Dataset.from_generator",
        )
    feeds_op = getattr(runner, "feeds_op", None)
    # A placeholder is refused as such, or lifted with the rows that are fed to it.
    by_placeholder = any(before.type == "Placeholder" for before in ancestors([op]))
    if feeds_op is not None and feeds_op(op) and not by_placeholder:
        raise refuse(
            op,
            "its queue runner feeds tensors on the way to it, and the graph does not hold what"
            " they are fed with",
            "Feed the data from Python with tf.data.Dataset.from_generator",
        )


def _check_ends(evaluator: Evaluator, enqueue: Enqueue) -> None:
    types = tuple(evaluator.runner.queue_closed_exception_types or ())
    odd = [t.__name__ for t in types if not issubclass(t, CONSEQUENCES)]
    if odd:
        raise refuse(
            enqueue.outer,
            f"its queue runner takes {', '.join(odd)} for the end of the input",
            "Let the runner end at OutOfRangeError only, and handle bad examples with keep_input",
        )


def _not_run(op: Any, queue: Any) -> Exception:
    for other in ancestors([op]):
        if other.type.startswith("Placeholder"):
            return refuse(
                other,
                f"the queue {queue.name!r} is fed through this placeholder by the program's own"
                " threads, and the graph does not hold what they feed",
                "Feed the data with tf.data.Dataset.from_generator instead",
                never=True,
            )
    return refuse(
        op,
        f"it fills {queue.name!r} but no queue runner runs it, so the graph does not say how often"
        " it runs",
        "Add it with tf.train.add_queue_runner(tf.train.QueueRunner(queue, [enqueue_op]))",
    )
