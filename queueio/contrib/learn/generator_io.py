"""Makes an input function of a generator of dicts of arrays.

Legacy:
    import numpy as np
    def elements():
        yield from ({"x": np.array(i)} for i in range(4))
    features = tf.contrib.learn.io.generator_input_fn(elements, batch_size=2, num_epochs=None)()
    x = features["x"]

Modern:
    def elements():
        yield from ({"x": i} for i in range(4))
    x = tf.TensorSpec([], tf.int64)
    rows = tf.data.Dataset.from_generator(elements, output_signature={"x": x})
    dataset = rows.repeat().shuffle(250 + 1).batch(2)

Emits:
    a dict of features and, if target_key is given, the target: the arrays' dtypes, shape
    [batch_size, …]; [None, …] with num_epochs

Differs:
    The end comes late: the batch in which the generator ends is filled up from its next epoch, so
    more examples come than num_epochs times those of the generator. `from_generator` ends where
    the generator does.

Raises:
    TypeError: x is no function, its result no generator, an element no dict; target_key is neither
    a string nor a list of them. KeyError: target_key is no key of an element.
    OutOfRangeError: after the last epoch.

With pad_value the arrays of a batch may differ in their last dimension; shuffle must be off then.

Source:
    tf.contrib.learn.io.generator_input_fn of TensorFlow 1.15
"""

from __future__ import annotations

from collections.abc import Callable, Container
from types import FunctionType, GeneratorType
from typing import Any

from queueio.contrib.learn.feeding_functions import enqueue_data


def generator_input_fn(
    x: Callable[[], Any],
    target_key: Any = None,
    batch_size: int = 128,
    num_epochs: int | None = 1,
    shuffle: bool = True,
    queue_capacity: int = 1000,
    num_threads: int = 1,
    pad_value: Any = None,
) -> Callable[[], Any]:
    """Makes an input function of a generator.

    Args:
      x: a function that gives a generator of dicts of arrays, each of them one example.
      target_key: the key, or a list of keys, of the target; None for none.
      batch_size: how many examples make a batch.
      num_epochs: how often the generator is gone through; None for ever.
      shuffle: whether the examples are shuffled.
      queue_capacity: how many examples the queue holds.
      num_threads: how many threads feed it, each from a generator of its own.
      pad_value: what to pad arrays with that differ in their last dimension; None for one shape.

    Returns:
      A function without arguments that builds the input in the default graph and returns features,
      a dict, or (features, target): of one key a tensor, of several a dict.

    Raises:
      TypeError: `x` or `target_key` are of another type.
      KeyError: `target_key` is no key of an element.
    """
    keys = _keys(x)
    targets = _targets(target_key, keys)

    def input_fn() -> Any:
        queue = enqueue_data(
            x,
            queue_capacity,
            shuffle=shuffle,
            num_threads=num_threads,
            enqueue_size=batch_size,
            num_epochs=num_epochs,
            pad_value=pad_value,
        )
        take = queue.dequeue_many if num_epochs is None else queue.dequeue_up_to
        taken = take(batch_size)
        features = dict(zip(keys, taken if isinstance(taken, list) else [taken], strict=True))
        if targets is None:
            return features
        target = {key: features.pop(key) for key in targets}
        return features, target if len(targets) > 1 else target[targets[0]]

    return input_fn


def _keys(x: Any) -> list[str]:
    if not isinstance(x, FunctionType):
        raise TypeError(f"x must be generator function; got {type(x).__name__}")
    generator = x()
    if not isinstance(generator, GeneratorType):
        raise TypeError(f"x() must be generator; got {type(generator).__name__}")
    element = next(generator)
    if not isinstance(element, dict):
        raise TypeError(f"x() must yield dict; got {type(element).__name__}")
    return sorted(element)


def _targets(target_key: Any, keys: list[str]) -> Any:
    if target_key is None:
        return None
    if isinstance(target_key, str):
        return [target_key]
    wrong = "target_key must be str or Container of str; got {}"
    if not isinstance(target_key, Container):
        raise TypeError(wrong.format(type(target_key).__name__))
    for key in target_key:  # type: ignore[attr-defined]
        if not isinstance(key, str):
            raise TypeError(wrong.format(type(key).__name__))
        if key not in keys:
            raise KeyError(f"target_key not in yielded dict. Expected {keys} keys; got {key}")
    return target_key
