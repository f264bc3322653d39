"""Import TensorFlow for a command: its greeting off the screen, its objects out of the collector.

The greeting is written to the file descriptor, not to Python, and TF_CPP_MIN_LOG_LEVEL does not
silence the lines that come before the log is set up.
"""

from __future__ import annotations

import gc
import os
import re
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager

GREETING = re.compile(
    rb"I0000 |[WE]0000 \S+ +\d+ cuda\w*\.cc|WARNING: All log messages before absl::InitializeLog"
)


@contextmanager
def quiet_stderr() -> Iterator[None]:
    """Hold stderr back for a `with` block; what is not greeting is written when it ends."""
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")
    sys.stderr.flush()
    kept = os.dup(2)
    with tempfile.TemporaryFile() as held:
        os.dup2(held.fileno(), 2)
        try:
            yield
        finally:
            sys.stderr.flush()
            os.dup2(kept, 2)
            os.close(kept)
            held.seek(0)
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
