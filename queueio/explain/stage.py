"""One stage as it is shown: lifted or not, printed or drawn."""

from __future__ import annotations

import functools
import sys
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from queueio.explain.forms import forms
from queueio.graph.origin import Origin
from queueio.lesson import Lesson, lesson
from queueio.plan.contract import ROOMS, lifter_of, load_stages
from queueio.plan.node import Node, fold
from queueio.plan.show import spec_text
from queueio.plan.tree import PlanTree


@dataclass(frozen=True, kw_only=True)
class ToldStage:
    """What is told about a stage; `inputs` are the stages that it takes from."""

    title: str
    """What it is to the stage that takes from it; where it was not lifted, the op's type."""
    name: str
    parameters: tuple[str, ...]
    emits: tuple[str, ...]
    """dtype and shape of each component, as `float32 (?, 64)`."""
    origin: Origin
    lessons: tuple[Lesson, ...] = ()
    form: str = ""
    """The statements that stand for it in tf.data, or why there are none; empty where it was not
    lifted."""
    capacity: int | None = None
    """For a queue, how many elements it holds; negative for any number."""
    min_after_dequeue: int = 0
    inputs: tuple[ToldStage, ...] = ()

    @property
    def teaching(self) -> list[tuple[str, str]]:
        """For each lesson two lines: what the stage does, and how tf.data differs."""
        return [(each.summary, each.difference) for each in self.lessons]

    def walk(self) -> Iterator[ToldStage]:
        """This stage and all above it, the last one first."""
        yield self
        for source in self.inputs:
            yield from source.walk()


def stages(plan: PlanTree) -> ToldStage:
    """The stages of a plan, the last one with all others above it."""
    written = forms(plan)

    def stage(node: Node, *inputs: ToldStage) -> ToldStage:
        lessons = lessons_of(node)
        return ToldStage(
            title=type(node).__name__,
            name=node.name,
            parameters=tuple(f"{k}={_value(v)}" for k, v in node.parameters.items()),
            emits=tuple(map(spec_text, node.elements)),
            origin=node.origin,
            lessons=lessons,
            form=written.get(node, ""),
            capacity=node.room,
            min_after_dequeue=node.kept_back,
            inputs=tuple(
                replace(source, title=node.calls(made_of))
                for made_of, source in zip(node.inputs, inputs, strict=True)
            ),
        )

    return fold(plan.root, stage)


def lessons_of(node: Node) -> tuple[Lesson, ...]:
    """The lesson of the node's stage, the most special first; none where it has none.

    A reader's kind is a parameter of its node, decoders are ops in one, and a plain queue is a
    node of the base that all queues share.
    """
    modules = [type(value).__module__ for value in node.parameters.values()]
    own = [lesson_in(module) for module in modules if module != type(node).__module__]
    if any(own):
        return tuple(each for each in own if each)
    found = [*map(lesson_in, _decoders(node)), lesson_in(type(node).__module__)]
    if not any(found) and node.room is not None:
        found.append(lesson_of_type("FIFOQueueV2"))
    return tuple(each for each in found if each)


def lesson_of_type(op_type: str) -> Lesson | None:
    """The lesson of the stage that lifts ops of a type."""
    lifter = lifter_of(op_type)
    return lesson_in(lifter.__module__) if lifter else None


def lesson_in(module: str) -> Lesson | None:
    """The lesson of a module, if it is a stage that has one."""
    if not module.startswith(ROOMS):
        return None
    try:
        return lesson(sys.modules[module])
    except ValueError:
        return None


def _decoders(node: Node) -> list[str]:
    """The decoders whose ops a stage runs: they are no stages of their own in a plan."""
    known = _decoder_of_op()
    types = (op.type for fragment in node.fragments for op in fragment.ops)
    return list(dict.fromkeys(known[type_] for type_ in types if type_ in known))


@functools.cache
def _decoder_of_op() -> dict[str, str]:
    load_stages()
    names = [name for name in sys.modules if name.startswith("queueio.stages.decoders.")]
    return {op: name for name in names for op in getattr(sys.modules[name], "OPS", ())}


def _value(value: Any) -> str:
    return getattr(value, "summary", None) or repr(value)
