"""Blocks hold what TensorFlow's own readers read, key by key, byte by byte."""

from __future__ import annotations

import functools
import gzip
import os
import tempfile
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import tensorflow as tf
from hypothesis import given, settings
from hypothesis import strategies as st

from queueio.compile.kernels import blocks, lines
from queueio.compile.kernels.keys import KeyForm

v1 = tf.compat.v1
TEXT = st.binary(max_size=4) | st.text("ab,\n\r", max_size=40).map(str.encode)
ENCODE: dict[str, Callable[[bytes], bytes]] = {
    "": bytes, "GZIP": gzip.compress, "ZLIB": zlib.compress,
}  # fmt: skip
few = settings(max_examples=25)


def by_reader(make: Callable[[], Any], files: list[str]) -> list[tuple[bytes, bytes]]:
    """What TF1's reader delivers, in a session."""
    read = []
    with tf.Graph().as_default(), v1.Session() as session:
        queue = v1.FIFOQueue(len(files), [tf.string], [[]])
        fill, close = queue.enqueue_many([files]), queue.close()
        record = make().read(queue)
        session.run(fill)
        session.run(close)
        while True:
            try:
                read.append(tuple(session.run(list(record))))
            except tf.errors.OutOfRangeError:
                return read


def by_blocks(make: Callable[..., tf.data.Dataset], files: list[str]) -> list[tuple[bytes, bytes]]:
    names = tf.data.Dataset.from_tensor_slices(files)
    pairs = [
        pair
        for keys, values in make(names, keys=KeyForm.WHOLE).as_numpy_iterator()
        for pair in zip(keys.tolist(), values.tolist(), strict=True)
    ]
    values = [v for (vs,) in make(names).as_numpy_iterator() for v in vs.tolist()]
    assert values == [value for _, value in pairs]
    if make not in (blocks.whole_files, blocks.identity):
        assert pairs == in_parts(make, files)
    return pairs


def in_parts(make: Callable[..., tf.data.Dataset], files: list[str]) -> list[tuple[bytes, bytes]]:
    """The same, of the parts of keys."""
    names = tf.data.Dataset.from_tensor_slices(files)
    return [
        (b"%b:%d" % (name, number), value)
        for chunk in make(names, keys=KeyForm.PARTS).as_numpy_iterator()
        for name, number, value in zip(*(part.tolist() for part in chunk), strict=True)
    ]


def write(folder: str, contents: list[bytes]) -> list[str]:
    paths = [Path(folder) / f"part-{i}" for i in range(len(contents))]
    for path, content in zip(paths, contents, strict=True):
        path.write_bytes(content)
    return [str(path) for path in paths]


@pytest.mark.long
@few
@given(st.lists(TEXT, min_size=1, max_size=3), st.integers(0, 3), st.sampled_from([1, 2, 7, 64]))
def test_lines_are_those_of_text_line_reader(
    contents: list[bytes], header: int, block: int
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        files = write(folder, contents)
        ours = by_blocks(lambda f, **k: blocks.text_lines(f, header, block_bytes=block, **k), files)
        assert ours == by_reader(lambda: v1.TextLineReader(header), files)


@pytest.mark.long
def test_long_lines_are_held_for_a_block_only_and_joined_of_many(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Lines of a length of which a block is a multiple end at one place of each block."""
    monkeypatch.setattr(lines, "_TAIL_BYTES", 4)
    monkeypatch.setattr(lines, "_GATHERED_BYTES", 100)
    equal = b"id,pixels\n" + b"".join(b"%03d," % i + b"x" * 27 + b"\n" for i in range(64))
    long = b"\n\r" + b"".join(bytes([65 + i]) * 30 * i * i + b"\r\n" for i in range(9)) + b"\r"
    files = write(str(tmp_path), [equal, long, b"\r"])
    for block in (32, 64, 256):
        cut = functools.partial(blocks.text_lines, skip_header_lines=1, block_bytes=block)
        assert by_blocks(cut, files) == by_reader(lambda: v1.TextLineReader(1), files)
    names = tf.data.Dataset.from_tensor_slices(files[:1])
    assert max(len(rows) for (rows,) in blocks.text_lines(names, block_bytes=64)) == 2


@pytest.mark.long
@few
@given(
    # A file shorter than its header and footer ends TF1's epoch in silence: not an example.
    st.lists(st.binary(min_size=6, max_size=60), min_size=1, max_size=3),
    st.tuples(st.integers(1, 7), st.integers(0, 3), st.integers(0, 3), st.integers(0, 9)),
    st.sampled_from(sorted(ENCODE)),
    st.sampled_from([1, 8, 20, 1000]),
)
def test_fixed_length_records_are_those_of_the_reader(
    contents: list[bytes], sizes: tuple[int, int, int, int], encoding: str, block: int
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        files = write(folder, [ENCODE[encoding](c) for c in contents])
        ours = by_blocks(
            lambda f, **k: blocks.fixed_length(f, *sizes, encoding, block_bytes=block, **k), files
        )
        theirs = by_reader(lambda: v1.FixedLengthRecordReader(*sizes, encoding=encoding), files)
        assert ours == theirs


@pytest.mark.parametrize("compression", ["", "GZIP", "ZLIB"])
def test_tf_records_are_those_of_the_reader(compression: str, tmp_path: Path) -> None:
    files = []
    for number, lengths in enumerate([[], [0, 1, 500], [3] * 7]):
        files.append(str(tmp_path / f"{number}"))
        with tf.io.TFRecordWriter(files[-1], compression or None) as writer:
            for n in lengths:
                writer.write(bytes(range(n % 250)) * 2)
    options = v1.io.TFRecordOptions(
        {"": 0, "ZLIB": 1, "GZIP": 2}[compression]  # TFRecordCompressionType's values
    )
    ours = by_blocks(lambda f, **k: blocks.tf_records(f, compression, records=3, **k), files)
    assert ours == by_reader(lambda: v1.TFRecordReader(options=options), files)


def test_whole_files_and_names_are_those_of_the_readers(tmp_path: Path) -> None:
    files = write(str(tmp_path), [b"one", b"", b"three\n"])
    assert by_blocks(blocks.whole_files, files) == by_reader(v1.WholeFileReader, files)
    assert by_blocks(blocks.identity, files) == by_reader(v1.IdentityReader, files)


def test_a_shuffled_name_is_its_own_key() -> None:
    names = tf.data.Dataset.from_tensor_slices([str(n) for n in range(100)]).shuffle(100)
    for keys, values in blocks.identity(names, KeyForm.WHOLE):
        assert keys.numpy().tolist() == values.numpy().tolist()


@pytest.mark.parametrize(
    "read", [blocks.text_lines, lambda f: blocks.fixed_length(f, 2), blocks.whole_files]
)
def test_a_missing_file_is_reported_once_and_the_next_is_read(
    read: Callable[..., tf.data.Dataset], tmp_path: Path
) -> None:
    (there,) = write(str(tmp_path), [b"ab"])
    read_all = iter(read(tf.data.Dataset.from_tensor_slices([str(tmp_path / "gone"), there])))
    with pytest.raises(tf.errors.NotFoundError, match="gone"):
        next(read_all)
    assert next(read_all)[0].numpy().tolist() == [b"ab"]


def test_fixed_length_numbers_are_the_decoded_bytes(tmp_path: Path) -> None:
    files = write(str(tmp_path), [bytes(range(40))])
    names = tf.data.Dataset.from_tensor_slices(files)
    chunks = blocks.fixed_length(names, 8, dtype=tf.int16, block_bytes=16)
    rows = [row for (chunk,) in chunks.as_numpy_iterator() for row in chunk.tolist()]
    pairs = by_blocks(lambda f, **k: blocks.fixed_length(f, 8, **k), files)
    expected = [tf.io.decode_raw(v, tf.int16).numpy().tolist() for _, v in pairs]
    assert rows == expected


@pytest.mark.parametrize("make", [blocks.text_lines, blocks.tf_records], ids=lambda m: m.__name__)
def test_a_folder_and_its_way_back_are_taken_away_by_their_letters(
    make: Callable[..., tf.data.Dataset], tmp_path: Path
) -> None:
    """As TF 1.15.5 did: "link/../file" is the file beside the link, wherever that leads to."""
    (tmp_path / "far" / "away").mkdir(parents=True)
    (tmp_path / "link").symlink_to(tmp_path / "far" / "away")
    for folder, text in ((tmp_path, b"this one"), (tmp_path / "far", b"another")):
        with tf.io.TFRecordWriter(str(folder / "tf_records")) as writer:
            writer.write(text)
        (folder / "text_lines").write_bytes(text + b"\n")
    names = tf.data.Dataset.from_tensors(f"{tmp_path}/link/../{make.__name__}")
    assert [row for (rows,) in make(names).as_numpy_iterator() for row in rows] == [b"this one"]
    (tmp_path / "far" / make.__name__).unlink()
    assert [row for (rows,) in make(names).as_numpy_iterator() for row in rows] == [b"this one"]


@pytest.mark.long
@pytest.mark.skipif(not Path("/proc/version").exists(), reason="there is no /proc")
def test_files_that_only_tensorflow_finds_or_measures_are_read_whole(tmp_path: Path) -> None:
    odd = tmp_path / os.fsdecode(b"no\xffutf8")
    odd.write_bytes(b"12\n34\n5")
    (tmp_path / "plain").write_bytes(b"12\n34\n5")
    (tmp_path / "empty").write_bytes(b"")
    with tf.io.TFRecordWriter(str(tmp_path / "records")) as writer:
        writer.write(b"a record")
    # A folder's slash behind it, bytes that are no text behind a scheme, a length that says 0.
    files = [f"{tmp_path}/plain/", b"file://" + os.fsencode(odd), "/proc/version"]
    lines = by_reader(v1.TextLineReader, files)
    assert len(lines) == 7 and by_blocks(blocks.text_lines, files) == lines
    cut = by_reader(lambda: v1.FixedLengthRecordReader(3, 1), files)
    assert (
        len(cut) > 4 and by_blocks(lambda f, **k: blocks.fixed_length(f, 3, 1, **k), files) == cut
    )
    records = [f"{tmp_path}/{name}" for name in ("empty/", "records/")]
    assert by_blocks(blocks.tf_records, records) == by_reader(v1.TFRecordReader, records)
