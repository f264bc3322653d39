"""The op in C gives what TensorFlow's own parser gives of Examples, or nothing."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
import tensorflow as tf

from queueio.compile.kernels import native
from tests.compile.serialized import Asked, Writer, asked

built = pytest.mark.skipif(not native.parses_examples(), reason="it was built without a compiler")


def by_tensorflow(records: Sequence[bytes], features: list[Asked]) -> list[tf.Tensor] | None:
    """The features by its own op; None where that fails."""
    none = tf.zeros([0], tf.string)
    try:
        return list(
            tf.raw_ops.ParseExampleV2(
                serialized=tf.constant(list(records), tf.string, [len(records)]), names=none,
                sparse_keys=none, dense_keys=[f.key for f in features], ragged_keys=none,
                dense_defaults=[f.default for f in features], num_sparse=0, sparse_types=[],
                ragged_value_types=[], ragged_split_types=[],
                dense_shapes=[f.shape for f in features],
            ).dense_values
        )  # fmt: skip
    except tf.errors.OpError:
        return None


def by_ours(
    records: Sequence[bytes], features: list[Asked], contents: bool = False
) -> list[tf.Tensor] | None:
    """The same by ours; None where it leaves them to TensorFlow."""
    raw = [contents and f.dtype == tf.string and not f.shape for f in features]
    good, values = native._examples()(
        tf.constant(list(records), tf.string, [len(records)]), [f.key for f in features],
        tf.constant([f.count if f.shape else 0 for f in features], tf.int64),
        [f.default for f in features],
        Tvalues=[tf.uint8 if r else f.dtype for r, f in zip(raw, features, strict=True)],
    )  # fmt: skip
    return list(values) if good else None


def alike(records: Sequence[bytes], features: list[Asked], contents: bool = False) -> bool:
    """Whether our op gave them; what it gives is what TensorFlow gives."""
    ours = by_ours(records, features, contents)
    if ours is None:
        return False
    theirs = by_tensorflow(records, features)
    assert theirs is not None, (features, records)
    for our, their, feature in zip(ours, theirs, features, strict=True):
        if our.dtype == tf.uint8:
            their = tf.io.decode_raw(their, tf.uint8)
        assert our.shape[0] == len(records)
        same = tf.reshape(our, their.shape).numpy().tobytes(), their.numpy().tobytes()
        if feature.dtype == tf.string and our.dtype != tf.uint8:
            same = our.numpy().ravel().tolist(), their.numpy().ravel().tolist()  # type: ignore[assignment]
        assert same[0] == same[1], (feature, records)
    return True


@built
@pytest.mark.parametrize("seed", range(3))
def test_examples_as_everybody_writes_them_are_parsed_by_it(seed: int) -> None:
    rng = np.random.default_rng(seed)
    for _ in range(60):
        features, writer = asked(rng), Writer(rng, 0.0)
        records = [writer.example(features) for _ in range(rng.integers(0, 40))]
        assert alike(records, features)
        alone = [f for f in features if f.dtype == tf.string and not f.shape]
        lengths = {f.key for f in alone if tf.size(f.default) == 0}
        kept = [f for f in features if f not in alone or f.key in lengths]
        assert not kept or alike(records, kept, contents=True)


@built
@pytest.mark.parametrize("seed", range(4))
def test_examples_of_any_form_are_parsed_as_tensorflow_does_or_left_to_it(seed: int) -> None:
    rng, ours, theirs = np.random.default_rng(100 + seed), 0, 0
    for _ in range(700):
        features, writer = asked(rng), Writer(rng, float(rng.choice([0.002, 0.02, 0.1])))
        records = [writer.example(features) for _ in range(rng.integers(1, 5))]
        taken = alike(records, features, contents=bool(rng.integers(2)))
        ours, theirs = ours + taken, theirs + (not taken)
    assert ours > 100 and theirs > 100


@built
@pytest.mark.parametrize("seed", range(2))
def test_an_example_with_any_byte_changed_or_cut_off_anywhere(seed: int) -> None:
    rng = np.random.default_rng(200 + seed)
    features = [f for f in asked(rng) if f.length < 100]
    record = Writer(rng, 0.0).example(features)
    for at in range(len(record)):
        changed = bytearray(record)
        changed[at] ^= 1 << int(rng.integers(8))
        alike([bytes(changed)], features)
        alike([record, record[:at]], features)
