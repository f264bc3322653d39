"""What is found out about a call that waits."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Verdict:
    """Why a call hangs. `certain`: it will hang for ever, so it may be ended.

    `patience`: how many times the usual wait must pass first, for causes that could also be a
    slow pipeline. `key`: says it once for all calls that hang on the same thing. `at_work`: it is
    no hang, and not to be told as one.
    """

    text: str
    key: str
    certain: bool = True
    patience: int = 1
    at_work: bool = False
