"""Work that no queue shows: tf.data reads, decodes and computes out of sight, Python somewhere."""

from __future__ import annotations

import sys
import threading
import traceback
from collections.abc import Iterable
from types import FrameType
from typing import Any

_CALLS = "script_ops.py"
_own_bytes = 0


def python_calls(ops: Iterable[Any]) -> dict[int, tuple[Any, FrameType]]:
    """The Python functions among `ops` (`tf.py_func`) that run now: by thread, the op and a frame.

    The next call of a function has another frame, even where it is at the same line.
    """
    tokens = {op.get_attr("token"): op for op in ops if "PyFunc" in op.type}
    found = {}
    for thread, frame in sys._current_frames().items() if tokens else ():
        at: FrameType | None = frame
        while at is not None:
            if at.f_code.co_filename.endswith(_CALLS):
                token = at.f_locals.get("token")
                op = tokens.get(token.encode() if isinstance(token, str) else token)
                if op is not None:
                    found[thread] = (op, at)
            at = at.f_back
    return found


def bytes_read() -> int:
    """Bytes that this process has read, but for those of this question; 0 where unknown."""
    global _own_bytes
    try:
        with open("/proc/self/io", "rb") as file:
            text = file.read()
    except OSError:
        return 0
    read = int(text.split(b"rchar:")[1].split()[0]) - _own_bytes
    _own_bytes += len(text)
    return read


def innermost(thread: threading.Thread) -> str:
    """The file whose code a thread is in; empty where it has ended."""
    frame = sys._current_frames().get(thread.ident or -1)
    return frame.f_code.co_filename if frame else ""


def stack_of(thread: threading.Thread) -> str:
    """The name of a thread and the Python stack it is in."""
    frame = sys._current_frames().get(thread.ident or -1)
    if frame is None:
        return f"  {thread.name}: ended meanwhile"
    lines = "".join(traceback.format_stack(frame)[-6:]).rstrip()
    return f"  {thread.name}:\n{lines}"
