"""What queueio says when something is wrong, in one form.

An error of queueio answers three questions: what happened (with the values), why, and what to
do about it. Where the way out is code, it shows the wrong line and the right one. Exceptions
that TF1 programs catch keep TensorFlow's own types; the ones here are for what TF1 never said.
"""

from __future__ import annotations

from typing import Any


def message(
    what: str,
    why: str = "",
    do: str = "",
    wrong: str | None = None,
    right: str | None = None,
) -> str:
    """Formats an error text.

    Args:
      what: what happened, with the values; no full stop at its end.
      why: the reason; joined to `what` with a colon.
      do: the way out, as a sentence of its own.
      wrong: the line as the user wrote it, if the fix is code.
      right: the line as it should be.

    Returns:
      `what: why. do`, then indented lines `wrong:` and `right:` where given.
    """
    text = ": ".join(part.rstrip(".") for part in (what, why) if part) + "."
    if do:
        text += " " + do.rstrip(".") + "."
    for label, line in (("wrong", wrong), ("right", right)):
        if line is not None:
            text += f"\n  {label}: {line}"
    return text


class Refusal(Exception):
    """A pipeline that is not translated; says which op stands in the way.

    The base of `NotLifted` and `NoEquivalent`: `except queueio.Refusal` catches both.
    """

    def __init__(
        self,
        reason: str,
        remedy: str = "",
        *,
        op_name: str | None = None,
        op_type: str | None = None,
        origin: Any = None,
    ) -> None:
        """Words what stands in the way.

        Args:
          reason: why it is not translated, as a sentence.
          remedy: what to do, as a sentence.
          op_name: the op's name, if one op stands in the way.
          op_type: its type.
          origin: the line that made it, as text or `queueio.graph.origin.Origin`.
        """
        self.reason, self.remedy = reason, remedy
        self.op_name, self.op_type, self.origin = op_name, op_type, origin
        what = f"cannot lift {op_type} op {op_name!r}" if op_name else "cannot lift this pipeline"
        scope = op_name.rpartition("/")[0] if op_name else ""
        if scope:
            what += f" (scope {scope!r})"
        if origin is not None:
            what += f", made at {origin}"
        super().__init__(message(what, reason, remedy))


class NotLifted(Refusal, NotImplementedError):
    """queueio has no translation for this op or shape of pipeline (yet)."""


class NoEquivalent(Refusal, ValueError):
    """tf.data has nothing that behaves like this part of the pipeline."""


class DataLossWarning(UserWarning):
    """Bytes of a file, or rows of a tensor, are never delivered, and TensorFlow says nothing."""


class StallWarning(UserWarning):
    """A session call has been waiting for a queue that nothing is about to fill."""


class TornElementWarning(UserWarning):
    """Parts that belong together were taken from different elements of a queue."""


class LostFeedWarning(UserWarning):
    """A session call feeds what only the threads before a queue compute with, without its feeds."""


class FallbackWarning(UserWarning):
    """The data engine does not do all that it was asked for: a pipeline runs on TF1's queues, is
    read twice, or is not taken up where a checkpoint was saved."""


class QueueStalled(RuntimeError):
    """A session call was ended because it waited for a queue that nothing would fill."""
