"""Where random ops can be given the same draws, what is drawn is compared exactly, or not so."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import tensorflow as tf

import queueio.compare as comparing
from queueio.compare.draws.same_draws import same_draws
from queueio.compare.sides.given import as_side

COUNT = 70
IMAGE = np.random.default_rng(0).random((COUNT, 4, 4, 3)).astype("f4")
Augment = Callable[[Any], Any]


def augment(image: Any, seed: int | None = None) -> Any:
    image = tf.image.random_flip_left_right(image, seed)
    return tf.image.random_brightness(image, 0.1)


def queue(change: Augment = augment, threads: int = 3) -> Callable[[], Any]:
    def build() -> Any:
        train = tf.compat.v1.train
        image, number = train.slice_input_producer([IMAGE, np.arange(COUNT)], num_epochs=4)
        pool = {"capacity": 90, "min_after_dequeue": 30, "allow_smaller_final_batch": True}
        return train.shuffle_batch([change(image), number], 10, num_threads=threads, **pool)

    return build


def dataset(change: Augment = augment, **more: Any) -> Callable[[], tf.data.Dataset]:
    def make() -> tf.data.Dataset:
        made = tf.data.Dataset.from_tensor_slices((IMAGE, np.arange(COUNT)))
        made = made.shuffle(COUNT).repeat(4)
        early = more.get("early", lambda made: made)
        made = early(made.map(lambda i, n: (change(i), n), num_parallel_calls=4)).shuffle(50)
        return more.get("late", lambda made: made)(made.batch(10))

    return make


def alike(old: Any, new: Any) -> int:
    return same_draws((as_side(old, "old"), as_side(new, "new")), None, None, None)


ONE_SEED = dataset(lambda image: augment(augment(image, 3), 3))


def numpy_draw(image: Any) -> Any:
    return image + tf.numpy_function(lambda: np.float32(np.random.random()), [], tf.float32)


def in_groups(made: tf.data.Dataset) -> tf.data.Dataset:
    """Each image mixed with its neighbour, whichever that is."""
    mixed = made.batch(2).map(lambda image, number: ((image + image[::-1]) / 2, number))
    return mixed.unbatch()


def beside_another(made: tf.data.Dataset) -> tf.data.Dataset:
    parts = (made.map(lambda image, number: image), made.map(lambda image, number: number))
    return tf.data.Dataset.zip(tuple(part.shuffle(9) for part in parts))


def once() -> tf.data.Dataset:
    """Draws when it is made, not for each example."""
    drawn = tf.random.uniform([])
    return dataset(lambda image: augment(image) + drawn)()


@pytest.mark.parametrize(
    ("old", "new"),
    [(queue(), dataset()), (queue(threads=1), queue()), (dataset(), dataset())],
    ids=["queue and dataset", "two queues", "two datasets"],
)
def test_equal_augmentation_agrees_in_every_example_of_a_run(old: Any, new: Any) -> None:
    assert alike(old, new) == 4 * COUNT


OTHERS = {
    "another factor": (queue(), dataset(lambda image: augment(image) * 1.0001)),
    "another order": (queue(), dataset(lambda i: tf.image.random_flip_left_right(
        tf.image.random_brightness(i, 0.1)))),
    "one draw for a batch": (queue(), dataset(lambda i: i, late=lambda made: made.map(
        lambda image, number: (augment(image), number)))),
    "one draw for all": (once, once),
    "pairs of one seed": (ONE_SEED, ONE_SEED),
    "draws in Python": (dataset(numpy_draw), dataset(numpy_draw)),
    "shuffled in groups": (dataset(early=in_groups), dataset(early=in_groups)),
    "put together of two": (dataset(early=beside_another), dataset(early=beside_another)),
    "a dataset that is made already": (dataset()(), dataset()()),
}  # fmt: skip


@pytest.mark.parametrize("name", OTHERS)
def test_what_cannot_be_given_the_same_draws_or_differs_is_not_said_to_agree(name: str) -> None:
    assert alike(*OTHERS[name]) == 0


@pytest.mark.long
def test_the_verdict_says_how_it_was_compared() -> None:
    result = comparing(queue(), dataset(), cost=False, order=False)
    assert result.ok and result.verdict == (
        "Identical examples: the same 280 examples on both sides, but for component 0: drawn anew "
        "in each run, the same where both draw the same."
    )
    assert "given the same draws they deliver the same, over 280 examples" in str(result)


def test_nothing_stays_fixed_afterwards() -> None:
    before = tf.data.Dataset.map, tf.data.Dataset.shuffle, tf.Graph._create_op_internal
    alike(queue(), ONE_SEED)
    assert before == (
        tf.data.Dataset.map, tf.data.Dataset.shuffle, tf.Graph._create_op_internal
    )  # fmt: skip
