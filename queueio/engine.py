"""`with queueio.engine("data"):` around the code that builds a pipeline.

The module itself is callable, as `queueio.engine` is both the verb and the place of its words.
"""

from __future__ import annotations

import sys
import types
from contextlib import AbstractContextManager
from typing import Any

from queueio import settings


class _Verb(types.ModuleType):
    """A module that can be called: `queueio.engine("data")`."""

    def __call__(self, name: str) -> AbstractContextManager[Any]:
        """Chooses who moves the data of the pipelines built within a `with` block.

        Args:
          name: "queue" for TF1's queues, "data" for tf.data; QUEUEIO_ENGINE in the environment
            says the same for a whole run.

        Raises:
          ValueError: there is no such engine.
        """
        return settings.override(engine=name)


sys.modules[__name__].__class__ = _Verb
