"""Plays levels in one process: a line of JSON for each answer.

    python driver.py ANSWERS COURSE

ANSWERS is a file of JSON: `{level, edits, line}` each. COURSE is where the page is written.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from queueio.learn.course import course
from queueio.learn.judge import judged, told_missed
from queueio.learn.levels import LEVELS
from queueio.learn.playing import scratch
from queueio.schedule.child import warm

if __name__ == "__main__":
    warm()
    levels = {level.name: level for level in LEVELS}
    with scratch() as folder:
        for answer in json.loads(Path(sys.argv[1]).read_text()):
            level = levels[answer["level"]]
            text = level.script()
            for old, new in answer["edits"]:
                assert text.count(old) == 1, (level.name, old)
                text = text.replace(old, new)
            copy = folder / level.file.name
            copy.write_text(text)
            seen, missed = judged(level, copy, answer["line"])
            told = None if missed is None else told_missed(missed)
            print(json.dumps({"told": told, "ran": len(seen.events)}), flush=True)
    Path(sys.argv[2]).write_text(course(), encoding="utf-8")
