"""What comes into a pipeline, written beside where it stands: it is taken up with the same only.

A script that is started again may have other files, another batch size or more epochs. TF1's queues
then begin anew; the state of an iterator would go on with what was there before.
"""

from __future__ import annotations

import functools
import json
import os
from typing import Any, NamedTuple

import tensorflow as tf

from queueio.forensics.sources import names_of, reads_of
from queueio.runtime import calls
from queueio.words import times

_KEY = "input"


class Input(NamedTuple):
    """What comes into a pipeline.

    Attributes:
      files: their names and sizes, in the order of the list; -1 for one that is not there, or not
        on this machine.
      batch: how many examples make a batch.
      made: the rest, in no form that tells more than that it differs.
      held: so the values of the variables and tables that are read.
    """

    files: list[list[Any]]
    batch: int
    made: str
    held: str = ""


def of(source: Any, dequeue: Any, session: Any) -> Input:
    """What comes in, as it is now.

    Args:
      source: the `Sealed` iterator.
      dequeue: the op that takes a batch out of TF1's queue.
      session: for file names that only a variable holds.
    """
    names = [name for read in reads_of(dequeue) for name in names_of(read, session)]
    sizes = [[name, _bytes(name)] for name in names]
    held = source.held.told(functools.partial(calls.run_unwatched, session))
    return Input(sizes, int(tf.get_static_value(dequeue.inputs[1])), source.identity, held)


def marked(place: dict[str, bytes], known: Input) -> dict[str, bytes]:
    """A position with what came in there."""
    return {**place, _KEY: json.dumps(known).encode()}


def changed(place: dict[str, bytes], now: Input) -> str:
    """In what the input of a position differs from that of now, in words; "" where it does not."""
    if _KEY not in place:
        return "an older version of queueio saved it"
    then = Input(*json.loads(place[_KEY]))
    for old, new in zip(then.files, now.files, strict=False):
        if old[0] != new[0]:
            return f"it read {old[0]!r}, and now {new[0]!r}"
        if old[1] != new[1]:
            return f"{old[0]!r} had {_told(old[1])}, and now {_told(new[1])}"
    if len(then.files) != len(now.files):
        return f"it read {times(len(then.files), 'file')}, and now {len(now.files)}"
    if then.batch != now.batch:
        return f"its batches were of {then.batch}, and are of {now.batch}"
    if then.made != now.made:
        return ("its stages, options or epochs were others, or it ran under another version or"
                " number of processors")  # fmt: skip
    if then.held != now.held:
        return "a variable or table that it reads held other values"
    return ""


def _bytes(name: str) -> int:
    """The size of a file; to ask another machine for each would take long."""
    path = name.removeprefix("file://")
    return os.path.getsize(path) if os.path.isfile(path) else -1


def _told(size: int) -> str:
    return "none (it is not there)" if size < 0 else times(size, "byte")
