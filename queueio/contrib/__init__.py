"""The room for what queueio brings back of `tf.contrib`.

`queueio.v1` shows this package as `tf.contrib`. What is defined in it, or in a module in it
(`queueio/contrib/training.py` is `tf.contrib.training`), resolves; every other name raises an
error that says where the thing went.
"""

from __future__ import annotations

import importlib
import importlib.util
from typing import Any


def __getattr__(name: str) -> Any:
    # An underscore asks about the module itself (__path__, __wrapped__), not about tf.contrib.
    if name.startswith("_"):
        raise AttributeError(f"module 'queueio.contrib' has no attribute {name!r}")
    if importlib.util.find_spec(f"queueio.contrib.{name}") is not None:
        return importlib.import_module(f"queueio.contrib.{name}")
    from queueio.compat.missing import explain

    raise AttributeError(explain(f"contrib.{name}"), name=name)
