"""Where runs are forked while a screen is up: a process that has no threads and no terminal.

A process with threads is not to be forked: a lock that another thread holds stays locked in the
child for ever. So this one is forked first, and forks the runs that it is ordered to.
"""

from __future__ import annotations

import contextlib
import json
import os
import signal
import socket
from dataclasses import asdict

from queueio.schedule.child import Order, become


class Nursery:
    """A process that forks runs: made before any thread, after `child.warm`.

    Args:
      output: the file descriptor that runs write to, what they print and their errors.
    """

    def __init__(self, output: int) -> None:
        self._to, theirs = socket.socketpair()
        self.process = os.fork()
        if self.process == 0:
            self._to.close()
            _settle(output)
            _serve(theirs)
        theirs.close()

    def fork(self, order: Order, read: int, write: int, others: tuple[int, ...]) -> int:
        """Begins a run; as `child.fork_here`, whose place it takes."""
        socket.send_fds(self._to, [json.dumps(asdict(order)).encode()], [read, write])
        return int(self._to.recv(64))

    def close(self) -> None:
        """Ends it; runs that still go on end when they find nobody to tell."""
        self._to.close()
        with contextlib.suppress(ChildProcessError):
            os.waitpid(self.process, 0)


def _settle(output: int) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    nothing = os.open(os.devnull, os.O_RDONLY)
    for number, file in enumerate((nothing, output, output)):
        os.dup2(file, number)


def _serve(orders: socket.socket) -> None:
    while True:
        with contextlib.suppress(ChildProcessError):
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass
        text, files, _, _ = socket.recv_fds(orders, 1 << 20, 2)
        if not text:
            os._exit(0)
        process = os.fork()
        if process == 0:
            orders.close()
            data = json.loads(text)
            become(Order(**{**data, "arguments": tuple(data["arguments"])}), *files)
        for file in files:
            os.close(file)
        orders.send(str(process).encode())
