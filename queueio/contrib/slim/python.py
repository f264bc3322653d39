"""`tf.contrib.slim.python.slim`, and `…slim.data`: where TF1 kept the modules that slim shows."""

from __future__ import annotations

import importlib
from types import ModuleType
from typing import Any

_SLIM = "queueio.contrib.slim"


class _Kept(ModuleType):
    """A package of TF1's that has the modules which `slim` itself has."""

    def __getattr__(self, name: str) -> Any:
        return getattr(importlib.import_module(_SLIM), name)


slim = _Kept(f"{_SLIM}.python.slim")
vars(slim)["data"] = _Kept(f"{_SLIM}.python.slim.data")
