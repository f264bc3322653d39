"""Treats each element as one of several producers would that take from the same queue.

Legacy:
    number = tf.train.range_input_producer(4, num_epochs=1).dequeue()
    doubled = [[number + number], [number * 2]]
    batch = tf.train.batch_join(doubled, batch_size=2)

Modern:
    numbers = tf.data.Dataset.range(4, output_type=tf.int32)
    def doubled(turn, number):
        return tf.switch_case(
            tf.cast(turn % 2, tf.int32), [lambda: number + number, lambda: number * 2])
    dataset = numbers.enumerate().map(doubled).batch(2, drop_remainder=True)

Emits:
    the dtypes of the examples, the shapes merged over the producers

Differs:
    Which producer takes which element is a race here and a rule there: they take turns. Each
    element is treated once, by one of the producers, in both forms.

Raises:
    whatever the ops of the producer raise whose turn it is.

The best-known such join is Inception's: four threads distort images, in one of two orders by
`thread_id % 2`. In TF1 any assignment of elements to producers can happen, and a starved thread
may get few; turns give each producer its share. Comparing runs, compare what the elements are made
from: the records, labels, keys. Which of the treatments one of them got differs, as between any
two runs in TF1.

Where each producer has a reader of its own, a file is treated as a whole by the producer whose
reader took it: the readers take the files in turns. Producers that differ only in the seeds of
their random ops are alike: the first one's ops, with its seeds, stand for all of them. Refused are
producers of which a race decides more than a treatment: with readers of other formats, or a reader
that some of them share; with dequeues of other sizes; with epoch counters of their own; of which
some enqueue under a condition.

Source:
    tf.train.batch_join with producers that differ of TensorFlow 1.15
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any

import tensorflow as tf

from queueio.compile.in_session import in_session
from queueio.compile.kernels.budget import at_once
from queueio.compile.stream import Stream
from queueio.compile.vectorise import PerExample, vectorise
from queueio.compile.window import windowed
from queueio.graph.traits import row_of
from queueio.graph.v1_control_flow import V1_CONTROL_FLOW
from queueio.plan import Node, Role, Walk, lifts
from queueio.plan.components import gathered, spread
from queueio.plan.node import Captures
from queueio.stages.decoders.user_ops import NOISE

if TYPE_CHECKING:
    from queueio.emit.writer import Writer


@dataclass(frozen=True, eq=False)
class Treatments:
    """What the producers do: a transform of what they take for each kind of producer."""

    transforms: tuple[Any, ...]

    @property
    def summary(self) -> str:
        """The kinds of ops of each, from where they part."""
        kinds = [_made(each.fragment) for each in self.transforms]
        while all(kinds) and len({ops[0] for ops in kinds}) == 1:
            kinds = [ops[1:] for ops in kinds]
        return " | ".join(_first(dict.fromkeys(ops)) for ops in kinds)


def _made(fragment: Any) -> list[str]:
    """The kinds of ops that an example goes through, in the order of their making."""
    ops = sorted(fragment.depending(), key=lambda op: op._id)  # no public spelling
    kinds = [op.type for op in ops if not row_of(op.type).views]
    return [kind for kind in kinds if kind not in NOISE | V1_CONTROL_FLOW]


def _first(kinds: Iterable[str]) -> str:
    shown = list(kinds)
    return ", ".join(shown[:3]) + (", …" if len(shown) > 3 else "") or "none"


@dataclass(frozen=True, kw_only=True, eq=False)
class Producers(Node):
    """The ops of several producers, each for its share of the elements."""

    input: Node
    treatments: Treatments
    turns: tuple[int, ...]
    """Which treatment the elements get, in their order, again and again."""
    by_reader: bool | None = None
    """True where the number of an element is that of its reader: the input's last component."""

    @property
    def fragments(self) -> tuple[Any, ...]:
        """The ops of all producers."""
        return tuple(each.fragment for each in self.treatments.transforms)

    @cached_property
    def _run(self) -> tuple[Any, ...]:
        return tuple(map(in_session, self.fragments))

    def to_dataset(self, *inputs: Any, captures: Captures = None) -> Any:
        """A map that switches between the treatments by the number of the element."""
        return self._numbered(inputs[0]).map(self._switch(self._run, captures))

    def to_stream(self, *inputs: Any, captures: Captures = None) -> Any:
        """Single elements, in parallel unless they must pass a treatment's ops in order."""
        pieces = [piece for each in self._run for piece in vectorise(each)]
        in_order = any(isinstance(piece, PerExample) and piece.in_order for piece in pieces)
        switch = self._switch(tuple(map(windowed, self._run)), captures)
        together = at_once(1 if in_order else None)
        mapped = self._numbered(inputs[0].elements()).map(switch, **together)
        return Stream(mapped, captures=captures, slow=True)

    def _numbered(self, elements: Any) -> Any:
        """Pairs of the number that decides over an element, and the element."""
        if self.by_reader:
            return elements.map(lambda *components: (components[-1], components))
        return elements.enumerate()

    def _switch(self, fragments: tuple[Any, ...], captures: Captures) -> Callable[..., Any]:
        takes = [each.takes for each in self.treatments.transforms]

        def treated(number: Any, components: tuple[Any, ...]) -> Any:
            flat = spread(components)
            ways = [
                partial(_treat, fragment, [flat[i] for i in taken], captures)
                for fragment, taken in zip(fragments, takes, strict=True)
            ]
            turn = tf.gather(tf.constant(self.turns), number % len(self.turns))
            return gathered(tf.switch_case(turn, ways), self.elements)

        return treated

    def to_source(self, writer: Writer, wanted: Any) -> str:
        """A function for each treatment, `enumerate`, and a `map` that switches between them."""
        takes = "which reader took a file" if self.by_reader else "which of them took an element"
        notes = [f"The producers take turns here; {takes} was a race there."]
        return writer.by_turns(self, self.treatments.transforms, wanted, notes)


def _treat(fragment: Any, taken: list[Any], captures: Captures) -> Any:
    return fragment.call(*taken, captures=captures)


def _shortest(turns: tuple[int, ...]) -> tuple[int, ...]:
    """The turns without repetition: (0, 1) for (0, 1, 0, 1)."""
    sizes = range(1, len(turns) + 1)
    return next(turns[:n] for n in sizes if turns == (turns[:n] * len(turns))[: len(turns)]
                and len(turns) % n == 0)  # fmt: skip


@lifts(Role.PRODUCERS)
def lift(
    walk: Walk, op: Any, stream: Node, treatments: tuple[Node, ...], turns: tuple[int, ...],
    by_reader: bool,
) -> Node:  # fmt: skip
    """Distinct enqueue ops on one queue that take from one queue further up."""
    return Producers(
        name=op.name,
        origin=treatments[1].origin,
        elements=treatments[0].elements,
        input=stream,
        treatments=Treatments(treatments),
        turns=_shortest(turns),
        by_reader=by_reader or None,
    )
