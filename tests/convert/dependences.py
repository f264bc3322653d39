"""Builds scripts whose pipelines take their values from many places, and prints what is said.

Run by test_dependence.py in a process of its own: `dependences.py CASES.json`. Each line of output
is the JSON of one case: what would be passed to input_fn, why the call would have to stay, and what
parameters of its function must be.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import queueio.v1 as tf
from queueio.convert.arguments import arguments_of
from queueio.convert.dependence import Analysis
from queueio.convert.making import ops_behind
from queueio.convert.source import Script
from queueio.convert.written import written
from queueio.emit.steps import transform
from queueio.script.building import building_phase

# Nothing here reads what a module says of last bits, and to measure them takes most of the time.
transform.notes_of_rounding = lambda *_: []


def main() -> None:
    for path in json.loads(Path(sys.argv[1]).read_text()):
        tf.reset_default_graph()
        phase = building_phase(path)
        (found,) = written(phase.pipelines, style="plain", title="")
        assert found.module is not None, found.refusal
        analysis = Analysis(Script(path), found.origin.lineno, ops_behind(found.op))
        told = analysis.dependence(arguments_of(found))
        case = json.dumps([path, told.passed, told.reasons, told.relied_on])
        print("CASE", case, file=sys.__stdout__, flush=True)


main()
