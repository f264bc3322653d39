"""Variables in a text of Python: names that are no attribute, no keyword argument, in no string."""

from __future__ import annotations

import functools
import io
import keyword
import re
import tokenize
from collections.abc import Iterator

Token = tokenize.TokenInfo


def uses(text: str, name: str) -> bool:
    """Whether a variable occurs in a text."""
    return name in text and any(found.string == name for found in _variables(text))


def renamed(text: str, name: str, other: str) -> str:
    """The text with another name, or an expression, in place of a variable."""
    if name not in text:
        return text
    lines = text.splitlines(keepends=True)
    for found in reversed(_variables(text)):
        if found.string == name:
            (row, start), (_, end) = found.start, found.end
            lines[row - 1] = lines[row - 1][:start] + other + lines[row - 1][end:]
    return "".join(lines)


def stem(name: str) -> str:
    """A name without the number that tells it from others of the same name."""
    return re.sub(r"(_\d+)+$", "", name)


@functools.lru_cache(maxsize=4096)
def _variables(text: str) -> tuple[Token, ...]:
    found, before, strings = [], "", 0
    tokens = list(_tokens(text))
    for token, after in zip(tokens, [*tokens[1:], None], strict=True):
        strings += {"FSTRING_START": 1, "FSTRING_END": -1}.get(tokenize.tok_name[token.type], 0)
        name = token.type == tokenize.NAME and not keyword.iskeyword(token.string)
        passed = after is not None and after.string == "=" and after.start == token.end
        if name and before != "." and not passed and not strings:
            found.append(token)
        before = token.string
    return tuple(found)


def _tokens(text: str) -> Iterator[Token]:
    """The tokens of a text, which may be a part of a statement only: brackets may stay open.

    Up to Python 3.11 a formatted string is one of them, later it is many.
    """
    try:
        yield from tokenize.generate_tokens(io.StringIO(text).readline)
    except tokenize.TokenError:
        return
