"""The walk from fetches back to the sources, one stage at a time.

The lifter knows queues, enqueue ops and runners; what a queue or a read *is*, it asks the stages,
which registered for their op types and roles (queueio/plan/contract.py).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

import tensorflow as tf

from queueio.graph.choosing import refuse_chosen
from queueio.graph.fragment import Fragment
from queueio.graph.index import Evaluator, index_of
from queueio.graph.refusal import refuse
from queueio.graph.traversal import is_dequeue, root, type_of, upstream
from queueio.graph.trust import OWN, Trust
from queueio.lift.ends import check_alike, check_one_count, check_one_reader
from queueio.lift.enqueue import Put, pivots, put
from queueio.lift.feeders import MOST_QUEUES, Feeders, Group, loop, too_deep
from queueio.lift.handles import sparse_components
from queueio.lift.product import Product, common_specs, spec_of
from queueio.lift.reach import Reach, check_inside
from queueio.lift.rows import row_spec
from queueio.lift.sharing import check_alone
from queueio.lift.shown import check_fetch, check_run
from queueio.lift.sorting import Emptied, emptied, given, read
from queueio.lift.sparse import Stored, taken_from
from queueio.lift.towers import towers
from queueio.plan.contract import Role, lifter_of
from queueio.plan.node import Node


class _Lifting(NamedTuple):
    """What is being lifted: what a thread runs, or where that is None a session call.

    Attributes:
      evaluator: what is run.
      threads: how many run it.
      lifted: the ops of it that are lifted.
    """

    evaluator: Evaluator | None
    threads: int
    lifted: set[Any]


class Lifter:
    """Lifts streams of one graph; the `Walk` that stages are given.

    Args:
      graph: a `tf.Graph`.
      trust: which ops with an effect may run.
      runners: queue runners beside those in the collection; see `Index`.
      known: streams that were lifted a moment ago, by the op of the queue they come out of.
    """

    def __init__(
        self, graph: Any, *, trust: Trust = OWN, runners: Sequence[Any] = (),
        known: Mapping[Any, Node] | None = None,
    ) -> None:  # fmt: skip
        self.graph = graph
        self.trust = trust
        self._known = known or {}
        self.index = index_of(graph, runners)
        self._path: list[Any] = []
        self._runs = [_Lifting(None, 1, set())]
        self._feeders = Feeders(self.index)

    refuse = staticmethod(refuse)

    def readers_beside(self, op: Any) -> int:
        return self._feeders.readers_beside(op)

    def tells_readers(self, op: Any) -> bool:
        return self._feeders.tells_readers(op)

    def threads(self, queue_op: Any) -> int:
        return sum(evaluator.threads for evaluator, _ in self.index.feeders(queue_op))

    def threads_of_producer(self) -> int:
        return self._run.threads

    def constant(self, tensor: Any, what: str) -> Any:
        value = tf.get_static_value(tensor)
        if value is None:
            raise refuse(
                tensor.op,
                f"{what} is not a constant, so each session call may have another one",
                f"Give {what} as a Python number",
            )
        return value

    def elements(self, wanted: Sequence[Any], at: Any, controls: Sequence[Any] = ()) -> Node:
        """The stream whose components are `wanted`: tensors, or sparse ones in three parts."""
        product = Product(tuple(wanted), at, tuple(controls))
        reach = self._reach(product)
        if self._run.evaluator is not None:
            return self._made(product, reach)
        call = Evaluator(at, None)
        call.note_changes(reach.ops)
        check_alone([call], self.index.evaluators)
        stream = self._made(product, reach)
        check_fetch([*product.tensors, *controls], at, self._run.lifted)
        return stream

    def _made(self, product: Product, reach: Reach) -> Node:
        if not reach.points:
            return self._source(reach, product.tensors, product.specs, product.at, many=False)
        stream = self._stream(reach, product.at)
        if self._is_stream(product, reach, stream):
            self._run.lifted.update(reach.outside)
            return stream
        return self._transform(product, reach, stream, product.specs)

    def _by_turns(self, products: Sequence[Product], group: Group) -> Node:
        """The stream of producers that take from the same queues and differ in what they make."""
        reaches = [self._reach(product) for product in products]
        order = [upstream(point) for point in reaches[0].points]
        for place, reach in enumerate(reaches):
            reach.points.sort(key=lambda point: order.index(upstream(point)))
            if [upstream(point) for point in reach.points] != order or (
                set(reach.counters) != set(reaches[0].counters)
            ):
                raise group.race(place)
        specs = common_specs(products)
        if specs is None:
            raise group.race(1)
        stream = self._stream(reaches[0], products[0].at)
        treatments = tuple(
            self._transform(product, reach, stream, specs)
            for product, reach in zip(products, reaches, strict=True)
        )
        check_alike(fragment for each in treatments for fragment in each.fragments)
        by_reader = self.tells_readers(reaches[0].points[0])
        lift = self._role(Role.PRODUCERS)
        return lift(self, products[0].at, stream, treatments, group.turns, by_reader)

    def _reach(self, product: Product) -> Reach:
        reach = Reach(product.tensors, product.controls)
        reach.check(run_by_runner=self._run.evaluator is not None, trust=self.trust)
        return reach

    def _stream(self, reach: Reach, at: Any) -> Node:
        """The elements of the points that were reached, in lock step, as far as counters let."""
        fetched = self._run.evaluator is None
        taken = towers(reach.points) if fetched else [[op] for op in reach.points]
        reach.points[:] = [op for ops in taken for op in ops]
        streams = [self._taken(ops) for ops in taken]
        stream = streams[0] if len(streams) == 1 else self._role(Role.ZIP)(self, at, streams)
        for counter in reach.counters:
            stream = self._role(Role.LIMIT)(self, counter, stream)
        return stream

    def source_of(self, wanted: Sequence[Any], at: Any, controls: Sequence[Any]) -> Node | None:
        """The rows of tensors that depend on no stream, or None if they do."""
        tensors = [t for t in wanted if not isinstance(t, Stored)]
        if len(tensors) != len(wanted):
            return None
        reach = Reach(tensors, controls)
        if reach.points:
            return None
        reach.check(run_by_runner=True, trust=self.trust)
        return self._source(reach, tensors, tuple(map(row_spec, tensors)), at, many=True)

    def queue(self, handle: Any, consumer: Any) -> Node:
        op = root(handle).op
        lift = lifter_of(type_of(op))
        if lift is None:
            raise refuse_chosen(op, op, f"{consumer.name!r} takes from")
        if op in self._path:
            raise loop(op)
        self._feeders.check_consumers(op, consumer, self._run.evaluator)
        if op in self._known:
            return self._known[op]
        if len(self._path) >= MOST_QUEUES:
            raise too_deep(op)
        self._path.append(op)
        try:
            stream: Node = lift(op, self)
            return stream
        finally:
            self._path.pop()

    def stream_of(self, queue_op: Any, consumer: Any = None) -> Node:
        """The stream of a queue that only `consumer`, or nobody yet, takes from."""
        runs = self.index.evaluators_of.get(consumer)
        with self._run_by(runs[0] if runs else None, self._run.threads):
            return self.queue(queue_op.outputs[0], consumer)

    def put_into(self, queue_op: Any) -> Node:
        """What comes into a queue that stays a queue, whoever takes from it."""
        self._path.append(queue_op)
        try:
            return self.feeds(queue_op)
        finally:
            self._path.pop()

    def feeds(self, queue_op: Any) -> Node:
        streams, widths = [], []
        sorted_out, groups = emptied(self.index, list(self._feeders.groups(queue_op)))
        for buckets in sorted_out:
            streams.append(self._bucketed(queue_op, buckets))
            widths.append(1)
        for group in groups:
            with self._run_by(group.kinds[0][0], group.threads) as lifted:
                streams.append(self._enqueued(group))
            for evaluator, _ in group.kinds:
                check_run(evaluator, lifted, [enqueue for _, enqueue in group.kinds])
            widths.append(len(group.turns))
        if widths == [1]:
            return streams[0]
        return self._role(Role.JOIN)(self, queue_op, streams, tuple(widths))

    @property
    def _run(self) -> _Lifting:
        return self._runs[-1]

    @contextmanager
    def _run_by(self, evaluator: Evaluator | None, threads: int) -> Iterator[set[Any]]:
        """While a thread's share is lifted; gives the ops of it that are."""
        self._runs.append(_Lifting(evaluator, threads, set()))
        try:
            yield self._run.lifted
        finally:
            self._runs.pop()

    def _bucketed(self, queue_op: Any, buckets: Emptied) -> Node:
        """The batches of buckets that one evaluator fills, all emptied into one queue."""
        gives = given(buckets, queue_op)
        queues = [upstream(point) for point in buckets.points]
        for queue, point, group in zip(queues, buckets.points, buckets.groups, strict=True):
            self._feeders.check_bucket(queue)
            self._feeders.check_consumers(queue, point, group.kinds[0][0])
        evaluator = buckets.evaluator
        found = read(self.index, evaluator)
        group = Group(((evaluator, evaluator.enqueues[0]),), (0,), evaluator.threads)
        self._path += queues
        try:
            with self._run_by(evaluator, evaluator.threads) as lifted:
                stream = self._put(found.put, group)
        finally:
            del self._path[-len(queues) :]
        check_run(evaluator, lifted, evaluator.enqueues)
        for each in buckets.groups:
            for empties, enqueue in each.kinds:
                check_run(empties, buckets.points, [enqueue])
        keys = tuple(found.keys[queue] for queue in queues)
        taken = tuple(zip(queues, buckets.points, strict=True))
        return self._role(Role.BUCKETS)(self, queue_op, stream, taken, keys, gives)

    def _enqueued(self, group: Group) -> Node:
        fed = self._fed(group)
        if fed is not None:
            return fed
        enqueue, taken = group.kinds[0][1], put(group.kinds[0][1])
        at, controls = enqueue.at, enqueue.controls
        if enqueue.many and taken.condition is None and taken.rows is None:
            source = self.source_of(taken.components, at, controls)
            if source is not None:
                return source
        stream = self._put(taken, group)
        if enqueue.many:
            stream = self._role(Role.ENQUEUE_MANY)(self, at, stream)
        if taken.rows is not None:
            stream = self._role(Role.KEEP_IF)(self, at, stream, True)
        return stream

    def _fed(self, group: Group) -> Node | None:
        """The stream of what a queue runner feeds, where a stage knows its function."""
        evaluator, enqueue = group.kinds[0]
        fed_to = getattr(evaluator.runner, "fed_to", None)
        # What is fed belongs to the op: nothing may stand between, nor decide about it.
        if fed_to is None or evaluator.op is not enqueue.op or enqueue.controls or not enqueue.many:
            return None
        feeds = fed_to(enqueue.op)
        lift: Callable[..., Node | None] = self._role(Role.FED)
        return None if feeds is None else lift(self, enqueue.op, feeds)

    def _put(self, taken: Put, group: Group) -> Node:
        at = group.kinds[0][1].at
        if taken.inside is not None:
            starts, ends = taken.inside
            fragment = Fragment.between(starts, ends, outside=pivots(starts, ends))
            call = at if fragment.graph is not self.graph else None
            check_inside(fragment.ops, call, trust=self.trust)
            self._run.lifted.update(fragment.ops)
            product = Product(taken.wanted, at, group.kinds[0][1].controls)
            check_one_count(fragment, self._reach(product).inside, group.threads)
        if len(group.kinds) == 1:
            stream = self.elements(taken.wanted, at, group.kinds[0][1].controls)
        else:
            stream = self._by_turns(_products(group), group)
        if taken.condition is not None:
            stream = self._role(Role.KEEP_IF)(self, at, stream, taken.branch)
        if taken.inside is not None:
            positions = tuple(range(len(starts)))
            specs = tuple(map(spec_of, ends))
            stream = self._role(Role.TRANSFORM)(self, at, stream, fragment, positions, specs)
        return stream

    def _point(self, op: Any) -> Node:
        lift = lifter_of(type_of(op))
        if lift is None:
            raise refuse(op, "queueio does not know this way to take from a queue", "")
        stream: Node = lift(op, self)
        return stream

    def _taken(self, ops: list[Any]) -> Node:
        """The stream of a point, or of several, alike, that the session call runs together."""
        if len(ops) == 1:
            return self._point(ops[0])
        self._feeders.take_together(ops)
        stream: Node = self._role(Role.TOWERS)(self, self._point(ops[0]), ops)
        return stream

    def _source(
        self, reach: Reach, tensors: Sequence[Any], specs: tuple[Any, ...], at: Any, many: bool
    ) -> Node:
        fragment = Fragment.between([], tensors, outside=reach.counters)
        self._run.lifted.update(fragment.ops, reach.counters)
        counter = min(reach.counters, key=lambda op: op.get_attr("limit"), default=None)
        return self._role(Role.SOURCE)(self, at, fragment, specs, counter, many)

    def _is_stream(self, product: Product, reach: Reach, stream: Node) -> bool:
        """Whether the components of the points are wanted as they are."""
        ends, tensors = self._ends(reach), _plain(product.tensors, reach)
        return [t.ref() for t in tensors] == [None if e is None else e.ref() for e in ends] and (
            len(product.specs) == len(stream.elements)
        )

    def _transform(
        self, product: Product, reach: Reach, stream: Node, specs: tuple[Any, ...]
    ) -> Node:
        ends, tensors = self._ends(reach), _plain(product.tensors, reach)
        needed = _needed(reach, tensors)
        takes = tuple(i for i, e in enumerate(ends) if e is not None and e.ref() in needed)
        starts = [ends[i] for i in takes]
        fragment = Fragment.between(starts, tensors, outside=reach.outside)
        self._check_whole(fragment, reach)
        self._run.lifted.update(fragment.ops, reach.outside)
        for point in reach.points:
            check_one_reader(fragment, self.readers_beside(point))
        return self._role(Role.TRANSFORM)(self, product.at, stream, fragment, takes, specs)

    def _ends(self, reach: Reach) -> list[Any]:
        """For each flat component of the points, the tensor that stands for it (None: unused)."""
        taken = {}
        for take in reach.takes:
            source = taken_from(take)
            if source is None:
                raise refuse(take, "the handles do not come straight from a queue", "")
            taken[source[0], source[1]] = take.outputs
        ends: list[Any] = []
        for op in reach.points:
            sparse = sparse_components(self.index, upstream(op)) if is_dequeue(op) else ()
            for i, output in enumerate(op.outputs):
                if i in sparse:
                    ends += list(taken.get((op, i), [None] * 3))
                else:
                    ends.append(output)
        return ends

    def _check_whole(self, fragment: Fragment, reach: Reach) -> None:
        """Nothing of a stream may be left inside: a handle used by anything but its map."""
        for op in fragment.ops:
            if op in reach.points or op in reach.counters or op in reach.takes:
                raise refuse(
                    op,
                    "its result is used in a way that is neither an example nor a limit",
                    "Use the tensors of the example only",
                )

    def _role(self, role: Role) -> Callable[..., Node]:
        lift = lifter_of(role)
        assert lift is not None, f"no stage plays {role}"
        return lift


def _products(group: Group) -> list[Product]:
    """What each kind of producer puts in; refuses those that do not put it in the same way."""
    found = [(put(enqueue), enqueue) for _, enqueue in group.kinds]
    for place, (taken, enqueue) in enumerate(found):
        if _way(taken, enqueue) != _way(*found[0]) or taken.inside is not None:
            raise group.race(max(place, 1))
    return [Product(taken.wanted, enqueue.at, enqueue.controls) for taken, enqueue in found]


def _way(taken: Put, enqueue: Any) -> tuple[Any, ...]:
    return enqueue.many, taken.condition is None, taken.branch, taken.rows is None


def _plain(tensors: Sequence[Any], reach: Reach) -> list[Any]:
    edge = set(reach.outside)
    return [_behind_waits(tensor, edge) for tensor in tensors]


def _behind_waits(tensor: Any, edge: set[Any]) -> Any:
    """`tensor` behind identities that only wait for the stream itself.

    Unlike `root` it stops where an identity does more than hand on: it waits for something else,
    or bears a shape that the user promised.
    """
    while tensor.op.type == "Identity" and all(c in edge for c in tensor.op.control_inputs):
        if repr(tensor.op.inputs[0].shape) != repr(tensor.shape):
            break  # set_shape was called on it
        tensor = tensor.op.inputs[0]
    return tensor


def _needed(reach: Reach, tensors: Sequence[Any]) -> set[Any]:
    refs = {t.ref() for t in tensors}
    for op in reach.inside:
        refs.update(t.ref() for t in op.inputs)
    return refs
