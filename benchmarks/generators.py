"""How fast a slow Python function becomes a dataset, by form: `python -m benchmarks.generators`.

Prints the table of MIGRATION.md. Numbers of a busy machine mean nothing.
"""

from __future__ import annotations

import hashlib
import statistics
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import tensorflow as tf

from queueio.parallel import parallel_generator

ITEMS, ROUNDS = 400, 3
SPEC = tf.TensorSpec([], tf.int64)


def holds_the_lock(n: int) -> np.int64:
    """Pure Python, about 5 ms."""
    total = 0
    for i in range(60_000):
        total += i * n % 7
    return np.int64(total)


def leaves_the_lock(n: int) -> np.int64:
    """Work in C that leaves the interpreter's lock, about 5 ms."""
    block = bytes([n % 256]) * 4_000_000
    return np.int64(hashlib.sha1(block).digest()[0])


def forms(function: Callable[[int], np.int64]) -> dict[str, Any]:
    """The ways to a dataset of `function(n)`."""

    def generator() -> Any:
        for n in range(ITEMS):
            yield function(n)

    def mapped(calls: int) -> Any:
        def one(n: Any) -> Any:
            value = tf.numpy_function(lambda v: function(int(v)), [n], tf.int64)
            value.set_shape([])
            return value

        return tf.data.Dataset.range(ITEMS).map(one, num_parallel_calls=calls)

    plain = tf.data.Dataset.from_generator(generator, output_signature=SPEC)
    return {
        "`from_generator`": plain,
        "`from_generator`, then `map(num_parallel_calls=8)`": plain.map(
            lambda value: value, num_parallel_calls=8
        ),
        "indices, `numpy_function` in a `map`": mapped(1),
        "the same, `num_parallel_calls=8`": mapped(8),
        "`queueio.parallel_generator`": parallel_generator(
            function, range(ITEMS), output_signature=SPEC
        ),
    }


def rate(dataset: Any) -> float:
    """Items per second: the median of a few rounds after one to warm up."""
    times = []
    for _ in range(ROUNDS + 1):
        started = time.perf_counter()
        assert sum(1 for _ in dataset) == ITEMS
        times.append(time.perf_counter() - started)
    return ITEMS / statistics.median(times[1:])


def main() -> None:
    """Prints the table."""
    print("| form | holds the lock | leaves the lock |\n|---|---|---|")
    held, left = forms(holds_the_lock), forms(leaves_the_lock)
    rates = {name: (rate(held[name]), rate(left[name])) for name in held}
    first = next(iter(rates.values()))
    for name, both in rates.items():
        print(f"| {name} | {both[0] / first[0]:.2f} × | {both[1] / first[1]:.2f} × |")


if __name__ == "__main__":
    main()
