"""A placeholder with a default is an argument of the written module, whatever it decides."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tensorflow as tf

import queueio
from tests.loading import loaded

v1 = tf.compat.v1


def numbers(limit: Any = 12) -> Any:
    return v1.train.range_input_producer(limit, num_epochs=1, shuffle=False).dequeue()


def a_cond() -> Any:
    number = numbers()
    given = v1.placeholder_with_default(True, [])
    return [number, tf.cond(given, lambda: number * 2, lambda: number - 1)]


def a_factor() -> Any:
    number = numbers()
    given = v1.placeholder_with_default(3, [])
    return [number, number * given]


def a_vector() -> Any:
    number = numbers()
    given = v1.placeholder_with_default([1, 2], [2])
    return [number, number + given]


def in_two_maps() -> Any:
    number = numbers()
    given = v1.placeholder_with_default(3, [])
    number, scaled = v1.train.batch([number, number * given], 1)
    return [number[0], scaled[0] + given]


def a_limit() -> Any:
    given = v1.placeholder_with_default(12, [])
    return [numbers(given), tf.constant(0)]


def a_word() -> Any:
    number = numbers()
    given = v1.placeholder_with_default("a", [])
    return [number, tf.strings.join([given, tf.strings.as_string(number)])]


def kept() -> Any:
    number = numbers()
    given = v1.placeholder_with_default(5, [])
    number = v1.train.maybe_batch([number], number < given, 1)
    return [number[0], number[0]]


Case = tuple[Callable[[], Any], Any, Callable[[int], Any]]
CASES: list[Case] = [
    (a_cond, False, lambda n: n - 1),
    (a_factor, 7, lambda n: n * 7),
    (a_vector, [5, 6], lambda n: [n + 5, n + 6]),
    (in_two_maps, 7, lambda n: n * 7 + 7),
    (a_limit, 4, lambda n: 0),
    (a_word, "bc", lambda n: f"bc{n}".encode()),
    (kept, 2, lambda n: n),
]


@pytest.mark.parametrize("control_flow", ["v1", "v2"])
@pytest.mark.parametrize(("build", "other", "then"), CASES, ids=[c[0].__name__ for c in CASES])
def test_it_is_an_argument_whose_default_is_its_own(
    build: Any, other: Any, then: Any, control_flow: str, tmp_path: Path
) -> None:
    if control_flow == "v1":
        v1.disable_control_flow_v2()
    try:
        plan = queueio.lift(lambda: v1.train.batch(build(), 1))
    finally:
        v1.enable_control_flow_v2()
    plan.to_source().write(tmp_path / "fed.py")
    module = loaded(tmp_path / "fed.py")
    name = "given"
    assert name in inspect.signature(module.input_fn).parameters, str(plan.to_source())
    usual, expected = module.input_fn().as_numpy_iterator(), plan.to_dataset().as_numpy_iterator()
    for got, wanted in zip(usual, expected, strict=True):
        assert all(map(np.array_equal, got, wanted))
    for number, made in module.input_fn(**{name: other}).as_numpy_iterator():
        assert np.array_equal(made[0], then(int(number[0])))
