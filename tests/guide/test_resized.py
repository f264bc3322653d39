"""What the guide says of `resize_images` and `tf.image.resize`, against TF 1.15.5's results."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import numpy as np
import pytest
import tensorflow as tf

sys.path.insert(0, str(Path(__file__).resolve().parent))
from record_resized import IMAGE, METHODS, SIZES

HERE = Path(__file__).resolve().parent
RECORDED = np.load(HERE / "resized.npz")
GUIDE = HERE.parent.parent / "MIGRATION.md"


@pytest.mark.parametrize("name", RECORDED.files)
def test_the_compat_function_is_the_old_one(name: str) -> None:
    method, corners, height = name.split("-")
    size = next(size for size in SIZES if size[0] == int(height))
    number = METHODS.index(method)
    resized = tf.compat.v1.image.resize(IMAGE, size, number, align_corners=corners == "1")
    np.testing.assert_allclose(resized, RECORDED[name], rtol=1e-6, atol=1e-4)


def test_the_table_of_the_guide_is_what_is_measured() -> None:
    text = GUIDE.read_text()
    for corners in (False, True):
        for method in METHODS:
            assert row(method, corners) in text, row(method, corners)


def row(method: str, corners: bool) -> str:
    """A row of the guide's table: the mean differences, plain and with antialias."""
    cells = [
        f"{np.abs(tf.image.resize(IMAGE, size, method, antialias=anti) - old(size)).mean():.1f}"
        for anti in (False, True)
        for size in SIZES
        for old in [lambda size: RECORDED[f"{method}-{corners:d}-{size[0]}"]]
    ]
    return f"| {method} | {corners} | {' | '.join(cells)} |"


def test_only_the_old_function_keeps_uint8_where_nothing_changes() -> None:
    image = IMAGE.astype(np.uint8)
    assert tf.compat.v1.image.resize(image, (16, 24)).dtype == tf.uint8
    assert tf.image.resize(image, (16, 24)).dtype == tf.float32


def test_bytes_are_standardized_to_floats_and_the_guide_says_how_to_get_those_of_tf_1_15() -> None:
    image = np.random.RandomState(0).randint(0, 256, (4, 5, 3)).astype(np.uint8)
    today = tf.image.per_image_standardization(image)
    assert today.dtype == tf.float32 and abs(float(tf.reduce_mean(today))) < 1e-6
    text = " ".join(GUIDE.read_text().split())
    code = re.search(r"wants them still: `([^`]+)`", text)
    assert code is not None
    as_then = eval(code[1], {"tf": tf, "image": image})
    # What TF 1.15.5's per_image_standardization gave of this image: its first 20 bytes.
    recorded = [143, 0, 0, 212, 0, 255, 222, 0, 0, 255, 0, 255, 0, 0, 0, 255, 0, 32, 0, 215]
    assert as_then.numpy().reshape(-1)[:20].tolist() == recorded
