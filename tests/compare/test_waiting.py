"""A side that stops delivering is not waited for without end."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import pytest

import queueio.compare as comparing
from queueio.compare.reading import waiting
from queueio.compare.sides.side import Delivered, RunningSide
from tests.compare.memory import Memory, _Stream

DATA = {"id": np.arange(100)}


class _Hangs(_Stream):
    def batches(self) -> Any:
        for number, batch in enumerate(super().batches()):
            if number == self.side.more["after"]:
                time.sleep(3600)
            yield Delivered(batch.count, batch.values)


class Hanging(Memory):
    """Delivers so many batches, and then neither a further one nor an end."""

    @contextmanager
    def open(self, more: bool = False, same: bool = False) -> Iterator[RunningSide]:
        yield _Hangs(self, np.random.default_rng(1))


@pytest.mark.parametrize("after", [0, 1, 4])
@pytest.mark.parametrize("name", ["old", "new"])
def test_a_side_that_hangs_is_said_to_never_end(
    name: str, after: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(waiting, "STALL_SECONDS", 0.5)
    sides = [Memory(DATA), Memory(DATA)]
    sides[name == "new"] = Hanging(DATA, after=after)
    result = comparing(*sides)
    assert result.level == "different", str(result)
    said = f"The {name} side stopped delivering and never ended"
    assert result.findings[0].code == "never-ends" and said in result.findings[0].sentence
