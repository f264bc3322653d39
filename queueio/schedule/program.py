"""A script under control, in this process, from its first line to its end.

The process is the run's own: what is put around threads, locks and clocks stays to its end.
"""

from __future__ import annotations

import random
import sys
import threading
from collections.abc import Callable, Sequence
from typing import Any

from queueio import settings
from queueio.schedule import gates, waiting
from queueio.schedule.controller import Controller
from queueio.schedule.events import Event
from queueio.schedule.strategies import Strategy
from queueio.script.program import NotFoundError, check_file, run_file, run_module

SEED = 87654321
"""What seeds the random ops, NumPy and Python, where the program does not."""


class ControlledRun:
    """A run of a script in this process, which ends with it.

    Args:
      chosen, tell, budget: as for `Controller`.
      over: called when nobody gets a turn any more; it has to end the process, unless the main
        thread has come to its end.

    Attributes:
      controller: says whose turn it is.
      error: what the main thread raised; None before, and for nothing.
      status: the exit status; None before.
      missing: why there was nothing to run; None where there was.
    """

    def __init__(
        self,
        chosen: Strategy,
        tell: Callable[[Event], None],
        over: Callable[[], None],
        budget: int,
    ) -> None:
        self.controller = Controller(chosen, tell, over, budget)
        self.error: BaseException | None = None
        self.status: int | str | None = None
        self.missing: NotFoundError | None = None

    def run(self, script: str, arguments: Sequence[str], as_module: bool = False) -> None:
        """Runs it; returns when the main thread has come to its end.

        Raises:
          NotFoundError: there is no such file. That there is no such module is only known when
            its packages have been imported, under control.
        """
        if not as_module:
            check_file(script)
        import queueio.v1  # noqa: F401 - the sessions' own watch comes first

        _seed()
        controller = self.controller
        gates.install(controller)
        self._note_what_ends_it()
        waiting.install(controller)
        main = controller.add(threading.main_thread(), "main", False)
        controller.start()
        controller.begin(main)
        try:
            with settings.override(engine="queue", stall_seconds=float("inf")):
                self.status = _end_of(script, arguments, as_module)
        except SystemExit as end:
            self.status = end.code
            if isinstance(end.code, str):
                print(end.code, file=sys.stderr)
        except NotFoundError as missing:
            self.missing = missing
        finally:
            controller.finish(main, self.error)

    def _note_what_ends_it(self) -> None:
        show = sys.excepthook

        def hook(kind: Any, error: BaseException, trace: Any) -> None:
            self.error = error
            show(kind, error, trace)

        sys.excepthook = hook


def _end_of(script: str, arguments: Sequence[str], as_module: bool) -> int:
    return (run_module if as_module else run_file)(script, list(arguments))


def _seed() -> None:
    """Random ops without a seed draw another stream in each process: here they have one."""
    import numpy as np
    from tensorflow.python.framework import ops

    random.seed(SEED)
    np.random.seed(SEED)
    own = ops.Graph.seed

    def seed(graph: Any) -> Any:
        chosen = own.fget(graph)
        return SEED if chosen is None else chosen

    ops.Graph.seed = property(seed, own.fset)
