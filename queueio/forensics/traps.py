"""Mistakes that can be known while the graph is built: one error, with the way out.

The exception types are those of TF 1.15. What is *not* refused, because TF 1.15.5 and 2.21 do
not hang on it: a batch size above `capacity`, or above `capacity - min_after_dequeue`. A dequeue
takes what is there and goes on taking as the producers put more in.
"""

from __future__ import annotations

import glob
import itertools
import os
import warnings
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import tensorflow as tf

from queueio import settings
from queueio.errors import DataLossWarning, message
from queueio.forensics.sources import names_of, reader_of
from queueio.graph.origin import origin
from queueio.graph.traversal import is_dequeue, kind

_NULL = "string_input_producer requires a non-null input tensor"
_COUNTED = 100_000


def check_names(names: Any) -> None:
    """Refuses what is no list of names, before it becomes a tensor.

    Args:
      names: what was given to string_input_producer: a list, array, tensor or variable.

    Raises:
      ValueError: it is None, empty, one string, or nested.
      TypeError: it is a generator, set or other iterable that makes no tensor, or holds None.
    """
    if isinstance(names, str | bytes | os.PathLike):
        raise ValueError(_one_name(os.fsdecode(names)))
    if hasattr(names, "dtype") and hasattr(names, "shape"):
        _check_tensor(names)
        return
    if names is None:
        what = f"{_NULL}, but the names are None"
        raise ValueError(
            message(what, do="Give a list of names; a function without return gives None")
        )
    if isinstance(names, Sequence) and not names:
        raise ValueError(_no_names())
    if not isinstance(names, Iterable):
        what = (
            f"Expected string names in a list, but got {names!r} of type {type(names).__name__!r}"
        )
        raise TypeError(message(what, do="Give the names of the files"))
    if not isinstance(names, Sequence):
        what = f"Expected string names in a list, but got an iterable {type(names).__name__!r}"
        raise TypeError(message(what, do="Make a list of it", right="sorted(names)"))
    for index, name in enumerate(names):
        if name is None:
            what = f"Expected string, but got None as name {index} of {len(names)}"
            raise TypeError(message(what, do="Take it out of the list"))


def _check_tensor(names: Any) -> None:
    """The same for a tensor, variable or array. TF1 looks at an empty tensor when it is run."""
    shape = tf.TensorShape(names.shape)
    if shape.rank == 0:
        value = tf.get_static_value(names) if tf.is_tensor(names) else names
        raise ValueError(_one_name("…" if value is None else os.fsdecode(value.item())))
    if isinstance(names, np.ndarray) and not names.size:
        raise ValueError(_no_names())


def check_queue(queue: Any) -> None:
    """Refuses what a reader cannot take the names of its files from.

    Args:
      queue: what `reader.read` was given: a queue, or the handle of one.

    Raises:
      AttributeError: it is no queue, as a list of names.
      TypeError: it is a tensor of names; old queues' handles are references to strings.
    """
    if tf.is_tensor(queue):
        if queue.dtype == tf.string:
            raise TypeError(_names_for_handle(queue))
    elif not hasattr(queue, "queue_ref"):
        names = queue if isinstance(queue, list) else [queue]
        listed = repr(names) if all(isinstance(name, str | bytes) for name in names) else "names"
        raise AttributeError(
            message(
                f"{type(queue).__name__!r} object has no attribute 'queue_ref'",
                f"a reader takes the names of its files from a queue, and was given {queue!r}",
                wrong=f"reader.read({queue!r})",
                right=f"reader.read(tf.train.string_input_producer({listed}))",
            )
        )


def _names_for_handle(tensor: Any) -> str:
    taken = tf.is_symbolic_tensor(tensor) and is_dequeue(tensor.op)
    return message(
        "Input 'queue_handle' of 'ReaderReadV2' Op has type string that does not match expected"
        " type of resource",
        "a reader takes names of files from a queue by itself, one when it is done with the last,"
        f" and was given {'a name that was taken' if taken else 'names'}",
        wrong=f"reader.read({'queue.dequeue()' if taken else 'names'})",
        right=f"reader.read({'queue' if taken else 'tf.train.string_input_producer(names)'})",
    )


def check_read(read: tf.Operation) -> None:
    """Refuses a pattern where a file reader expects names.

    Args:
      read: the read op, just made; names that are not constants are not looked at.

    Raises:
      ValueError: a name has a `*` or `?` in it, and there is no such file.
    """
    for name in names_of(read):
        if "://" in name or not set(name) & {"*", "?"} or os.path.exists(name):
            continue
        raise ValueError(_pattern(name, read))


def check_listed(tensors: Any, call: str, join: bool = False) -> None:
    """Refuses one tensor or array where a list is wanted: its rows would pass for tensors.

    Args:
      tensors: what was given.
      call: the public function that was called.
      join: whether it takes a list of such lists.

    Raises:
      tf.errors.OperatorNotAllowedInGraphError: it is one tensor; the text holds TF1's words.
      TypeError: it is an array or a DataFrame, or a set, which has no order.
    """
    listed = isinstance(tensors, Sequence | Mapping)  # of which a part may be called "shape"
    rows = hasattr(tensors, "shape") and not listed and not tf.is_tensor(tensors)
    if rows or isinstance(tensors, set | frozenset):
        error: type[Exception] = TypeError
        what = f"values must be a sequence: {call} was given a {type(tensors).__name__}"
    elif tf.is_symbolic_tensor(tensors):
        error = tf.errors.OperatorNotAllowedInGraphError
        what = (
            "iterating over `tf.Tensor` is not allowed in Graph execution:"
            f" {call} was given the tensor {tensors.name}"
            f" ({tensors.op.type} op made at {origin(tensors)})"
        )
    else:
        return
    wrong, right = ("[image]", "[[image]]") if join else ("image", "[image]")
    text = message(
        what + (" as what one producer gives" if join else ""),
        "it takes a list of tensors, which are the parts of one example",
        wrong=f"{call}({wrong}, ...)",
        right=f"{call}({right}, ...)",
    )
    raise error(text)


def check_rows(tensors: Sequence[Any]) -> None:
    """Refuses scalars among the tensors that slice_input_producer takes row by row.

    Raises:
      ValueError: one is a scalar; the text begins as TensorFlow's does.
    """
    for place, tensor in enumerate(tensors):
        if tensor.shape.rank == 0:
            what = "Shape must be at least rank 1 but is rank 0"
            what = what if place else "slice index 0 of dimension 0 out of bounds"
            value = tf.get_static_value(tensor)
            of = f"tensor {place}, {tensor.name if value is None else value}, is a scalar"
            raise ValueError(
                message(
                    f"{what}: {of}",
                    "slice_input_producer takes a list of tensors, and gives a row of each",
                    wrong="slice_input_producer(names)",
                    right="slice_input_producer([names])",
                )
            )


def check_shapes(
    tensors: Sequence[Any], shapes: Sequence[Any], call: str = "batch", enqueue_many: bool = False
) -> None:
    """Refuses components of unknown size in a queue that must stack them into batches.

    Args:
      tensors: the components that are enqueued.
      shapes: the shape of one example of each.
      call: the public function that was called.
      enqueue_many: whether the tensors' first axis runs over examples.

    Raises:
      ValueError: a shape is not fully defined; the text begins as TF1's does.
    """
    known = [tf.TensorShape(shape) for shape in shapes]
    if all(shape.is_fully_defined() for shape in known):
        return
    index = next(i for i, shape in enumerate(known) if not shape.is_fully_defined())
    tensor, shape = tensors[index], known[index]
    shown = shape.as_list() if shape.rank is not None else "unknown"
    of = "an example of component" if enqueue_many else "component"
    what = (
        f"All shapes must be fully defined: {known}: {of} {index} of {call}, {tensor.name}, has "
        f"shape {shown}; {tensor.op.type} op made at {origin(tensor)}"
    )
    raise ValueError(message(what, "examples of unknown size do not stack", _ways_out(shape, call)))


def _ways_out(shape: tf.TensorShape, call: str) -> str:
    sizes = "..." if shape.rank is None else example_sizes(shape)
    ways = [f"tensor.set_shape({sizes}) if you know the size"]
    if not call.startswith("shuffle"):
        ways.append(f"{call}(..., dynamic_pad=True) to pad each batch to its largest example")
    else:
        ways.append("batch(..., dynamic_pad=True) behind it, to pad (a shuffle queue cannot)")
    ways.append("tf.image.resize(...) for images, to make them one size")
    return "Use " + "; or ".join(ways)


def example_sizes(shape: tf.TensorShape) -> list[int]:
    """Numbers to put in place of what is unknown; an image's last axis holds its channels.

    Args:
      shape: of known rank.
    """
    sizes = shape.as_list()
    filled = [64 if size is None else size for size in sizes]
    return [*filled[:-1], 3] if len(sizes) == 3 and sizes[-1] is None else filled


def report_rows(tensors: Sequence[Any], op: tf.Operation) -> None:
    """Makes heard that rows never come, where the shapes say so: TF1 counts the first tensor's.

    Args:
      tensors: whose rows are handed out together.
      op: the op that hands out their numbers.

    Raises:
      tf.errors.DataLossError: under `strict`.
    """
    counts = [tensor.shape[0] if tensor.shape.rank else None for tensor in tensors]
    counted = counts[0]
    lost = [
        f"{count - counted} of the {count} rows of tensor {place}"
        for place, count in enumerate(counts)
        if count is not None and counted is not None and count > counted
    ]
    if not lost:
        return
    text = message(
        f"{', '.join(lost)} never come",
        f"slice_input_producer counts the rows of the first tensor, which has {counted}",
        "Give tensors of one length",
    )
    if settings.current().strict:
        raise tf.errors.DataLossError(None, None, text)
    at = origin(op)
    if at.filename is None:
        warnings.warn(text, DataLossWarning, stacklevel=3)
    else:
        warnings.warn_explicit(text, DataLossWarning, at.filename, at.lineno)


def _one_name(name: str) -> str:
    what = f"Shape () must have rank at least 1: a list of names is wanted, not the string {name!r}"
    if glob.has_magic(name):
        right = f"string_input_producer(tf.train.match_filenames_once({name!r}))"
    else:
        right = f"string_input_producer([{name!r}])"
    return message(what, wrong=f"string_input_producer({name!r})", right=right)


def _no_names() -> str:
    return message(
        f"{_NULL}, but the list of names is empty",
        "there is nothing to read; a glob that matched no file gives such a list",
        f"Check the pattern, and the working directory, which is {os.getcwd()!r}",
    )


def _pattern(name: str, read: tf.Operation) -> str:
    hits = sum(1 for _ in itertools.islice(glob.iglob(name), _COUNTED))
    files = {0: "no file matches it", 1: "1 file matches it"}.get(hits, f"{hits} files match it")
    unit = f" (read by {kind(reader_of(read))}, made at {origin(read)})"
    return message(
        f"{name!r} is a pattern where the name of a file is wanted{unit}; {files}",
        "a list of names is taken as it is, and there is no file of that name",
        wrong=f"string_input_producer([{name!r}])",
        right=f"string_input_producer(tf.train.match_filenames_once({name!r}))",
    )
