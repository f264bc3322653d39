"""A Python file as text, and back: its encoding, its mark, its lines as Python counts them."""

from __future__ import annotations

import codecs
import difflib
import io
import re
import tokenize

_LINE = re.compile(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+\Z")
_UNENDED = "\\ No newline at end of file"


def encoding_of(raw: bytes) -> str:
    """The encoding that Python reads a file in: by its mark, by its `# coding: …`, or UTF-8.

    Args:
      raw: the file.

    Raises:
      SyntaxError: it declares one that Python does not know, or two that differ.
      UnicodeDecodeError: it declares none, and is not UTF-8.
    """
    try:
        return tokenize.detect_encoding(io.BytesIO(raw).readline)[0]
    except SyntaxError as error:
        if "missing encoding" in str(error):
            raw.decode()  # tells which byte it is
        raise


def decoded(raw: bytes) -> str:
    """The text of a Python file, its line ends as they are.

    Args:
      raw: the file.

    Raises:
      SyntaxError, UnicodeDecodeError: it is not in the encoding that it declares, or in none.
    """
    return raw.decode(encoding_of(raw))


def encoded(text: str, old: bytes) -> bytes:
    """A file's new text, in the encoding of the old one, with the mark before it that that had.

    Args:
      text: the new text; it has no letters that are in no Python file of that encoding.
      old: the file as it was.
    """
    mark = old.startswith(codecs.BOM_UTF8)
    return text.encode("utf-8-sig" if mark else encoding_of(old))


def lines_of(text: str) -> list[str]:
    """The lines of a text with their ends, as Python counts them.

    `str.splitlines` has others: it also ends one at a form feed, or at what only Unicode calls a
    line separator, which may stand within a string.

    Args:
      text: Python code.
    """
    return _LINE.findall(text)


def difference(old: str, before: str, new: str, after: str) -> str:
    """How a text changes, as `patch` reads it, for which only a newline ends a line.

    Args:
      old: the name of the file that is read; `/dev/null` where there was none.
      before: its text.
      new: the name of the file that is written.
      after: its text.
    """
    one, other = (io.StringIO(text, newline="\n").readlines() for text in (before, after))
    lines = difflib.unified_diff(one, other, _ended(old), _ended(new))
    return "".join(line if line.endswith("\n") else f"{line}\n{_UNENDED}\n" for line in lines)


def _ended(name: str) -> str:
    """A name in the head of a patch, with the tab that ends it, as in git: else a blank does."""
    return f"{name}\t" if " " in name else name


def difference_of_file(raw: bytes, name: str, before: str, after: str) -> bytes:
    """How a Python file changes, in its own encoding: `patch` compares bytes.

    Args:
      raw: the file.
      name: its name.
      before: its text.
      after: its new text.
    """
    marked = raw.startswith(codecs.BOM_UTF8)
    mark, encoding = ("\ufeff", "utf-8") if marked else ("", encoding_of(raw))
    head, at, body = difference(name, mark + before, name, mark + after).partition("\n@@")
    return head.encode() + (at + body).encode(encoding)


def spaced_as(old: str, printed: str, new: str) -> str:
    """A script's new text, in which the lines that did not change are the old ones to the letter.

    The parser prints some lines with fewer spaces than it read: `except Error :` without the last.

    Args:
      old: the script.
      printed: the script as the parser prints it, unchanged.
      new: the script, changed, as the parser prints it.
    """
    before, same, after = map(lines_of, (old, printed, new))
    if old == printed or len(before) != len(same):
        return new
    for block in difflib.SequenceMatcher(None, same, after, autojunk=False).get_matching_blocks():
        after[block.b : block.b + block.size] = before[block.a : block.a + block.size]
    return "".join(after)
