"""Which file asks for a TF1 name: one of the user's, or one that `queueio convert` wrote."""

from __future__ import annotations

import ast
import functools
import re

_TITLE = '"""The input pipeline{} in tf.data, in place of its queues.'
MARK = "Written by queueio"
"""In the docstring of each module that `queueio convert` writes."""
_HEAD = 2000


def opening(name: str) -> str:
    """How the docstring of such a module begins.

    Args:
      name: of the script that had the pipeline, or "".
    """
    return _TITLE.format(f" of {in_docstring(name)}" if name else "")


def in_docstring(text: str) -> str:
    """A line of a docstring that says `text`.

    A name, of a file or a feature, may hold what ends a string, and a backslash or what cannot be
    printed: those are escaped.
    """
    return "".join(c if c.isprintable() and c not in '\\"' else _escaped(c) for c in text)


def _escaped(character: str) -> str:
    return '\\"' if character == '"' else character.encode("unicode_escape").decode()


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
            found = re.match(re.escape(_TITLE).replace(r"\{\}", " of (.+)"), file.read(_HEAD))
    except OSError:
        return ""
    if not found:
        return ""
    try:
        return str(ast.literal_eval(f'"{found[1]}"'))
    except (SyntaxError, ValueError):  # of one who wrote it without escapes
        return found[1]
