"""Processes in which scripts are observed, one for each run.

To import TensorFlow takes longer than most of these runs, so that is done once: by a process that
is forked for each of them, where a process can be (`observed.FORKS`).
"""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import tempfile
import threading
from pathlib import Path
from typing import Any

from queueio.convert.own_saves import noted, recover

_OWN = Path(__file__).resolve().parents[2]
_PROGRAM = [
    "-c",
    # Not by -m, which looks into the current folder first: a project may have a `random.py`.
    "import sys; sys.path[0] = sys.path[0] or sys.path[1];"
    " from queueio.convert.observed import main; main()",
]


class Observers:
    """Has scripts run; to be entered as a context, at whose end no process is left.

    Args:
      patience: seconds that a run may take.
    """

    def __init__(self, patience: float) -> None:
        self._patience = patience
        self._process: subprocess.Popen[str] | None = None

    def __enter__(self) -> Observers:
        return self

    def __exit__(self, *error: object) -> None:
        self._kill()  # where an error leads out, with a run that is under way

    def _kill(self) -> None:
        if self._process is not None:
            _kill(self._process)
            self._end(self._process)

    def run(self, order: dict[str, Any]) -> tuple[int | None, str]:
        """Runs one script; see `observed.main` for what an order holds.

        Returns:
          The exit status, None where the time was up; and the last line on standard error.
        """
        with tempfile.TemporaryDirectory() as folder:
            said, saves = Path(folder, "said.txt"), Path(folder, "saves.txt")
            try:
                status = self._status({**order, "said": str(said), "saves": str(saves)})
            except BaseException:  # Ctrl-C: it must save no more
                self._kill()
                raise
            finally:
                recover(noted(saves))
            lines = said.read_text("utf-8", "replace").strip().splitlines() if said.exists() else []
        return status, (lines or [""])[-1]

    def _status(self, order: dict[str, Any]) -> int | None:
        self._process = process = self._process or _started()
        assert process.stdin is not None and process.stdout is not None
        late = threading.Event()

        def give_up() -> None:
            late.set()
            _kill(process)

        timer = threading.Timer(self._patience, give_up)
        timer.start()
        try:
            process.stdin.write(json.dumps(order) + "\n")
            process.stdin.flush()
            answer = process.stdout.readline()
        except BrokenPipeError:
            answer = ""
        finally:
            timer.cancel()
        self._process = process if answer else None
        if not answer:
            status = self._end(process)
        return None if late.is_set() else int(answer) if answer else status

    def _end(self, process: subprocess.Popen[str]) -> int:
        assert process.stdin is not None and process.stdout is not None
        with contextlib.suppress(BrokenPipeError):  # it may be gone already, its order not taken
            process.stdin.close()  # which ends it
        process.stdout.close()
        self._process = None
        return process.wait()


def _started() -> subprocess.Popen[str]:
    environment = {**os.environ, "TF_CPP_MIN_LOG_LEVEL": "3", "QUEUEIO_ENGINE": "queue"}
    searched = [str(_OWN), *filter(None, [os.environ.get("PYTHONPATH")])]
    environment["PYTHONPATH"] = os.pathsep.join(searched)
    return subprocess.Popen(
        [sys.executable, *_PROGRAM], text=True, env=environment,
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
        start_new_session=True,
    )  # fmt: skip


def _kill(process: subprocess.Popen[str]) -> None:
    """Kills it with the run that it was forked for."""
    if hasattr(os, "killpg"):
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
    else:
        process.kill()
