"""What a driver orders when a user goes back faster than a run begins anew."""

from __future__ import annotations

import json
import os
import time
from pathlib import Path
from typing import Any

import pytest

from queueio.schedule.child import Order
from queueio.schedule.driver import Driver
from queueio.schedule.events import Event
from tests.processes import python

HERE = Path(__file__).parent
WAITS_INSIDE = ("races/join_before_stop", "sound/small_pool", "sound/threads_of_python")
GONE_BACK = (*WAITS_INSIDE, "races/epochs_anew", "races/torn_pair", "sound/monitored")


class Runs:
    """Runs that tell only what a test has them tell, in place of processes."""

    def __init__(self) -> None:
        self.orders: list[Order] = []
        self._pipes: list[tuple[int, int]] = []

    def begin(self, order: Order, read: int, write: int, others: tuple[int, ...]) -> int:
        self.orders.append(order)
        self._pipes.append((os.dup(read), os.dup(write)))
        return 0

    def tell(self, **told: Any) -> None:
        """The run that was begun last tells this."""
        os.write(self._pipes[-1][1], json.dumps(told).encode() + b"\n")

    def close(self) -> None:
        for pipe in self._pipes:
            for end in pipe:
                os.close(end)


def test_two_undos_before_the_new_run_asks_go_back_along_the_same_turns() -> None:
    runs = Runs()
    driver = Driver(Order("a.py"), runs.begin, "round-robin", lambda: None)
    driver.playing = False
    turns = "AABBBA"
    for step, actor in enumerate(turns, 1):
        event = Event(step, actor, actor, "run", "enqueue")
        runs.tell(event=event.to_json())
    runs.tell(ask=["A", "B"], line="q1:0000:A2B3A", standings=[])
    limit = time.monotonic() + 20
    while not driver.ready and time.monotonic() < limit:
        time.sleep(0.01)
    assert driver.scene.step == len(turns)
    assert driver.jump(5) and driver.scene.step == 5
    assert driver.jump(4) and driver.scene.step == 4
    assert [order.strategy for order in runs.orders[1:]] == ["q1::AABBB", "q1::AABB"]
    driver.close()
    runs.close()


@pytest.fixture(scope="module")
def undone(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """By script, what a run has told of its second half, and what it tells when it went back."""
    scripts = [str(HERE / f"{name}.py") for name in GONE_BACK]
    folder = tmp_path_factory.mktemp("undone")
    done = python(HERE / "undone.py", "120", *scripts, cwd=folder, timeout=300)
    assert done.returncode == 0, done.stderr[-2000:]
    lines = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
    return dict(zip(GONE_BACK, lines, strict=True))


@pytest.mark.parametrize("script", GONE_BACK)
def test_a_run_that_went_back_goes_on_as_it_did_before(script: str, undone: dict[str, Any]) -> None:
    told = undone[script]
    assert told["again"] == told["later"] != []
    assert told["ends"][0] == told["ends"][1]
    assert bool(told["entered"]) == (script in WAITS_INSIDE)
