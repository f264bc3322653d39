"""The last batch, where there are several epochs, and where it happens to be full."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tensorflow as tf

import queueio.compare as comparing
from queueio import io, train


def numbers(count: int, size: int, drop: bool, epochs: int = 1) -> Any:
    """Rows in one order, batched."""
    rows = {"number": np.arange(count), "square": np.arange(count) ** 2}
    return lambda: (
        tf.data.Dataset.from_tensor_slices(rows).repeat(epochs).batch(size, drop_remainder=drop)
    )


def judged(old: Any, new: Any) -> Any:
    return comparing(old, new, cost=False, stages=False)


@pytest.mark.parametrize(("count", "left"), [(60, 1), (62, 5)])
def test_the_tail_of_the_last_of_several_epochs_is_no_file_that_is_read_twice(
    count: int, left: int
) -> None:
    result = judged(numbers(count, 7, True, 2), numbers(count, 7, False, 2))
    assert result.findings[0].code == "tail-batch", str(result)
    assert f"kept by the new side: {left} example" in result.verdict


@pytest.mark.long
def test_epochs_are_counted_though_a_last_batch_is_dropped() -> None:
    for old, new in ((2, 1), (1, 2), (3, 4)):
        result = judged(numbers(60, 32, True, old), numbers(60, 32, True, new))
        assert result.findings[0].code == "epochs", str(result)
        assert f"{new} time" in result.verdict


@pytest.mark.long
def test_a_row_that_is_twice_in_the_data_is_no_epoch() -> None:
    rows = np.array([*range(30), 5, 6, *range(30, 60)])
    twice = {"number": rows, "square": rows**2}
    made = tf.data.Dataset.from_tensor_slices(twice).batch(7, drop_remainder=True)
    result = judged(numbers(60, 7, True), made)
    assert result.findings[0].code != "epochs", str(result)


def test_a_batch_size_that_divides_the_examples_hides_no_drop_remainder() -> None:
    result = judged(numbers(60, 10, False), numbers(60, 10, True))
    assert result.ok and [f.code for f in result.findings] == ["full-batches"], str(result)
    assert "has none but of 10, as with drop_remainder=True" in result.findings[0].sentence
    for drop in (False, True):  # both alike
        assert not judged(numbers(60, 10, drop), numbers(60, 10, drop)).findings


@pytest.mark.long
def test_what_is_drawn_by_weights_has_no_epochs_with_borders() -> None:
    pytest.importorskip("scipy", reason="judging the order needs scipy")

    def sampled() -> tf.data.Dataset:
        classes = [
            tf.data.Dataset.range(10 * n, 10 * n + 10, output_type=tf.int64).shuffle(10).repeat()
            for n in (0, 1)
        ]
        return tf.data.Dataset.sample_from_datasets(classes, [0.5, 0.5]).batch(16)

    result = comparing(sampled, sampled, limit=4000, cost=False, stages=False)
    assert result.ok and "epoch-borders" not in [f.code for f in result.findings], str(result)
    assert "that a class comes 0.5% more often would not show" in str(result)


def test_an_error_that_quotes_bytes_is_the_same_in_a_session_and_in_a_dataset() -> None:
    """TensorFlow makes an error of decoding text of it, where no session runs."""
    record = tf.io.FixedLenFeature([], tf.int64, -1)
    rows = [b"", b"", b"", b"", b"\xff\xfe\x01"]

    def old() -> Any:
        row = train.slice_input_producer([rows], num_epochs=1, shuffle=False)
        return train.batch([tf.io.parse_single_example(row[0], {"a": record})["a"]], 2)

    def new() -> Any:
        records = tf.data.Dataset.from_tensor_slices(rows)
        parsed = records.map(lambda row: tf.io.parse_single_example(row, {"a": record})["a"])
        return parsed.batch(2)

    def in_a_graph() -> Any:
        return tf.compat.v1.data.make_one_shot_iterator(new()).get_next()

    for side in (new, in_a_graph):
        result = judged(old, side)
        assert "InvalidArgumentError" in result.old.end and "InvalidArgumentError" in result.new.end
        assert "both-fail" in [finding.code for finding in result.findings]


def shuffled_labels(labels: Any, size: int) -> Any:
    made = tf.data.Dataset.from_tensor_slices(labels)
    return lambda: made.shuffle(len(labels)).batch(size, drop_remainder=True)


@pytest.mark.long
def test_copies_of_labels_that_each_run_leaves_out_at_its_end_are_counted_in_many_runs() -> None:
    pytest.importorskip("scipy", reason="judging how often each comes needs scipy")
    labels = np.arange(1400) % 10
    for _ in range(2):
        same = judged(shuffled_labels(labels, 32), shuffled_labels(labels, 32))
        assert same.ok and "duplicated" not in {f.code for f in same.findings}, str(same)
    moved = np.where((labels == 3) & (np.arange(1400) < 200), 4, labels)  # 20 of 140
    other = judged(shuffled_labels(labels, 32), shuffled_labels(moved, 32))
    assert not other.ok, str(other)


@pytest.mark.long
def test_lists_that_are_cut_short_are_no_file_that_is_read_many_times(tmp_path: Path) -> None:
    """Most lines are twice in the files, so what comes often is of no one file."""
    names = [str(tmp_path / name) for name in ("one.txt", "two.txt")]
    for name, alone in zip(names, ("1", "2"), strict=True):
        Path(name).write_text("\n".join([alone, *(f"1{i}" for i in range(10))]) + "\n")

    def old(num_epochs: int = 1) -> Any:
        queue = train.string_input_producer(names, num_epochs=num_epochs, shuffle=False)
        return train.batch([io.TextLineReader().read(queue)[1]], 11)

    new = tf.data.TextLineDataset(names).map(lambda line: tf.strings.substr(line, 0, 1)).batch(11)
    result = judged(old, new)
    codes = {finding.code for finding in result.findings}
    assert "duplicated" in codes and "file-twice" not in codes, str(result)


@pytest.mark.long
def test_what_one_run_left_out_by_chance_is_not_missing_where_all_is_rounded() -> None:
    """The old side drops another rest in the run that fetches its examples."""
    rng = np.random.default_rng(3)
    rows = {"at": rng.integers(0, 256, (300, 8)), "weight": rng.random(300, np.float32)}
    made = tf.data.Dataset.from_tensor_slices(rows)
    near = made.map(lambda row: {**row, "weight": row["weight"] * (1 + 1e-6)})
    old = made.shuffle(200).batch(16, drop_remainder=True)
    result = comparing(
        lambda: old, lambda: near.shuffle(200).batch(16), cost=False, stages=False, order=False
    )
    said = {finding.code: finding.sentence for finding in result.findings}
    assert "in 288 examples" in said["float-difference"] and "missing" not in said, str(result)
    assert "kept by the new side: 12 examples" in said["tail-batch"], str(result)


def test_another_depth_of_one_hot_is_no_other_padding() -> None:
    labels = np.arange(60) % 7
    depths = [np.eye(depth, dtype=np.float32)[labels] for depth in (8, 9)]
    old, new = (
        tf.data.Dataset.from_tensor_slices({"number": np.arange(60), "label": label}).batch(6)
        for label in depths
    )
    result = judged(old, new)
    assert [f.code for f in result.findings] == ["shape"], str(result)
    assert "as with another depth of one_hot" in result.verdict
