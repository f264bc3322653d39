"""Stacks hold the very batches that come one by one, and no batch waits for another."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
import tensorflow as tf

from queueio.compile.kernels.batches import cut_batches, cut_stacks


def chunks(sizes: list[int], log: list[int], fails: bool = False) -> tf.data.Dataset:
    """Rows 0, 1, 2, … in two components, in chunks of these sizes, and then perhaps an error."""

    def made() -> Iterator[Any]:
        first = 0
        for size in sizes:
            log.append(size)
            rows = np.arange(first, first + size)
            first += size
            yield rows, np.stack([rows, -rows], 1).astype(np.float32)
        if fails:
            raise ValueError("a bad row")

    spec = (tf.TensorSpec([None], tf.int64), tf.TensorSpec([None, 2], tf.float32))
    options = tf.data.Options()
    options.autotune.enabled = False
    return tf.data.Dataset.from_generator(made, output_signature=spec).with_options(options)


def told(dataset: tf.data.Dataset, log: list[int]) -> list[tuple[bytes, tuple[int, ...], int]]:
    """Each batch, bit for bit, and how many chunks were read when it came; up to an error."""
    found: list[Any] = []
    try:
        for element in dataset:
            for rows in zip(*element, strict=True):
                parts = [part.numpy() for part in rows]
                found.append((b"".join(p.tobytes() for p in parts), parts[1].shape, len(log)))
    except tf.errors.OpError:
        found.append((b"an error", (), len(log)))
    return found


def alone(dataset: tf.data.Dataset) -> tf.data.Dataset:
    return dataset.map(lambda *parts: tuple(part[tf.newaxis] for part in parts))


@pytest.mark.parametrize("seed", range(8))
def test_stacks_are_of_the_batches_that_come_one_by_one_and_come_no_later(seed: int) -> None:
    draw = random.Random(seed)
    whole, drop, fails = draw.random() < 0.5, draw.random() < 0.5, draw.random() < 0.3
    batch, most = draw.choice([1, 2, 3, 7]), draw.choice([2, 3, 8])
    sizes = [draw.choice([0, 1, 2, 5, 30, 130]) * (batch if whole else 1) for _ in range(8)]
    if whole and not fails:
        sizes[-1] += draw.randrange(batch)
    one, log = [], []
    wanted = told(alone(cut_batches(chunks(sizes, one, fails), batch, drop, whole)), one)
    stacks = cut_stacks(chunks(sizes, log, fails), batch, most, drop, whole)
    found = told(stacks, log)
    assert [(rows, shape) for rows, shape, _ in found] == [(r, s) for r, s, _ in wanted]
    assert all(now <= then for (*_, now), (*_, then) in zip(found, wanted, strict=True))
    if not fails:
        assert max((int(parts[0].shape[0]) for parts in stacks), default=0) <= most
