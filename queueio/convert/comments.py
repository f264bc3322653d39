"""Comments of a script that went with the lines and arguments that were taken out of it."""

from __future__ import annotations

import io
import tokenize
from collections import Counter
from collections.abc import Iterator


def lost_comments(old: str, new: str) -> list[str]:
    """What a script's new text does not say any more, for its author to put where it belongs.

    Args:
      old: the script.
      new: the script as it is changed.
    """
    there = Counter(comment for _, comment in _comments(new))
    found = []
    for line, comment in _comments(old):
        there[comment] -= 1
        if there[comment] < 0:
            found.append(f"removed: the comment of line {line}: {comment}")
    return found


def _comments(text: str) -> Iterator[tuple[int, str]]:
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.COMMENT:
            yield token.start[0], token.string
