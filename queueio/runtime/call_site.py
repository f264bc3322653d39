"""The line of the user's program that a thread is in."""

from __future__ import annotations

import linecache
import sys

from queueio.origin import Origin, is_library


def is_inside(ident: int, filename: str) -> bool:
    """Whether thread `ident` is in a call of the code in `filename`."""
    frame = sys._current_frames().get(ident)
    while frame is not None:
        if frame.f_code.co_filename == filename:
            return True
        frame = frame.f_back
    return False


def call_site(ident: int) -> Origin | None:
    """The innermost frame of thread `ident` that is the user's own; None when there is none."""
    frame = sys._current_frames().get(ident)
    while frame is not None:
        filename = frame.f_code.co_filename
        if not is_library(filename):
            code = linecache.getline(filename, frame.f_lineno).strip()
            return Origin(filename, frame.f_lineno, code)
        frame = frame.f_back
    return None
