"""Random augmentation, written down: the same functions and seeds, and judged as random."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tensorflow as tf

import queueio
from tests.loading import loaded

v1 = tf.compat.v1
SEEDS = (3, 4, 5)
NAMES = ("random_flip_left_right", "random_crop", "random_brightness")


def augmented(seeds: tuple[int | None, ...]) -> Callable[[], Any]:
    def build() -> Any:
        n = v1.train.range_input_producer(40, num_epochs=1, shuffle=False).dequeue()
        pixels = np.arange(6 * 6 * 3, dtype=np.float32).reshape(6, 6, 3)
        image = tf.constant(pixels) + 200 * tf.cast(n, tf.float32)
        image = tf.image.random_flip_left_right(image, seed=seeds[0])
        image = v1.random_crop(image, [4, 4, 3], seed=seeds[1])
        return v1.train.batch([tf.image.random_brightness(image, 2.0, seed=seeds[2]), n], 4)

    return build


def written(build: Any, path: Path, change: Callable[[str], str] = str) -> Any:
    """The function input_fn of a pipeline's module, and its text."""
    made = queueio.lift(build).to_source()
    made.write(path)
    path.write_text(change(made.text))
    return loaded(path).input_fn, made.text


def compared(build: Any, input_fn: Any) -> Any:
    return queueio.compare(build, input_fn, cost=False, order=False, stages=False)


@pytest.mark.long
def test_the_functions_keep_their_seeds(tmp_path: Path) -> None:
    _, text = written(augmented(SEEDS), tmp_path / "seeded.py")
    for name, seed in zip(NAMES, SEEDS, strict=True):
        assert re.search(rf"tf\.image\.{name}\(image, .*?seed={seed}\)", text), text
    assert "Random numbers are drawn anew for each example" in text


@pytest.mark.long
def test_functions_without_seeds_get_none(tmp_path: Path) -> None:
    _, text = written(augmented((None, None, None)), tmp_path / "free.py")
    code = "\n".join(line for line in text.splitlines() if not line.strip().startswith("#"))
    assert code.count("tf.image.random_") == 3 and "seed=" not in text


def ranges(dataset: Any) -> np.ndarray:  # type: ignore[type-arg]
    """The offset of each image that augmentation adds to its own first pixel."""
    found = [(images, n) for images, n in dataset.as_numpy_iterator()]
    images = np.concatenate([i for i, _ in found])
    return images - 200 * np.concatenate([n for _, n in found])[:, None, None, None]


@pytest.mark.long
def test_the_written_augmentation_flips_crops_and_brightens_alike(tmp_path: Path) -> None:
    input_fn, _ = written(augmented((None, None, None)), tmp_path / "free.py")
    images = ranges(input_fn())
    assert images.shape == (40, 4, 4, 3)
    flipped = images[:, 0, 0, 0] > images[:, 0, 1, 0]
    assert 5 < flipped.sum() < 35, "about half"
    whole = np.round(images[:, 0, 0, 0] - images[:, 0, 0, 0] % 1)
    assert len(set(whole.tolist())) > 5, "crops begin at many places"
    fractions = images[:, 0, 0, 0] % 1
    assert len(set(np.round(fractions, 3).tolist())) > 30, "each is brightened by its own amount"
    assert images.min() >= -2.0 and images.max() <= 6 * 6 * 3 - 1 + 2.0


@pytest.mark.long
def test_both_sides_are_said_to_draw(tmp_path: Path) -> None:
    build = augmented((None, None, None))
    input_fn, _ = written(build, tmp_path / "pipe.py")
    result = compared(build, input_fn)
    assert [f.code for f in result.findings] == ["random"], str(result)
    assert "both sides deliver other values in component 0 each time" in str(result)


@pytest.mark.long
def test_seeded_sides_differ_in_values_and_miss_nothing(tmp_path: Path) -> None:
    build = augmented(SEEDS)
    # Calls of the map race for the numbers of a seed: one at a time, and another seed.
    path = tmp_path / "pipe.py"
    input_fn, _ = written(
        build, path, lambda text: text.replace("seed=", "seed=9").replace("tf.data.AUTOTUNE", "1")
    )
    result = compared(build, input_fn)
    assert result.level == "different"
    assert not {"missing", "extra"} & {f.code for f in result.findings}, str(result)


def brightened(seed: int | None) -> Callable[[], Any]:
    def build() -> Any:
        n = v1.train.range_input_producer(40, num_epochs=1, shuffle=False).dequeue()
        image = tf.reshape(tf.cast(n + tf.range(4), tf.float32), [2, 2, 1])
        return v1.train.batch([tf.image.random_brightness(image, 0.4, seed=seed), n], 4)

    return build


def without(text: str) -> str:
    """The module's text without its random function."""
    assert len(re.findall(DRAW, text)) == 1
    return re.sub(DRAW, r"tf.identity(\1)", text)


DRAW = r"tf\.image\.random_brightness\((\w+), max_delta=0\.4(?:, seed=5)?\)"


@pytest.mark.long
@pytest.mark.parametrize(
    ("seed", "said"),
    [
        (None, "the old side delivers other values in component 0"),
        (5, "by another one in each, as augmentation or standardization does"),
    ],
)
def test_augmentation_on_one_side_only_is_a_difference(
    seed: int | None, said: str, tmp_path: Path
) -> None:
    build = brightened(seed)
    input_fn, _ = written(build, tmp_path / "less.py", without)
    result = compared(build, input_fn)
    assert result.level == "different" and said in str(result), str(result)
