"""Names of TF 1.15 that compat.v1 lost and that an alias, or a few lines, bring back.

`ALIASES` maps a dotted name below `tf` to a function that returns the value; the functions run,
and import what they need, when the name is first used.
"""

from __future__ import annotations

import importlib
import importlib.util
from collections.abc import Callable
from types import ModuleType
from typing import Any

from queueio.compat import legacy_keras
from queueio.compat.estimators import WithoutKeras2

# tf.estimator is gone, but scripts that never made an Estimator took these names from it.
_HOOKS = (
    "CheckpointSaverHook",
    "CheckpointSaverListener",
    "FeedFnHook",
    "FinalOpsHook",
    "GlobalStepWaiterHook",
    "LoggingTensorHook",
    "NanLossDuringTrainingError",
    "NanTensorHook",
    "ProfilerHook",
    "SecondOrStepTimer",
    "SessionRunArgs",
    "SessionRunContext",
    "SessionRunHook",
    "SessionRunValues",
    "StepCounterHook",
    "StopAtStepHook",
    "SummarySaverHook",
    "VocabInfo",
)
# Keras 3 dropped the long names of these functions and kept the short ones.
_KERAS_FUNCTIONS = {
    "mean_absolute_error": "mae",
    "mean_absolute_percentage_error": "mape",
    "mean_squared_error": "mse",
    "mean_squared_logarithmic_error": "msle",
}


class ModeKeys:
    """The three modes of an Estimator's model function; the values are TF 1.15's."""

    TRAIN = "train"
    EVAL = "eval"
    PREDICT = "infer"


def _v1() -> Any:
    return importlib.import_module("tensorflow.compat.v1")


def _estimator() -> ModuleType:
    """That of the package tensorflow_estimator, where it is installed; else the names below."""
    from queueio.compat.namespace import Namespace

    if importlib.util.find_spec("tensorflow_estimator") is None:
        return Namespace("estimator", {}, [])
    api = importlib.import_module("tensorflow_estimator._api.v1.estimator")
    own: dict[str, Any] = {"inputs": _estimator_inputs()}
    if legacy_keras.is_installed():
        return Namespace("estimator", own, [api])
    room = "estimator.experimental"
    own["experimental"] = Namespace(room, {}, [WithoutKeras2(api.experimental, room)])
    return Namespace("estimator", own, [WithoutKeras2(api)])


def _estimator_inputs() -> ModuleType:
    """The input functions: queueio's own, whose queues the data engine can read."""
    from queueio.compat.namespace import Namespace
    from queueio.contrib.learn.numpy_io import core_numpy_input_fn
    from queueio.contrib.learn.pandas_io import core_pandas_input_fn

    own = {"numpy_input_fn": core_numpy_input_fn, "pandas_input_fn": core_pandas_input_fn}
    return Namespace("estimator.inputs", own, [])


def _list_devices() -> Callable[[], list[str]]:
    def experimental_list_devices() -> list[str]:
        """Names of the devices of this machine, as a session without a cluster calls them."""
        with _v1().Session() as session:
            return [device.name for device in session.list_devices()]

    return experimental_list_devices


def _internal(name: str) -> Callable[[], ModuleType]:
    def resolve() -> ModuleType:
        from queueio.compat.internals import internal

        return internal(name)

    return resolve


def _contrib() -> ModuleType:
    return importlib.import_module("queueio.contrib")


ALIASES: dict[str, Callable[[], Any]] = {
    "config.experimental_list_devices": _list_devices,
    "contrib": _contrib,
    "core": _internal("core"),
    "estimator": _estimator,
    "estimator.ModeKeys": lambda: ModeKeys,
    "python": _internal("python"),
}


def _attribute(address: str) -> Callable[[], Any]:
    def resolve() -> Any:
        value = _v1()
        for name in address.split("."):
            value = getattr(value, name)
        return value

    return resolve


ALIASES |= {f"estimator.{hook}": _attribute(f"train.{hook}") for hook in _HOOKS}
ALIASES |= {
    f"keras.{kind}.{long}": _attribute(f"keras.{kind}.{short}")
    for kind in ("losses", "metrics")
    for long, short in _KERAS_FUNCTIONS.items()
}
