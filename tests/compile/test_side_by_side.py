"""Several readers of one filename queue mix their files, as readers that race do."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tensorflow as tf
from hypothesis import given, settings
from hypothesis import strategies as st

import queueio
from queueio import train
from queueio.compile.kernels.side_by_side import mixed

v1 = tf.compat.v1
BATCH = 32
FORMATS = ("text", "fixed", "tfrecord", "examples")


def read(lengths: Sequence[int], chunk: int, files: int, lot: int = 1) -> tf.data.Dataset:
    """(file, number) of each row, of files of so many rows that are read in chunks."""

    def of_file(file: tf.Tensor) -> tf.data.Dataset:
        rows = tf.data.Dataset.range(tf.gather(tf.constant(lengths, tf.int64), file))
        return rows.batch(chunk).map(lambda n: (tf.fill([tf.size(n)], file), n))

    return mixed(tf.data.Dataset.range(len(lengths)), of_file, files, lot)


def turns(*told: Any) -> list[tuple[int, int]]:
    """The rows one after another."""
    parts = [(f.tolist(), n.tolist()) for f, n in read(*told).as_numpy_iterator()]
    return [row for f, n in parts for row in zip(f, n, strict=True)]


def in_chunks(*told: Any) -> list[list[int]]:
    """The files of the rows of each chunk."""
    return [files.tolist() for files, _ in read(*told).as_numpy_iterator()]


@pytest.mark.long
@settings(max_examples=25)
@given(
    lengths=st.lists(st.integers(0, 40), min_size=1, max_size=6),
    chunk=st.integers(1, 12), files=st.integers(2, 5), lot=st.integers(1, 4),
)  # fmt: skip
def test_each_row_comes_once_and_those_of_a_file_in_order(
    lengths: list[int], chunk: int, files: int, lot: int
) -> None:
    rows = turns(lengths, chunk, files, lot)
    for file, length in enumerate(lengths):
        assert [n for f, n in rows if f == file] == list(range(length))
    assert len(rows) == sum(lengths)


@pytest.mark.parametrize(("files", "chunk"), [(2, 5), (3, 4), (4, 20)])
def test_files_as_long_as_each_other_take_turns_as_interleave_has_it(
    files: int, chunk: int
) -> None:
    plain = tf.data.Dataset.range(2 * files).interleave(
        lambda file: tf.data.Dataset.range(24).map(lambda n: (file, n)),
        cycle_length=files, block_length=1,
    )  # fmt: skip
    expected = [(int(f), int(n)) for f, n in plain.as_numpy_iterator()]
    assert turns([24] * 2 * files, chunk, files) == expected


@pytest.mark.long
@given(
    lengths=st.lists(st.integers(0, 60), min_size=1, max_size=5),
    lots=st.integers(1, 3), files=st.integers(2, 4), lot=st.integers(2, 7),
)  # fmt: skip
@settings(max_examples=25)
def test_lots_of_a_reader_stay_whole(lengths: list[int], lots: int, files: int, lot: int) -> None:
    """A chunk has whole lots, and what is left at a file's end behind them."""
    for chunk in in_chunks(lengths, lots * lot, files, lot):
        full = sum(chunk.count(file) // lot for file in set(chunk))
        for at in range(0, full * lot, lot):
            assert len(set(chunk[at : at + lot])) == 1


def test_the_longer_part_is_spread_evenly_among_the_shorter_one() -> None:
    shown = "".join("ab"[file] for file, _ in turns([9, 3], 20, 2))
    assert shown == "aabaaabaaaba"


def written(folder: Path, kind: str, files: int, count: int) -> list[str]:
    """Files of `count` records each that tell their file."""
    names = [str(folder / f"{kind}-{file}") for file in range(files)]
    for file, name in enumerate(names):
        if kind in ("tfrecord", "examples"):
            feature = {"file": tf.train.Feature(int64_list=tf.train.Int64List(value=[file]))}
            example = tf.train.Example(features=tf.train.Features(feature=feature))
            with tf.io.TFRecordWriter(name) as writer:
                for _ in range(count):
                    writer.write(example.SerializeToString())
        else:
            record = f"{file}\n".encode() if kind == "text" else struct.pack("<i", file)
            Path(name).write_bytes(record * count)
    return names


def file_of(kind: str, names: Any) -> Any:
    """What a record of a new reader tells of its file."""
    if kind == "text":
        return tf.io.decode_csv(v1.TextLineReader().read(names).value, [[0]])[0]
    if kind == "fixed":
        value = v1.FixedLengthRecordReader(4).read(names).value
        return tf.reshape(tf.io.decode_raw(value, tf.int32), [])
    value = v1.TFRecordReader().read(names).value
    if kind == "tfrecord":  # of a form that no op of ours parses
        spec = {"file": tf.io.VarLenFeature(tf.int64)}
        return tf.reshape(v1.parse_single_example(value, spec)["file"].values, [])
    return v1.parse_single_example(value, {"file": tf.io.FixedLenFeature([], tf.int64)})["file"]


@pytest.mark.parametrize("kind", FORMATS)
@pytest.mark.parametrize("count", [24, 900, 30_000], ids=["tiny", "light", "heavy"])
def test_a_batch_has_examples_of_all_files_that_are_open(
    kind: str, count: int, tmp_path: Path
) -> None:
    """TF 1.15.5 gave 3.99 of four files a batch, where each has 200,000 lines."""
    names = written(tmp_path, kind, 4, count)

    def build() -> Any:
        queue = train.string_input_producer(names, num_epochs=1, shuffle=False)
        producers = [[file_of(kind, queue)] for _ in range(4)]
        return train.batch_join(producers, BATCH)

    batches = list(queueio.lift(build).to_dataset().take(30).as_numpy_iterator())
    assert np.mean([len(set(batch.tolist())) for batch in batches]) > 3.7


@pytest.mark.long
def test_a_file_of_each_class_fills_a_shuffled_batch_with_all_classes(tmp_path: Path) -> None:
    names = written(tmp_path, "text", 4, 60_000)

    def build() -> Any:
        queue = train.string_input_producer(names, num_epochs=1, shuffle=False)
        producers = [[file_of("text", queue)] for _ in range(4)]
        return train.shuffle_batch_join(producers, 64, capacity=2000, min_after_dequeue=500)

    batches = queueio.lift(build).to_dataset().take(100).as_numpy_iterator()
    counts = [np.bincount(batch, minlength=4) for batch in batches]
    # 16 each are expected; one of 400 counts is 0, or 40 and more, once in 100,000 runs.
    assert np.min(counts) > 0
    assert np.max(counts) < 40


def doubles(folder: Path, readers: int, files: int, count: int) -> float:
    """How many examples of a batch of joined readers, which go on for ever, are in it already."""
    names = [str(folder / f"lines-{file}") for file in range(files)]
    for file, name in enumerate(names):
        Path(name).write_text("".join(f"{file * count + n}\n" for n in range(count)))

    def build() -> Any:
        queue = train.string_input_producer(names, seed=1)
        return train.batch_join([[file_of("text", queue)] for _ in range(readers)], BATCH)

    batches = queueio.lift(build).to_dataset().take(6 * files * count // BATCH).as_numpy_iterator()
    return float(np.mean([BATCH - len(set(batch.tolist())) for batch in batches]))


@pytest.mark.parametrize(("files", "count"), [(4, 50), (8, 200)])
def test_few_small_files_do_not_mix_one_epoch_with_the_next_ones(
    files: int, count: int, tmp_path: Path
) -> None:
    """TF 1.15.5 gave 0.1 doubles, and none."""
    assert doubles(tmp_path, files, files, count) < 0.5


@pytest.mark.long
@pytest.mark.parametrize(("readers", "files", "count"), [(4, 1, 5000), (3, 4, 2000), (10, 12, 500)])
def test_a_file_that_two_readers_have_open_is_not_read_in_step(
    readers: int, files: int, count: int, tmp_path: Path
) -> None:
    """TF 1.15.5 gave 0.3 to 0.6, none, and up to 0.1 doubles; in step 24, 1 to 4, and 3 are."""
    assert doubles(tmp_path, readers, files, count) < 0.7


@pytest.mark.timeout(120)
def test_a_name_that_comes_late_keeps_no_other_file_waiting(tmp_path: Path) -> None:
    names = written(tmp_path, "text", 2, 100)
    allowed = [names[0]]

    def next_name() -> Any:
        assert allowed, "the next name was asked for before the first file was taken"
        return np.array(allowed.pop().encode(), object)

    def build() -> Any:
        name = tf.numpy_function(next_name, [], tf.string)
        name.set_shape([])
        queue = tf.queue.FIFOQueue(1, [tf.string], [[]])
        runner = v1.train.QueueRunner(queue, [queue.enqueue([name])])
        v1.train.add_queue_runner(runner)
        return train.batch_join([[file_of("text", queue)] for _ in range(2)], 5)

    first = next(iter(queueio.lift(build).to_dataset().as_numpy_iterator()))
    assert first.tolist() == [0] * 5


@pytest.mark.long
@pytest.mark.parametrize("shares", [[0, 1, 2, 3], [0, 0, 1]], ids=["of four", "two are alike"])
def test_producers_with_files_of_their_own_are_mixed_by_their_number(
    shares: list[int], tmp_path: Path
) -> None:
    names = written(tmp_path, "text", 4, 5000)
    count = max(shares) + 1

    def build() -> Any:
        queues = [
            train.string_input_producer([name], num_epochs=1, shuffle=False)
            for name in names[:count]
        ]
        return train.batch_join([[file_of("text", queues[share])] for share in shares], 24)

    batches = queueio.lift(build).to_dataset().take(20).as_numpy_iterator()
    seen = sum(np.bincount(batch, minlength=count) for batch in batches) / (20 * 24)
    expected = np.bincount(shares) / len(shares)
    np.testing.assert_allclose(seen, expected, atol=0.1)
