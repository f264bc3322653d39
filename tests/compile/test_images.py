"""Images of unequal size, cropped at random, pass as they do in the user's graph."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tensorflow as tf

import queueio
from queueio.compile.vectorise import Chunked, PerExample, vectorise
from queueio.graph.fragment import Fragment
from tests.turns import by_turns

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


SMALL = {
    "set_shape": lambda text: shaped(tf.image.decode_png(text, 3)),
    "reshaped": lambda text: tf.reshape(tf.image.decode_image(text, 3), [5, 18]),
    "cast, then reshaped": lambda text: (
        tf.reshape(tf.cast(tf.image.decode_jpeg(text, 3), tf.float32), [5, 6, 3]) / 255.0
    ),
    "of one channel": lambda text: shaped(tf.image.decode_jpeg(text, 1), 1),
}


def shaped(image: Any, channels: int = 3) -> Any:
    image.set_shape([5, 6, channels])
    return tf.image.convert_image_dtype(image, tf.float32)


def content(rng: np.random.Generator, good: bool) -> bytes:
    """A file of 5 by 6 pixels, or what is none: of another shape, cut off, or no image at all."""
    shape = (5, 6, 3) if good else (int(rng.integers(4, 6)), 7, 3)
    encode = tf.io.encode_jpeg if rng.random() < 0.5 else tf.io.encode_png
    whole: bytes = encode(rng.integers(0, 256, shape).astype(np.uint8)).numpy()
    return whole if good or rng.random() < 0.5 else whole[: int(rng.integers(0, len(whole) // 2))]


@pytest.mark.parametrize("name", SMALL)
@pytest.mark.parametrize("seed", by_turns(range(3)))
def test_small_images_come_as_in_a_session_up_to_one_that_is_none(
    name: str, seed: int, tmp_path: Path
) -> None:
    rng = np.random.default_rng(seed)
    contents = [content(rng, True) for _ in range(int(rng.integers(1, 300)))]
    if seed:
        contents[int(rng.integers(len(contents)))] = content(rng, False)
    path = str(tmp_path / "images")
    with tf.io.TFRecordWriter(path) as writer:
        for each in contents:
            writer.write(each)

    def build() -> Any:
        queue = v1.train.string_input_producer([path], num_epochs=1)
        return v1.train.batch([SMALL[name](v1.TFRecordReader().read(queue)[1])], 1)

    expected, error = in_a_session(name, contents)
    rows: list[Any] = []
    caught = contextlib.nullcontext() if error is None else pytest.raises(error)
    with caught:
        for batch in queueio.lift(build).to_dataset():
            rows.append(batch.numpy()[0])
    assert len(rows) == len(expected)
    for row, wanted in zip(rows, expected, strict=True):
        np.testing.assert_array_equal(row, wanted)


def in_a_session(name: str, contents: list[bytes]) -> tuple[list[Any], type[Exception] | None]:
    """What the user's own ops make of these, one by one, and what ends that."""
    made: list[Any] = []
    with tf.Graph().as_default(), v1.Session() as session:
        text = v1.placeholder(tf.string, [])
        image = SMALL[name](text)
        for each in contents:
            try:
                made.append(session.run(image, {text: each}))
            except tf.errors.OpError as error:
                return made, type(error)
            if made[-1].shape != image.shape:  # which the queue does not take
                return made[:-1], tf.errors.InvalidArgumentError
    return made, None
