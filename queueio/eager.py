"""Queues need a graph: what is said where there is none."""

from __future__ import annotations

import tensorflow as tf

from queueio.errors import message


def refuse_eager(call: str, error: type[Exception] = RuntimeError) -> None:
    """Raises `error` if eager execution is on, as TF1's queue functions do.

    Args:
      call: the public name that was called, for the text.
      error: the exception type that TF1 programs expect of this call.
    """
    if tf.executing_eagerly():
        raise error(
            message(
                "Input pipelines based on Queues are not supported when eager execution is enabled",
                f"tf.train.{call} builds queues and runners, which live in a graph",
                "Build inside a graph, or let `import queueio.v1 as tf` (or `queueio run`) switch"
                " eager execution off for the whole program",
                wrong=f"tf.train.{call}(...)",
                right=f"with tf.Graph().as_default(): tf.train.{call}(...)",
            )
        )
