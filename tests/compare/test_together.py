"""Draws that belong together on one side, as those of a batch or of an image and its mask, and not
on the other, are found, though each component is drawn from one distribution."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import tensorflow as tf

import queueio.compare as comparing
from queueio.compare.draws.entries import SomeEntries, beside
from queueio.compare.draws.mates import InCommon, Mates, otherwise
from queueio.compare.draws.near import Near
from queueio.compare.draws.told import first_of_each
from tests.compare.memory import Memory

pytest.importorskip("scipy", reason="comparing distributions needs scipy")

COUNT, SIZE = 240, 24
IMAGES = np.random.default_rng(5).random((COUNT, 6, 6, 3)).astype("f4")
KEYS = np.arange(COUNT).astype(np.uint64) * np.uint64(977)


def flip(images: Any, some: Any) -> Any:
    return np.where(some < 0.5, images[:, :, ::-1], images)


def light(images: Any, some: Any) -> Any:
    return images + some.astype("f4")


def shared(change: Any, together: int, runs: int = 8, pool: int = COUNT) -> InCommon | None:
    """Runs in batches of SIZE; `together`: how many examples one draw is for."""
    rng, mates, entries = np.random.default_rng(1), Mates(SIZE), SomeEntries()
    for _ in range(runs):
        order = np.argsort(np.arange(COUNT) + rng.random(COUNT) * pool)
        some = np.repeat(rng.random(COUNT // together), together)[:, None, None, None]
        mates.add(np.arange(COUNT), KEYS[order], entries.of(change(IMAGES[order], some)))
        mates.end()
    return mates.shared()


@pytest.mark.parametrize("change", [flip, light])
def test_draws_that_a_batch_has_in_common_go_together_and_others_do_not(change: Any) -> None:
    own, common = shared(change, 1), shared(change, SIZE)
    assert own is not None and common is not None
    assert abs(own.share) < 0.15 and 0.85 < common.share < 1.15
    assert otherwise(own, common, 6) and otherwise(common, own, 6)


@pytest.mark.parametrize("together", [1, SIZE])
def test_a_shuffle_that_mixes_less_makes_no_draws_go_together(together: int) -> None:
    whole, less = (shared(flip, together, 20, pool) for pool in (COUNT, 30))
    assert whole is not None and less is not None and not otherwise(whole, less, 6)


def test_examples_of_several_epochs_are_told_by_their_keys_and_classes_are_not() -> None:
    rng, epochs = np.random.default_rng(0), np.tile(KEYS, 3)
    mixed = epochs[np.argsort(np.arange(len(epochs)) + rng.random(len(epochs)) * 100)]
    first = first_of_each(mixed)
    assert first is not None and sorted(mixed[first]) == sorted(KEYS)
    classes = rng.permutation(np.tile(KEYS[:120], 6))
    assert first_of_each(classes) is None and first_of_each(np.tile(KEYS[:10], 24)) is None


@pytest.mark.parametrize("together", [1, SIZE])
def test_draws_of_several_epochs_are_held_against_those_of_one(together: int) -> None:
    rng, mates, entries = np.random.default_rng(1), Mates(SIZE), SomeEntries()
    for _ in range(10):
        order = np.concatenate([rng.permutation(COUNT) for _ in range(2)])
        some = np.repeat(rng.random(2 * COUNT // together), together)[:, None, None, None]
        mates.add(np.arange(2 * COUNT), KEYS[order], entries.of(flip(IMAGES[order], some)))
        mates.end()
    found = mates.shared()
    assert found is not None and abs(found.share - (together > 1)) < 0.15


def test_of_few_runs_or_of_examples_that_nothing_tells_apart_nothing_is_said() -> None:
    assert shared(flip, 1, 4) is None
    mates, entries = Mates(SIZE), SomeEntries()
    for _ in range(12):
        mates.add(np.arange(COUNT), KEYS % np.uint64(10), entries.of(IMAGES))
        mates.end()
    assert mates.shared() is None


def test_two_components_weigh_the_same_however_large_they_are() -> None:
    large, small = np.full((3, 200), 2.0), np.full((3, 1), 2.0)
    assert np.allclose(np.square(beside([large, small])).sum(axis=1), [8.0] * 3)


@pytest.mark.parametrize("torn", [False, True])
def test_a_mask_that_is_flipped_by_another_draw_than_its_image_is_found(torn: bool) -> None:
    rng, near, both = np.random.default_rng(2), Near(), (SomeEntries(), SomeEntries())
    masks = (IMAGES.mean(axis=3) > 0.5).astype("f4")
    for _ in range(16):
        for side in (0, 1):
            first, other = rng.random((2, COUNT, 1, 1))
            image = flip(IMAGES, first[..., None])
            mask = flip(masks, other if torn and side else first)
            near.add(side, beside([both[0].of(image), both[1].of(mask)]))  # type: ignore[list-item]
            near.end(side)
    found = near.tested(1)
    assert found is not None and (found.score > 1) == torn


def lit(batch: bool) -> Any:
    """Names and images, to each of which, or to each batch of which, a light is added."""
    names = np.array([b"%d" % n for n in range(COUNT)], object)

    def own(name: Any, images: Any) -> Any:
        return name, images + tf.random.uniform([tf.shape(images)[0], 1, 1, 1], -0.05, 0.05)

    def common(name: Any, images: Any) -> Any:
        return name, tf.image.random_brightness(images, 0.05)

    def make() -> tf.data.Dataset:
        made = tf.data.Dataset.from_tensor_slices((names, IMAGES)).shuffle(COUNT).batch(SIZE)
        return made.map(common if batch else own)

    return make


@pytest.mark.long
def test_random_brightness_of_a_batch_is_no_brightness_of_each_image() -> None:
    def old() -> Any:
        number = tf.compat.v1.train.range_input_producer(COUNT, num_epochs=1).dequeue()
        image = tf.image.random_brightness(tf.gather(IMAGES, number), 0.05)
        both = [tf.as_string(number), image]
        return tf.compat.v1.train.shuffle_batch(
            both, SIZE, 200, 100, allow_smaller_final_batch=True
        )

    result = comparing(old, lit(batch=True), cost=False, stages=False, order=False)
    assert not result.ok and "draws in common in the new side" in result.verdict, str(result)
    result = comparing(old, lit(batch=False), cost=False, stages=False, order=False)
    assert result.ok and ", and so do the draws of a batch." in result.verdict, str(result)


@pytest.mark.parametrize("seed", [1, 3, 5])
def test_one_draw_for_a_whole_run_is_no_draw_for_each_image(seed: int) -> None:
    """As a branch of Python's makes it, that is run once, when a dataset is made."""
    data = {"id": np.arange(COUNT), "image": IMAGES}

    def draw(together: int) -> Any:
        def drawn(rng: np.random.Generator, made: Any) -> Any:
            some = np.repeat(rng.random(COUNT // together), together)[:, None, None, None]
            return {**made, "image": flip(made["image"], some)}

        return drawn

    old, new = Memory(data, SIZE, draw=draw(1)), Memory(data, SIZE, draw=draw(COUNT), seed=seed)
    result = comparing(old, new, cost=False, order=False)
    assert "draws in common in the new side" in result.verdict, str(result)


@pytest.mark.long
def test_a_mask_that_only_one_side_flips_is_said_to_be_drawn_there_and_nothing_else() -> None:
    data = {"id": np.arange(COUNT), "image": IMAGES, "mask": IMAGES[..., :1]}

    def draw(*names: str) -> Any:
        def drawn(rng: np.random.Generator, made: Any) -> Any:
            some = rng.random((COUNT, 1, 1, 1))
            return {**made, **{name: flip(made[name], some) for name in names}}

        return drawn

    old, new = (
        Memory(data, SIZE, draw=draw("image", "mask")),
        Memory(data, SIZE, draw=draw("image")),
    )
    result = comparing(old, new, cost=False, order=False)
    assert "the old side delivers other values in mask each time" in result.verdict, str(result)
    about = [f.sentence for f in result.findings if "mask" in f.sentence]
    assert len(about) == 1, str(result)
