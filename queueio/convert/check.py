"""Whether a patched script still trains: some steps of it, in a process of its own."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

_STEPS = """
import os, runpy, sys
import queueio.v1 as tf
run, left, limit = tf.Session.run, [0], {steps}
def counted(self, *args, **kwargs):
    result = run(self, *args, **kwargs)
    left[0] += 1
    if left[0] >= limit:
        print("ran", left[0], "session calls", file=sys.stderr, flush=True)
        os._exit(0)
    return result
tf.Session.run = counted
sys.argv = {argv}
sys.path[:0] = {path}
try:
    runpy.run_path({script}, run_name="__main__")
except tf.errors.OutOfRangeError:
    pass
"""


def trains(
    script: Path, text: str, modules: Sequence[Path], arguments: Sequence[str], steps: int
) -> str:
    """Runs `steps` session calls of a patched script; "" if they went well, else what went wrong.

    Args:
      script: where the script is; its folder is searched for its own modules.
      text: the patched script.
      modules: the new modules, written already.
      arguments: the script's own.
      steps: how many session calls to make at most.
    """
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder, script.name)
        copy.write_text(text)
        program = _STEPS.format(
            steps=steps, argv=[str(copy), *arguments], script=repr(str(copy)),
            path=[*{str(module.parent): None for module in modules}, str(script.resolve().parent)],
        )  # fmt: skip
        environment = {**os.environ, "TF_CPP_MIN_LOG_LEVEL": "3"}
        try:
            done = subprocess.run(
                [sys.executable, "-c", program], capture_output=True, text=True, timeout=300,
                env=environment, stdin=subprocess.DEVNULL,
            )  # fmt: skip
        except subprocess.TimeoutExpired:
            return f"it made fewer than {steps} session calls in 300 seconds"
    return "" if done.returncode == 0 else done.stderr.strip().splitlines()[-1]
