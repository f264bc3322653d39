"""What no address of today gives, in a few lines each; the rows of moved.py point here.

The values are made when they are first asked for: a script that never asks imports nothing.
"""

from __future__ import annotations

import collections
import functools
import inspect
from collections.abc import Callable
from types import ModuleType
from typing import Any

import numpy as np

NINF = -np.inf
ArgSpec = collections.namedtuple("ArgSpec", "args varargs keywords defaults")


def getargspec(func: Callable[..., Any]) -> ArgSpec:
    """Names and defaults of a function's parameters.

    Args:
      func: a Python function or method.

    Returns:
      (args, varargs, keywords, defaults), self included.

    Raises:
      ValueError: it has keyword-only parameters, which four fields cannot tell of.
    """
    found = inspect.getfullargspec(func)
    if found.kwonlyargs:
        raise ValueError(f"{func!r} has keyword-only parameters: use inspect.getfullargspec")
    return ArgSpec(found.args, found.varargs, found.varkw, found.defaults)


def asfarray(a: Any, dtype: Any = np.float64) -> np.ndarray:
    """`a` as an array of `dtype`, which is float64 where it is no inexact type."""
    chosen = dtype if np.issubdtype(dtype, np.inexact) else np.float64
    return np.asarray(a, dtype=chosen)


def asscalar(a: Any) -> Any:
    """The one element of an array, as a Python number."""
    return a.item()


def in1d(ar1: Any, ar2: Any, assume_unique: bool = False, invert: bool = False) -> np.ndarray:
    """Bools, one per element of `ar1`, flattened: whether `ar2` has it."""
    return np.isin(ar1, ar2, assume_unique=assume_unique, invert=invert).ravel()


def issubclass_(arg1: Any, arg2: Any) -> bool:
    """Whether `arg1` is a class below `arg2`; False also where it is no class."""
    try:
        return issubclass(arg1, arg2)
    except TypeError:
        return False


def msort(a: Any) -> np.ndarray:
    """A copy of an array, sorted along its first axis."""
    return np.sort(a, axis=0)


def _batch_normalization(name: str) -> Any:
    from queueio.compat.legacy_keras import ADVICE, legacy_module

    module = legacy_module("layers")
    if not hasattr(module, name):
        raise AttributeError(f"Keras 3 has no tf.layers.{name}. Keras 2 has: {ADVICE}", name=name)
    return getattr(module, name)


def _estimator_training() -> ModuleType:
    """What runs an Estimator under a distribution strategy: it is gone, and says so."""
    module = ModuleType("tensorflow.python.distribute.estimator_training")

    text = (
        "TensorFlow removed what ran an Estimator under a distribution strategy. Leave"
        " train_distribute, eval_distribute and experimental_distribute out of the RunConfig:"
        " one device trains, or a cluster with parameter servers, given by TF_CONFIG"
    )

    def refuse(*args: Any, **kwargs: Any) -> None:
        raise NotImplementedError(text)

    vars(refuse)["refuses"] = text  # `queueio check` tells it before anyone calls
    calls = ("init_run_config", "train_and_evaluate", "estimator_train", "estimator_evaluate")
    vars(module).update(dict.fromkeys(calls, refuse))
    vars(module).update(should_run_distribute_coordinator=lambda config: False)
    return module


def _estimator_api_name() -> str:
    """The name under which tensorflow_estimator exports, entered where TensorFlow had it."""
    from tensorflow.python.util import tf_export

    name = "estimator"
    for version, table in (("", tf_export.API_ATTRS), ("_v1", tf_export.API_ATTRS_V1)):
        attributes = (f"_{name}_api_{kind}{version}" for kind in ("names", "constants"))
        table.setdefault(name, tf_export._Attributes(*attributes))
    return name


def _of_the_tpu(name: str) -> ModuleType:
    """A module of `tensorflow.python.tpu` that only a TPUEstimator uses; all in it refuses."""
    module = ModuleType(f"tensorflow.python.tpu.{name}")

    def get(wanted: str) -> Any:
        if wanted.startswith("__"):
            raise AttributeError(f"module {module.__name__!r} has no attribute {wanted!r}")
        text = f"{wanted}: TensorFlow removed what a TPUEstimator needs. Use tf.estimator.Estimator"
        return type(wanted, (), {"__init__": functools.partial(_refuse, text), "refuses": text})

    vars(module)["__getattr__"] = functools.cache(get)
    return module


def _refuse(text: str, *args: Any, **kwargs: Any) -> None:
    raise NotImplementedError(text)


_MADE: dict[str, Callable[[], Any]] = {
    "ESTIMATOR_API_NAME": _estimator_api_name,
    "BatchNormalization": lambda: _batch_normalization("BatchNormalization"),
    "batch_normalization": lambda: _batch_normalization("batch_normalization"),
    "estimator_training": _estimator_training,
    "session_support": lambda: _of_the_tpu("session_support"),
    "tpu_embedding": lambda: _of_the_tpu("tpu_embedding"),
    "tpu_embedding_gradient": lambda: _of_the_tpu("tpu_embedding_gradient"),
}


def __getattr__(name: str) -> Any:
    if name not in _MADE:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = globals()[name] = _MADE[name]()
    return value
