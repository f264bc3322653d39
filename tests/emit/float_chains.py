"""Random chains of float ops, on queues and in four other ways: `float_chains.py OUT FIRST LAST`.

OUT then says of each way how many components differ in their bits, and the largest relative
difference between numbers: {"chunks": {"differ": 0, "relative": 0.0, …}, …}.
"""

from __future__ import annotations

import json
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import tensorflow as tf

sys.path.insert(0, str(Path(__file__).resolve().parent))
import four_ways
import op_inputs

import queueio

CHAINS = 8
_UNARY: list[Callable[[Any], Any]] = [
    tf.exp, tf.sqrt, tf.square, tf.tanh, tf.sigmoid, tf.math.log1p, tf.math.rsqrt, tf.negative,
    tf.nn.relu, tf.math.reciprocal, tf.abs, tf.nn.softplus, lambda x: tf.math.log(x + 1),
    lambda x: tf.exp(x) - 1, lambda x: tf.add_n([x, x * 0.5, x]), tf.sin, tf.floor,
    lambda x: tf.clip_by_value(x, -2.0, 2.0), lambda x: tf.math.log(tf.nn.softmax(_row(x))),
    lambda x: tf.nn.softmax(_row(x) / 100.0), lambda x: x - tf.reduce_mean(x),
    lambda x: x / tf.math.reduce_std(x), lambda x: 1 / tf.sqrt(x), lambda x: tf.square(x - 0.5),
    lambda x: tf.math.log(tf.exp(x)), lambda x: x * x * x, lambda x: x - x * 0.5,
]  # fmt: skip
_WITH_CONSTANT: list[Callable[[Any, Any], Any]] = [
    lambda x, c: x + c, lambda x, c: x - c, lambda x, c: c - x, lambda x, c: x * c,
    lambda x, c: x / c, lambda x, c: c / x, tf.pow, tf.maximum,
]  # fmt: skip
_CONSTANTS = (0.1, 0.3, 255.0, 2.2, 127.5, 3.0, 2.0, 0.5, 1.0, 1e-3, 0.0, -1.7, 1 / 3)


def _row(x: Any) -> Any:
    return tf.reshape(x, [1, -1])


def chain(x: Any, rng: np.random.RandomState) -> Any:
    """A few ops on `x`, with constants: numbers, or one for each element."""
    for _ in range(rng.randint(2, 7)):
        if rng.rand() < 0.65:
            constant = _CONSTANTS[rng.randint(len(_CONSTANTS))]
            many = np.full(x.shape, constant) * np.linspace(0.5, 2, int(np.prod(x.shape)))\
                .reshape(x.shape)  # fmt: skip
            constant = tf.constant(many if rng.rand() < 0.2 else constant, x.dtype)
            x = _WITH_CONSTANT[rng.randint(len(_WITH_CONSTANT))](x, constant)
        else:
            x = _UNARY[rng.randint(len(_UNARY))](x)
    return x


def pipeline(seed: int) -> Any:
    """A batch of chains, on the values of one row."""
    rng = np.random.RandomState(seed)
    shape = ((5,), (16,), (4, 4), (3, 7))[rng.randint(4)]
    kind = (np.float32, np.float32, np.float32, np.float64)[rng.randint(4)]
    rows = op_inputs.floats(kind, shape, seed) if rng.rand() < 0.2 else op_inputs.tame(
        np.uint8 if rng.rand() < 0.3 else kind, shape, seed=seed)  # fmt: skip
    (row,) = tf.compat.v1.train.slice_input_producer([rows], num_epochs=1, shuffle=False)
    made = [chain(tf.cast(row, kind), rng) for _ in range(CHAINS)]
    return tf.compat.v1.train.batch(made, four_ways.BATCH)


def measured(seed: int, folder: str) -> dict[str, list[float]]:
    """Of each way, the largest relative difference of each chain that has other bits."""
    with tf.Graph().as_default():
        batch = pipeline(seed)
        wanted = four_ways.on_queues(batch)
        plan = queueio.lift(batch)
    given = {
        "chunks": four_ways.batches(plan.to_dataset()),
        "examples": four_ways.batches(plan.to_dataset(vectorise=False)),
        "plain": four_ways.batches(four_ways.module(plan, "plain", folder)),
        "fast": four_ways.batches(four_ways.module(plan, "fast", folder)),
    }
    return {name: _differences(wanted, found) for name, found in given.items()}


def _differences(wanted: list[Any], given: list[Any]) -> list[float]:
    assert len(wanted) == len(given)
    found = []
    for column in range(CHAINS):
        one = np.concatenate([batch[column].ravel() for batch in wanted])
        other = np.concatenate([batch[column].ravel() for batch in given])
        if not four_ways.same_bits(one, other):
            found.append(relative(one, other))
    return found


def relative(one: Any, other: Any) -> float:
    """The largest difference between two numbers, in relation to the first; 9 if one is none."""
    with np.errstate(all="ignore"):
        far = np.abs(one.astype(np.float64) - other) / np.maximum(np.abs(one), 1e-30)
    far = np.where((one == other) | (np.isnan(one) & np.isnan(other)), 0, far)
    return float(np.max(np.where(np.isfinite(far), far, 9)))


def main() -> None:
    out, first, last = Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
    told: dict[str, dict[str, Any]] = {}
    with tempfile.TemporaryDirectory() as folder:
        for seed in range(first, last):
            for way, far in measured(seed, folder).items():
                entry = told.setdefault(way, {"differ": 0, "relative": 0.0, "seeds": []})
                entry["differ"] += len(far)
                entry["relative"] = max(entry["relative"], *far, 0)
                entry["seeds"] += [seed] if far else []
    out.write_text(json.dumps(told))


if __name__ == "__main__":
    main()
