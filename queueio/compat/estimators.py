"""Names of `tf.estimator`, which the packages tensorflow_estimator and tf_keras bring back."""

from __future__ import annotations

from types import ModuleType
from typing import Any

from queueio.compat.rows import InWords, fitting

INSTALL = "pip install 'tf-queueio[estimator]'"
_BACK = f"{INSTALL}, after which queueio.v1 and queueio run have it; or, without it, use"
_QUEUE_FN = (
    f"{_BACK} tf.train.slice_input_producer(arrays, num_epochs=1, shuffle=…), then tf.train.batch"
    " or tf.train.shuffle_batch with allow_smaller_final_batch=True"
)
_KERAS_2 = InWords(
    f"{INSTALL}, which brings Keras 2 too (where only that is missing, pip install tf_keras); or"
    " write an Estimator with a model_fn of your own, which needs no Keras"
)

# Back as soon as tensorflow_estimator is installed.
NEEDS_ESTIMATOR: dict[str, str] = {
    "estimator.*": InWords(f"{_BACK} a plain training loop"),
    "estimator.export.*": InWords(f"{_BACK} tf.saved_model.simple_save or tf.saved_model.Builder"),
    "estimator.inputs": _QUEUE_FN,
    "estimator.inputs.*": _QUEUE_FN,
    "estimator.tpu.*": InWords(
        f"{_BACK} tf.compat.v2.distribute.TPUStrategy. A TPUEstimator is refused in any case"
    ),
}
# These need tf_keras as well: canned models, and the heads of own ones.
NEEDS_KERAS_2: dict[str, str] = {
    "estimator.?*Head": _KERAS_2,
    "estimator.DNN*": _KERAS_2,
    "estimator.Linear*": _KERAS_2,
    "estimator.experimental.*_logit_fn_builder": _KERAS_2,
}


class WithoutKeras2(ModuleType):
    """tensorflow_estimator's names but `NEEDS_KERAS_2`, which would fail within Keras 3.

    Args:
      api: the package, or a module of it.
      dotted: what it is below `tf`.
    """

    def __init__(self, api: ModuleType, dotted: str = "estimator") -> None:
        super().__init__(api.__name__, api.__doc__)
        self._api, self._dotted = api, dotted

    def __getattr__(self, name: str) -> Any:
        if fitting(NEEDS_KERAS_2, f"{self._dotted}.{name}"):
            raise AttributeError(name)
        return getattr(self._api, name)

    def __dir__(self) -> list[str]:
        return dir(self._api)
