"""Turns whatever the user calls a side into a Side."""

from __future__ import annotations

import functools
import os
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from queueio.compare.sides.behaviour import is_eager
from queueio.compare.sides.dataset_side import DatasetSide
from queueio.compare.sides.graph_side import GraphSide
from queueio.compare.sides.otherwise import not_a_dataset
from queueio.compare.sides.recording import RecordingSide, is_recording
from queueio.compare.sides.script import load
from queueio.compare.sides.side import CannotRun, Side, called, failed

if TYPE_CHECKING:
    from queueio.lifted import Plan


def as_side(
    given: Any, label: str, epochs: int | None = None, allow: frozenset[str] = frozenset()
) -> Side:
    """The Side of a function, Plan, Dataset, `script.py:name`, recording's path, or Side.

    Args:
      given: the side as the user has it.
      label: "old" or "new", for messages.
      epochs: passed to a function that has an argument num_epochs or epochs.
      allow: types of ops with an effect that may run though a graph has imported them.

    Raises:
      CannotRun: when it is none of these, or cannot be loaded.
    """
    if isinstance(given, Side):
        return given
    if isinstance(given, os.PathLike):
        given = os.fspath(given)
    if isinstance(given, str):
        return _from_text(given, label, epochs, allow)
    if _is_dataset(given):
        return DatasetSide(label, lambda: given)
    if hasattr(given, "to_dataset"):
        return DatasetSide(label, _compiled_once(given), plan=given)
    if callable(given):
        return _from_function(given, label, epochs, allow)
    raise not_a_dataset(label, given)


def _from_text(text: str, label: str, epochs: int | None, allow: frozenset[str]) -> Side:
    if is_recording(text):
        return RecordingSide(text)
    if ".py:" in text:
        return as_side(load(text), text, epochs, allow)
    if os.path.isdir(text):
        raise CannotRun(f"{text} is a folder. Give a recording in it, or script.py:name.")
    if text.endswith(".py"):
        raise CannotRun(f"{text} names a script only. Name its function too: {text}:input_fn.")
    if text.endswith(".meta") and os.path.exists(text):
        raise CannotRun(
            f"{text} is a MetaGraph, which does not say which tensors to compare. Name a function"
            " as script.py:name that calls tf.train.import_meta_graph and returns its tensors."
        )
    if os.path.exists(text):
        raise CannotRun(
            f"{text} is not a recording of queueio: its first bytes say otherwise. "
            "Make one with queueio/recorder.py, or give script.py:name."
        )
    raise CannotRun(f"{text}: no such recording, and not of the form script.py:name.")


def _compiled_once(plan: Plan) -> Callable[[], Any]:
    """The plan's dataset; in eager execution the same one for each run, as compiling takes long."""
    import tensorflow as tf

    if not tf.executing_eagerly():
        return plan.to_dataset
    return functools.cache(plan.to_dataset)


def _is_dataset(value: Any) -> bool:
    import tensorflow as tf

    return isinstance(value, (tf.data.Dataset, tf.compat.v1.data.Dataset))


def _from_function(
    function: Callable[..., Any], label: str, epochs: int | None, allow: frozenset[str]
) -> Side:
    """Builds once in a scratch graph, to see what the function returns.

    A function of tf.data code may need eager execution, one of queue code forbids it: so the
    graph comes first, and what fails or makes a dataset there is called again eagerly.
    """
    import tensorflow as tf

    made: Any = None
    problem: Exception | None = None
    with tf.Graph().as_default():
        try:
            made = called(function, epochs)
        except Exception as error:
            problem = error
    if problem is None and not _is_dataset(made) and not hasattr(made, "to_dataset"):
        return GraphSide(label, function, epochs, allow=allow)
    if not is_eager(function):
        return GraphSide(label, function, epochs, allow=allow)
    return _eager_side(function, label, epochs, problem)


def _eager_side(
    function: Callable[..., Any], label: str, epochs: int | None, problem: Exception | None
) -> Side:
    def make() -> Any:
        got = called(function, epochs)
        return got.to_dataset() if hasattr(got, "to_dataset") else got

    try:
        made = make()
    except Exception as error:
        # Queue code that runs at once says that it cannot; why it failed in a graph is the reason.
        told = problem if problem is not None and "eager" in str(error).lower() else error
        raise failed(label, told) from told
    if not _is_dataset(made):
        raise not_a_dataset(label, made)
    return DatasetSide(label, make, made=made)
