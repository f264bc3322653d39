"""Random chains of float ops, on queues and in four other ways: `float_chains.py OUT FIRST LAST`.

OUT then says of each way how many components differ in their bits, and the largest relative
difference between numbers: {"chunks": {"differ": 0, "relative": 0.0, …}, …}. Of the modules it says
too what their notes are worth: which differing components none of them names (`silent`), how many
times as far as stated a component is at most (`exceeded`), how many are named though none of their
bits differ on this data (`false`), of all that are named (`named`).
"""

from __future__ import annotations

import json
import re
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
    made = {f"c{i}": chain(tf.cast(row, kind), rng) for i in range(CHAINS)}
    return tf.compat.v1.train.batch(made, four_ways.BATCH)


def measured(seed: int, folder: str) -> dict[str, dict[str, Any]]:
    """What is to be said of each way."""
    with tf.Graph().as_default():
        batch = pipeline(seed)
        wanted = _columns(four_ways.on_queues(batch))
        plan = queueio.lift(batch)
    found = {
        "chunks": _told(wanted, plan.to_dataset()),
        "examples": _told(wanted, plan.to_dataset(vectorise=False)),
    }
    for style in ("plain", "fast"):
        module = plan.to_source(style=style)
        found[style] = _told(wanted, four_ways.run(module, folder), Stated(module))
    return found


def _columns(steps: Any) -> dict[str, Any]:
    """All rows of each component."""
    steps = list(steps)
    return {name: np.concatenate([step[name] for step in steps]) for name in steps[0]}


class Stated:
    """What the notes of a module, as `convert` prints them, say of its components."""

    def __init__(self, module: Any) -> None:
        self.text = " ".join(module.notes)
        numbers = re.findall(r"(c\d) (\S+) \(relative\), (\S+) \(absolute\)", self.text)
        self.far = {name: (float(one), float(other)) for name, one, other in numbers}
        self.extreme = set(re.findall(r"(c\d) only where", self.text))
        other = re.findall(r"(c\d) (?:in the sign of|by a whole)", self.text)
        self.infinite = set(re.findall(r"(c\d) where one is infinite", self.text))
        self.named = {*self.far, *self.extreme, *self.infinite, *other}

    def exceeded(self, name: str, one: Any, other: Any) -> float:
        """How many times as far as stated the numbers of a component are at most."""
        if name in self.infinite:
            both = np.isfinite(one) & np.isfinite(other)
            return 0.0 if relative(one[both], other[both]) == 0 else np.inf
        if name not in self.far:
            return 0.0 if name in self.extreme or relative(one, other) == 0 else np.inf
        with np.errstate(all="ignore"):
            one, other = one.astype(np.float64), other.astype(np.float64)
            far = np.abs(one - other)
            each = far / np.maximum(np.abs(one), np.abs(other)), far
            times = [part / max(stated, 1e-300) for part, stated in
                     zip(each, self.far[name], strict=True)]  # fmt: skip
            least = np.fmin(*times)
        return float(np.max(np.where(np.isfinite(least) & (far > 0), least, 0)))


def _told(wanted: Any, dataset: Any, stated: Stated | None = None) -> dict[str, Any]:
    given = _columns(dataset.as_numpy_iterator())
    pairs = {name: (one, given[name]) for name, one in wanted.items()}
    differ = {name: pair for name, pair in pairs.items() if not four_ways.same_bits(*pair)}
    told: dict[str, Any] = {
        "differ": len(differ),
        "relative": max((relative(*pair) for pair in differ.values()), default=0.0),
    }
    if stated is None:
        return told
    times = {name: stated.exceeded(name, *pair) for name, pair in differ.items()}
    return told | {
        "silent": sorted(differ.keys() - stated.named),
        "exceeded": max(times.values(), default=0.0),
        "false": len(stated.named - differ.keys()),
        "named": len(stated.named),
        "notes": [stated.text] if differ else [],
    }


def relative(one: Any, other: Any) -> float:
    """The largest difference between two numbers, in relation to the first; 9 if one is none."""
    with np.errstate(all="ignore"):
        far = np.abs(one.astype(np.float64) - other) / np.maximum(np.abs(one), 1e-30)
    far = np.where((one == other) | (np.isnan(one) & np.isnan(other)), 0, far)
    return float(np.max(np.where(np.isfinite(far), far, 9), initial=0))


def added(one: dict[str, Any], more: dict[str, Any], seed: int) -> dict[str, Any]:
    """What is said of many pipelines: sums, and the largest of the rest."""
    largest = ("relative", "exceeded")
    found = {k: max(one.get(k, v), v) if k in largest else one.get(k, type(v)()) + v
             for k, v in more.items()}  # fmt: skip
    return {**found, "seeds": one.get("seeds", []) + ([seed] if more["differ"] else [])}


def main() -> None:
    out, first, last = Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
    told: dict[str, dict[str, Any]] = {}
    with tempfile.TemporaryDirectory() as folder:
        for seed in range(first, last):
            for way, more in measured(seed, folder).items():
                told[way] = added(told.get(way, {}), more, seed)
            out.write_text(json.dumps(told))


if __name__ == "__main__":
    main()
