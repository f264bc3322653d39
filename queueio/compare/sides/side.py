"""A side of a comparison: something that can be run, once or again, as a stream of batches."""

from __future__ import annotations

import abc
import re
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any

import numpy as np

from queueio import recorder
from queueio.compare.sides import behaviour
from queueio.compare.sides.schema import Schema


class CannotRun(ValueError):
    """A side that could not be built, loaded or read; the command line exits with 2."""


def said(problem: BaseException) -> str:
    """An exception's type and text."""
    text = str(problem).strip()
    return f"{type(problem).__name__}: {text}" if text else type(problem).__name__


def called(function: Callable[..., Any], epochs: int | None) -> Any:
    """What a side's function gives. One that ends its program does not end the comparison.

    `sys.exit()` would else be our own end, and its code, 0 as a rule, would say "the same".

    Args:
      function: the side's.
      epochs: passed to an argument num_epochs or epochs.

    Raises:
      RuntimeError: the function exits.
    """
    try:
        with behaviour.under(behaviour.current()):  # the seed that it sets is its own
            return recorder.call_input_fn(function, epochs)
    except SystemExit as end:
        raise RuntimeError(
            f"it ends the program (SystemExit: {end}) where it should return its input. "
            "Keep sys.exit out of what builds the input"
        ) from end


def failed(label: str, problem: BaseException) -> CannotRun:
    """The refusal of a side whose function raised."""
    text = f"{label} failed: {said(problem)}"
    if isinstance(problem, TypeError) and "required" in text:
        text += ". It is called with num_epochs at most: give its other arguments defaults."
    return CannotRun(text + of_tensorflow_1(problem))


def of_tensorflow_1(problem: BaseException) -> str:
    """What to do where a name was asked of TensorFlow 2 that TensorFlow 1 had; else ""."""
    asked = re.match(r"module 'tensorflow([\w.]*)' has no attribute '(\w+)'", str(problem))
    if not isinstance(problem, AttributeError) or not asked:
        return ""
    module, name = asked[1].removeprefix("._api.v2").lstrip("."), asked[2]
    if name != "contrib" and not _in_version_1(*filter(None, module.split(".")), name):
        return ""
    return ". `import queueio.v1 as tf`, in the module that asks, has the names of TensorFlow 1."


def _in_version_1(*names: str) -> bool:
    import tensorflow as tf

    found: Any = tf.compat.v1
    for name in names:
        found = getattr(found, name, None)
    return found is not None


@dataclass(frozen=True)
class End:
    """How a stream ended: clean, error, limit, stalled or interrupted; with the error, if any."""

    kind: str
    error: str = ""
    message: str = ""

    def __str__(self) -> str:
        if self.kind == "error":
            return ": ".join(filter(None, (self.error, _brief(self.message))))
        return {"clean": "the end of the input", "limit": "the limit"}.get(self.kind, self.kind)


def _brief(message: str) -> str:
    """The first line, without the names of TensorFlow's wrapper functions."""
    first = message.strip().splitlines()[0] if message.strip() else ""
    first = re.sub(r"\{\{[^}]*\}\}\s*", "", first)
    return re.sub(r"^Error in user-defined function passed to .*?: (?=[^:]*: )", "", first)[:240]


CLEAN = End("clean")


@dataclass(frozen=True)
class Delivered:
    """A batch as values (one per component), or, from a recording, as component digests only."""

    count: int
    values: list[Any] | None = None
    digests: np.ndarray[Any, Any] | None = None  # (count, components, 2) uint64
    keys: list[bytes] | None = None


class RunningSide(abc.ABC):
    """A side while it runs. `end` says how it ended once `batches` is exhausted."""

    schema: Schema
    end: End = CLEAN
    promised_pool: int | None = None  # min_after_dequeue + 1, or 0 for no shuffling, where known
    seeds: str = ""  # the graph's and its ops', where known
    seeded: bool = False  # whether a seed decides in which order records are shuffled
    draws: bool = True  # False: known to have neither a shuffle nor anything else that draws
    expected: int | None = None  # examples, where that is known before

    @abc.abstractmethod
    def batches(self) -> Iterator[Delivered]:
        """The batches, until the end; errors of the pipeline are kept in `end`, not raised."""


class Side(abc.ABC):
    """What to run: `open` builds it afresh each time."""

    kind: str = "side"
    repeatable: bool = True
    unbounded: bool = False  # known never to end by itself

    def __init__(self, label: str) -> None:
        self.label = label

    @abc.abstractmethod
    def open(self, more: bool = False, same: bool = False) -> AbstractContextManager[RunningSide]:
        """Builds and starts the side; stops it on leaving. Raises CannotRun.

        `more`: it may be opened again, also with `more`. A side to which that is of use then goes
        on with what is built already, until `rest`. `same`: so may a side whose function would
        otherwise be called anew; its seeds then go on too.
        """

    def rest(self) -> None:  # noqa: B027 - most sides keep nothing
        """Lets go of what is kept for further runs."""

    def cost(self) -> Any:
        """What a side that cannot be run again cost when it ran; None if that is not known."""
        return None

    def versions(self) -> dict[str, str]:
        """The versions of what ran it."""
        import platform

        import tensorflow as tf

        return {
            "python": platform.python_version(),
            "numpy": np.__version__,
            "tensorflow": tf.__version__,
        }
