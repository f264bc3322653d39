"""Import TensorFlow for a command: its greeting off the screen, its objects out of the collector.

The greeting is written to the file descriptor, not to Python, and TF_CPP_MIN_LOG_LEVEL does not
silence the lines that come before the log is set up.
"""

from __future__ import annotations

import contextlib
import gc
import os
import re
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from typing import BinaryIO

GREETING = re.compile(
    rb"I0000 |[WE]0000 \S+ +\d+ cuda\w*\.cc|WARNING: All log messages before absl::InitializeLog"
)


@contextmanager
def quiet_stderr() -> Iterator[None]:
    """Hold stderr back for a `with` block; what is not greeting is written when it ends."""
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")
    held = _place()
    if held is None:
        yield
        return
    with held:
        _flush()
        kept = os.dup(2)
        os.dup2(held.fileno(), 2)
        try:
            yield
        finally:
            _flush()
            os.dup2(kept, 2)
            os.close(kept)
            _tell(held)


def _place() -> BinaryIO | None:
    """A file to hold stderr back in.

    None where nobody would read that, and number 2 is another file or none; and where no temporary
    file can be made, as in a container without a place to write to.
    """
    if sys.__stderr__ is None:
        return None
    try:
        os.fstat(2)
        return tempfile.TemporaryFile()
    except OSError:
        return None


def _flush() -> None:
    """Python's own stderr: what a script has put in its place may be no file at all."""
    with contextlib.suppress(OSError, ValueError):  # nobody reads it any more, or it is closed
        sys.__stderr__.flush()  # type: ignore[union-attr]


def _tell(held: BinaryIO) -> None:
    held.seek(0)
    with contextlib.suppress(OSError):  # as TensorFlow would have written it: to nobody
        for line in held:
            if not GREETING.match(line):
                os.write(2, line)


@contextmanager
def tensorflow_import() -> Iterator[None]:
    """For the imports of a command, TensorFlow's among them.

    A million objects come, and stay: the collector, which would look at all of them again and
    again, takes a quarter of the time. It is off within the `with` block, and leaves them out of
    its rounds for good.
    """
    collects = gc.isenabled()
    gc.disable()
    try:
        with quiet_stderr():
            yield
    finally:
        gc.freeze()
        if collects:
            gc.enable()
