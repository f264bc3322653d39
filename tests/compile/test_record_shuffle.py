"""Wide records are shuffled before they are decoded, and nothing but the order shows it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tensorflow as tf

import queueio
from queueio.compile import deferred_ops
from queueio.compile.deferred_ops import piece_rows
from queueio.compile.record_shuffle import RecordShuffle
from queueio.graph.fragment import Fragment

v1 = tf.compat.v1
SIDE = 40
BYTES = 1 + 3 * SIDE * SIDE


def files(tmp_path: Path) -> list[str]:
    """Records between a header and a footer; one file ends inside a record, one is too short."""
    rng = np.random.default_rng(5)
    names = []
    for i, (count, more) in enumerate([(37, 0), (20, 11), (0, -3)]):
        content = rng.bytes(8 + count * BYTES + more)
        names.append(str(tmp_path / f"{i}.bin"))
        Path(names[-1]).write_bytes(content)
    return names


def pipeline(names: list[str], reshaped: int = BYTES, keys: bool = False) -> Any:
    queue = v1.train.string_input_producer(names, num_epochs=2, shuffle=True)
    reader = v1.FixedLengthRecordReader(BYTES, header_bytes=5, footer_bytes=3)
    key, record = reader.read(queue)
    numbers = tf.reshape(tf.io.decode_raw(record, tf.uint8), [reshaped])
    image = tf.transpose(tf.reshape(numbers[1:], [3, SIDE, SIDE]), [1, 2, 0])
    image = tf.cast(image, tf.float32) * (1 / 255)
    label = tf.cast(numbers[:1], tf.int32)
    example = [image, label, key] if keys else [image, label]
    return v1.train.shuffle_batch(example, 8, 60, 20, allow_smaller_final_batch=True)


def rows(dataset: Any) -> list[bytes]:
    batches = list(dataset.as_numpy_iterator())
    assert [len(b[1]) for b in batches[:-1]] == [8] * (len(batches) - 1)
    return sorted(
        b"".join(part if isinstance(part, bytes) else part.tobytes() for part in row)
        for b in batches
        for row in zip(*b, strict=True)
    )


@pytest.mark.parametrize("keys", [False, True])
@pytest.mark.parametrize("pieces", [12 << 20, 1])
def test_the_same_examples_as_one_by_one(
    tmp_path: Path, pieces: int, keys: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(deferred_ops, "_PIECE_BYTES", pieces)
    shuffled: list[int] = []
    stock = RecordShuffle.shuffled
    monkeypatch.setattr(RecordShuffle, "shuffled", lambda *args: shuffled.append(1) or stock(*args))
    plan = queueio.lift(lambda: pipeline(files(tmp_path), keys=keys))
    got = rows(plan.to_dataset())
    assert shuffled, "the records were not taken one by one"
    assert got == rows(plan.to_dataset(vectorise=False))
    assert len(got) == 2 * (37 + 20)


def distorted(name: str) -> Any:
    """Random crops, turned or not, of images of 40 pixels that tell their places and example."""
    queue = v1.train.string_input_producer([name], num_epochs=1)
    _, record = v1.FixedLengthRecordReader(4 * SIDE * SIDE).read(queue)
    whole = tf.reshape(tf.io.decode_raw(record, tf.int32), [SIDE, SIDE, 1])
    crop = v1.random_crop(tf.cast(whole, tf.float64), [SIDE - 3, SIDE - 2, 1])
    crop = v1.image.random_flip_left_right(crop)
    dark = v1.random_uniform([], -0.5, 0.25)
    return v1.train.shuffle_batch(
        [crop, tf.stack([tf.cast(whole[0, 0, 0], tf.float32), dark])], 8, 300, 100,
        allow_smaller_final_batch=True,
    )  # fmt: skip


def test_distorted_records_are_shuffled_whole_and_distorted_after_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shuffled: list[int] = []
    stock = RecordShuffle.shuffled
    monkeypatch.setattr(RecordShuffle, "shuffled", lambda *args: shuffled.append(1) or stock(*args))
    count, pixels = 500, SIDE * SIDE
    images = np.arange(count * pixels, dtype=np.int32).reshape(count, SIDE, SIDE)
    images.tofile(tmp_path / "images")
    dataset = queueio.lift(lambda: distorted(str(tmp_path / "images"))).to_dataset()
    batches = list(dataset.as_numpy_iterator())
    assert shuffled, "the records were decoded before the shuffle"
    crops = np.concatenate([crop[..., 0] for crop, _ in batches])
    marks = np.concatenate([mark for _, mark in batches])
    kinds = set()
    for crop, mark in zip(crops, marks, strict=True):
        turned = crop[0, 0] > crop[0, 1]
        straight = crop[:, ::-1] if turned else crop
        number, place = divmod(int(straight[0, 0]), pixels)
        top, left = divmod(place, SIDE)
        assert np.array_equal(straight, images[number, top:, left:][: SIDE - 3, : SIDE - 2])
        assert mark[0] == number * pixels
        assert -0.5 <= mark[1] < 0.25
        kinds.add((turned, top, left))
    assert sorted(crops.min((1, 2)) // pixels) == list(range(count))
    assert len(kinds) == 2 * 4 * 3, "some crops never came"
    assert len(np.unique(marks[:, 1])) > count // 2, "examples share their draws"


def test_a_shape_that_no_record_has_fails_as_it_did(tmp_path: Path) -> None:
    with pytest.raises((tf.errors.InvalidArgumentError, ValueError)):
        plan = queueio.lift(lambda: pipeline(files(tmp_path), reshaped=BYTES - 1 + 2))
        rows(plan.to_dataset())


def test_pieces_are_whole_batches_of_a_few_megabytes() -> None:
    with tf.Graph().as_default():
        data = v1.placeholder(tf.uint8, [3072])
        fragment = Fragment.between([data], [tf.cast(data, tf.float32)])
    for batch in (1, 100, 128, 1024, 5000):
        count = piece_rows(fragment, batch)
        assert count % batch == 0
        assert count == batch or count * 3072 * 4 <= 12 << 20
