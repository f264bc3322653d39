"""The drop-in for TF1's `import tensorflow as tf`:

    import queueio.v1 as tf

Importing this module switches TensorFlow 2's behaviour off for the whole process, as code of
TF1's time expects (`tf.disable_v2_behavior()`): graphs and sessions instead of eager execution,
reference variables, v1 control flow, `shape[0].value`. Import it before other code builds
anything with TensorFlow. If the package tf_keras is installed, `tf.keras`, `tf.layers` and
`tf.nn.rnn_cell` are Keras 2, which is what TF1's were (see queueio/compat/legacy_keras.py).

It has everything of `tensorflow.compat.v1`. Above that, the queue functions of `tf.train` and
the readers, decoders and queues are queueio's, and names of TF 1.15 that compat.v1 lost are back
where an alias or a few lines suffice. For the rest, an AttributeError says what to use instead;
queueio/compat/missing.py is the list.
"""

from __future__ import annotations

import sys
from typing import Any

from queueio.compat import legacy_keras

legacy_keras.prefer()  # before TensorFlow decides which Keras it has

import tensorflow as _tf2  # noqa: E402
import tensorflow.compat.v1 as _compat_v1  # noqa: E402

import queueio.train as _train  # noqa: E402,F401 - from here on sessions say why they wait
from queueio.compat.importing import keep_for_libraries  # noqa: E402
from queueio.compat.namespace import Lookup, Namespace  # noqa: E402
from queueio.compat.own import own_names  # noqa: E402
from queueio.compat.same_names import serve_old_flags, switch_v2_behaviour_off  # noqa: E402
from queueio.compat.serving import serve  # noqa: E402
from queueio.compat.variables import serve_initialized_value  # noqa: E402

switch_v2_behaviour_off()
serve_old_flags()
serve_initialized_value()
keep_for_libraries(_tf2)
serve("tensorflow", "numpy", "collections", "inspect")

__version__ = _tf2.__version__
__git_version__ = _tf2.__git_version__
__compiler_version__ = _tf2.__compiler_version__
__cxx11_abi_flag__ = _tf2.__cxx11_abi_flag__
__monolithic_build__ = _tf2.__monolithic_build__

_lookup = Lookup("", [_compat_v1, _tf2], own_names)
globals().update(own_names(""))

compat = Namespace("compat", {"v1": sys.modules[__name__]}, [_compat_v1.compat], own_names)
__all__ = _lookup.names()


def __getattr__(name: str) -> Any:
    value = _lookup.find(name)
    if not name.startswith("__"):
        globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*__all__, *(name for name in globals() if name.startswith("__"))})
