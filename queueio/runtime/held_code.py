"""The code in which ops were made, which their tracebacks read as long as there are ops.

TensorFlow's tracebacks point to the code objects of their frames and hold none of them (2.21). The
code of a cell, of an `exec` or of a doctest is gone once it has run; an error about one of its ops,
the end of the input too, then read freed memory: SIGSEGV.
"""

from __future__ import annotations

import sys
from types import CodeType, FrameType

from tensorflow.python.util import tf_stack

_held: dict[int, CodeType] = {}
"""By `id`: code objects that are equal are not the same memory."""
_stock = tf_stack._get_thread_key
"""What `tf_stack.extract_stack` asks first: around itself a function would be a frame of the user's
in each error."""


def install() -> None:
    """Hold the code of all who make an op from now on; a second call does nothing."""
    tf_stack._get_thread_key = _thread_key


def uninstall() -> None:
    """Hold no more code, where nobody has wrapped this. What is held stays: there may be ops."""
    if tf_stack._get_thread_key is _thread_key:
        tf_stack._get_thread_key = _stock


def _thread_key() -> object:
    frame: FrameType | None = sys._getframe(1)
    while frame is not None:
        _held[id(frame.f_code)] = frame.f_code
        frame = frame.f_back
    return _stock()
