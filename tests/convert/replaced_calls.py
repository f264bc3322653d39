"""Builds scripts, and prints which batch calls of theirs would give way to a module.

Run by test_in_place.py in a process of its own: `replaced_calls.py CASES.json`. Each line of output
is the JSON of one case: for each call its line, the pipelines that it makes, what would be passed
to input_fn, and why it would have to stay.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import queueio.v1 as tf
from queueio.convert.in_place import replacements
from queueio.convert.written import paths, written
from queueio.emit.steps import transform
from queueio.script.building import building_phase

# Nothing here reads what a module says of last bits, and to measure them takes most of the time.
transform.notes_of_rounding = lambda *_: []


def main() -> None:
    for path in json.loads(Path(sys.argv[1]).read_text()):
        tf.reset_default_graph()
        found = written(building_phase(path).pipelines, style="plain", title="", graph=True)
        done = [each for each in found if each.module]
        files = dict(zip(map(id, done), paths(Path("input_fn.py"), len(done)), strict=True))
        made = replacements(Path(path), Path(path).read_text(), found, files)
        told = [[each.line, each.names, dict(each.passed), each.stays] for each in made]
        print("CASE", json.dumps(told), file=sys.__stdout__, flush=True)


main()
