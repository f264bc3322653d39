"""Bytes that the files of a plan hold and its dataset will not deliver, told when it is made."""

from __future__ import annotations

import os
import weakref
from typing import Any

import tensorflow as tf

from queueio import forensics, settings
from queueio.forensics.sources import name_tensors, patterns_of, reader_of
from queueio.graph.origin import origin
from queueio.graph.traversal import is_read
from queueio.plan.tree import PlanTree

AUDIT_SECONDS = 2.0
_done: weakref.WeakKeyDictionary[Any, set[str]] = weakref.WeakKeyDictionary()


@tf.autograph.experimental.do_not_convert
def audit_plan(plan: PlanTree) -> None:
    """Warns, once for a graph, of bytes that the plan's readers pass over in silence.

    A dataset's iterator can be saved only if no Python runs in it, so it cannot tell at its end;
    the files are looked at when the dataset is made, for two seconds at most.

    Raises:
      tf.errors.DataLossError: under `strict`, if anything is lost.
    """
    done = _done.setdefault(plan.graph, set())
    for node in plan.stages:
        try:
            read = plan.graph.get_operation_by_name(node.name)
        except (KeyError, ValueError):  # a stage that no single op made
            continue
        if is_read(read) and read.name not in done:
            done.add(read.name)
            losses = forensics.audit(reader_of(read), _files(read), AUDIT_SECONDS)
            forensics.report(
                [loss.read_on() for loss in losses], settings.current().strict, origin(read)
            )


def _files(read: Any) -> list[str]:
    """The reader's files; those of `match_filenames_once` without a session to ask."""
    found = forensics.files_of(read)
    if found:
        return found
    matched = [name for p in patterns_of(name_tensors(read)) for name in tf.io.gfile.glob(p)]
    return sorted(name for name in matched if os.path.isfile(name))
