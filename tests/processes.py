"""How tests run Python in a process of its own, with a limit."""

from __future__ import annotations

import contextlib
import functools
import json
import os
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tests.forked import at_import

ROOT = Path(__file__).resolve().parent.parent
HASHES = "PYTHONHASHSEED"
ONEDNN = "TF_ENABLE_ONEDNN_OPTS"
"""Whether ops are looked up among oneDNN's, each node of a graph among all kernels that there are.

By default TensorFlow does where the processor has the instructions. Tests of the bits of ops that
oneDNN computes set it to 1 for programs of their own.
"""


def environment(**more: str | None) -> dict[str, str]:
    """This process's, with queueio to be imported; None takes a variable away."""
    every = {**os.environ, "PYTHONPATH": str(ROOT), "TF_CPP_MIN_LOG_LEVEL": "3", **more}
    return {name: value for name, value in every.items() if value is not None}


def python(
    *arguments: str | Path,
    cwd: Path,
    env: Mapping[str, str] | None = None,
    timeout: float = 60,
    fresh: bool = False,
    starts: bool = False,
) -> subprocess.CompletedProcess[str]:
    """Runs Python as a command line with these arguments would: `-m MODULE`, `-c CODE` or a file.

    Args:
      *arguments: of the command line.
      cwd: the working directory.
      env: all variables; by default `environment()`.
      timeout: seconds, after which it is killed with the processes that it began.
      fresh: whether nothing may be imported when it begins; else TensorFlow is, which saves the
        seconds that this takes.
      starts: whether Python programs that it starts are forked as well, where they can be.

    Raises:
      subprocess.TimeoutExpired: it had not ended in time.
    """
    command = [str(argument) for argument in arguments]
    env = dict(environment() if env is None else env)
    if fresh or not _can_be_warm(env):
        return subprocess.run(
            [sys.executable, "-X", "faulthandler", *command], cwd=cwd, env=env, timeout=timeout,
            capture_output=True, text=True, stdin=subprocess.DEVNULL, check=False,
        )  # fmt: skip
    return _warm(env.get(HASHES)).run(command, cwd, env, timeout, starts)


def _can_be_warm(env: Mapping[str, str]) -> bool:
    return hasattr(os, "fork") and at_import(env) == at_import(
        {**_own(), **_hashes(env.get(HASHES))}
    )


def _hashes(seed: str | None) -> dict[str, str]:
    return {} if seed is None else {HASHES: seed}


@functools.cache
def _own() -> dict[str, str]:
    return environment()


def _text(file: Path) -> str:
    return file.read_text("utf-8", "replace") if file.exists() else ""


class Warm:
    """Gives orders to a process of `warm.py`, whose texts have the hashes of `seed`."""

    def __init__(self, seed: str | None) -> None:
        self._process = subprocess.Popen(
            [sys.executable, str(Path(__file__).with_name("warm.py"))],
            env={**_own(), **_hashes(seed)}, text=True,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
        )  # fmt: skip

    def run(
        self, arguments: list[str], cwd: Path, env: Mapping[str, str], timeout: float, starts: bool
    ) -> subprocess.CompletedProcess[str]:
        with tempfile.TemporaryDirectory() as folder:
            out, err = Path(folder, "out"), Path(folder, "err")
            order = {"arguments": arguments, "cwd": str(cwd), "env": dict(env),
                     "out": str(out), "err": str(err), "starts": starts}  # fmt: skip
            status = self._status(order, timeout)
            told = [_text(file) for file in (out, err)]
        if status is None:
            raise subprocess.TimeoutExpired(arguments, timeout, *told)
        return subprocess.CompletedProcess(arguments, status, *told)

    def _status(self, order: dict[str, Any], timeout: float) -> int | None:
        assert self._process.stdin is not None and self._process.stdout is not None
        self._process.stdin.write(json.dumps(order) + "\n")
        self._process.stdin.flush()
        process = int(self._process.stdout.readline())
        late = threading.Event()

        def give_up() -> None:
            late.set()
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process, signal.SIGKILL)

        timer = threading.Timer(timeout, give_up)
        timer.start()
        try:
            status = int(self._process.stdout.readline())
        finally:
            timer.cancel()
        return None if late.is_set() else status


@functools.cache
def _warm(seed: str | None) -> Warm:
    return Warm(seed)
