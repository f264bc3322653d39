"""The reader in C gives what TensorFlow's gives: records, keys, chunks, errors and their words."""

from __future__ import annotations

import ctypes
import gzip
import importlib.util
import os
import re
import shutil
import struct
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tensorflow as tf

from queueio.compile import definition
from queueio.compile.kernels import blocks, native, small_files
from queueio.compile.kernels.budget import untuned
from queueio.stages.readers.tf_record import TFRecords
from tests.turns import by_turns

built = pytest.mark.skipif(not native.reads_tf_records(), reason="it was built without a compiler")
BLOCK = 1 << 16  # of records.c
EDGES = [0, 1, 21, 22, 23, 24, 47, 48, BLOCK - 17, BLOCK - 16, BLOCK - 5, BLOCK - 4, BLOCK - 3,
         BLOCK, BLOCK + 1, 3 * BLOCK]  # fmt: skip


def written(path: Path, records: list[bytes], compression: str = "") -> bytes:
    with tf.io.TFRecordWriter(str(path), compression) as writer:
        for record in records:
            writer.write(record)
    return path.read_bytes()


def without(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(native, "_tf_records", lambda: None)


def seen(dataset: Any) -> tuple[list[Any], Any]:
    """All elements, and the error after them."""
    elements: list[Any] = []
    try:
        for element in dataset:
            elements.append([part.numpy().tolist() for part in element])
    except tf.errors.OpError as error:
        return elements, (type(error), re.sub(r"Dataset:\d+", "Dataset", error.message))
    return elements, None


@pytest.fixture
def both(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., list[tf.data.Dataset]]]:
    """A dataset with the reader in C, and the same without."""

    def made(make: Callable[[], tf.data.Dataset]) -> list[tf.data.Dataset]:
        with_it = untuned(make())
        with monkeypatch.context() as patch:
            without(patch)
            return [with_it, untuned(make())]

    yield made


def chunks_of(path: Path, keys: bool, records: int | None) -> tf.data.Dataset:
    return blocks.tf_records(tf.data.Dataset.from_tensors(str(path)), "", keys, records)


def alike(pair: list[tf.data.Dataset], path: Path, contents: list[bytes]) -> None:
    """Both read the same out of each content, in the same chunks, and so does TensorFlow."""
    stock = untuned(tf.data.TFRecordDataset(str(path)).batch(1).map(lambda records: (records,)))
    for content in contents:
        path.write_bytes(content)
        (ours, error), (theirs, told) = map(seen, pair)
        assert ours == theirs
        assert error == told
        records, failed = seen(stock)
        assert [record for *_, chunk in ours for record in chunk] == [r for ((r,),) in records]
        assert (error and error[0]) == (failed and failed[0])


@pytest.mark.skipif(not shutil.which("cc") or sys.platform != "linux", reason="no compiler")
def test_where_there_is_a_compiler_there_is_the_reader() -> None:
    assert native.reads_tf_records()


@pytest.mark.long
@built
@pytest.mark.parametrize(("keys", "records"), [(False, None), (True, 3), (True, 1)])
def test_a_file_cut_off_anywhere(
    keys: bool, records: int | None, both: Any, tmp_path: Path
) -> None:
    path = tmp_path / "records"
    whole = written(path, [b"first", b"", b"a" * 30, b"last"])
    pair = both(lambda: chunks_of(path, keys, records))
    alike(pair, path, [whole[:n] for n in range(len(whole) + 1)])


@pytest.mark.long
@built
@pytest.mark.parametrize(("keys", "records"), [(True, None), (False, 2)])
def test_a_file_with_any_byte_changed(
    keys: bool, records: int | None, both: Any, tmp_path: Path
) -> None:
    path = tmp_path / "records"
    whole = written(path, [b"first", b"", b"a" * 30, b"last"])
    rng, contents = np.random.default_rng(3), []
    for at in range(len(whole)):
        changed = bytearray(whole)
        changed[at] ^= int(rng.integers(1, 256))
        contents.append(bytes(changed))
    alike(both(lambda: chunks_of(path, keys, records)), path, contents)


@pytest.mark.long
@built
@pytest.mark.parametrize("seed", by_turns(range(3)))
def test_files_of_any_records(seed: int, both: Any, tmp_path: Path) -> None:
    rng = np.random.default_rng(seed)
    path = tmp_path / "records"
    contents = []
    for most in (0, 10, 500, 200_000):
        count = int(rng.integers(1, max(2, min(9_000, 2_000_000 // (most + 1)))))
        sizes = rng.integers(0, most + 1, count)
        contents.append(written(path, [rng.bytes(n) for n in sizes]))
    sizes = rng.permutation(EDGES * 2)
    contents.append(written(path, [rng.bytes(n) for n in sizes]))
    garbage = [contents[-1] + rng.bytes(n) for n in (1, 11, 12, 70_000)]
    cuts = [contents[-1][: rng.integers(len(contents[-1]))] for _ in range(2)]
    pair = both(lambda: chunks_of(path, bool(seed % 2), [None, 7, 64][seed]))
    alike(pair, path, [b"", *contents, *garbage, *cuts])


@pytest.mark.long
@built
@pytest.mark.parametrize("keys", [False, True])
def test_what_is_no_file_of_records(keys: bool, both: Any, tmp_path: Path) -> None:
    good = tmp_path / "good"
    content = written(good, [b"one", b"two"])
    (tmp_path / "folder").mkdir()
    (tmp_path / "elsewhere" / "inner").mkdir(parents=True)
    (tmp_path / "elsewhere" / "good").write_bytes(content + content)
    (tmp_path / "link").symlink_to(tmp_path / "elsewhere" / "inner")
    (tmp_path / "gz").write_bytes(gzip.compress(content))
    names = [tmp_path / name for name in ("folder", "gone", "gz", "good/", "link/../good", "good")]
    for name in [*map(os.fsencode, names), b"", bytes(good) + b"\0x", b"file://" + bytes(good)]:
        files = tf.data.Dataset.from_tensors(name)
        (ours, error), (theirs, told) = map(
            seen, both(lambda files=files: blocks.tf_records(files, "", keys))
        )
        assert ours == theirs
        assert error == told
        if error is None:
            assert [r for *_, chunk in ours for r in chunk] == [b"one", b"two"]
    zipped = tf.data.Dataset.from_tensors(str(tmp_path / "gz"))
    assert seen(blocks.tf_records(zipped, "GZIP"))[0] == [[[b"one", b"two"]]]


@pytest.mark.long
@built
@pytest.mark.parametrize("total", [0, 4096, 4097])
def test_light_files_with_and_without_it(
    total: int, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    rng = np.random.default_rng(total)
    cuts = np.sort(rng.integers(0, total + 1, 4)).tolist()
    names = [str(tmp_path / str(number)) for number in range(5)]
    for name, a, b in zip(names, [0, *cuts], [*cuts, total], strict=True):
        written(Path(name), [b"%d" % number for number in range(a, b)])
    torn = str(tmp_path / "torn")
    Path(torn).write_bytes(written(tmp_path / "x", [b"before", b"behind"])[:-1])
    for group in (names, [*names, torn], [torn, *names], [*names, str(tmp_path / "gone")]):
        found = []
        for off in (False, True):
            with monkeypatch.context() as patch:
                if off:
                    without(patch)
                groups = tf.data.Dataset.from_tensor_slices(group).batch(8)
                small, each = (
                    TFRecords().small(False, tf.string),
                    lambda names: TFRecords().chunks(names, False, None),
                )
                found.append(seen(small_files.together(groups, small, each)))
        assert found[0] == found[1]


@built
def test_a_file_that_is_replaced_is_read_to_its_end(tmp_path: Path) -> None:
    path = tmp_path / "records"
    records = [b"%3d" % number for number in range(30)]
    written(tmp_path / "new", [b"new"] * 30)
    written(path, records)
    read = iter(untuned(chunks_of(path, False, 2)))
    got = next(read)[0].numpy().tolist()
    os.replace(tmp_path / "new", path)
    assert got + [r for (chunk,) in read for r in chunk.numpy().tolist()] == records
    again = untuned(chunks_of(path, False, 2))
    assert [r for (chunk,) in again for r in chunk.numpy().tolist()] == [b"new"] * 30


@built
def test_more_readers_than_files_that_stay_open(tmp_path: Path) -> None:
    path = tmp_path / "records"
    records = [b"%3d" % number for number in range(9)]
    written(path, records)
    places = [(0, 0)] * 70
    for turn in range(5):
        for number, place in enumerate(places):
            read, *place, rest = native._tf_records()([str(path)], *place, 2)
            assert read.numpy().tolist() == records[2 * turn : 2 * turn + 2] and not rest
            places[number] = place
    assert {int(at) for at, _ in places} == {-1}


@built
@pytest.mark.parametrize("taken", [0, 1, 4, 8])
def test_a_position_within_a_file_is_taken_up_again(taken: int, tmp_path: Path) -> None:
    path = tmp_path / "records"
    written(path, [b"%3d" % number for number in range(15)])
    dataset = untuned(chunks_of(path, True, 2))
    first = iter(dataset)
    for _ in range(taken):
        next(first)
    saved = tf.train.Checkpoint(iterator=first).save(str(tmp_path / "at"))
    rest = seen(first)
    again = iter(dataset)
    tf.train.Checkpoint(iterator=again).restore(saved)
    assert seen(again) == rest


@built
def test_a_length_that_the_file_has_not_is_not_made_room_for(tmp_path: Path) -> None:
    path = tmp_path / "records"
    for length in (1 << 20, 1 << 40, 1 << 62, (1 << 64) - 1):
        head = struct.pack("<Q", length)
        path.write_bytes(head + struct.pack("<I", masked(crc("crc_by_table", head))) + b"x" * 99)
        records, at, _, rest = native._tf_records()([str(path)], 0, 0, 10)
        assert (records.shape[0], int(at), int(rest)) == (0, -1, 1)


def crc(name: str, data: bytes, skip: int = 0) -> int:
    found = importlib.util.find_spec("queueio.compile.kernels._tf_records")
    assert found is not None and found.origin is not None
    function = getattr(ctypes.CDLL(found.origin), name)
    function.restype = ctypes.c_uint32
    memory = ctypes.create_string_buffer(b"?" * skip + data)
    return int(function(ctypes.byref(memory, skip), ctypes.c_size_t(len(data))))


def masked(crc: int) -> int:
    return ((crc >> 15 | crc << 17) + 0xA282EAD8) & 0xFFFFFFFF


@built
def test_checksums_by_table_and_by_hardware_are_those_of_tensorflow(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    records = [rng.bytes(n) for n in [*range(301), *rng.integers(301, 5000, 60).tolist()]]
    content, at = written(tmp_path / "records", records), 0
    for record in records:
        at += 12 + len(record)
        (told,) = struct.unpack("<I", content[at : at + 4])
        at += 4
        for name in ("crc_by_table", "crc_by_hardware"):
            if name == "crc_by_table" or crc("has_hardware", b"") & 0xFF:
                assert masked(crc(name, record, skip=len(record) % 9)) == told


@built
def test_what_is_kept_of_a_graph_tells_whether_it_reads_with_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with_it = definition._surroundings.__wrapped__()
    without(monkeypatch)
    assert definition._surroundings.__wrapped__() != with_it
