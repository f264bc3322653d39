"""A crop right after decode_jpeg decodes less, and gives the bits and errors of the whole."""

from __future__ import annotations

import gc
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pytest
import tensorflow as tf

from queueio.compile import window
from queueio.compile.vectorise import PerExample, vectorise
from queueio.compile.window import Windowed, windowed
from queueio.graph.fragment import Fragment

v1 = tf.compat.v1
pytestmark = pytest.mark.usefixtures("small_files_too")
raw = tf.raw_ops


@pytest.fixture
def small_files_too(monkeypatch: pytest.MonkeyPatch) -> None:
    """Windows of any file, so that the tests need no large ones."""
    monkeypatch.setattr("queueio.compile.window.LEAST_BYTES", 0)


def picture(height: int, width: int, seed: int = 0) -> np.ndarray:
    """Colours that change quickly, so that neighbours mixed in wrongly are seen."""
    rng = np.random.default_rng(seed)
    coarse = rng.integers(0, 256, (height // 5 + 1, width // 5 + 1, 3))
    image = coarse.repeat(5, 0).repeat(5, 1)[:height, :width] + rng.normal(0, 9, (height, width, 3))
    return np.clip(image, 0, 255).astype(np.uint8)


ENCODERS: dict[str, Callable[[np.ndarray], bytes]] = {
    "fancy": lambda i: tf.io.encode_jpeg(i).numpy(),
    "all colour": lambda i: tf.io.encode_jpeg(i, chroma_downsampling=False).numpy(),
    "progressive": lambda i: tf.io.encode_jpeg(i, progressive=True, quality=60).numpy(),
    "grey": lambda i: tf.io.encode_jpeg(i[..., :1], format="grayscale").numpy(),
    "png": lambda i: tf.io.encode_png(i).numpy(),
}


def sliced(text: Any, where: Any, **decoding: Any) -> Any:
    image = raw.DecodeJpeg(contents=text, **{"channels": 3, **decoding})
    return tf.slice(image, tf.concat([where[:2], [0]], 0), tf.concat([where[2:], [-1]], 0))


def in_python(text: Any, where: Any) -> Any:
    image = tf.io.decode_jpeg(text, channels=3)
    return image[where[0] : where[0] + where[2], where[1] : where[1] + where[3]]


def from_the_end(text: Any, where: Any) -> Any:
    return tf.io.decode_jpeg(text, channels=1)[-where[2] :, -where[3] :, :]


def to_bounding_box(text: Any, where: Any) -> Any:
    image = tf.io.decode_jpeg(text, channels=3)
    return v1.image.crop_to_bounding_box(image, *tf.unstack(where))


def in_the_middle(text: Any, where: Any) -> Any:
    image = tf.io.decode_jpeg(text, channels=3)
    corner = (tf.shape(image)[:2] - where[2:]) // 2
    return tf.slice(image, tf.concat([corner, [0]], 0), tf.concat([where[2:], [3]], 0))


CROPS: dict[str, Callable[..., Any]] = {
    "slice": sliced,
    "plain upscaling": partial(sliced, fancy_upscaling=False),
    "fast": partial(sliced, dct_method="INTEGER_FAST"),
    "accurate": partial(sliced, dct_method="INTEGER_ACCURATE", channels=1),
    "in Python": in_python,
    "from the end": from_the_end,
    "bounding box": to_bounding_box,
    "in the middle": in_the_middle,
}


class Both:
    """One crop, by the user's own ops and by the rewritten ones."""

    def __init__(self, crop: Callable[..., Any]) -> None:
        with tf.Graph().as_default():
            text = v1.placeholder(tf.string, [])
            where = v1.placeholder(tf.int32, [4])
            fragment = Fragment.between([text, where], [crop(text, where)])
            self.rewritten = windowed(fragment)
            self.session = v1.Session(config=v1.ConfigProto(inter_op_parallelism_threads=1))
            (new,) = self.rewritten.call(text, where)
            self.run = [self.session.make_callable(t, [text, where])
                        for t in (fragment.outputs[0], new)]  # fmt: skip

    def check(self, text: bytes, where: Any) -> bool:
        """Whether both failed; asserts that they did the same."""
        own, new = (outcome(run, text, where) for run in self.run)
        if isinstance(own, np.ndarray):
            assert isinstance(new, np.ndarray) and own.shape == new.shape, (where, new)
            assert own.tobytes() == new.tobytes(), where
            return False
        assert own[0] is new[0], (where, own, new)
        return True


def outcome(run: Any, text: bytes, where: Any) -> Any:
    try:
        return run(text, where)
    except tf.errors.OpError as error:
        return type(error), str(error)


def places(rng: Any, height: int, width: int, count: int) -> list[list[int]]:
    """Windows inside an image; many begin where a block of the file does."""
    found = []
    for number in range(count):
        h, w = int(rng.integers(1, height + 1)), int(rng.integers(1, width + 1))
        y, x = int(rng.integers(0, height - h + 1)), int(rng.integers(0, width - w + 1))
        found.append([y, x, h, w] if number % 2 else [y // 8 * 8, x // 16 * 16, h, w])
    return found


@pytest.mark.parametrize("name", CROPS)
def test_every_window_has_the_bits_of_the_whole_image(name: str) -> None:
    both = Both(CROPS[name])
    assert isinstance(both.rewritten, Windowed)
    rng = np.random.default_rng(1)
    for seed, (height, width) in enumerate([(1, 1), (9, 70), (64, 48), (83, 95)]):
        for encode in ENCODERS.values():
            text = encode(picture(height, width, seed))
            for where in places(rng, height, width, 8):
                assert not both.check(text, where)


@pytest.mark.long
def test_a_window_outside_of_the_image_fails_with_the_words_of_the_users_own_op() -> None:
    text = ENCODERS["fancy"](picture(40, 50))
    for crop in (sliced, to_bounding_box, in_the_middle):
        both = Both(crop)
        for where in ([0, 0, 41, 9], [30, 0, 11, 9], [-1, 0, 9, 9], [0, 45, 9, 6], [0, 0, -2, 5]):
            if both.check(text, where):
                own, new = (outcome(run, text, where)[1] for run in both.run)
                assert own.split("\n")[0].split("}} ")[-1] == new.split("\n")[0].split("}} ")[-1]
        assert both.check(text, [0, 0, 41, 9])


@pytest.mark.long
def test_damaged_files_fail_and_succeed_as_they_did() -> None:
    both = Both(sliced)
    rng = np.random.default_rng(2)
    good = [encode(picture(40, 50)) for encode in ENCODERS.values()]
    failed = 0
    for number in range(600):
        text = bytearray(good[number % len(good)])
        if number % 3 == 0:
            del text[int(rng.integers(2, len(text))) :]
        for _ in range(number % 3):
            text[int(rng.integers(2, len(text)))] = int(rng.choice([0, 255, rng.integers(256)]))
        failed += both.check(bytes(text), [4, 16, 9, 11])
    assert 100 < failed < 500
    assert both.check(b"", [0, 0, 1, 1]) and both.check(b"\xff\xd8\xff", [0, 0, 1, 1])


def scaled(text: Any, where: Any) -> Any:
    return sliced(text, where, ratio=2)


def of_any_channels(text: Any, where: Any) -> Any:
    return sliced(text, where, channels=0)


def of_damaged_files(text: Any, where: Any) -> Any:
    return sliced(text, where, try_recover_truncated=True, acceptable_fraction=0.5)


def used_twice(text: Any, where: Any) -> Any:
    image = tf.io.decode_jpeg(text, channels=3)
    return tf.slice(image, [0, 0, 0], [4, 4, 3]) + tf.slice(image, [4, 4, 0], [4, 4, 3])


def every_other_row(text: Any, where: Any) -> Any:
    return tf.io.decode_jpeg(text, channels=3)[0:8:2, 4:8]


def brightened_before(text: Any, where: Any) -> Any:
    return tf.slice(tf.io.decode_jpeg(text, channels=3) + 1, [0, 0, 0], [4, 4, 3])


@pytest.mark.parametrize("crop", [scaled, of_any_channels, of_damaged_files, used_twice,
                                  every_other_row, brightened_before])  # fmt: skip
def test_what_is_not_such_a_crop_is_left_alone(crop: Callable[..., Any]) -> None:
    with tf.Graph().as_default():
        inputs = [v1.placeholder(tf.string, []), v1.placeholder(tf.int32, [4])]
        fragment = Fragment.between(inputs, [crop(*inputs)])
    assert windowed(fragment) is fragment


def test_random_crops_are_decoded_alone_wherever_examples_pass_in_any_order() -> None:
    with tf.Graph().as_default():
        text = v1.placeholder(tf.string, [])
        image = v1.random_crop(tf.io.decode_jpeg(text, channels=3), [24, 24, 3])
        (piece,) = vectorise(Fragment.between([text], [image]))
    assert isinstance(piece, PerExample) and isinstance(piece.fragment, Windowed)


def test_random_crops_of_a_stream_are_decoded_alone(
    behaviour: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    replace = window._replace

    def replace_and_collect(*args: Any) -> None:
        replace(*args)
        gc.collect()  # the graph that calls a function has to keep it

    monkeypatch.setattr(window, "_replace", replace_and_collect)
    with tf.Graph().as_default():
        text = v1.placeholder(tf.string, [])
        image = v1.random_crop(tf.io.decode_jpeg(text, channels=3), [24, 24, 3], seed=4)
        fragment = Fragment.between([text], [image])
        alone = windowed(fragment)
    texts = [encode(picture(90, 80, n)) for n, encode in enumerate(ENCODERS.values())]
    with v1.Session(graph=fragment.graph) as session:
        own = [session.run(image, {text: one}) for one in texts]
    new = tf.data.Dataset.from_tensor_slices(texts).map(lambda one: alone.call(one)[0])
    for want, got in zip(own, new.as_numpy_iterator(), strict=True):
        assert want.tobytes() == got.tobytes()
