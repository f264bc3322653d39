"""TF1's queue input pipelines on today's TensorFlow: run them, lift them, prove them, teach them.

    file names ──▶ reader ──▶ decoder ──▶ example queue ──▶ batch ──▶ sess.run
        │             │           │             │             │
    filenames/     readers/    decoders/      queues/      batching/     (queueio/stages/)

Every queue above is filled by the threads of a QueueRunner, under a Coordinator
(queueio/runtime/). A graph built this way is read back as a Plan (queueio/lift/), which becomes
a tf.data.Dataset (queueio/compile/) and is compared with the original (queueio/compare/).

Importing this package does not import TensorFlow; its names are loaded when they are used.
"""

from __future__ import annotations

import importlib
from typing import Any

__version__ = "0.1.0"

_WHERE = {
    "DataLossWarning": "queueio.errors",
    "FallbackWarning": "queueio.errors",
    "LostFeedWarning": "queueio.errors",
    "NoEquivalent": "queueio.errors",
    "NotLifted": "queueio.errors",
    "Plan": "queueio.lifted",
    "QueueStalled": "queueio.errors",
    "Refusal": "queueio.errors",
    "StallWarning": "queueio.errors",
    "TornElementWarning": "queueio.errors",
    "lift_meta_graph": "queueio.lifted",
    "parallel_generator": "queueio.parallel",
    "replay": "queueio.notebook",
    "running": "queueio.runtime.threads.start",
    "watch": "queueio.notebook",
}
_MODULES = ("compare", "engine", "explain", "io", "lift", "train")

__all__ = [*_WHERE, *_MODULES, "__version__"]


def __getattr__(name: str) -> Any:
    if name in _WHERE:
        return getattr(importlib.import_module(_WHERE[name]), name)
    if name in _MODULES:
        return importlib.import_module(f"queueio.{name}")
    raise AttributeError(f"module 'queueio' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)


def load_ipython_extension(shell: Any) -> None:
    """`%load_ext queueio`: a notebook's cells run as scripts do under `queueio run`.

    Args:
      shell: the `InteractiveShell`.
    """
    importlib.import_module("queueio.notebook").begin(shell)


def unload_ipython_extension(shell: Any) -> None:
    """`%unload_ext queueio`: imports and errors of cells are Python's own again.

    Args:
      shell: the `InteractiveShell`.
    """
    importlib.import_module("queueio.notebook").end(shell)
