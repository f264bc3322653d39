"""Files that cannot be opened, and patterns that match none."""

from __future__ import annotations

import difflib
import glob
import itertools
import os
import re
from typing import Any

import tensorflow as tf

from queueio.forensics.location import Location
from queueio.forensics.sources import (
    MAX_FILES,
    WHOLE_READS,
    name_tensors,
    names_of,
    patterns_of,
)
from queueio.graph.traversal import is_enqueue

NULL_INPUT = "requires a non-null input tensor"
_SYSTEM = re.compile(r"(?:^|\n)(.*?); (No such file or directory|Is a directory|Permission denied)")
_PATTERN_REMEDY = (
    "A list of names is wanted: use tf.train.match_filenames_once({0!r}) or glob.glob({0!r})"
)


def unopened(text: str, read: tf.Operation, session: Any) -> Location | None:
    """The file that a reader could not open; None if the error text names none."""
    match = _SYSTEM.search(text)
    if not match:
        return None
    path, reason = match[1], match[2]
    listed = f"{reason.lower()}; it is {_place(path, read, session)}"
    if reason == "Is a directory":
        return Location(path, detail=listed, remedy=f"Name its files: {os.path.join(path, '*')!r}")
    if reason == "Permission denied":
        mode = f"{os.stat(path).st_mode & 0o777:o}" if os.path.exists(path) else "unknown"
        return Location(path, detail=f"{listed} (mode {mode})", remedy="Make it readable")
    return Location(path, detail=listed, remedy=_look_nearby(path))


def unmatched(op: tf.Operation) -> Location | None:
    """The pattern behind an empty list of names, for the enqueue op of a filename queue."""
    if not is_enqueue(op):
        return None
    patterns = patterns_of(list(op.inputs)[1:])
    if not patterns:
        return Location(op.name, detail="the list of names is empty", remedy="Name the files")
    first, more = patterns[0], f" (and {len(patterns) - 1} more)" if len(patterns) > 1 else ""
    return Location(f"{first}{more}", detail="the pattern matches no file", remedy=_nearest(first))


def _place(path: str, read: tf.Operation, session: Any) -> str:
    names = names_of(read, session)
    patterns = ", ".join(repr(p) for p in patterns_of(name_tensors(read)))
    source = f" found by the pattern {patterns}" if patterns else ""
    if path not in names:
        what = "ReadFile" if read.type in WHOLE_READS else "the filename queue"
        return f"one of the names in {what}{source}"
    return f"name {names.index(path) + 1} of {len(names)} in the list{source}"


def _look_nearby(path: str) -> str:
    if glob.has_magic(path):
        hits = len(list(itertools.islice(glob.iglob(path), MAX_FILES)))
        return f"It is a pattern, of {hits} existing files. " + _PATTERN_REMEDY.format(path)
    folder = os.path.dirname(path) or "."
    if not os.path.isdir(folder):
        return _nearest(path)
    near = difflib.get_close_matches(os.path.basename(path), _listing(folder), 3)
    if near:
        return f"Its directory holds similar names: {', '.join(near)}"
    return f"The directory is there, without this file.{_relative(path)}"


def _nearest(path: str) -> str:
    """The deepest directory of a path that does exist."""
    folder = os.path.dirname(path) or "."
    while not os.path.isdir(folder) or glob.has_magic(folder):
        folder = os.path.dirname(folder) or "."
    names = _listing(folder)
    if folder == (os.path.dirname(path) or "."):
        held = f"{len(names)} others, such as {', '.join(names[:3])}" if names else "nothing"
        return f"The directory {folder!r} holds {held}.{_relative(path)}"
    return f"There is no directory {os.path.dirname(path)!r}, only {folder!r}.{_relative(path)}"


def _relative(path: str) -> str:
    if os.path.isabs(path):
        return ""
    return f" The name is relative to the working directory, {os.getcwd()!r}"


def _listing(folder: str) -> list[str]:
    try:
        with os.scandir(folder) as entries:
            return sorted(e.name for e in itertools.islice(entries, MAX_FILES))
    except OSError:
        return []
