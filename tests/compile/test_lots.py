"""Lots of records, worked on many lots at a time."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tensorflow as tf

import queueio
from queueio import train
from queueio.compile.lots import of_rows_alone
from queueio.graph.fragment import Fragment
from tests.compile.fragments import same_bits
from tests.lift.conftest import CONFIG, steps_of
from tests.turns import by_turns

v1 = tf.compat.v1
COLUMNS = 3
LOT = 4


def _columns(lines: Any) -> Any:
    return tf.stack(v1.decode_csv(lines, [[0]] * COLUMNS), 1)


Step = Callable[[Any, random.Random], Any]
ALONE: dict[str, Step] = {
    "cast": lambda x, r: tf.cast(x, r.choice([tf.int32, tf.float32])),
    "scaled": lambda x, r: x * tf.constant(r.randrange(1, 9), x.dtype),
    "by column": lambda x, r: x + tf.cast(tf.range(x.shape[-1]), x.dtype),
    "with itself": lambda x, r: tf.stack([x, -x], r.choice([1, -1])),
    "joined": lambda x, r: tf.concat([x, x + 1], r.choice([1, -1])),
    "sliced": lambda x, r: x[:, r.choice([0, -1]) :],
    "from the end": lambda x, r: x[..., :1],
    "the last axis new": lambda x, r: x[..., 0, tf.newaxis],
    "sliced by an op": lambda x, r: tf.slice(x, [0] * x.shape.rank, [-1] * x.shape.rank),
    "wider": lambda x, r: tf.expand_dims(x, r.choice([1, -1])),
    "flat": lambda x, r: tf.reshape(x, [-1, x.shape[1:].num_elements()]),
    "squeezed": lambda x, r: tf.squeeze(tf.expand_dims(x, 1), [1]),
    "split": lambda x, r: tf.unstack(x, axis=1)[0][:, tf.newaxis],
    "halves": lambda x, r: tf.split(tf.concat([x, x], 1), 2, 1)[1],
    "turned": lambda x, r: tf.transpose(tf.expand_dims(x, 1), [0, *range(x.shape.rank, 0, -1)]),
    "columns chosen": lambda x, r: tf.gather(x, [0, 0], axis=1),
    "padded": lambda x, r: tf.pad(x, [[0, 0], [1, 0]] + [[0, 0]] * (x.shape.rank - 2)),
    "chosen": lambda x, r: tf.where(tf.greater(x, 40), x, -x),
    "text and back": lambda x, r: tf.strings.to_number(tf.strings.as_string(tf.cast(x, tf.int32))),
    "a table's rows": lambda x, r: tf.gather(
        tf.constant(np.arange(100) ** 2), tf.cast(x, tf.int32) % 100
    ),
    "one of many": lambda x, r: tf.one_hot(tf.cast(x, tf.int32) % 5, 5),
    "the largest": lambda x, r: tf.reduce_max(tf.cast(x, tf.int32), -1, keepdims=True),
}
"""What works on each row, [N, …] for each row more than a number."""
TOGETHER: dict[str, Step] = {
    "less the mean": lambda x, r: (
        tf.cast(x, tf.float32) - tf.reduce_mean(tf.cast(x, tf.float32), 0)
    ),
    "turned round": lambda x, r: tf.reverse(x, [0]),
    "first row": lambda x, r: x - x[:1],
    "numbered": lambda x, r: (
        x + tf.reshape(tf.cast(tf.range(tf.shape(x)[0]), x.dtype), [-1] + [1] * (x.shape.rank - 1))
    ),
    "summed up": lambda x, r: tf.cumsum(x, 0),
    "by the lot's size": lambda x, r: x * tf.cast(tf.size(x), x.dtype),
    "mixed": lambda x, r: tf.concat([x[1:], x[:1]], 0),
    "of one lot": lambda x, r: tf.reshape(tf.transpose(x), [-1, *x.shape[1:]]),
    "by the last": lambda x, r: x + tf.cast(tf.gather(x, tf.shape(x)[0] - 1), x.dtype),
    "drawn": lambda x, r: x + tf.cast(tf.random.uniform([], 0, 9, tf.int32, seed=3), x.dtype),
}
"""What needs the other rows of a lot."""


def _program(seed: int) -> tuple[Callable[[Any], list[Any]], bool]:
    """What a lot of lines becomes, and whether each row becomes it alone."""
    draw = random.Random(seed)
    steps = [draw.choice(list(ALONE.values())) for _ in range(draw.randrange(1, 6))]
    alone = draw.random() < 0.7
    if not alone:
        steps.insert(draw.randrange(len(steps) + 1), draw.choice(list(TOGETHER.values())))

    def run(lines: Any) -> list[Any]:
        step_draw = random.Random(seed)
        rows = [_columns(lines)]
        for step in steps:
            made = step(rows[-1], step_draw)
            made.set_shape([None, *made.shape[1:]])
            rows.append(made)
        return [rows[-1], rows[len(rows) // 2]]

    return run, alone


def _lines(count: int, seed: int) -> list[bytes]:
    draw = random.Random(seed)
    return [b"%d,%d,%d" % tuple(draw.randrange(100) for _ in range(COLUMNS)) for _ in range(count)]


@pytest.mark.parametrize("seed", by_turns(range(60)))
def test_only_what_works_on_rows_alone_is_given_many_lots_and_gives_their_rows(seed: int) -> None:
    program, alone = _program(seed)
    with tf.Graph().as_default() as graph:
        lines = v1.placeholder(tf.string, [None])
        outputs = program(lines)
        found = of_rows_alone(Fragment.between([lines], outputs))
    assert found == alone
    if not alone:
        return
    lots = [_lines(count, seed + count) for count in (4, 4, 1, 7)]
    with v1.Session(graph=graph, config=CONFIG) as session:
        apart = [session.run(outputs, {lines: lot}) for lot in lots]
        together = session.run(outputs, {lines: [line for lot in lots for line in lot]})
    for rows, whole in zip(zip(*apart, strict=True), together, strict=True):
        assert same_bits(np.concatenate(rows), whole)


@pytest.fixture
def files(tmp_path: Path) -> list[str]:
    """Files of which none has a whole number of lots."""
    paths = [tmp_path / f"{number}.csv" for number in range(3)]
    for number, path in enumerate(paths):
        path.write_bytes(b"".join(line + b"\n" for line in _lines(9 + 2 * number, number)))
    return list(map(str, paths))


def _lots_of(files: list[str], make: Callable[[Any], list[Any]]) -> Any:
    names = train.string_input_producer(files, num_epochs=2, shuffle=False)
    keys, lines = v1.TextLineReader().read_up_to(names, LOT)
    return [keys, *make(lines)]


@pytest.mark.parametrize("seed", by_turns(range(12)))
def test_batches_are_those_of_the_queues(files: list[str], seed: int) -> None:
    program, _ = _program(seed)

    def build() -> Any:
        return train.batch(
            _lots_of(files, program), 5, enqueue_many=True, allow_smaller_final_batch=True
        )

    expected = list(steps_of(build, 100))
    found = list(queueio.lift(build).to_dataset())
    assert len(found) == len(expected) == 14
    for batch, own in zip(found, expected, strict=True):
        assert [v.numpy().tolist() for v in batch] == [v.tolist() for v in own]


@pytest.mark.parametrize("bad", [0, 3, 4, 6, 21])
def test_a_lot_with_a_bad_record_fails_alone_and_whole(
    files: list[str], tmp_path: Path, bad: int
) -> None:
    """The lots before it come, and none of its own rows, as in the queues."""
    lines = [b"%d,1,2" % n for n in range(23)]
    lines[bad] = b"%d,x,2" % bad
    path = tmp_path / "bad.csv"
    path.write_bytes(b"\n".join(lines) + b"\n")

    def build() -> Any:
        return train.batch(_lots_of([str(path)], lambda lines: [_columns(lines)]), 1,
                           enqueue_many=True)  # fmt: skip

    came, said = [], ""
    with pytest.raises(tf.errors.InvalidArgumentError, match="Field 1 in record") as on_queues:
        came += [batch[1][0][0] for batch in steps_of(build, 100)]
    said = on_queues.value.message.partition("\n")[0]
    found = []
    with pytest.raises(tf.errors.InvalidArgumentError, match="Field 1 in record") as on_data:
        for batch in queueio.lift(build).to_dataset():
            found.append(int(batch[1][0][0]))
    assert found == list(range(bad // LOT * LOT))
    assert came in ([], found[: len(came)])
    assert f"Field 1 in record {bad % LOT} " in on_data.value.message
    assert f"Field 1 in record {bad % LOT} " in said


def test_lots_whose_size_the_program_has_promised_go_one_by_one() -> None:
    """What was built for so many rows would be told of thousands."""
    with tf.Graph().as_default():
        open_ended, promised = (v1.placeholder(tf.string, [size]) for size in (None, LOT))
        for lines, alone in ((open_ended, True), (promised, False)):
            fragment = Fragment.between([lines], [tf.strings.to_number(lines)])
            assert of_rows_alone(fragment) == alone


SPEC = {"x": v1.FixedLenFeature([2], tf.float32), "y": v1.FixedLenFeature([], tf.int64, 7)}


def test_dense_features_of_lots_are_parsed_in_one_call(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = str(tmp_path / "examples.tfrecord")
    with tf.io.TFRecordWriter(path) as writer:
        for n in range(50):
            x = tf.train.Feature(float_list=tf.train.FloatList(value=[n, n / 3]))
            y = tf.train.Feature(int64_list=tf.train.Int64List(value=[n] * (n % 2)))
            features = tf.train.Features(feature={"x": x} | ({"y": y} if n % 2 else {}))
            writer.write(tf.train.Example(features=features).SerializeToString())

    def build() -> Any:
        names = train.string_input_producer([path], num_epochs=1)
        _, records = v1.TFRecordReader().read_up_to(names, LOT)
        return train.maybe_batch(
            parsed := v1.parse_example(records, SPEC), parsed["y"] > 3, 5, enqueue_many=True,
            allow_smaller_final_batch=True,
        )  # fmt: skip

    expected = list(steps_of(build, 100))
    monkeypatch.setattr(tf.data.Dataset, "unbatch", None)  # nothing is taken apart row by row
    found = list(queueio.lift(build).to_dataset())
    assert len(found) == len(expected) > 5
    for batch, own in zip(found, expected, strict=True):
        assert {k: v.numpy().tolist() for k, v in batch.items()} == {
            k: v.tolist() for k, v in own.items()
        }


SPARSE = {
    "ids": v1.VarLenFeature(tf.int64), "words": v1.VarLenFeature(tf.string),
    "y": v1.FixedLenFeature([], tf.int64),
}  # fmt: skip


@pytest.fixture
def sparse_files(tmp_path: Path) -> list[str]:
    """Examples of lists of any length, often none; two lots have none at all."""
    draw, paths = random.Random(7), [str(tmp_path / f"{n}.tfrecord") for n in range(3)]
    for number, path in enumerate(paths):
        with tf.io.TFRecordWriter(path) as writer:
            for n in range(21 + number):
                ids = [] if n // LOT == 2 else [draw.randrange(9) for _ in range(draw.randrange(7))]
                words = [b"w" * i for i in ids[: draw.randrange(4)]]
                features = {
                    "ids": tf.train.Feature(int64_list=tf.train.Int64List(value=ids)),
                    "words": tf.train.Feature(bytes_list=tf.train.BytesList(value=words)),
                    "y": tf.train.Feature(int64_list=tf.train.Int64List(value=[100 * number + n])),
                }
                example = tf.train.Example(features=tf.train.Features(feature=features))
                writer.write(example.SerializeToString())
    return paths


def _parsed(files: list[str]) -> Any:
    names = train.string_input_producer(files, num_epochs=2, shuffle=False)
    _, records = v1.TFRecordReader().read_up_to(names, LOT)
    return v1.parse_example(records, SPARSE)


END = {"enqueue_many": True, "allow_smaller_final_batch": True}
IN_ORDER: dict[str, Callable[[list[str]], Any]] = {
    "all": lambda files: train.batch(_parsed(files), 5, **END),
    "some": lambda files: train.maybe_batch(
        (e := _parsed(files)), tf.not_equal(e["y"] % 3, 1), 3, **END
    ),
    "words alone": lambda files: train.batch([_parsed(files)["words"]], 7, **END),
}
MIXED: dict[str, Callable[[list[str]], Any]] = {
    "shuffled": lambda files: train.shuffle_batch(_parsed(files), 4, 30, 9, **END),
    "joined": lambda files: train.batch_join([_parsed(files), _parsed(files[:2])], 4, **END),
    "joined and shuffled": lambda files: train.shuffle_batch_join(
        [_parsed(files), _parsed(files[1:])], 4, 30, 9, **END
    ),
}


@pytest.mark.parametrize("form", IN_ORDER)
def test_sparse_features_of_lots_are_those_of_the_queues_with_their_shapes(
    sparse_files: list[str], form: str
) -> None:
    """A batch is as wide as the longest list of the lots that its rows are of."""
    expected = list(steps_of(lambda: IN_ORDER[form](sparse_files), 200))
    found = list(queueio.lift(lambda: IN_ORDER[form](sparse_files)).to_dataset())
    assert len(found) == len(expected) > 15
    for batch, own in zip(found, expected, strict=True):
        parts = zip(tf.nest.flatten(batch, True), tf.nest.flatten(own), strict=True)
        assert all(np.asarray(a).tolist() == np.asarray(b).tolist() for a, b in parts)


@pytest.mark.long
@pytest.mark.parametrize("form", MIXED)
def test_mixed_rows_of_sparse_lots_are_those_of_the_queues(
    sparse_files: list[str], form: str
) -> None:
    def rows(batches: list[Any]) -> list[Any]:
        made = []
        for batch in batches:
            for row, y in enumerate(np.asarray(batch["y"])):
                of_row = [np.asarray(batch[k].indices)[:, 0] == row for k in ("ids", "words")]
                ids, words = (
                    np.asarray(batch[k].values)[own].tolist()
                    for k, own in zip(("ids", "words"), of_row, strict=True)
                )
                made.append((int(y), ids, words))
        return sorted(made)

    found = list(queueio.lift(lambda: MIXED[form](sparse_files)).to_dataset())
    assert rows(found) == rows(list(steps_of(lambda: MIXED[form](sparse_files), 300)))


def test_a_sparse_lot_with_a_bad_record_fails_alone_and_whole(
    sparse_files: list[str], tmp_path: Path
) -> None:
    path = str(tmp_path / "bad.tfrecord")
    records = [r.numpy() for r in tf.data.TFRecordDataset(sparse_files[:1])]
    with tf.io.TFRecordWriter(path) as writer:
        for n, record in enumerate(records):
            writer.write(b"no example" if n == 14 else record)
    found = []
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"Error parsing|Could not parse"):
        for batch in queueio.lift(lambda: train.batch(_parsed([path]), 1, **END)).to_dataset():
            found.append(int(batch["y"][0]))
    assert found == list(range(12))
