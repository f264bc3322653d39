"""TensorFlow 1's and TensorFlow 2's behaviour in one process: each side means what it means alone.

`disable_v2_behavior` is for a whole process: whether `==` on tensors compares their values, whether
ops run at once, what a shape's entries are; and so is `tf.random.set_seed`. So both are set anew
around whatever runs a side's code: its script, the call of its function, which also traces a
dataset's functions. What is built then runs the same under either.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass
from typing import Any, TypeVar

Judge = TypeVar("Judge", bound=Callable[..., Any])


@dataclass(frozen=True)
class Behaviour:
    """What `disable_v2_behavior` switches off, and the old names for parts of it; and the seed."""

    v2: bool = True
    eager: bool = True
    shapes: bool = True
    variables: bool = True
    equality: bool = True
    control_flow: bool = True
    seed: int | None = None


TF2 = Behaviour()
TF1 = Behaviour(False, False, False, False, False, False)


def current() -> Behaviour:
    """The behaviour that is in force."""
    import tensorflow as tf
    from tensorflow.python import tf2  # these have no public spelling
    from tensorflow.python.eager import context
    from tensorflow.python.framework import tensor, tensor_shape
    from tensorflow.python.ops import control_flow_util

    v2 = bool(tf2.enabled())
    shapes = tensor_shape._TENSORSHAPE_V2_OVERRIDE
    return Behaviour(
        v2,
        context.default_execution_mode == context.EAGER_MODE,
        v2 if shapes is None else shapes,
        bool(tf.compat.v1.resource_variables_enabled()),
        tensor.Tensor._USE_EQUALITY,
        control_flow_util.ENABLE_CONTROL_FLOW_V2,
        context.global_seed(),
    )


@contextmanager
def under(wanted: Behaviour) -> Iterator[None]:
    """Has a behaviour in force, and the one before it afterwards, whatever is set meanwhile."""
    from tensorflow.python.eager import context

    before = current()
    here = context.context()._thread_local_data  # the eager context is each thread's own
    eager = here.is_eager
    if before != wanted:
        _set(wanted)
        here.is_eager = wanted.eager
    try:
        yield
    finally:
        if current() != before:
            _set(before)
        here.is_eager = eager


def _set(wanted: Behaviour) -> None:
    """`enable_eager_execution` refuses where graphs were built, so that is done by hand."""
    import tensorflow as tf
    from tensorflow.python import tf2
    from tensorflow.python.compat import v2_compat
    from tensorflow.python.eager import context

    v1 = tf.compat.v1
    (tf2.enable if wanted.v2 else tf2.disable)()
    context.default_execution_mode = context.EAGER_MODE if wanted.eager else context.GRAPH_MODE
    (v1.enable_v2_tensorshape if wanted.shapes else v1.disable_v2_tensorshape)()
    with _unheard_warnings():
        (v1.enable_resource_variables if wanted.variables else v1.disable_resource_variables)()
    (v1.enable_tensor_equality if wanted.equality else v1.disable_tensor_equality)()
    (v1.enable_control_flow_v2 if wanted.control_flow else v1.disable_control_flow_v2)()
    if context.global_seed() != wanted.seed:
        context.set_global_seed(wanted.seed)
    for name in v2_compat._DATA_V2_CALLBACKS.list():  # tf.data's own names for its classes
        v2_compat._DATA_V2_CALLBACKS.lookup(name)()


@contextmanager
def _unheard_warnings() -> Iterator[None]:
    """That a script's behaviour is not supported in the long term is no news to who moves it."""
    import tensorflow as tf

    logging = tf.compat.v1.logging
    verbosity = logging.get_verbosity()
    logging.set_verbosity(logging.ERROR)
    try:
        yield
    finally:
        logging.set_verbosity(verbosity)


class Behaving:
    """A function that is called under the behaviour of its script."""

    def __init__(self, function: Callable[..., Any], behaviour: Behaviour) -> None:
        self.function, self.behaviour = function, behaviour
        self.__code__ = getattr(function, "__code__", None)  # tells whether it takes num_epochs

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        with under(self.behaviour):
            return self.function(*args, **kwargs)


def of(function: Any) -> AbstractContextManager[None]:
    """The behaviour of a function's script around what is done with what it has built."""
    return under(function.behaviour) if isinstance(function, Behaving) else nullcontext()


def is_eager(function: Any) -> bool:
    """Whether a function may run its ops at once."""
    import tensorflow as tf

    return function.behaviour.eager if isinstance(function, Behaving) else tf.executing_eagerly()


def as_alone(compare: Judge) -> Judge:
    """Has a comparison of scripts begin as a program does, whatever was done to its process.

    A function of this process stays what it is in it.
    """

    @functools.wraps(compare)
    def begun(old: Any, new: Any, **options: Any) -> Any:
        if not any(isinstance(side, str) and ".py:" in side for side in (old, new)):
            return compare(old, new, **options)
        mine = current()
        sides = [Behaving(s, mine) if mine != TF2 and is_function(s) else s for s in (old, new)]
        with under(TF2):
            return compare(*sides, **options)

    return begun  # type: ignore[return-value]


def is_function(side: Any) -> bool:
    """Whether it is called to build what it stands for: no dataset, Plan or Side."""
    return callable(side) and not hasattr(side, "to_dataset") and not hasattr(side, "open")
