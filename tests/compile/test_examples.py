"""The op in C gives what TensorFlow's own parser gives of Examples, or nothing."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tensorflow as tf

import queueio
from queueio.compile import definition
from queueio.compile.kernels import native
from queueio.compile.vectorise import vectorise
from queueio.graph.fragment import Fragment
from tests.compile.fragments import at_once, fragment_of, one_by_one, same_bits
from tests.compile.serialized import Asked, Writer, asked, part, seen
from tests.turns import by_turns

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


@pytest.mark.long
@built
@pytest.mark.parametrize("seed", by_turns(range(3)))
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


@pytest.mark.long
@built
@pytest.mark.parametrize("seed", by_turns(range(4)))
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


def of_numbers(record: tf.Tensor) -> list[tf.Tensor]:
    """Contents wanted as numbers of some kinds, as strings, and as both."""
    fixed = tf.io.FixedLenFeature
    found = tf.io.parse_single_example(
        record,
        {
            "bytes": fixed([], tf.string), "both": fixed([], tf.string),
            "of one": fixed([1], tf.string), "big": fixed([], tf.string, b"12345678"),
            "twice": fixed([], tf.string), "floats": fixed([2, 2], tf.float32, [[1, 2], [3, 4]]),
        },
    )  # fmt: skip
    decode = tf.io.decode_raw
    return [
        decode(found["bytes"], tf.uint8), decode(found["both"], tf.int16), found["both"],
        decode(found["of one"], tf.int8), decode(found["big"], tf.int32, little_endian=False),
        decode(found["twice"], tf.float64), decode(found["twice"], tf.int8), found["floats"],
    ]  # fmt: skip


def numbered(rng: np.random.Generator, length: int, **changed: bytes) -> bytes:
    example = tf.train.Example()
    for key in ("bytes", "both", "of one", "twice"):
        value = changed.get(key, rng.bytes(length))
        example.features.feature[key].bytes_list.value.append(value)
    return example.SerializeToString()


def decoding(rows: np.ndarray) -> Fragment:
    with tf.Graph().as_default():
        return fragment_of(of_numbers, [rows])


def outcome(fragment: Fragment, rows: np.ndarray) -> Any:
    try:
        return at_once(fragment, [rows])
    except tf.errors.OpError as error:
        return type(error)


@built
@pytest.mark.parametrize("length", [0, 8, 24])
def test_strings_that_are_only_decoded_are_the_same_numbers(
    length: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    rng = np.random.default_rng(length)
    rows = np.array([numbered(rng, length) for _ in range(9)], dtype=object)
    fragment = decoding(rows)
    singles = one_by_one(fragment, [rows])
    assert any(op.type == "QueueioExamples" for op in made_of(fragment))
    for _ in range(2):
        for number, chunk in enumerate(at_once(fragment, [rows])):
            assert all(map(same_bits, chunk, (single[number] for single in singles)))
        monkeypatch.setattr(native, "_examples", lambda: None)
    assert not any(op.type == "QueueioExamples" for op in made_of(fragment))


def made_of(fragment: Fragment) -> list[tf.Operation]:
    """The ops of a chunk."""
    (piece,) = vectorise(fragment)
    with tf.Graph().as_default() as graph:
        piece.call(tf.compat.v1.placeholder(tf.string, [None]))
    return graph.get_operations()


@built
def test_strings_of_other_lengths_fail_with_it_as_without(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(5)
    wrong = [numbered(rng, 7), numbered(rng, 8, bytes=b"no"), numbered(rng, 8, twice=b"123456789")]
    for record in [*wrong, b"", b"\x0a\x05"]:
        rows = np.array([numbered(rng, 8), record], dtype=object)
        fragment = decoding(rows)
        found = []
        for off in (False, True):
            with monkeypatch.context() as patch:
                if off:
                    patch.setattr(native, "_examples", lambda: None)
                found.append(outcome(fragment, rows))
        assert isinstance(found[0], type) and isinstance(found[1], type)


@pytest.mark.long
@built
@pytest.mark.parametrize("odds", [0.0, 0.01])
def test_a_plan_gives_the_same_with_it_and_without(
    odds: float, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    rng = np.random.default_rng(int(odds * 100) + 9)
    for _ in range(4):
        features, writer = asked(rng), Writer(rng, 0.0)
        records = [writer.example(features) for _ in range(200)]
        if odds:
            records[150] = Writer(rng, 0.5).example(features)
        path = str(tmp_path / "records")
        with tf.io.TFRecordWriter(path) as out:
            for record in records:
                out.write(record)
        found = []
        for off in (False, True):
            with monkeypatch.context() as patch:
                if off:
                    patch.setattr(native, "_library", lambda: None)
                found.append(batches(path, features))
        assert found[0] == found[1]


def batches(path: str, features: list[Asked]) -> tuple[list[Any], Any]:
    """All batches of a pipeline of queues as a dataset, and the error after them."""

    def pipeline() -> Any:
        names = queueio.train.string_input_producer([path], num_epochs=1, shuffle=False)
        _, record = queueio.io.TFRecordReader().read(names)
        parsed = tf.raw_ops.ParseSingleExample(
            serialized=record, dense_defaults=[f.default.numpy() for f in features], num_sparse=0,
            sparse_keys=[], dense_keys=[f.key for f in features], sparse_types=[],
            dense_shapes=[f.shape for f in features],
        ).dense_values  # fmt: skip
        return queueio.train.batch(parsed, 7, allow_smaller_final_batch=True)

    return seen(queueio.lift(pipeline).to_dataset())


@built
def test_what_is_kept_of_a_graph_tells_whether_it_parses_with_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with_it = definition._surroundings.__wrapped__()
    monkeypatch.setattr(native, "_examples", lambda: None)
    assert definition._surroundings.__wrapped__() != with_it


@built
def test_a_content_that_the_records_cannot_hold_is_not_made_room_for() -> None:
    feature = Asked(b"a", tf.string, [], tf.zeros([0], tf.string), 0)
    record = part(1, part(1, part(1, b"a") + part(2, part(1, part(1, b"x" * (1 << 20))))))
    none = part(1, part(1, part(1, b"a") + part(2, part(1, part(1, b"")))))
    assert by_ours([record, *[none] * (1 << 17)], [feature], contents=True) is None
    assert alike([record] * 3, [feature], contents=True)
