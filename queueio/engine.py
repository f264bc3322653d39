"""`with queueio.engine("data"):` around the code that builds a pipeline.

The module itself is callable, as `queueio.engine` is both the verb and the place of its words.
"""

from __future__ import annotations

import sys
import types
from contextlib import AbstractContextManager
from typing import Any

from queueio import settings

_installed: list[bool] = []


def install() -> None:
    """Has queue runners and session calls ask the data engine; a second call does nothing."""
    if not _installed:
        _installed.append(True)
        from queueio.data_engine import own_queues
        from queueio.runtime import calls
        from queueio.runtime.threads import queue_runner

        queue_runner.stand_ins.append(own_queues.stand_in)
        calls.listen(own_queues.notice)


def begin() -> None:
    """Readies what the environment asks for; called when queueio is imported with TensorFlow."""
    chosen = settings.current()
    if chosen.engine == "data":
        install()
    if chosen.report:
        from queueio.data_engine import report

        report.start()


class _EngineModule(types.ModuleType):
    """A module that can be called: `queueio.engine("data")`."""

    def __call__(self, name: str) -> AbstractContextManager[Any]:
        """Chooses who moves the data of the pipelines built within a `with` block.

        Args:
          name: "queue" for TF1's queues, "data" for tf.data; QUEUEIO_ENGINE in the environment
            says the same for a whole run.

        Returns:
          The context manager of that block.

        Raises:
          ValueError: there is no such engine.
        """
        chosen = settings.override(engine=name)
        if name == "data":
            install()
        return chosen


sys.modules[__name__].__class__ = _EngineModule
