"""Batches of buckets cut out of chunks are those of going through the rows one by one."""

from __future__ import annotations

import random

import pytest
import tensorflow as tf

from queueio.compile.kernels.buckets import Sorting, cut_buckets
from tests.turns import by_turns

Row = tuple[int, bytes, int]


def one_by_one(rows: list[Row], how: Sorting) -> list[tuple[int, list[Row]]]:
    held: list[list[Row]] = [[] for _ in how.keys]
    made = []
    for row in rows:
        if row[-1] in how.keys:
            number = list(how.keys).index(row[-1])
            held[number].append(row)
            if len(held[number]) == how.sizes[number]:
                made.append((number, held[number]))
                held[number] = []
    return made + [(n, rest) for n, rest in enumerate(held) if rest and how.smaller]


@pytest.mark.parametrize("seed", by_turns(range(12)))
def test_random_chunks_of_random_rows(seed: int) -> None:
    draw = random.Random(seed)
    count = draw.randrange(1, 6)
    keys = draw.sample(range(-3, 8), count)
    how = Sorting(keys, [draw.choice([1, 2, 3, 7, 40]) for _ in keys], draw.random() < 0.5)
    chunks = [draw.choice([0, 1, 2, 9, 90]) for _ in range(draw.randrange(8))]
    rows: list[Row] = [
        (n, str(n).encode() * draw.randrange(3), draw.randrange(-3, 8)) for n in range(sum(chunks))
    ]

    def generate():
        left = list(rows)
        for size in chunks:
            taken, left = left[:size], left[size:]
            columns = zip(*taken, strict=True) if taken else ([], [], [])
            yield tuple(map(list, columns))

    spec = tuple(tf.TensorSpec([None], dtype) for dtype in (tf.int64, tf.string, tf.int32))
    dataset = tf.data.Dataset.from_generator(generate, output_signature=spec)
    for _ in range(2):  # a second pass begins with nothing held
        got = [
            (int(number), list(zip(*(part.tolist() for part in batch), strict=True)))
            for number, *batch in cut_buckets(dataset, how).as_numpy_iterator()
        ]
        assert got == one_by_one(rows, how)
