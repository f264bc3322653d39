"""Constants and nests as Python would spell them."""

from __future__ import annotations

import ast
import contextlib
from collections.abc import Callable
from typing import Any

import numpy as np
import tensorflow as tf

from queueio.emit.spelling.code import (
    SUM,
    UNARY,
    Code,
    binary,
    call,
    code,
    mapping,
    number,
    sequence,
)
from queueio.emit.spelling.lists import listed
from queueio.errors import NotLifted

TYPES = {tf.int32: "int", tf.float32: "float", tf.string: "str", tf.bool: "bool"}
"""The types of Python's of which TensorFlow makes these where nothing else says a dtype."""
FEW = 24
"""Elements of a constant that stay in the source; one of more goes into the file beside it."""
LISTED = 200
"""The same of what is a list to its reader: names of files, one number for each example."""


def quoted(text: str, spelled: str = "") -> str:
    """A string literal with the quotes that need fewer escapes, double ones at a tie.

    `spelled`: Python's own literal of it, if that is not the text's.
    """
    spelled = spelled or repr(text)
    if spelled.startswith('"') or ('"' in text and text.count("'") < text.count('"')):
        return spelled
    return '"' + spelled[1:-1].replace("\\'", "'").replace('"', '\\"') + '"'


def text(value: bytes) -> str:
    """The literal of a string tensor's element: text where it is UTF-8, else bytes."""
    return quoted(value.decode()) if is_text(value) else _bytes(value)


def is_text(value: bytes) -> bool:
    """Whether a string is UTF-8."""
    try:
        value.decode()
    except UnicodeDecodeError:
        return False
    return True


def _bytes(value: bytes) -> str:
    return "b" + quoted(value.decode("latin-1"), repr(value)[1:])


def exact(value: Any) -> np.ndarray:
    """`value` as an array; strings as objects, for NumPy's own kind drops zeros at their ends."""
    array = np.asarray(value)
    if array.dtype.kind not in "SUO":
        return array
    given = np.asarray(value, object)
    made = np.empty(given.shape, object)
    made.reshape(-1)[:] = [v.encode() if isinstance(v, str) else v for v in given.ravel()]
    return made


def is_short(array: np.ndarray, most: int = FEW) -> bool:
    """Whether a constant stays in the source: it is small, and its list says all of its numbers.

    TensorFlow reads a list in which numbers above 2^63 stand beside smaller ones as floats.
    """
    return array.size <= most and (
        array.dtype != np.uint64 or np.asarray(array.tolist()).dtype.kind != "f" or not array.size
    )


def dtype(kind: Any) -> Code:
    """`tf.float32`."""
    return Code(f"tf.{tf.as_dtype(kind).base_dtype.name}")


def shape(value: Any) -> Code:
    """`[2, None]`, or `None` for an unknown rank."""
    static = tf.TensorShape(value)
    return code("None") if static.rank is None else sequence(map(code, static.as_list()), "[]")


def plain(value: Any) -> Code:
    """The nested list, or the scalar, of an array; says nothing of its dtype."""
    return _nested(exact(value), listed)


def frozen(value: Any) -> Code:
    """As `plain`, with tuples: a default of an argument must not be a list."""
    return _nested(exact(value), sequence)


def _nested(array: Any, made: Callable[[list[Code]], Code]) -> Code:
    if array.dtype != object or all(is_text(item) for item in array.ravel()):
        return _parts(array, _scalar, made)
    # TensorFlow takes no list in which text and bytes are mixed.
    return _parts(array, lambda item: Code(_bytes(item.item())), made)


def _parts(array: Any, leaf: Callable[[Any], Code], made: Callable[[list[Code]], Code]) -> Code:
    if not array.ndim:
        return leaf(array)
    return made([_parts(exact(item), leaf, made) for item in array])


def _scalar(array: Any) -> Code:
    item = array.item()
    if isinstance(item, bytes):
        return Code(text(item))
    if isinstance(item, float):
        return _float(array, item)
    if isinstance(item, complex):
        return _complex(item)
    if isinstance(item, bool):
        return Code(str(item))
    return Code(repr(item), UNARY if str(item).startswith("-") else 0)


def _float(array: Any, item: float) -> Code:
    """The shortest number that is the same in the array's own precision."""
    short = float(str(array[()])) if array.dtype.itemsize < 8 else item
    return number(short)


def _complex(item: complex) -> Code:
    """`1 + 2j`, unless that sum would lose the sign of a zero or name what Python has not."""
    parts = [item.real, item.imag]
    if all(np.isfinite(part) and (part or not np.signbit(part)) for part in parts):
        real, imaginary = number(item.real), Code(f"{number(abs(item.imag))}j")
        return binary("-" if item.imag < 0 else "+", real, imaginary, SUM)
    return call("complex", *(_float(np.asarray(part), part) for part in parts))


def is_uniform(array: np.ndarray) -> bool:
    """Whether an array is one value throughout, the signs of zeros included."""
    first = array.flat[0]
    if not (array == first).all():
        return False
    return array.dtype == object or array.tobytes() == first.tobytes() * array.size


def typed(value: Any, kind: Any) -> Code:
    """A literal that becomes a tensor of dtype `kind` wherever a tensor is expected."""
    array, kind = exact(value), tf.as_dtype(kind).base_dtype
    if array.size > 8 and array.dtype != object and is_uniform(array):
        return _uniform(array, kind)
    if kind in TYPES and array.size:
        return plain(array)
    if not array.size:
        return call("tf.zeros", shape(array.shape), dtype(kind))
    return call("tf.constant", plain(array), dtype(kind))


def _uniform(array: Any, kind: Any) -> Code:
    first = array.flat[0]
    for name, made in (("tf.zeros", np.zeros), ("tf.ones", np.ones)):
        exactly = first.tobytes() == made((), array.dtype).tobytes()  # -0.0 is no 0.0
        if exactly and kind not in (tf.bool, tf.string):
            more = () if kind == tf.float32 else (dtype(kind),)
            return call(name, shape(array.shape), *more)
    return call("tf.fill", shape(array.shape), typed(first, kind))


def operand(value: Any, kind: Any) -> Code:
    """A literal beside an operator, whose other operand is a tensor of the same dtype."""
    array = exact(value)
    numbers = (kind.is_floating or kind.is_integer) and not array.ndim
    return plain(array) if numbers or (kind == tf.string and not array.ndim) else typed(value, kind)


def structured(structure: Any, leaf: Any) -> Code:
    """A nest with `leaf(position)` in place of each position."""
    if isinstance(structure, dict):
        return mapping({_key(k): structured(v, leaf) for k, v in structure.items()})
    if isinstance(structure, tuple):
        return listed([structured(v, leaf) for v in structure], "()")
    return code(leaf(structure))


def _key(key: Any) -> str:
    """A key of a dict of fetches, so that what it is looked up by today finds it."""
    if isinstance(key, str):
        return quoted(str.__str__(key))  # an enum of strings is called otherwise
    spelled = repr(key.item() if isinstance(key, np.generic) else key)
    with contextlib.suppress(ValueError, SyntaxError):
        if ast.literal_eval(spelled) == key:
            return spelled
    raise NotLifted(
        f"{key!r}, a key among the fetches, has no literal in Python",
        "Use plan.to_dataset(), or strings for keys",
    )
