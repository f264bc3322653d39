"""Marks between the stages of a dataset, by which tf.data's model tells the time of each.

The model knows the time of every node of a dataset, by its kind and not by who made it. A mark is
of nodes that hand their elements on and that nothing else makes: one, and before it as many of
another kind as say which work ends there. Only a run that is reported on has marks and a model:
that costs a third of a microsecond for each record.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import tensorflow as tf
from tensorflow.core.framework import model_pb2

from queueio import settings
from queueio.compile.stream import Stream
from queueio.plan.node import Node

WORK = ("read", "decode", "pool", "batch")
"""What stages do, in the order of the data; see `Node.work`."""
_COUNT = "AssertNext"
_BEGINNING = 1.0  # seconds that a first step may take for what is no work of a node
_ENOUGH = 0.1  # part of the time of the steps: where less was seen, the longest may be missing


def measured() -> bool:
    """Whether the datasets that are made now have marks; TensorFlow 2.16 shows no model."""
    return settings.current().report is not None and hasattr(tf.raw_ops, "IteratorGetModelProto")


def marked(node: Node, stream: Stream) -> Stream:
    """A stream with marks behind the work of the stage that made it."""
    if not node.work:
        return stream
    count = 1 + WORK.index(node.work)

    def behind(made: Any) -> Any:
        return made and (lambda *asked: None if (d := made(*asked)) is None else _mark(d, count))

    given = stream.given
    return replace(
        stream, given=behind(given) if callable(given) else _mark(given, count),
        records=behind(stream.records), singles=behind(stream.singles),
        singly=behind(stream.singly), stacks=behind(stream.stacks),
        # What is parsed or shuffled as it is read would count as reading.
        parses=False, pool=None,
    )  # fmt: skip


def _mark(dataset: tf.data.Dataset, count: int) -> tf.data.Dataset:
    specs = tf.nest.flatten(dataset.element_spec)
    if not all(isinstance(spec, tf.TensorSpec) for spec in specs):
        return dataset
    variant = tf.data.experimental.to_variant(dataset)
    types = {"output_types": [s.dtype for s in specs], "output_shapes": [s.shape for s in specs]}
    nothing = tf.constant([], tf.string)
    for make in [tf.raw_ops.AssertNextDataset] * count + [tf.raw_ops.AssertPrevDataset]:
        variant = make(input_dataset=variant, transformations=nothing, **types)
    made = tf.data.experimental.from_variant(variant, dataset.element_spec)
    made._queueio_source = dataset  # whose functions the variant needs
    return made


class Times:
    """What each work of `WORK` took of an iterator, by looks at its model from time to time.

    The model forgets a node with its iterator, as that of a file which is read: what was seen of it
    counts, and what begins and ends between two looks does not.

    Attributes:
      steps: seconds that the steps took by the clock, which is what there is to explain.
    """

    def __init__(self) -> None:
        self._seen: dict[int, tuple[str, float]] = {}
        self.steps = 0.0

    def look(self, model: bytes) -> dict[str, float]:
        """Seconds up to now, on all processors together; {} where hardly any was seen.

        Args:
          model: a serialised ModelProto, as `IteratorGetModelProto` gives it.
        """
        read = model_pb2.ModelProto.FromString(model)
        waiting = [(read.output, WORK[-1], 0)]
        while waiting:
            at, work, marks = waiting.pop()
            node = read.nodes[at]
            if node.name == _COUNT:
                marks += 1
            elif marks:
                work, marks = WORK[marks - 1] if work != WORK[0] else work, 0
            self._seen[at] = (work, node.processing_time / 1e9)
            waiting += [(source, work, marks) for source in node.inputs]
        found = dict.fromkeys(WORK, 0.0)
        for work, seconds in self._seen.values():
            found[work] += seconds
        seen = sum(found.values())
        return found if seen >= min(self.steps - _BEGINNING, self.steps * _ENOUGH) else {}
