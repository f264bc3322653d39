"""Queues and readers need a graph: what is said where there is none."""

from __future__ import annotations

import tensorflow as tf

from queueio.errors import message


def refuse_eager(call: str, error: type[Exception] = RuntimeError) -> None:
    """Raises `error` if eager execution is on, as TF1's queue functions do.

    Args:
      call: the function of tf.train that was called, for the text.
      error: the exception type that TF1 programs expect of this call.
    """
    if tf.executing_eagerly():
        what = "Input pipelines based on Queues"
        instead = "Please use tf.data to ingest data into your model instead"
        raise error(_refusal(what, instead, f"tf.train.{call}", "queues and runners"))


def refuse_eager_reader(call: str) -> None:
    """Raises RuntimeError if eager execution is on, as the reader `tf.<call>` of TF1 does."""
    if tf.executing_eagerly():
        instead = "Instead, please use tf.data to get data into your model"
        raise RuntimeError(_refusal("Readers", instead, f"tf.{call}", "a reader and needs queues"))


def _refusal(what: str, instead: str, call: str, built: str) -> str:
    return message(
        f"{what} are not supported when eager execution is enabled",
        f"{call} builds {built}, which live in a graph. {instead}",
        "Or build inside a graph, or let `import queueio.v1 as tf` (or `queueio run`) switch eager"
        " execution off for the whole program",
        wrong=f"{call}(...)",
        right=f"with tf.Graph().as_default(): {call}(...)",
    )
