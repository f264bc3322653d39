"""A variable that nobody initialised, most often the epoch counter behind `num_epochs`."""

from __future__ import annotations

import re
from typing import Any

import tensorflow.compat.v1 as tf

from queueio.errors import message
from queueio.graph import error_text
from queueio.graph.origin import origin
from queueio.graph.traversal import ancestors

# What TF1 says of a ref variable, and what TF2 says of a resource variable.
_SIGNS = ("uninitialized value", "does not exist", "Could not find variable")
_KINDS = (
    (tf.GraphKeys.LOCAL_VARIABLES, "local"),
    (tf.GraphKeys.GLOBAL_VARIABLES, "global"),
)


def advice(error: BaseException, graph: Any, call: Any = None) -> str | None:
    """What to add to the program; None when `error` is something else.

    Args:
      error: a FailedPreconditionError (ref variables) or a NotFoundError (resource variables): the
        same mistake under two names.
      graph: the program's.
      call: an op that was run when it came, if that is known.
    """
    kinds = (tf.errors.FailedPreconditionError, tf.errors.NotFoundError)
    text = str(getattr(error, "message", ""))
    if not isinstance(error, kinds) or not any(sign in text for sign in _SIGNS):
        return None
    named = [
        (variable, kind)
        for collection, kind in _KINDS
        for variable in graph.get_collection(collection)
        if _names(text, variable.op.name)
    ]
    if not named:
        return None
    variable, kind = max(named, key=lambda found: len(found[0].op.name))
    if call is not None and variable.initializer in ancestors([call]):
        return _too_early(variable.op, error_text.failing_op(error, graph), kind)
    return _told(variable.op, kind)


def _names(text: str, name: str) -> bool:
    """Whether the text quotes `name`, not only a longer one: there are `w`, `w_1` and `b_w`."""
    # A resource variable is quoted with its container before it and its C++ type behind it.
    word = rf"(?:^|[^\w/.-]|localhost/){re.escape(name)}(?![\w-])"
    return re.search(word, text) is not None


def _too_early(op: Any, reader: Any, kind: str) -> str:
    """Of a variable from which another one's initial value is made, in the same call."""
    where = "" if reader is None else f", as {reader.name!r} does, made at {origin(reader)}"
    return message(
        f"{kind} variable {op.name!r} is read by the call that initialises it{where}",
        "what one call initialises comes in no order, so this may go well and fail the next time",
        "Make what is made of a variable of its initial value, which comes first",
        wrong="double = tf.Variable(2 * single)",
        right="double = tf.Variable(2 * single.initialized_value())",
    )


def _told(op: Any, kind: str) -> str:
    counter = op.name.endswith("limit_epochs/epochs")
    noun = "epoch counter" if counter else f"{kind} variable"
    why = f"it is a {kind} variable, made at {origin(op)}"
    if kind == "local":
        why += ", and global_variables_initializer() leaves local variables out"
    return message(
        f"{noun} {op.name!r} is not initialised",
        why,
        f"Add this line before {'start_queue_runners' if kind == 'local' else 'the first step'}",
        right=f"sess.run(tf.{kind}_variables_initializer())",
    )
