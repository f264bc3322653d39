"""Record what the golden pipelines do: `python record.py --module tensorflow --out recordings`.

Runs under TensorFlow 1.15.5 on Python 3.7 and under today's TensorFlow; see README.md.
"""

from __future__ import annotations

import argparse
import faulthandler
import json
import os
import sys
import tempfile
import time

import datafiles
import values
from modules import module


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--module", default="tensorflow", help="what to import as tf")
    parser.add_argument("--out", required=True, help="folder for the recordings")
    parser.add_argument("--limit", type=int, default=300, help="seconds until all is given up")
    parser.add_argument("names", nargs="*", help="only these pipelines")
    return parser.parse_args()


def main() -> None:
    options = arguments()
    faulthandler.dump_traceback_later(options.limit, exit=True)
    out = os.path.abspath(options.out)
    if not os.path.isdir(out):
        os.makedirs(out)
    tf = module(options.module)
    from observing import observe
    from pipelines import PIPELINES
    from signatures import signatures

    chosen = options.names or sorted(PIPELINES)
    with tempfile.TemporaryDirectory() as folder:
        datafiles.write(folder)
        os.chdir(folder)
        for name in chosen:
            started = time.time()
            recording = observe(tf, PIPELINES[name])
            if time.time() - started > 5:
                sys.stderr.write(f"{name} took {time.time() - started:.1f} s\n")
            with open(os.path.join(out, name + ".json"), "w") as f:
                f.write(values.pretty(recording))
        os.chdir(out)
    if not options.names:
        with open("SIGNATURES.json", "w") as f:
            f.write(values.pretty(signatures(tf)))
        with open("VERSION.json", "w") as f:
            json.dump({"module": options.module, "tensorflow": tf.__version__}, f)
            f.write("\n")


if __name__ == "__main__":
    main()
