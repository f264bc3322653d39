"""Searches scripts for what goes wrong, in one process: a line of JSON for each.

    python driver.py SCHEDULES SCRIPT…

A script behind the word `shortest` is searched for the shortest schedule, too.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from queueio.schedule.child import Order, warm
from queueio.schedule.line import from_line
from queueio.schedule.search import Sampled, Search

if __name__ == "__main__":
    warm()
    shortest = False
    for script in sys.argv[2:]:
        if script == "shortest":
            shortest = True
            continue
        search = Search(Order(script, budget=3000))
        found = search.first(int(sys.argv[1]), Sampled(0))
        told = {"script": Path(script).stem, "found": None, "cut_off": search.cut_off}
        if found is not None:
            long = len(from_line(found.run.line)[0])
            found = search.shortest(found) if shortest else found
            again = search.again(found)
            told["found"], told["text"] = found.finding.kind, found.finding.text
            told["again"] = None if again is None else again.kind
            told["line"], told["long"] = found.run.line, long
            told["schedules"] = found.schedules
        told["uncontrolled"] = list(search.uncontrolled)
        print(json.dumps(told), flush=True)
        shortest = False
