"""What the variables and tables hold that a pipeline reads while tf.data makes its batches.

A vocabulary of other words gives the same examples other numbers, and those that wait in a pool
have the old ones.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
import tensorflow as tf

from queueio.graph.traits import row_of


class StateRead:
    """The values behind some ops of the default graph, which are read there.

    Args:
      state: the ops of variables and tables.
    """

    def __init__(self, state: Iterable[Any]) -> None:
        ops = sorted(state, key=lambda op: str(op.name))
        self._reads = [read for read in map(_read, ops) if read is not None]

    def told(self, run: Callable[..., Any]) -> str:
        """What tells them from other values; "" where there are none, or some are not set yet.

        Args:
          run: a session's, not watched.
        """
        if not self._reads:
            return ""
        try:
            found = run(self._reads)
        except tf.errors.OpError:
            return ""
        digest = hashlib.blake2b(digest_size=20)
        for values in found:
            if isinstance(values, (tuple, list)):  # a table tells its rows in any order
                keys, results = (part.tolist() for part in values)
                digest.update(repr(sorted(zip(keys, results, strict=True), key=repr)).encode())
            else:
                digest.update(_bytes(np.asarray(values)))
        return digest.hexdigest()


def _bytes(values: Any) -> bytes:
    return repr(values.tolist()).encode() if values.dtype == object else bytes(values.tobytes())


def _read(op: Any) -> Any:
    """What reads the value behind an op; None where it holds none that can be read."""
    handle, made = op.outputs[0], row_of(op.type).makes
    if made == "table":
        export = tf.raw_ops.LookupTableExport
        if handle.dtype == tf.resource:
            export = tf.raw_ops.LookupTableExportV2
        return tuple(
            export(
                table_handle=handle,
                Tkeys=op.get_attr("key_dtype"),
                Tvalues=op.get_attr("value_dtype"),
            )
        )
    if made != "variable":
        return None
    if handle.dtype == tf.resource:
        return tf.raw_ops.ReadVariableOp(resource=handle, dtype=op.get_attr("dtype"))
    return tf.identity(handle)
