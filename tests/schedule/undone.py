"""Runs scripts, and once more as an undo does: a line of JSON for each.

python undone.py STEPS SCRIPT…
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from queueio.schedule.child import Child, Order, warm
from queueio.schedule.driver import order_back
from queueio.schedule.events import Event
from queueio.schedule.line import VERSION, from_line


def told(order: Order) -> tuple[list[Event], dict[str, Any]]:
    """The events of a run, and its end."""
    messages = list(Child(order).messages())
    return [Event.from_json(m["event"]) for m in messages if "event" in m], messages[-1]["end"]


def undone(script: str, steps: int) -> dict[str, Any]:
    """What follows a step, and whether that is the same when the run has gone back to it."""
    order = Order(script, strategy="random:7", budget=steps, events=True, quiet_until=-1)
    events, end = told(order)
    turns, _ = from_line(end["line"])
    half = len(turns) // 2
    again = order_back(order, events, half, f"{VERSION}::{''.join(turns)}")
    rest, other = told(again)
    later = [event for event in events if event.step > half]
    ends = [{key: each[key] for key in ("end", "levels", "error")} for each in (end, other)]
    return {
        "script": Path(script).stem,
        "steps": len(turns),
        "entered": len(again.entered),
        "later": [event.to_json() for event in later],
        "again": [event.to_json() for event in rest],
        "ends": ends,
    }


if __name__ == "__main__":
    warm()
    for name in sys.argv[2:]:
        print(json.dumps(undone(name, int(sys.argv[1]))), flush=True)
