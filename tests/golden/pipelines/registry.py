"""What a golden pipeline is, and the list of all of them. Python 3.7 syntax: TF 1.15 imports it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Callable


@dataclass(frozen=True)
class Pipeline:
    """A function `build(tf)` in plain TF1 style that returns the fetches of one step.

    order: "exact" (the sequence of steps is defined), "rows" (only the multiset of the rows of
        all batches is), or "steps" (the multiset of whole steps is).
    steps: stop after so many steps; None runs to the end of the data.
    init: run the initialisers first.
    start: start the queue runners.
    pause: seconds before each step, where TF1 itself has a race between a step and what fills its
        queue.
    """

    name: str
    family: str
    build: Callable[[Any], Any]
    order: str = "exact"
    steps: int | None = None
    init: bool = True
    start: bool = True
    pause: float = 0.0


class Script(list):
    """Fetches to run once each, one after the other; a step that fails does not end the run."""


PIPELINES: dict[str, Pipeline] = {}


def pipeline(
    order: str = "exact",
    steps: int | None = None,
    init: bool = True,
    start: bool = True,
    pause: float = 0.0,
) -> Callable[[Callable[[Any], Any]], Callable[[Any], Any]]:
    """Register a build function under its own name."""

    def register(build: Callable[[Any], Any]) -> Callable[[Any], Any]:
        name = build.__name__
        assert name not in PIPELINES, name
        family = build.__module__.rsplit(".", 1)[-1]
        PIPELINES[name] = Pipeline(name, family, build, order, steps, init, start, pause)
        return build

    return register


def lines(tf: Any, names: list[str] | None = None, epochs: int = 1, **reader: Any) -> Any:
    """Key and value of text lines, in order: the upstream of most batching pipelines."""
    files = names or ["data/lines-0.txt", "data/lines-1.txt"]
    queue = tf.train.string_input_producer(files, num_epochs=epochs, shuffle=False)
    return tf.TextLineReader(**reader).read(queue)


def numbers(tf: Any, count: int = 7, epochs: int = 1, name: str | None = None) -> Any:
    """The int32 scalars 0 .. count - 1, in order."""
    return tf.train.range_input_producer(
        count, num_epochs=epochs, shuffle=False, name=name
    ).dequeue()
