"""Queue runners that were started again in a session whose queues are closed.

A loop over epochs that stops the threads after each one and starts them anew is the usual case. A
queue cannot be opened again, so they put nothing in, and the step ends at once.
"""

from __future__ import annotations

from queueio.graph.error_text import CONSEQUENCES
from queueio.runtime.ledger import RunRecord, SessionRecord
from queueio.runtime.topology import key

_AGAIN = (
    "The queue runners were started again after that: a closed queue stays closed, and takes "
    "nothing in. For another pass make a new session, or ask for all of them at once, with "
    "num_epochs."
)


def told(text: str | None, record: SessionRecord, chain: list[str]) -> str | None:
    """The reason for the end of a step, with what is to be said of runners started in vain.

    Args:
      text: the reason as far as it is known.
      record: the session's.
      chain: the keys of the queues that the step's elements come through.
    """
    for name in chain:
        runs = [run for run in list(record.runs) if key(run.queue_op) == name]
        if len(runs) > 1 and was_in_vain(runs[-1], runs[:-1]):
            return f"{text or 'the queues had been closed before.'}\n  {_AGAIN}"
    return text


def was_in_vain(run: RunRecord, earlier: list[RunRecord]) -> bool:
    """Whether a start of a runner came when those before it were over, and found a closed queue."""
    ends = [thread.ended_at for before in earlier for thread in before.threads]
    return all(end is not None and end <= run.made_at for end in ends) and not any(
        thread.enqueued or (thread.state == "failed" and not isinstance(thread.error, CONSEQUENCES))
        for thread in run.threads
    )
