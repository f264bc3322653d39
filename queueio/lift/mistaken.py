"""What is given to `queueio.lift` in place of tensors, and what to give then."""

from __future__ import annotations

import difflib
from typing import Any

import tensorflow as tf

from queueio.errors import message

_SCRIPTS = (".py", ".meta")
_LIKE = 3
"""How many names that are like the one given are told."""


def check_function(build: Any) -> None:
    """Refuses what can be called and builds no pipeline: a Keras model, or a layer.

    Args:
      build: what was given; it is not called.

    Raises:
      ValueError: it is one.
    """
    modules = [kind.__module__.partition(".")[0] for kind in type(build).__mro__]
    if "keras" in modules or "tf_keras" in modules:
        raise ValueError(
            message(
                f"cannot lift {type(build).__name__} {getattr(build, 'name', '')!r}",
                "it is Keras', and takes batches; a pipeline gives them",
                "Pass the tensors that the model is called with, or the function that builds them",
            )
        )


def tensor_named(name: str, graph: Any) -> Any:
    """The tensor of a name.

    Args:
      name: as `batch:0`, or that of an op whose first output it is.
      graph: where it is.

    Raises:
      KeyError: there is none.
    """
    try:
        return graph.get_tensor_by_name(name if ":" in name else name + ":0")
    except (KeyError, ValueError):
        raise KeyError(_no_tensor(name, graph)) from None


def _no_tensor(name: str, graph: Any) -> str:
    if name.endswith(_SCRIPTS):
        return message(
            f"cannot lift {name!r}",
            "names are those of tensors, and this one looks like a file's",
            f"`queueio explain {name}` and `queueio convert {name}` read a script or a MetaGraph;"
            " lift takes tensors, or the function that builds them",
        )
    ops = [op.name for op in graph.get_operations()]
    like = difflib.get_close_matches(name.partition(":")[0], ops, _LIKE)
    held = f"it has {len(ops)} ops" if ops else "it has no op at all"
    return message(
        f"cannot lift {name!r}",
        f"the graph has no tensor of this name; {held}",
        f"Names like it: {', '.join(like)}" if like else "Pass the name of a tensor, as 'batch:0'",
    )


def no_tensor(item: Any) -> ValueError:
    """The error about what is neither a tensor nor a name.

    Args:
      item: what was given.
    """
    if isinstance(item, tf.data.Dataset):
        why = "it is a tf.data.Dataset already: there are no queues to read back"
        do = "Use it as it is; queueio.compare holds it against the old pipeline"
    else:
        why = "it is neither a tensor nor the name of one"
        do = "Pass what the input pipeline returned"
    return ValueError(message(f"cannot lift {item!r} ({type(item).__name__})", why, do))
