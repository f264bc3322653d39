"""Examples parsed as they are read are those that are read and then parsed, errors as well."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tensorflow as tf

import queueio
from queueio.compile.kernels import blocks, native, small_files
from tests.compile.serialized import Asked, Writer, asked, seen
from tests.turns import by_turns

built = pytest.mark.skipif(not native.reads_examples(), reason="it was built without a compiler")
ROWS = 4  # of a chunk here
Pipeline = Callable[[tf.Tensor], list[Any]]
v1 = tf.compat.v1


@pytest.fixture(autouse=True)
def small_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(blocks, "_MOST_RECORDS", ROWS)


def written(path: Path, records: list[bytes], compression: str = "") -> str:
    with tf.io.TFRecordWriter(str(path), compression) as out:
        for record in records:
            out.write(record)
    return str(path)


def plan(names: list[str], decode: Pipeline, compression: str = "", readers: int = 1) -> Any:
    """One record after the other, as a queue gives them."""

    def pipeline() -> Any:
        queue = queueio.train.string_input_producer(names, num_epochs=1, shuffle=False)
        options = tf.io.TFRecordOptions(compression)
        parts = [
            decode(queueio.io.TFRecordReader(options=options).read(queue)[1])
            for _ in range(readers)
        ]
        return queueio.train.batch_join(parts, 1, enqueue_many=False)

    return queueio.lift(pipeline).to_dataset()


def parsing(features: list[Asked]) -> Pipeline:
    def parse(record: tf.Tensor) -> list[Any]:
        made: list[Any] = tf.raw_ops.ParseSingleExample(
            serialized=record, dense_defaults=[f.default.numpy() for f in features], num_sparse=0,
            sparse_keys=[], dense_keys=[f.key for f in features], sparse_types=[],
            dense_shapes=[f.shape for f in features],
        ).dense_values  # fmt: skip
        return made

    return parse


@pytest.fixture(params=["blocks", "light files"])
def both(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Any:
    """What is seen of a pipeline; the same where nothing is parsed by an op of ours."""
    if request.param == "blocks":
        monkeypatch.setattr(small_files, "LIGHT_BYTES", 1)

    def found(
        make: Callable[[], Any], fused: bool = True, see: Callable[[Any], Any] = seen
    ) -> tuple[Any, Any]:
        with monkeypatch.context() as patch:
            used: list[str] = []
            read = native.Parsed._read
            patch.setattr(native.Parsed, "_read", lambda *a: used.append("it") or read(*a))
            with_it = see(make())
        assert bool(used) == fused
        with monkeypatch.context() as patch:
            patch.setattr(native, "_library", lambda: None)
            return with_it, see(make())

    return found


@pytest.mark.long
@built
@pytest.mark.parametrize("odds", [0.0, 0.02])
def test_files_of_any_examples(odds: float, both: Any, tmp_path: Path) -> None:
    rng = np.random.default_rng(int(odds * 100) + 1)
    for trial in range(4):
        features = asked(rng)
        names = []
        for number in range(3):
            writer = Writer(rng, odds)
            records = [writer.example(features) for _ in range(rng.integers(0, 3 * ROWS))]
            names.append(written(tmp_path / f"{trial}{number}", records))
        with_it, without = both(lambda f=features, n=names: plan(n, parsing(f)))
        assert with_it == without


def pictures(length: Any, dtype: tf.DType = tf.uint8) -> Pipeline:
    """Bytes of a string made numbers, and a label.

    `length`: how many bytes the program says there are; or the shape that it gives them.
    """

    def decode(record: tf.Tensor) -> list[Any]:
        fixed = tf.io.FixedLenFeature
        spec = {"image": fixed([], tf.string), "label": fixed([], tf.int64, 7)}
        found = tf.io.parse_single_example(record, spec)
        image = tf.io.decode_raw(found["image"], dtype)
        if isinstance(length, list):
            return [tf.reshape(image, length), found["label"]]
        if length is not None:
            image.set_shape([length // dtype.size])
            return [image, tf.reduce_sum(tf.cast(image, tf.int64)), found["label"]]
        return [tf.reduce_sum(tf.cast(image, tf.int64)), tf.shape(image)[0], found["label"]]

    return decode


def picture(content: bytes, label: int | None = None) -> bytes:
    example = tf.train.Example()
    example.features.feature["image"].bytes_list.value.append(content)
    if label is not None:
        example.features.feature["label"].int64_list.value.append(label)
    return example.SerializeToString()


@built
@pytest.mark.parametrize("dtype", [tf.int8, tf.int16])
@pytest.mark.parametrize("length", by_turns([None, 8, [2, 4]]))
def test_strings_that_are_only_decoded(
    length: Any, dtype: tf.DType, both: Any, tmp_path: Path
) -> None:
    rng = np.random.default_rng(3)
    records = [picture(rng.bytes(8), n if n % 3 else None) for n in range(11)]
    name = written(tmp_path / "whole", records)
    wanted = [2, 4 // dtype.size] if isinstance(length, list) else length
    with_it, without = both(lambda: plan([name], pictures(wanted, dtype)))
    assert with_it == without
    assert len(with_it[0]) == 11


@built
@pytest.mark.parametrize("place", [0, 6])
@pytest.mark.parametrize("length", by_turns([None, 8, [2, 4], [8]]))
def test_one_string_of_another_length_than_the_others(
    length: Any, place: int, both: Any, tmp_path: Path
) -> None:
    rng = np.random.default_rng(4)
    records = [picture(rng.bytes(8 if n != place else 6), n) for n in range(11)]
    name = written(tmp_path / "uneven", records)
    with_it, without = both(lambda: plan([name], pictures(length)))
    assert with_it == without
    assert len(with_it[0]) == (11 if length is None else place)


@pytest.mark.long
@built
def test_a_file_cut_off_anywhere_and_with_any_byte_changed(both: Any, tmp_path: Path) -> None:
    rng = np.random.default_rng(5)
    path = tmp_path / "file"
    name = written(path, [picture(rng.bytes(8), n) for n in range(5)])
    whole, cases = path.read_bytes(), []
    for at in range(0, len(whole), 7):
        changed = bytearray(whole)
        changed[at] ^= 1 << int(rng.integers(8))
        cases += [whole[:at], bytes(changed)]

    def of_every_case(dataset: Any) -> list[Any]:
        found = []
        for content in cases:
            path.write_bytes(content)
            found.append(seen(dataset))
        return found

    with_it, without = both(lambda: plan([name], pictures(8)), see=of_every_case)
    assert with_it == without
    ends = [error for _, error in with_it]
    assert None in ends and {error[0] for error in ends if error} == {tf.errors.DataLossError}


@pytest.mark.long
@built
def test_a_file_that_is_missing_between_others(both: Any, tmp_path: Path) -> None:
    rng = np.random.default_rng(6)
    first, last = (
        written(tmp_path / end, [picture(rng.bytes(8), n) for n in range(6)]) for end in "az"
    )
    names = [first, str(tmp_path / "missing"), last]

    def twice(dataset: Any) -> Any:
        iterator = iter(dataset)
        return [seen(iterator), seen(iterator)]

    with_it, without = both(lambda: plan(names, pictures(8)), see=twice)
    assert with_it == without
    assert with_it[0][1][0] is tf.errors.NotFoundError
    assert sum(len(elements) for elements, _ in with_it) == 12


@pytest.mark.long
@built
def test_records_longer_than_a_block_of_the_reader(both: Any, tmp_path: Path) -> None:
    rng = np.random.default_rng(7)
    sizes = [200_000, 8, 1 << 16, (1 << 16) - 40, 8]
    for count in (1, 3):  # of one length, and of several, which are left to TensorFlow's op
        records = [picture(rng.bytes(sizes[n % count]), n) for n in range(7)]
        name = written(tmp_path / str(count), records)
        with_it, without = both(lambda n=name: plan([n], pictures(None)))
        assert with_it == without and len(with_it[0]) == 7


@pytest.mark.long
@built
def test_files_side_by_side_give_the_same_examples(both: Any, tmp_path: Path) -> None:
    rng = np.random.default_rng(8)
    names = [
        written(tmp_path / str(n), [picture(rng.bytes(8), 100 * n + m) for m in range(9)])
        for n in range(3)
    ]
    with_it, without = both(lambda: plan(names, pictures(8), readers=2))
    assert sorted(map(str, with_it[0])) == sorted(map(str, without[0]))
    assert len(with_it[0]) == 27


@built
@pytest.mark.parametrize("compression", ["GZIP", "ZLIB"])
def test_what_is_unpacked_first_is_not_parsed_as_it_is_read(
    compression: str, both: Any, tmp_path: Path
) -> None:
    records = [picture(b"12345678", n) for n in range(6)]
    name = written(tmp_path / compression, records, compression)
    with_it, without = both(lambda: plan([name], pictures(8), compression), fused=False)
    assert with_it == without and len(with_it[0]) == 6


@built
def test_a_record_that_is_wanted_besides_is_not_parsed_as_it_is_read(
    both: Any, tmp_path: Path
) -> None:
    records = [picture(b"12345678", n) for n in range(6)]
    name = written(tmp_path / "wanted", records)
    decode = lambda record: [record, *pictures(8)(record)]  # noqa: E731
    with_it, without = both(lambda: plan([name], decode), fused=False)
    assert with_it == without
    assert [element[0][1] for element in with_it[0]] == [[record] for record in records]


@pytest.mark.long
@built
def test_what_must_run_before_or_after_the_parsing(both: Any, tmp_path: Path) -> None:
    name = written(tmp_path / "some", [picture(b"12345678", n) for n in range(6)])

    def after(record: tf.Tensor) -> list[Any]:
        image, total, label = pictures(8)(record)
        with tf.control_dependencies([tf.debugging.assert_less(label, tf.constant(4, tf.int64))]):
            return [image, total, tf.identity(label)]

    def before(record: tf.Tensor) -> list[Any]:
        with tf.control_dependencies([tf.debugging.assert_less(tf.strings.length(record), 4)]):
            return pictures(8)(record)

    with_it, without = both(lambda: plan([name], after))
    assert with_it == without and len(with_it[0]) == 4
    assert with_it[1][0] is tf.errors.InvalidArgumentError
    with_it, without = both(lambda: plan([name], before), fused=False)
    assert with_it == without and not with_it[0]


@built
def test_a_file_that_is_replaced_while_it_is_read_is_read_to_its_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(small_files, "LIGHT_BYTES", 1)
    unlike = picture(b"123456", 3)  # is left to TensorFlow's op, with those around it
    records = [picture(b"12345678", n) for n in range(100)]
    records[60] = unlike
    name = written(tmp_path / "file", records)
    iterator = iter(plan([name], pictures(None)))
    found = [next(iterator)[2].numpy()[0]]
    written(tmp_path / "new", [picture(b"12345678", 1000) for _ in range(100)])
    (tmp_path / "new").replace(tmp_path / "file")
    found += [element[2].numpy()[0] for element in iterator]
    assert found == [*range(60), 3, *range(61, 100)]
