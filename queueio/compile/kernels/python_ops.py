"""Functions in Python as ops, which a graph names by where they are defined.

`tf.numpy_function` numbers functions anew in each process, and forgets those of a dead graph. Those
of this package are few and need nothing around them, so each has one number for the whole process.

When Python ends, it ends each thread that waits for it, and TensorFlow is not told: an iterator
that a script still holds would wait for such a thread for ever. So they end first.
"""

from __future__ import annotations

import atexit
import functools
import importlib
import weakref
from collections.abc import Callable, Iterable
from typing import Any

import tensorflow as tf
from tensorflow.python.data.ops.iterator_ops import OwnedIterator

_PACKAGE = __name__.partition(".")[0]
_graph = tf.Graph()
"""Keeps the functions alive."""
_homes: dict[bytes, str] = {}


def python_op(
    function: Callable[..., Any], inputs: Iterable[tf.Tensor], dtypes: list[tf.DType]
) -> list[tf.Tensor]:
    """What `function` returns for `inputs`: a tensor of unknown shape for each of `dtypes`.

    It is defined at the top of a module of this package, and has no effect. It is given arrays,
    numbers and bytes.
    """
    token = token_of(f"{function.__module__}:{function.__qualname__}")
    return list(tf.raw_ops.PyFuncStateless(input=list(inputs), token=token, Tout=dtypes))


@functools.cache
def token_of(home: str) -> bytes:
    """The number, in this process, of a function that is defined at `home` ("module:name").

    Raises:
      ValueError: it is not of this package.
    """
    module, _, name = home.partition(":")
    if not module.startswith(f"{_PACKAGE}."):
        raise ValueError(f"{home!r} is no function of {_PACKAGE}")
    _end_iterators_before_python()
    with _graph.as_default():
        op = tf.numpy_function(getattr(importlib.import_module(module), name), [], tf.int64).op
    token: bytes = op.get_attr("token")
    _homes[token] = home
    return token


def home_of(token: bytes) -> str | None:
    """Where the function of a number is defined; None where it is not of this package."""
    return _homes.get(token)


@functools.cache
def _end_iterators_before_python() -> None:
    """Has eager iterators end, with the threads that work for them, when the process does."""
    iterators: Any = weakref.WeakSet()
    stock = OwnedIterator.__init__

    @functools.wraps(stock)
    def kept(self: Any, *args: Any, **kwargs: Any) -> None:
        stock(self, *args, **kwargs)
        iterators.add(self)

    def end() -> None:
        for iterator in list(iterators):
            iterator._iterator_resource = None

    OwnedIterator.__init__ = kept
    atexit.register(end)
