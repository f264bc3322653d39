"""Which file asks for a TF1 name: one of the user's, or one that `queueio convert` wrote."""

from __future__ import annotations

import functools
import re

TITLE = '"""The input pipeline{} in tf.data, in place of its queues.'
"""How the docstring of such a module begins; ` of train.py` where a script had the pipeline."""
MARK = "Written by queueio"
"""In the docstring of each module that `queueio convert` writes."""
_HEAD = 2000


@functools.lru_cache(maxsize=1024)
def is_written_by_queueio(filename: str) -> bool:
    """Whether `queueio convert` wrote a source file: today's TensorFlow is what it is for."""
    try:
        with open(filename, encoding="utf-8", errors="replace") as file:
            return MARK in file.read(_HEAD)
    except OSError:
        return False


def script_of(filename: str) -> str:
    """The name of the script whose pipeline is in a module of ours; "" where it tells none."""
    try:
        with open(filename, encoding="utf-8", errors="replace") as file:
            found = re.match(re.escape(TITLE).replace(r"\{\}", " of (.+)"), file.read(_HEAD))
    except OSError:
        return ""
    return found[1] if found else ""
