"""Files that are read together give what they gave one by one: records, keys, order, errors."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np
import pytest
import tensorflow as tf

import queueio
from queueio import io, train
from queueio.compile.kernels import small_files
from queueio.compile.kernels.keys import KeyForm
from queueio.stages.readers.fixed_length import FixedLengthRecords
from queueio.stages.readers.text_line import TextLines
from queueio.stages.readers.tf_record import TFRecords
from queueio.stages.readers.whole_file import WholeFiles
from tests.turns import by_turns

TEXTS = [
    b"", b"\n", b"\r", b"\r\n", b"\n\r", b"a", b"a\n", b"a\r", b"a\r\r\n", b"a\r\rb\n", b"a\nb",
    b"a\n\n", b"\n\na", b"a\n\r", b"one,two\nthree\n", b"\xff\xfe\n\x00x\r\n", b"h\nb\r\nc\n\nd",
]  # fmt: skip
LARGE = small_files.LIGHT_BYTES // 3


def _records(kind: str, rng: np.random.Generator) -> tuple[Any, list[bytes]]:
    """A kind of records, and files of every sort of it."""
    counts = [0, 1, 2, 5, 40]
    if kind.startswith("text"):
        long = b"".join(b"line %d\n" % n for n in range(LARGE // 12))
        return TextLines(skip_header_lines=int(kind[-1])), [*TEXTS, long]
    if kind == "fixed":
        files = [rng.bytes(3 + 7 * n + cut) for n in counts for cut in (0, 2, 6)]
        return FixedLengthRecords(7, 3, 2), [b"", b"ab", *files, rng.bytes(LARGE)]
    if kind == "whole":
        return WholeFiles(), [b"", *(rng.bytes(n) for n in (1, 10, 3000, LARGE))]
    return TFRecords(), [_framed([rng.bytes(20) for _ in range(n)]) for n in [*counts, 5000]]


def _framed(records: list[bytes]) -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        with tf.io.TFRecordWriter(f"{folder}/records") as writer:
            for record in records:
                writer.write(record)
        return Path(f"{folder}/records").read_bytes()


def _all(dataset: Any) -> list[list[Any]]:
    columns = zip(*([list(part.numpy()) for part in chunk] for chunk in dataset), strict=True)
    return [[item for part in column for item in np.asarray(part).tolist()] for column in columns]


def _groups(names: list[Any], size: int) -> tf.data.Dataset:
    return tf.data.Dataset.from_tensor_slices(names).batch(size)


KINDS = ["text0", "text1", "text3", "fixed", "whole", "tfrecord"]
PLAIN = (KeyForm.NONE, tf.string)
FORMS = [
    *((kind, PLAIN) for kind in KINDS),
    *(
        (kind, (KeyForm.WHOLE, tf.string)) for kind in KINDS[:-1]
    ),  # of TFRecords, keys want the offsets
    *((kind, (KeyForm.PARTS, tf.string)) for kind in ("text0", "text3", "fixed")),
    ("fixed", (KeyForm.NONE, tf.uint8)),
]


@pytest.mark.long
@pytest.mark.parametrize("size", [1, 3, 64])
@pytest.mark.parametrize(("kind", "form"), by_turns(FORMS))
def test_small_files_give_what_each_gives_alone(
    kind: str, form: tuple[KeyForm, Any], size: int, tmp_path: Path
) -> None:
    rng = np.random.default_rng(5)
    records, files = _records(kind, rng)
    small = records.small(*form)
    names = []
    for number in rng.integers(0, len(files), 40):
        names.append(str(tmp_path / f"{len(names)}"))
        Path(names[-1]).write_bytes(files[number])
    each: Callable[[Any], Any] = lambda names: records.chunks(names, *form)  # noqa: E731
    alone = _all(each(tf.data.Dataset.from_tensor_slices(names)))
    assert _all(small_files.together(_groups(names, size), small, each)) == alone
    if size > 1:
        many = small_files.together(_groups(names, size), small, each, readers=2)
        assert list(map(sorted, _all(many))) == list(map(sorted, alone))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("what", ["missing", "a folder"])
def test_what_precedes_no_file_comes_and_then_its_error(
    kind: str, what: str, tmp_path: Path
) -> None:
    records, files = _records(kind, np.random.default_rng(5))
    names = [str(tmp_path / f"{number}") for number in range(5)]
    for name in names[:3]:
        Path(name).write_bytes(files[-2])
    if what == "a folder":
        Path(names[3]).mkdir()
    each: Callable[[Any], Any] = lambda names: records.chunks(names, *PLAIN)  # noqa: E731
    small = records.small(*PLAIN)
    before = _all(each(tf.data.Dataset.from_tensor_slices(names[:3])))
    seen: list[Any] = []
    error = tf.errors.NotFoundError if what == "missing" else tf.errors.FailedPreconditionError
    with pytest.raises(error, match="3"):
        seen.extend(small_files.together(_groups(names, 5), small, each))
    assert _all(seen) == before


def test_a_torn_record_among_light_files_is_told_after_what_precedes_it(tmp_path: Path) -> None:
    whole = _framed([b"first", b"second"])
    names = [str(tmp_path / name) for name in ("a", "b")]
    Path(names[0]).write_bytes(whole)
    Path(names[1]).write_bytes(whole[:-3])
    records = TFRecords()
    small = records.small(*PLAIN)
    seen: list[Any] = []
    with pytest.raises(tf.errors.DataLossError):
        seen.extend(
            small_files.together(
                _groups(names, 2), small, lambda names: records.chunks(names, *PLAIN)
            )
        )
    assert _all(seen) == [[b"first", b"second", b"first"]]


HEAVY = b"x" * 1_000 + b"\n"
HEAVY *= small_files.LIGHT_BYTES // 1_000 + 1


def _lines_of(names: list[str]) -> queueio.Plan:
    def pipeline() -> Any:
        queue = train.string_input_producer(names, num_epochs=1, shuffle=False)
        line = io.TextLineReader().read(queue)[1]
        return train.batch([line], 100, allow_smaller_final_batch=True)

    return queueio.lift(pipeline)


@pytest.mark.parametrize("before", [b"short\n", HEAVY])
@pytest.mark.parametrize("after", [b"last\n", HEAVY])
def test_files_are_read_whole_though_their_sizes_change_after_the_plan_is_made(
    before: bytes, after: bytes, tmp_path: Path
) -> None:
    names = [str(tmp_path / name) for name in "abc"]
    for name in names:
        Path(name).write_bytes(before)
    plan = _lines_of(names)
    for name in names:
        Path(name).write_bytes(after)
    assert _all([batch] for batch in plan.to_dataset()) == [after.split() * 3]


def test_heavy_files_are_not_weighed_again_when_they_are_read(tmp_path: Path) -> None:
    names = [str(tmp_path / name) for name in "ab"]
    for name in names:
        Path(name).write_bytes(HEAVY)
    assert not _weighed(_lines_of(names))
    Path(names[1]).write_bytes(b"light\n")
    assert _weighed(_lines_of(names))


def _weighed(plan: queueio.Plan) -> bool:
    together = small_files.together
    with mock.patch.object(small_files, "together", side_effect=together) as asked:
        next(iter(plan.to_dataset()))
    return bool(asked.called)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("size", [1, 4])
def test_names_may_be_any_bytes(kind: str, size: int, tmp_path: Path) -> None:
    records, files = _records(kind, np.random.default_rng(5))
    names = [os.fsencode(tmp_path) + b"/\xff\xfe%d" % number for number in range(4)]
    for name in names:
        Path(os.fsdecode(name)).write_bytes(files[-2])
    each: Callable[[Any], Any] = lambda names: records.chunks(names, *PLAIN)  # noqa: E731
    alone = _all(each(tf.data.Dataset.from_tensor_slices(names)))
    assert len(alone[0]) == 4 * len(_all(each(tf.data.Dataset.from_tensors(names[0])))[0]) > 0
    assert _all(small_files.together(_groups(names, size), records.small(*PLAIN), each)) == alone
