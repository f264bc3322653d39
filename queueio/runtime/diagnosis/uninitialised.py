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

_INITIALIZERS = {
    "local": ("local_variables",),
    "global": ("global_variables", "initialize_all_variables"),
}
"""What a line holds that makes an initializer of all variables of a kind."""


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
    return _told(variable, kind)


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


def _told(variable: Any, kind: str) -> str:
    op, made = variable.op, f"made at {origin(variable.op)}"
    counter = op.name.endswith("limit_epochs/epochs")
    what = f"{'epoch counter' if counter else f'{kind} variable'} {op.name!r} is not initialised"
    right = f"sess.run(tf.{kind}_variables_initializer())"
    where = "start_queue_runners" if kind == "local" else "the first step"
    initializer, earlier = _initializer(variable, kind), _made_before(variable, kind)
    if initializer is not None:
        why = (
            f"it was {made}, and {initializer.name!r}, made at {origin(initializer)}, which "
            "initialises it, had not been run in this session"
        )
        return message(what, why, f"Run it before {where}", right=right)
    if earlier is not None:
        why = (
            f"it was {made}, after {earlier.name!r}, made at {origin(earlier)}, which knows only "
            f"the {kind} variables before it"
        )
        return message(what, why, "Make the initializer behind all variables", right=right)
    why = f"it is a {kind} variable, {made}"
    if kind == "local":
        why += ", and global_variables_initializer() leaves local variables out"
    return message(what, why, f"Add this line before {where}", right=right)


def _initializers(variable: Any, kind: str) -> list[Any]:
    """The initializers of all variables of a kind in the graph.

    Each is an op that does nothing but wait for those that initialise; the user's line tells what.
    """
    ops = variable.graph.get_operations()
    return [op for op in ops if op.type == "NoOp" and _initializes(kind, origin(op).code_line)]


def _initializer(variable: Any, kind: str) -> Any:
    """The first one that initialises this variable, too."""
    made = _initializers(variable, kind)
    return next((op for op in made if variable.initializer in ancestors([op])), None)


def _made_before(variable: Any, kind: str) -> Any:
    """The last one, where each was made too early for this variable."""
    made, ops = _initializers(variable, kind), variable.graph.get_operations()
    return made[-1] if made and ops.index(made[-1]) < ops.index(variable.op) else None


def _initializes(kind: str, line: str) -> bool:
    return any(name in line for name in _INITIALIZERS[kind])
