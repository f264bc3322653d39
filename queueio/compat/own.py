"""Which names of the drop-in are queueio's own, and in which namespaces they appear."""

from __future__ import annotations

import functools
import importlib
from typing import Any

# Readers, decoders and queues had several addresses in TF 1.15.
_IO_ADDRESSES = ("", "io", "queue", "image", "python_io")
_QUEUE_RUNNER = ("QueueRunner", "add_queue_runner", "start_queue_runners")


@functools.cache
def _stock(path: str) -> Any:
    module = importlib.import_module("tensorflow.compat.v1")
    for part in path.split(".") if path else ():
        module = getattr(module, part)
    return module


def own_names(path: str) -> dict[str, Any]:
    """Queueio's names for the namespace `tf.<path>` ("" is the top level), with their values."""
    if path == "train":
        train = importlib.import_module("queueio.train")
        # tf.train.queue_runner is a namespace of its own, below.
        names = {name: getattr(train, name) for name in train.__all__ if name != "queue_runner"}
        return {**names, "Server": importlib.import_module("queueio.compat.same_names").Server}
    if path == "train.queue_runner":
        train = importlib.import_module("queueio.train")
        return {name: getattr(train, name) for name in _QUEUE_RUNNER}
    if path == "":
        old_order = importlib.import_module("queueio.compat.old_order")
        turned = {"concat": old_order.concat, "split": old_order.split}
        functions = importlib.import_module("queueio.compat.python_functions")
        copying = {name: getattr(functions, name) for name in ("py_func", "numpy_function")}
        return {**_io_names(path), **turned, **copying}
    if path in _IO_ADDRESSES:
        return _io_names(path)
    return {}


def _io_names(path: str) -> dict[str, Any]:
    """Names of queueio.io that TF1 had at this address: what compat.v1 has there, too."""
    io = importlib.import_module("queueio.io")
    return {name: getattr(io, name) for name in io.__all__ if hasattr(_stock(path), name)}
