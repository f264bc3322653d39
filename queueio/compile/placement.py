"""Gives every op of a fragment its place: even places take chunks, odd ones single examples."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import tensorflow as tf

from queueio.compile.rules import ChunkSite, Rule, is_list, rule_at
from queueio.compile.slow import in_turn, is_wide
from queueio.graph.bodies import bodies
from queueio.graph.fragment import Fragment
from queueio.graph.static_shapes import is_folded
from queueio.graph.traits import Effect, State, op_def_of, row_of, traits_of
from queueio.graph.traversal import parents
from queueio.graph.v1_control_flow import control_flow_groups

# A round only adds to what runs example by example, or moves groups further down, so there is an
# end. Where it is as far off as this, chunks would win nothing: all of it runs example by example.
_MANY_ROUNDS = 50
# So many calls for single examples cost what stacking them and taking them apart again does.
WORTH_OPS = 8


def moving_ops(fragment: Fragment) -> frozenset[tf.Operation]:
    """The ops whose results may differ between two examples."""
    moved = {t.ref() for t in fragment.inputs}
    inside = control_flow_groups(fragment.ops)
    ops: set[tf.Operation] = set()
    for op in fragment.ops:
        if is_folded(op) and op not in inside:
            continue
        row = traits_of(op)
        own = (op_def_of(op).is_stateful and not row.steady) or row.ends
        if own or op in inside or any(t.ref() in moved for t in op.inputs):
            ops.add(op)
            moved.update(t.ref() for t in op.outputs)
    return frozenset(ops)


@dataclass
class Placement:
    """Where the moving ops of a fragment go."""

    fragment: Fragment
    moving: frozenset[tf.Operation]
    place: dict[tf.Operation, int] = field(default_factory=dict)

    @property
    def last(self) -> int:
        return max(self.place.values(), default=0)

    def empty(self, number: int) -> bool:
        return self.last > 0 and number not in self.place.values()

    def crossing(self, number: int) -> tuple[tf.Tensor, ...]:
        """Tensors made at or before place `number` and needed after it."""
        later = [op for op in self.fragment.ops if self.place.get(op, -1) > number]
        needed = [t for op in later for t in op.inputs] + list(self.fragment.outputs)
        entered = {t.ref() for t in self.fragment.inputs}
        found = {}
        for t in needed:
            if t.ref() in entered or self.place.get(t.op, number + 1) <= number:
                found[t.ref()] = t
        return tuple(found.values())

    def piece(
        self, number: int, entering: Sequence[tf.Tensor], leaving: Sequence[tf.Tensor]
    ) -> Fragment:
        """The ops of one place with the ops that all examples share and they need."""
        needed = {t.op for t in leaving}
        ops = []
        for op in reversed(self.fragment.ops):
            here = self.place.get(op) == number
            if here or (op in needed and op not in self.moving):
                ops.append(op)
                needed.update(t.op for t in op.inputs)
                needed.update(op.control_inputs)
        return Fragment(
            self.fragment.graph,
            tuple(entering),
            tuple(leaving),
            self.fragment.captures,
            tuple(reversed(ops)),
        )

    def stateful(self, number: int) -> bool:
        return any(self.place.get(op) == number for op in self.ordered)

    @cached_property
    def ordered(self) -> frozenset[tf.Operation]:
        """The ops that one example passes after the other."""
        return frozenset(op for op in self.moving if _in_order(op))


def must_pass_in_order(fragment: Fragment) -> bool:
    """Whether one example must have passed the ops before the next one comes."""
    return any(map(_in_order, fragment.ops))


def most_at_once(fragment: Fragment, threads: int) -> int | None:
    """How many examples may be in the ops of a fragment at a time; None for any number.

    As many threads as TF1 had for them call a Python function, in whatever order. What keeps
    another state gets one example after the other.
    """
    ordered = [op for op in fragment.ops if _in_order(op)]
    if not ordered:
        return None
    return 1 if any(_in_order(op, besides=Effect.RUNS_PYTHON) for op in ordered) else threads


def _in_order(
    op: tf.Operation, around: tf.Graph | None = None, besides: Effect | None = None
) -> bool:
    """True if examples must pass an op one after another: it keeps a state from one to the next.

    An op with the effect `besides` does not count.
    """
    if called := list(bodies(op, around)):
        inner = (each for body in called for each in body.graph.get_operations())
        return any(_in_order(each, around or op.graph, besides) for each in inner)
    row = traits_of(op)
    if besides is not None and row.effect is besides:
        return False
    if row.effect is not None or row.state is not State.OWN:
        return row.effect is not None or row.state is State.WRITES
    seeds = [op.get_attr(a.name) for a in op_def_of(op).attr if a.name in ("seed", "seed2")]
    return not seeds or any(seeds)  # without a seed any draw is as good as another


def place_ops(fragment: Fragment) -> Placement:
    """Chunks wherever a rule fits and shapes allow; what is in doubt is run per example."""
    plan = Placement(fragment, moving_ops(fragment))
    groups = control_flow_groups(fragment.ops)
    sites = sites_in(fragment, plan.moving)
    single = {op for op in plan.moving if op in groups or sites[op][1] is None}
    single |= _added_by(single) & plan.moving
    for _ in range(_MANY_ROUNDS):
        plan.place = _places(plan, single, groups)
        more = _unstackable(plan, single) or _not_worth_it(plan, single)
        if not more:
            return _with_turns(plan, groups)
        single |= more
    plan.place = dict.fromkeys(plan.moving, 1)
    return _with_turns(plan, groups)


def _with_turns(plan: Placement, groups: dict[tf.Operation, int]) -> Placement:
    """The same with places of their own for what one example passes after the other."""
    for number in range(plan.last - (plan.last + 1) % 2, 0, -2):
        if not plan.stateful(number):
            continue
        here = [op for op in plan.fragment.ops if plan.place.get(op) == number]
        turns = in_turn(here, plan.ordered, groups)
        if turns:
            moved = {op: at + 4 for op, at in plan.place.items() if at > number}
            plan.place |= moved | {op: number + 2 * turn for op, turn in turns.items()}
    return plan


def _added_by(ops: set[tf.Operation]) -> set[tf.Operation]:
    """What makes the operands of sums of many floats.

    Such a sum begins with an operand that nobody else holds, to write into its buffer; so it stays
    beside the ops that make them, where the same are held.
    """
    sums = [op for op in ops if op.type == "AddN" and len(op.inputs) > 2]
    stack = [t.op for op in sums if op.outputs[0].dtype.is_floating for t in op.inputs]
    found: set[tf.Operation] = set()
    while stack:
        op = stack.pop()
        found.add(op)
        if row_of(op.type).views:
            stack.append(op.inputs[0].op)
    return found


def sites_in(
    fragment: Fragment, moving: frozenset[tf.Operation]
) -> dict[tf.Operation, tuple[ChunkSite, Rule | None]]:
    """Where `moving` ops stand, if all that have a rule take chunks, and the rule of each."""
    entered, lists = {t.ref() for t in fragment.inputs}, set[Any]()
    sites: dict[tf.Operation, tuple[ChunkSite, Rule | None]] = {}
    for op in fragment.ops:
        if op not in moving:
            continue
        own = tuple(t.ref() in lists for t in op.inputs)
        stacked = tuple(t.ref() in entered or t.op in moving for t in op.inputs)
        site = ChunkSite(op, stacked, lists=own)
        rule = rule_at(site)
        sites[op] = site, rule
        if rule is not None and rule.lists:
            lists.update(t.ref() for t in op.outputs if is_list(t))
    return sites


def lists_in(fragment: Fragment) -> frozenset[Any]:
    """References of the tensors that a chunk has as lists of any length."""
    sites = sites_in(fragment, moving_ops(fragment))
    giving = [op for op, (_, rule) in sites.items() if rule is not None and rule.lists]
    return frozenset(t.ref() for op in giving for t in op.outputs if is_list(t))


def _places(
    plan: Placement, single: set[tf.Operation], groups: dict[tf.Operation, int]
) -> dict[tf.Operation, int]:
    """The earliest place of the right parity for each op; a group has one place."""
    place: dict[tf.Operation, int] = {}
    of_group: dict[int, int] = {}
    for _ in range(_MANY_ROUNDS):
        before = dict(of_group)
        for op in plan.fragment.ops:
            if op not in plan.moving:
                continue
            least = max((place.get(p, 0) for p in parents(op)), default=0)
            group = groups.get(op)
            if group is not None:
                least = max(least, of_group.get(group, 1))
            place[op] = least + (least % 2 != (op in single))
            if group is not None:
                of_group[group] = place[op]
        if of_group == before:
            return place
    return dict.fromkeys(plan.moving, 1)


def _unstackable(plan: Placement, single: set[tf.Operation]) -> set[tf.Operation]:
    """Chunked ops that would have to pass on tensors whose shape may differ by example."""
    wrong: set[tf.Operation] = set()
    place, last = plan.place, plan.last
    for op in plan.fragment.ops:
        if op not in place:
            continue
        for t in op.inputs:
            here = place.get(t.op, 0)
            if here == place[op] or stackable(t):
                continue
            if t.op in single and op in single:
                wrong |= _between(plan, here, op)
            else:
                wrong.add(t.op if t.op in place and t.op not in single else op)
    for t in plan.fragment.outputs:
        if t.op in place and t.op not in single and place[t.op] < last and not stackable(t):
            wrong.add(t.op)
    return wrong - single


def _between(plan: Placement, number: int, op: tf.Operation) -> set[tf.Operation]:
    """The chunked ops that `op` waits for after place `number`: they tear two pieces apart."""
    found: set[tf.Operation] = set()
    waiting, seen = [op], {op}
    while waiting:
        for other in parents(waiting.pop()):
            if other not in seen and plan.place.get(other, 0) > number:
                seen.add(other)
                waiting.append(other)
                if plan.place[other] % 2 == 0:
                    found.add(other)
    return found


def _not_worth_it(plan: Placement, single: set[tf.Operation]) -> set[tf.Operation]:
    """Chunked ops that would stand between single examples and cost more than they save."""
    found: set[tf.Operation] = set()
    at: dict[int, list[tf.Operation]] = {}
    for op, number in plan.place.items():
        at.setdefault(number, []).append(op)
    for number in range(2, plan.last + 1, 2):
        ops = at.get(number, [])
        beside = [n for n in (number - 1, number + 1) if n in at]
        few = len(beside) == 2 and sum(not row_of(op.type).views for op in ops) < WORTH_OPS
        if not any(map(plan.stateful, beside)) and (few or any(map(is_wide, ops))):
            found.update(ops)
    return found or _draws_of(plan, single)


def _draws_of(plan: Placement, single: set[tf.Operation]) -> set[tf.Operation]:
    """Random draws for single examples only: each draws its own."""
    shared = plan.moving - plan.fragment.depending()
    leaving = {t.op for t in plan.fragment.outputs}
    found: set[tf.Operation] = set()
    for op in reversed(plan.fragment.ops):
        if op in single or op not in shared or op in leaving:
            continue
        users = [user for t in op.outputs for user in t.consumers() if user in plan.moving]
        if users and all(user in single or user in found for user in users):
            found.add(op)
    return found


def stackable(tensor: tf.Tensor) -> bool:
    """Whether all examples have this tensor in one shape, and it can be an element of a chunk."""
    return tensor.shape.is_fully_defined() and tensor.dtype not in (tf.resource, tf.variant)
