"""Each example runs, and what it prints as evidence is so."""

from __future__ import annotations

from collections.abc import Callable

import pytest

Run = Callable[..., list[tuple[str, str]]]


def values(facts: list[tuple[str, str]], name: str) -> list[str]:
    return [value for key, value in facts if key == name]


def test_read_csv_skips_the_headers_and_counts_them_in_the_keys(run_example: Run) -> None:
    facts = dict(run_example("read_csv.py"))
    assert facts["rows read"] == "1437 from 3 files"
    assert facts["different keys"] == "1437"
    assert facts["first key"].endswith("0-of-3.csv:2")
    assert facts["last key"].endswith("2-of-3.csv:480")
    assert facts["same rows, same order, as Python's csv module reads"] == "True"


def test_read_tfrecord_has_offsets_as_keys(run_example: Run) -> None:
    facts = dict(run_example("read_tfrecord.py"))
    assert facts["records read"] == "1437 from 3 files"
    assert facts["different keys"] == "1437"
    # 113 bytes: 8 of length, 4 and 4 of checksums, 97 of tf.Example.
    assert [key.rpartition(":")[2] for key in facts["first keys"].split(", ")] == ["0", "113"]
    assert facts["same images and labels, same order, as in the fixed-length files"] == "True"


@pytest.mark.long
def test_read_fixed_length_numbers_the_records_from_0(run_example: Run) -> None:
    facts = dict(run_example("read_fixed_length.py"))
    assert facts["records read"] == "1437 from 3 files"
    assert facts["first key"].endswith("0-of-3.bin:0")
    assert facts["last key"].endswith("2-of-3.bin:478")
    assert facts["same labels and images, same order, as the bytes of the files"] == "True"


def test_coordinator_leaves_no_thread_and_tells_the_cause(run_example: Run) -> None:
    lines = run_example("coordinator_life_cycle.py")
    facts, names = dict(lines), [name for name, _ in lines]
    assert facts["before start_queue_runners"] == "0 threads"
    assert facts["after it"].startswith("4 threads")
    assert facts["the input ended after 2 batches"] == "sess.run raised OutOfRangeError"
    assert facts["threads left after the input ended"] == "0"
    assert facts["threads left after the trainer stopped"] == "0"
    closed = names.index("after 1 batch, sess.run raised OutOfRangeError")
    assert names[closed + 1] == "because of InvalidArgumentError"
    assert "three" in facts["join raised InvalidArgumentError"]
    assert facts["threads left after a thread failed"] == "0"


@pytest.mark.long
def test_batches_drop_the_tail_unless_smaller_ones_are_allowed(run_example: Run) -> None:
    facts = run_example("batch_and_shuffle_batch.py")
    # batch, batch with a smaller last one, shuffle_batch, shuffle_batch with a smaller last one.
    full, with_tail = "[5, 5, 5, 5]", "[5, 5, 5, 5, 3]"
    assert values(facts, "batch sizes") == [full, with_tail, full, with_tail]
    assert values(facts, "static shape") == ["(5,)", "(None,)", "(5,)", "(None,)"]
    delivered = ["20, each once: True", "23, each once: True"]
    assert values(facts, "delivered") == delivered * 2
    # Without shuffling it is known which three are dropped.
    assert values(facts, "dropped")[:2] == ["3 [20, 21, 22]", "0 []"]
    assert values(facts, "in order") == ["True", "True", "False", "False"]


def test_padding_fills_each_batch_up_to_its_longest(run_example: Run) -> None:
    facts = dict(run_example("padding.py"))
    assert "shape" in facts["without padding, refused"].lower()
    assert facts["each batch as wide as its longest"] == "True"
    assert facts["padding only at the end of rows"] == "True"
    assert facts["same lists, same order, as in the file"] == "True"


@pytest.mark.long
def test_joins_read_each_record_once_and_mix_files(run_example: Run) -> None:
    facts = run_example("joins.py")
    assert values(facts, "records") == ["1437, each exactly once: True"] * 3
    averages = [float(value.split()[0]) for value in values(facts, "files in a batch")]
    one_reader, joined, shuffled = averages
    # A file of 479 records is read to its end first: 49 of its batches of 30 are at least 46.
    assert one_reader < 1.1 < min(joined, shuffled)
    (refused,) = values(facts, "readers of unlike shapes, refused")
    assert refused.startswith("ValueError")
