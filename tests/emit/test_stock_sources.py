"""Graphs of stock compat.v1 with branches, loops, state and images, written down and run."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tensorflow as tf
import values

import queueio
from tests.lift.conftest import steps_of

from .conftest import Sources

v1 = tf.compat.v1


def numbers(count: int = 6) -> Any:
    return v1.train.range_input_producer(count, num_epochs=1, shuffle=False).dequeue()


def a_cond() -> Any:
    n = numbers()
    even = tf.equal(n % 2, 0)
    return v1.train.batch([n, v1.cond(even, lambda: n * 10, lambda: -n)], 2)


def a_cond_with_statements_and_two_results() -> Any:
    n = numbers()

    def large() -> Any:
        square = n * n
        return square + square, tf.constant("large")

    total, word = v1.cond(n > 2, large, lambda: (n, tf.constant("small")))
    return v1.train.batch({"total": total, "word": word}, 3)


def a_cond_in_a_cond() -> Any:
    n = numbers()
    inner = v1.cond(n > 1, lambda: v1.cond(n > 3, lambda: n * 100, lambda: n * 10), lambda: n)
    return v1.train.batch([inner], 2)


def a_large_constant() -> Any:
    table = tf.constant(np.arange(60, dtype=np.float32).reshape(6, 10) / 7)
    return v1.train.batch([tf.gather(table, numbers())], 2)


def a_table_of_words() -> Any:
    words = tf.lookup.KeyValueTensorInitializer(["a", "b"], [10, 20], tf.string, tf.int64)
    table = tf.lookup.StaticHashTable(words, -1)
    word = v1.train.string_input_producer(["a", "x", "b"], 1, shuffle=False).dequeue()
    return v1.train.batch([table.lookup(word), word], 3)


def a_table_with_places_for_unknown_words() -> Any:
    words = tf.lookup.KeyValueTensorInitializer(["a", "b"], [0, 1], tf.string, tf.int64)
    table = tf.lookup.StaticVocabularyTable(words, num_oov_buckets=3)
    word = v1.train.string_input_producer(["a", "x", "b", "y"], 1, shuffle=False).dequeue()
    return v1.train.batch([table.lookup(word), word], 2)


def a_table_with_two_defaults() -> Any:
    words = tf.lookup.KeyValueTensorInitializer(["a", "b"], [10, 20], tf.string, tf.int64)
    table = tf.lookup.StaticHashTable(words, -1).resource_handle
    word = v1.train.string_input_producer(["a", "x", "b"], 1, shuffle=False).dequeue()
    find = tf.raw_ops.LookupTableFindV2
    found = [find(table_handle=table, keys=word, default_value=np.int64(n)) for n in (-1, -2)]
    return v1.train.batch([tf.reshape(number, []) for number in found], 3)


def a_variable() -> Any:
    mean = v1.get_variable("mean", initializer=tf.constant([1.5, -2.0]))
    return v1.train.batch([tf.cast(numbers(), tf.float32) - mean], 2)


def slices_of_all_kinds() -> Any:
    m = tf.reshape(tf.range(24), [2, 3, 4]) + numbers()
    parts = [m[1:], m[:, ::2], m[..., -1], m[0, 1:3, tf.newaxis], m[-1, :, ::-1], m[:, 1, 2]]
    return v1.train.batch(parts, 2)


def slices_that_depend_on_the_example() -> Any:
    n = numbers()
    row = tf.range(10)[n : n + 2]
    row.set_shape([2])
    return v1.train.batch([row, tf.range(10)[n]], 3)


def an_image() -> Any:
    pixels = tf.cast(tf.reshape(tf.range(48), [4, 4, 3]) * 5 + numbers(), tf.uint8)
    image = tf.image.convert_image_dtype(pixels, tf.float32)
    image = v1.image.resize_images(image, [2, 2])
    image = tf.image.per_image_standardization(tf.image.flip_left_right(image))
    return v1.train.batch([image, tf.image.rgb_to_grayscale(pixels)], 2)


def strings() -> Any:
    n = numbers()
    text = tf.strings.join(["it's", tf.as_string(n), 'a "b"'], separator="\n")
    number = v1.string_to_number(tf.strings.substr(tf.as_string(n + 10), 1, 1), tf.int32)
    return v1.train.batch([text, number, tf.strings.length(text)], 2)


def numbers_of_many_types() -> Any:
    n = numbers()
    x = tf.cast(n, tf.float64) * 0.1 + 1e-12
    hot = tf.one_hot(n % 3, 3)
    y = tf.maximum(tf.reduce_sum(hot * tf.constant([1.0, 0.1, 3e-8])), 0.05)
    return v1.train.batch([x, y, tf.cast(n, tf.uint8) // 2, tf.logical_or(n > 3, n < 1), hot], 2)


def two_producers_in_step() -> Any:
    left, right = numbers(4), v1.train.range_input_producer(4, 1, shuffle=False).dequeue()
    return v1.train.batch([left + right, right], 2)


BUILDS: list[Callable[[], Any]] = [
    a_cond, a_cond_with_statements_and_two_results, a_cond_in_a_cond, a_large_constant,
    a_table_of_words, a_table_with_places_for_unknown_words, a_table_with_two_defaults,
    a_variable, slices_of_all_kinds, slices_that_depend_on_the_example,
    an_image, strings, numbers_of_many_types, two_producers_in_step,
]  # fmt: skip


def a_loop() -> Any:
    n = numbers()
    total = v1.while_loop(lambda i, _: i < n, lambda i, t: (i + 1, t + i), (0, 0))[1]
    return v1.train.batch([total], 2)


@pytest.fixture(scope="module", params=["v1", "v2"])
def sources(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Sources:
    """All of them as modules, run in one process; `queues` is what the queues gave."""
    made = Sources(tmp_path_factory.mktemp(f"stock-{request.param}"))
    made.queues = {}  # type: ignore[attr-defined]
    builds = BUILDS if request.param == "v1" else [*BUILDS, a_loop]
    with made.behaviour(request.param):
        for build in builds:
            made.write(build.__name__, queueio.lift(build).to_source())
            made.queues[build.__name__] = [  # type: ignore[attr-defined]
                {key: values.plain(np.asarray(part)) for key, part in step.items()}
                for step in (values.flatten(tf, one) for one in steps_of(build, 20))
            ]
    return made.run()


@pytest.mark.parametrize("build", [*BUILDS, a_loop], ids=lambda build: build.__name__)
def test_the_source_delivers_what_the_queues_did(build: Any, sources: Any) -> None:
    if build.__name__ not in sources.results:
        return  # TF1's loops are refused, below
    got = sources.results[build.__name__]
    assert got["end"] == "OutOfRangeError", got["end"]
    assert got["steps"] == sources.queues[build.__name__], sources.text(build.__name__)


def test_the_sources_are_as_ruff_would_have_them(sources: Sources) -> None:
    assert sources.ruff("format", "--check") == ""
    assert sources.ruff("check") == ""


def test_the_sources_have_types_that_mypy_accepts(sources: Sources) -> None:
    assert sources.mypy() == ""


def test_a_large_constant_stands_beside_the_module(tmp_path: Path) -> None:
    module = queueio.lift(a_large_constant).to_source()
    module.write(tmp_path / "pipe.py")
    assert (tmp_path / "pipe.npz").exists() and "np.load(" in str(module)


@pytest.mark.usefixtures("v1_behaviour")
def test_names_and_lines_are_the_users_own() -> None:
    text = str(queueio.lift(a_cond_with_statements_and_two_results).to_source())
    assert "square = " in text and "total, word = tf.cond(" in text
    assert "# test_stock_sources.py:" in text and "(test_stock_sources.py:" in text


@pytest.mark.usefixtures("v1_behaviour")
def test_a_loop_of_tf1s_control_flow_is_refused() -> None:
    with pytest.raises(queueio.NotLifted, match="loop of TF1's control flow") as refusal:
        queueio.lift(a_loop).to_source()
    assert refusal.value.op_name and refusal.value.remedy


def test_a_style_that_is_not_known_is_refused() -> None:
    with pytest.raises(ValueError, match="style='quick' is not known"):
        queueio.lift(a_variable).to_source(style="quick")
