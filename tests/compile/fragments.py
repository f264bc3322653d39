"""Fragments to try, and the two ways to run one: per example in a session, and on a chunk."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import tensorflow as tf

from queueio.compile.vectorise import Chunked, vectorise
from queueio.graph.fragment import Fragment

Build = Callable[..., Any]
ROWS = 9


def fragment_of(build: Build, rows: Sequence[np.ndarray]) -> Fragment:
    """A fragment in a graph of its own; inputs have the shapes of one row."""
    inputs = [
        tf.compat.v1.placeholder(
            tf.string if r.dtype == object else r.dtype, np.shape(r)[1:], name=f"input_{i}"
        )
        for i, r in enumerate(rows)
    ]
    outputs = tf.nest.flatten(build(*inputs))
    return Fragment.between(inputs, outputs)


def one_by_one(fragment: Fragment, rows: Sequence[np.ndarray]) -> list[list[np.ndarray]]:
    """Each example through the user's own graph."""
    with tf.compat.v1.Session(graph=fragment.graph) as session:
        session.run(tf.compat.v1.tables_initializer())
        return [
            session.run(
                list(fragment.outputs),
                {t: r[i] for t, r in zip(fragment.inputs, rows, strict=True)},
            )
            for i in range(len(rows[0]))
        ]


def at_once(fragment: Fragment, rows: Sequence[np.ndarray]) -> list[np.ndarray]:
    """All examples in one call; the fragment must vectorise as a whole."""
    pieces = vectorise(fragment)
    assert [type(p) for p in pieces] == [Chunked]
    (piece,) = pieces
    assert isinstance(piece, Chunked)
    with fragment.graph.as_default(), tf.compat.v1.Session() as session:
        session.run(tf.compat.v1.tables_initializer())
        feeds = [tf.compat.v1.placeholder(t.dtype, [None, *t.shape]) for t in fragment.inputs]
        return session.run(list(piece.call(*feeds)), dict(zip(feeds, rows, strict=True)))


def same_bits(a: np.ndarray, b: np.ndarray) -> bool:
    a, b = np.asarray(a), np.asarray(b)
    if a.shape != b.shape or a.dtype != b.dtype:
        return False
    return a.tolist() == b.tolist() if a.dtype == object else a.tobytes() == b.tobytes()


def floats(*shape: int, seed: int = 0) -> np.ndarray:
    """Ordinary numbers with every awkward one among them."""
    rng = np.random.default_rng(seed)
    values = (rng.normal(size=(ROWS, *shape)) * 10.0 ** rng.integers(-3, 4, (ROWS, *shape))).astype(
        np.float32
    )
    odd = np.array([0.0, -0.0, np.inf, -np.inf, np.nan, 1e-40, 3e38, 0.5, 2.5], np.float32)
    spots = rng.random(values.shape) < 0.3
    values[spots] = rng.choice(odd, spots.sum())
    return values


def integers(*shape: int, low: int = -100, high: int = 100, dtype: Any = np.int32) -> np.ndarray:
    return np.random.default_rng(1).integers(low, high, (ROWS, *shape)).astype(dtype)


def strings(choices: Sequence[bytes], *shape: int) -> np.ndarray:
    picked = np.random.default_rng(2).integers(0, len(choices), (ROWS, *shape))
    return np.array(choices, dtype=object)[picked]
