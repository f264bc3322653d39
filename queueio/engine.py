"""`with queueio.engine("data"):` around the code that builds a pipeline.

The module itself is callable, as `queueio.engine` is both the verb and the place of its words.
"""

from __future__ import annotations

import sys
import types
import warnings
from collections.abc import Callable
from contextlib import AbstractContextManager, ContextDecorator
from typing import Any, TypeVar

from queueio import settings

_Function = TypeVar("_Function", bound=Callable[..., Any])
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


class _Chosen(ContextDecorator):
    """The engine of a `with` block, or of a function; one that is for neither is told of."""

    def __init__(self, name: str) -> None:
        settings.check(engine=name)
        self._name = name
        self._open: list[AbstractContextManager[Any]] = []
        self._used = False

    def __enter__(self) -> settings.Settings:
        self._used = True
        self._open.append(settings.override(engine=self._name))
        chosen: settings.Settings = self._open[-1].__enter__()
        return chosen

    def __exit__(self, *error: Any) -> None:
        self._open.pop().__exit__(*error)

    def __call__(self, function: _Function) -> _Function:
        self._used = True
        return super().__call__(function)

    def __del__(self) -> None:
        if not getattr(self, "_used", True):  # silent, and on the old engine, otherwise
            call = f"queueio.engine({self._name!r})"
            told = f"{call} without `with` changes nothing. Write `with {call}:` around the code"
            warnings.warn(f"{told} that builds the pipeline, or set QUEUEIO_ENGINE.", stacklevel=2)


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
        chosen = _Chosen(name)
        if name == "data":
            install()
        return chosen


sys.modules[__name__].__class__ = _EngineModule
