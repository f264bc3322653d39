"""What takes chunks and what sees each example, one after the other, are mapped in one go."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import tensorflow as tf

import queueio
from queueio import train
from queueio.compile import pipeline
from queueio.compile.kernels.budget import calls
from queueio.compile.vectorise import vectorise
from queueio.graph.fragment import Fragment

v1 = tf.compat.v1
ROWS, WIDTH, MOST = 90, 12, 40


def _built(seed: int, bad: tuple[int, ...]) -> Any:
    """Random ops by turns: those with a rule for chunks, and logarithms, which see each example."""
    rng = np.random.default_rng(seed)
    texts = [b"bad" if n in bad else b"%d" % n for n in range(ROWS)]
    text = train.input_producer(tf.constant(texts), num_epochs=1, shuffle=False).dequeue()
    number = tf.strings.to_number(text)
    row = number + tf.constant(rng.random(WIDTH), tf.float32)
    for _ in range(rng.integers(1, 4)):
        row = tf.math.log1p(tf.abs(row)) * tf.constant(rng.random(), tf.float32)
        row = tf.reverse(row, [0]) if rng.random() < 0.5 else tf.maximum(row, 0.125)
    return train.batch([number, row], 7, allow_smaller_final_batch=True)


def _delivered(dataset: Any) -> tuple[list[bytes], str]:
    seen: list[bytes] = []
    try:
        for numbers, rows in dataset:
            seen += [
                n.tobytes() + r.tobytes()
                for n, r in zip(numbers.numpy(), rows.numpy(), strict=True)
            ]
    except tf.errors.OpError as error:
        return seen, f"{type(error).__name__}: {error.message[:40]}"
    return seen, ""


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("bad", [(), (0,), (37,), (37, 38), (ROWS - 1,)])
def test_they_give_the_same_examples_and_the_same_end(seed: int, bad: tuple[int, ...]) -> None:
    plan = queueio.lift(lambda: _built(seed, bad))
    rows, end = _delivered(plan.to_dataset())
    wanted, same_end = _delivered(plan.to_dataset(vectorise=False))
    assert (rows, end) == (wanted, same_end)


def test_no_more_chunks_wait_than_one_map_has(monkeypatch: pytest.MonkeyPatch) -> None:
    with tf.Graph().as_default():
        entered = v1.placeholder(tf.float32, [WIDTH])
        row = entered
        for _ in range(3):
            row = tf.math.log1p(tf.maximum(row, 0.5))
        row = tf.maximum(row, 0.125)
        fragment = Fragment.between([entered], [row])
    pieces = vectorise(fragment)
    assert len(pieces) > 2
    made: list[Any] = []
    stock = pipeline.guarded
    monkeypatch.setattr(pipeline, "guarded", lambda *args: made.append(args[1]) or stock(*args))
    came: list[int] = []

    def chunk(number: Any) -> Any:
        came.append(int(number))
        return np.full([4, WIDTH], number, np.float32)

    numbers = tf.data.Dataset.range(MOST)
    chunks = numbers.map(
        lambda n: (tf.ensure_shape(tf.numpy_function(chunk, [n], tf.float32), [None, WIDTH]),)
    )
    steps = iter(pipeline.map_chunks(chunks, fragment, pieces=pieces))
    next(steps)
    assert made == [pieces]
    assert len(came) <= 2 * calls() + 2
