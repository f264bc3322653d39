"""A file of Python 2: said before anything else, with what to do.

Python 3 gives a SyntaxError for it, whose text speaks of the first thing that it stumbled over.
"""

from __future__ import annotations

import os
import re
import sys

# What Python 2 wrote and Python 3 does not parse, by the line that the error is about.
_SIGNS = (
    re.compile(r"^\s*print\s+[^=(\s]|^\s*print\s*>>|\bprint\s*$"),
    re.compile(r"^\s*exec\s+[^=(\s]"),
    re.compile(r"^\s*except\b[^:(]*,\s*\w+\s*:"),
    re.compile(r"^\s*except\s*\(.*\)\s*,\s*\w+\s*:"),
    re.compile(r"^\s*raise\s+[\w.]+\s*,"),
    re.compile(r"<>|`[^`]+`|\bur['\"]|\b0[0-7]+\b|\b\d+[lL]\b"),
    re.compile(r"^\s*(def\s+\w+\s*\(|.*\blambda\b)[^:]*\("),
)


def is_python2(error: BaseException) -> bool:
    """Whether a SyntaxError comes of Python 2's syntax, as far as its line tells."""
    if isinstance(error, TabError):
        return True
    line = getattr(error, "text", None) or ""
    return isinstance(error, SyntaxError) and any(sign.search(line) for sign in _SIGNS)


def advice(file: str, line: int | None, code: str) -> str:
    """What a file of Python 2 needs."""
    where = f"{os.path.basename(file)}:{line}: {code.strip()}"
    return (
        f"{os.path.basename(file)} is written for Python 2 ({where}), which today's TensorFlow does"
        f" not run on. Translate it once: {translation(file)}"
    )


def translation(file: str) -> str:
    """The command that writes a file of Python 2 anew in Python 3."""
    later = f"for later ones: pip install modernize; modernize -w {file}"
    return f"2to3 -w {file}   (2to3 comes with Python up to 3.12; {later})"


def say_first(error: BaseException) -> None:
    """Writes the advice to stderr, above the traceback that follows, where it is called for."""
    if is_python2(error):
        file, line = getattr(error, "filename", None) or "", getattr(error, "lineno", None)
        told = advice(file, line, getattr(error, "text", None) or "")
        print(f"queueio: {told}", file=sys.stderr)
