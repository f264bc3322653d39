"""Constants keep every bit of their numbers: signs of zeros, what is no number, both parts."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import tensorflow as tf

import queueio
from queueio.emit.spelling import literal

v1 = tf.compat.v1
NAN, INF = float("nan"), float("inf")
ARRAYS = {
    "negative zeros": np.full([3, 4], -0.0, np.float32),
    "zeros of both signs": np.array([0.0, -0.0] * 6, np.float32),
    "negative zeros of halves": np.full([9], -0.0, np.float16),
    "zeros": np.zeros([3, 4], np.float64),
    "ones": np.ones([9], np.int64),
    "ones with a negative zero beside": np.full([9], complex(1, -0.0), np.complex64),
    "complex numbers": np.array([1 - 2j, 0.1j], np.complex128),
    "complex parts that are no numbers": np.array(
        [complex(NAN, -0.0), complex(-0.0, 2), complex(-INF, INF), complex(3, NAN)], np.complex64
    ),
}


@pytest.mark.parametrize("name", ARRAYS)
def test_an_array_comes_back_from_its_literal_with_every_bit(name: str) -> None:
    array = ARRAYS[name]
    written = literal.typed(array, tf.as_dtype(array.dtype)).flat
    # In a function, as it is written: outside of one TensorFlow takes -0.0 for a 0.0 that it holds.
    made = tf.function(lambda: tf.convert_to_tensor(eval(written, {"tf": tf})))()
    assert made.dtype == array.dtype and made.shape == array.shape
    assert made.numpy().tobytes() == array.tobytes(), written


@pytest.mark.parametrize("name", ["negative zeros", "zeros of both signs"])
def test_a_large_constant_keeps_the_signs_of_its_zeros(name: str, tmp_path: Any) -> None:
    array = np.tile(ARRAYS[name].ravel(), 9)

    def build() -> Any:
        number = v1.train.range_input_producer(2, num_epochs=1, shuffle=False).dequeue()
        return v1.train.batch([tf.cast(number, tf.float32) * array], 2)

    path = tmp_path / "written.py"
    queueio.lift(build).to_source().write(path)
    scope: dict[str, Any] = {"__name__": "written", "__file__": str(path)}
    exec(path.read_text(), scope)
    (batch,) = scope["input_fn"]().as_numpy_iterator()
    assert np.signbit(batch[1]).tolist() == np.signbit(array).tolist()
