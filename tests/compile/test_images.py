"""Images of unequal size, cropped at random, pass as they do in the user's graph."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tensorflow as tf

import queueio
from queueio.compile.vectorise import Chunked, PerExample, vectorise
from queueio.graph.fragment import Fragment

v1 = tf.compat.v1


def write(folder: Path, count: int = 6) -> list[str]:
    """Images of unequal size, each of one colour; their names."""
    names = []
    for number in range(count):
        image = np.full((20 + 3 * number, 30 - number, 3), 40 * number, np.uint8)
        names.append(str(folder / f"{number}.jpg"))
        Path(names[-1]).write_bytes(tf.io.encode_jpeg(image).numpy())
    return names


def decoded(text: Any, seed: int | None = None) -> Any:
    image = tf.image.decode_jpeg(text, channels=3)
    return v1.image.random_flip_left_right(v1.random_crop(image, [8, 9, 3], seed), seed)


def fragment_of(build: Callable[[Any], Any]) -> Fragment:
    with tf.Graph().as_default():
        text = v1.placeholder(tf.string, [])
        return Fragment.between([text], [build(text)])


def test_random_crops_of_unequal_images_are_batched(tmp_path: Path, behaviour: str) -> None:
    names = write(tmp_path)

    def build() -> Any:
        queue = v1.train.string_input_producer(names, num_epochs=2, shuffle=False)
        image = decoded(v1.WholeFileReader().read(queue)[1])
        return v1.train.batch([v1.image.resize_images(image, [4, 4])], 3)

    batches = list(queueio.lift(build).to_dataset().as_numpy_iterator())
    assert [batch.shape for batch in batches] == [(3, 4, 4, 3)] * 4
    colours = [round(float(image.mean()) / 40) for batch in batches for image in batch]
    assert colours == [*range(6), *range(6)]


def test_a_seed_keeps_the_images_in_order_and_nothing_else_does() -> None:
    for seed, in_order in ((None, False), (3, True)):
        pieces = vectorise(fragment_of(lambda text, seed=seed: decoded(text, seed)))
        assert any(p.in_order for p in pieces if isinstance(p, PerExample)) == in_order


@pytest.mark.parametrize(("side", "kinds"), [(8, [PerExample, Chunked]), (200, [PerExample])])
def test_only_small_images_are_stacked_again_after_the_decoder(side: int, kinds: Any) -> None:
    def build(text: Any) -> Any:
        image = v1.image.resize_images(decoded(text), [side, side])
        return image * 2.0

    assert [type(piece) for piece in vectorise(fragment_of(build))] == kinds
