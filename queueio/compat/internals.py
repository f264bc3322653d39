"""`tensorflow.python.…` for TF1 scripts: the real modules, with queueio's names where they match.

`from tensorflow.python.training import queue_runner` must give the same QueueRunner as
`tf.train.QueueRunner` does; everything else is TensorFlow's own module, untouched.
"""

from __future__ import annotations

import functools
import importlib
from types import ModuleType
from typing import Any

from queueio.compat import missing, serving

# Internal module: the module of queueio whose public names replace its names.
REPLACED = {
    "python.ops.data_flow_ops": "queueio.io",
    "python.ops.io_ops": "queueio.io",
    "python.ops.parsing_ops": "queueio.io",
    "python.training.coordinator": "queueio.train",
    "python.training.input": "queueio.train",
    "python.training.queue_runner": "queueio.train",
    "python.training.queue_runner_impl": "queueio.train",
    "python.training.training": "queueio.train",
}
# Packages of other distributions that TF 1.15 showed below its own address.
_ELSEWHERE = {"python.estimator": "tensorflow_estimator.python.estimator"}
_INPUTS = {
    "numpy_input_fn": "queueio.contrib.learn.numpy_io:core_numpy_input_fn",
    "pandas_input_fn": "queueio.contrib.learn.pandas_io:core_pandas_input_fn",
    "_enqueue_data": "queueio.contrib.learn.feeding_functions:enqueue_data",
}
# Internal module: names of it, and the addresses of queueio's that replace them.
SINGLE = {
    f"python.estimator.inputs.{module}": _INPUTS
    for module in ("inputs", "numpy_io", "pandas_io", "queues.feeding_functions")
}
# Names that only tf.train and tf.io have are no business of these modules.
_FIXED = ("queue_runner", "queue", "input")


class Internal(ModuleType):
    """A package of TensorFlow's, or one of the modules in REPLACED and SINGLE."""

    def __init__(self, path: str, real: ModuleType) -> None:
        super().__init__(f"tensorflow.{path}", doc=real.__doc__)
        self.__dict__.update(_path=path, _real=real, **_replacements(path, real))

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):  # asked of every module, as by `inspect`; never a sub-module
            return getattr(self._real, name)
        value = self.__dict__[name] = _find(self._path, self._real, name)
        return value

    def __dir__(self) -> list[str]:
        return sorted({*dir(self._real), *self.__dict__} - {"_path", "_real"})


@functools.cache
def internal(path: str) -> ModuleType:
    """The module `tensorflow.<path>` as a TF1 script should see it.

    Args:
      path: such as "python.training.queue_runner".

    Raises:
      ImportError: today's TensorFlow has no such module.
    """
    real = importlib.import_module(_today(path))
    if path in REPLACED or path in SINGLE or hasattr(real, "__path__"):
        return Internal(path, real)
    return real


def _today(path: str) -> str:
    """The module's own name, as Python imports it today."""
    for old, new in _ELSEWHERE.items():
        if f"{path}.".startswith(f"{old}."):
            return new + path.removeprefix(old)
    return f"tensorflow.{path}"


def _find(path: str, real: ModuleType, name: str) -> Any:
    dotted = f"{path}.{name}"
    value = getattr(real, name, None)  # serving.py answers here for what was moved
    if value is not None and not isinstance(value, ModuleType):
        return value
    if value is not None and value.__name__ != _today(dotted):
        return value
    try:
        return internal(dotted)
    except ImportError as error:
        if error.name not in (_today(dotted), *_distributions()):
            raise
        raise AttributeError(missing.attribute_error(dotted), name=name) from None


def _distributions() -> list[str]:
    return [module.partition(".")[0] for module in _ELSEWHERE.values()]


def _replacements(path: str, real: ModuleType) -> dict[str, Any]:
    if path not in REPLACED:
        own = SINGLE.get(path, {})
        return {name: serving.resolve(at) for name, at in own.items() if hasattr(real, name)}
    source = importlib.import_module(REPLACED[path])
    names = [name for name in source.__all__ if hasattr(real, name) and name not in _FIXED]
    return {name: getattr(source, name) for name in names}
