"""The data that is shipped: the same digits in three formats, small, with source and licence."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np
import pytest
import tensorflow as tf

DATA = Path(__file__).resolve().parents[2] / "examples" / "data"
STEMS = [f"digits-train-{n}-of-3" for n in range(3)] + ["digits-test-0-of-1"]


def binary(stem: str) -> np.ndarray:
    return np.fromfile(DATA / f"{stem}.bin", np.uint8).reshape(-1, 65)


def test_all_of_it_is_smaller_than_one_megabyte() -> None:
    assert sum(path.stat().st_size for path in DATA.iterdir() if path.is_file()) < 1_000_000


def test_source_and_licence_are_named() -> None:
    for name in ("README.md", "LICENSE"):
        text = (DATA / name).read_text()
        for words in (
            "Alpaydin",
            "Kaynak",
            "10.24432/C50P49",
            "creativecommons.org/licenses/by/4.0",
        ):
            assert words in text, (name, words)


def test_there_are_1437_images_to_train_on_and_360_to_test_on() -> None:
    sizes = [len(binary(stem)) for stem in STEMS]
    assert (sum(sizes[:3]), sizes[3]) == (1437, 360)


def test_labels_are_digits_and_pixels_go_from_0_to_16() -> None:
    everything = np.concatenate([binary(stem) for stem in STEMS])
    assert set(everything[:, 0]) == set(range(10))
    assert (everything[:, 1:].min(), everything[:, 1:].max()) == (0, 16)


@pytest.mark.parametrize("stem", STEMS)
def test_csv_holds_what_the_binary_file_holds(stem: str) -> None:
    with open(DATA / f"{stem}.csv", newline="") as file:
        header, *rows = csv.reader(file)
    assert header == ["label", *(f"p{n}" for n in range(64))]
    assert np.array_equal(np.array(rows, int), binary(stem))


@pytest.mark.parametrize("stem", STEMS)
def test_tf_record_holds_what_the_binary_file_holds(stem: str) -> None:
    rows = []
    for record in tf.data.TFRecordDataset(str(DATA / f"{stem}.tfrecord")).as_numpy_iterator():
        feature = tf.train.Example.FromString(record).features.feature
        (label,), (image,) = feature["label"].int64_list.value, feature["image"].bytes_list.value
        rows.append([label, *image])
    assert np.array_equal(np.array(rows), binary(stem))
