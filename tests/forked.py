"""Python programs that a program starts: forked from one that has imported TensorFlow, as it is.

What queueio starts with `sys.executable` would otherwise import TensorFlow anew, in each test. A
program that is run so (`starts` of `processes.python`) has a process beside it that has done
nothing yet, which is forked for each start. The new process becomes a child of the program all the
same, to wait for and to kill, as the one that forked it is gone at once.
"""

from __future__ import annotations

import ctypes
import json
import os
import socket
import subprocess
import sys
import time
from collections.abc import Mapping
from typing import Any

READ_AT_IMPORT = ("PYTHON", "TF_", "OMP_", "XLA_", "LD_", "KMP_", "CUDA_")
"""What variables of these names say is read when Python begins, or TensorFlow is imported."""
READ_LATER = ("PYTHONPATH", "PYTHONUNBUFFERED", "PYTHONDONTWRITEBYTECODE")
CAN = sys.platform == "linux"
_CHILD_SUBREAPER = 36  # of prctl: to whom a process falls whose parent is gone
_LONGEST = 1 << 20  # bytes of an order


def at_import(env: Mapping[str, str]) -> dict[str, str]:
    """The variables that must be the same in a process to be forked."""
    return {
        name: value for name, value in env.items()
        if name.startswith(READ_AT_IMPORT) and name not in READ_LATER
    }  # fmt: skip


def beside(order: dict[str, Any]) -> dict[str, Any]:
    """Begins the process that is forked.

    Returns:
      The order as it is, in this process; and in each that is forked what it is to become.
    """
    here, there = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    if os.fork():
        there.close()
        ctypes.CDLL(None).prctl(_CHILD_SUBREAPER, 1, 0, 0, 0)
        subprocess.Popen = _popen(here, at_import(order["env"]))  # type: ignore[misc]
        return order
    here.close()
    while True:
        told, files, *_ = socket.recv_fds(there, _LONGEST, 3)
        if not told:
            os._exit(0)
        between = os.fork()
        if not between:
            return _new(there, json.loads(told), files)
        os.waitpid(between, 0)
        for file in files:
            os.close(file)
        there.send(b"its parent is gone")


def _new(there: socket.socket, order: dict[str, Any], files: list[int]) -> dict[str, Any]:
    between = os.getpid()
    process = os.fork()
    if process:
        there.send(str(process).encode())
        os._exit(0)
    there.close()
    while os.getppid() == between:  # until the program is its parent
        time.sleep(0.001)
    if order["session"]:
        os.setsid()
    return {**order, "files": files}


def _popen(asked: socket.socket, imported_with: dict[str, str]) -> type[subprocess.Popen[Any]]:
    class Popen(subprocess.Popen[Any]):
        """Has Python programs forked, and starts all others."""

        def _execute_child(self, args: Any, *more: Any) -> None:  # as CPython calls it
            executable, before, _, passed, cwd, env, _, _, shell, *rest = more
            ends, session = rest[:6], rest[11]
            env = dict(os.environ if env is None else env)
            ours = not (executable or before or passed or shell) and _is_python(args)
            if not ours or at_import(env) != imported_with:
                return super()._execute_child(args, *more)  # type: ignore[misc]
            files = [own if end == -1 else end for own, end in enumerate((ends[0], *ends[3::2]))]
            order = {"arguments": [os.fspath(each) for each in args[1:]], "env": env,
                     "cwd": os.path.abspath(cwd or "."), "session": session,
                     "starts": True}  # fmt: skip
            socket.send_fds(asked, [json.dumps(order).encode()], files)
            self.pid = int(asked.recv(100))
            asked.recv(100)
            self._child_created = True
            self._close_pipe_fds(*ends)  # type: ignore[attr-defined]

    return Popen


def _is_python(args: Any) -> bool:
    if isinstance(args, (str, bytes, os.PathLike)) or len(args) < 2 or args[0] != sys.executable:
        return False
    first = os.fspath(args[1])
    return first in ("-m", "-c") or not first.startswith("-")
