"""Record what is said when things go wrong: `python record_messages.py --out messages.json`.

Runs under TensorFlow 1.15.5 on Python 3.7 and under today's TensorFlow; see README.md.
"""

from __future__ import annotations

import argparse
import faulthandler
import json
import os
import re
import subprocess
import sys
import tempfile
import time
from typing import Any

import datafiles
from modules import module

PIPELINES = ("fault_", "refuse_", "fifo_queue", "padding_queue")
UNSETTLED = r" at 0x[0-9a-f]+|/tmp/\S*/"


def told(error: BaseException) -> dict[str, str]:
    text = str(getattr(error, "message", error)).partition("\n\t [[")[0]
    return {"type": type(error).__name__, "message": re.sub(UNSETTLED, "", text)}


def complain(function: Any, tf: Any, graph: bool) -> list[dict[str, str]]:
    """What a function of complaints.py raised, and what that came from."""
    try:
        if graph:
            with tf.Graph().as_default():
                function(tf)
        else:
            function(tf)
    except Exception as error:
        context = error.__context__
        found = [told(error), *([told(context)] if isinstance(context, Exception) else [])]
        return [one for i, one in enumerate(found) if one not in found[:i]]
    return []


def pipelines(tf: Any) -> dict[str, list[dict[str, str]]]:
    """All errors of the golden pipelines that go wrong, in full."""
    import observing
    from pipelines import PIPELINES as ALL

    found: dict[str, list[dict[str, str]]] = {}
    plain = observing.failure
    for name in sorted(n for n in ALL if n.startswith(PIPELINES)):
        errors = found.setdefault(name, [])

        def failure(error: BaseException, errors: list[Any] = errors) -> Any:
            if told(error) not in errors:
                errors.append(told(error))
            return plain(error)

        observing.failure = failure
        observing.observe(tf, ALL[name])
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--module", default="tensorflow", help="what to import as tf")
    parser.add_argument("--eager-module", help="the same where it is to be eager")
    parser.add_argument("--out", required=True, help="file for the messages")
    parser.add_argument("--limit", type=int, default=300, help="seconds until all is given up")
    parser.add_argument("--eager", action="store_true", help="only those of eager execution")
    options = parser.parse_args()
    faulthandler.dump_traceback_later(options.limit, exit=True)
    out = os.path.abspath(options.out)
    found = eager(options, out) if not options.eager else {}
    tf = module((options.eager and options.eager_module) or options.module)
    if options.eager and options.module == "tensorflow":
        tf.enable_eager_execution()
    from complaints import COMPLAINTS, EAGER

    with tempfile.TemporaryDirectory() as folder:
        datafiles.write(folder)
        os.chdir(folder)
        for name, function in sorted((EAGER if options.eager else COMPLAINTS).items()):
            started = time.time()
            found[name] = complain(function, tf, graph=not options.eager)
            if time.time() - started > 5:
                sys.stderr.write(f"{name} took {time.time() - started:.1f} s\n")
        if not options.eager:
            found.update(pipelines(tf))
        os.chdir("/")
    with open(out, "w") as f:
        json.dump({name: said for name, said in found.items() if said}, f, indent=1, sort_keys=True)
        f.write("\n")


def eager(options: Any, out: str) -> dict[str, Any]:
    """Those of eager execution, which is for a process of its own."""
    command = [sys.executable, __file__, "--eager", "--module", options.module, "--out", out]
    if options.eager_module:
        command += ["--eager-module", options.eager_module]
    subprocess.check_call(command)
    with open(out) as f:
        found: dict[str, Any] = json.load(f)
    return found


if __name__ == "__main__":
    main()
