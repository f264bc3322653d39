"""Tensors of any length that are made in chunks are those that are made one by one."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tensorflow as tf

import queueio
from benchmarks.contenders import Legacy
from queueio.compile import packed
from queueio.compile.packed import Packed, PackedLists
from queueio.stages.decoders.user_ops import Transform
from tests.turns import by_turns

legacy = Legacy()
DTYPES = [tf.int64, tf.float32, tf.string]


def sequence(rng: np.random.Generator, dtype: Any, length: int) -> bytes:
    made = tf.train.SequenceExample()
    made.context.feature["id"].int64_list.value.append(int(rng.integers(1000)))
    steps = made.feature_lists.feature_list["steps"].feature
    for _ in range(length):
        _fill(steps.add(), rng, dtype, 1)
    return bytes(made.SerializeToString())


def example(rng: np.random.Generator, dtype: Any, length: int) -> bytes:
    made = tf.train.Example()
    made.features.feature["id"].int64_list.value.append(int(rng.integers(1000)))
    _fill(made.features.feature["steps"], rng, dtype, length)
    return bytes(made.SerializeToString())


def _fill(feature: Any, rng: np.random.Generator, dtype: Any, count: int) -> None:
    if dtype == tf.int64:
        feature.int64_list.value.extend(rng.integers(-9, 9, count).tolist())
    elif dtype == tf.float32:
        feature.float_list.value.extend(rng.normal(size=count).tolist())
    else:
        feature.bytes_list.value.extend(rng.bytes(int(rng.integers(4))) for _ in range(count))


def parse_sequence(record: Any, dtype: Any) -> tuple[Any, Any]:
    context, lists = legacy.parse_single_sequence_example(
        record, {"id": tf.io.FixedLenFeature([], tf.int64)},
        {"steps": tf.io.FixedLenSequenceFeature([], dtype)},
    )  # fmt: skip
    return context["id"], lists["steps"]


def parse_example(record: Any, dtype: Any) -> tuple[Any, Any]:
    parsed = legacy.parse_single_example(
        record, {"id": tf.io.FixedLenFeature([], tf.int64),
                 "steps": tf.io.FixedLenSequenceFeature([], dtype, allow_missing=True)},
    )  # fmt: skip
    return parsed["id"], parsed["steps"]


def parse_text(record: Any, dtype: Any) -> tuple[Any, Any]:
    words = tf.compat.v1.string_split([record], " ").values
    steps = words if dtype == tf.string else tf.strings.to_number(words, dtype)
    return tf.strings.length(record), steps


SOURCES: dict[str, tuple[Any, Any]] = {
    "SequenceExample": (sequence, parse_sequence),
    "Example": (example, parse_example),
    "text": (
        lambda rng, dtype, length: b" ".join(b"%d" % n for n in rng.integers(0, 99, length)),
        parse_text,
    ),
}
FORMS: dict[str, Callable[[Any, Any], list[Any]]] = {
    "as it is": lambda id_, steps: [id_, steps],
    "with its length": lambda id_, steps: [steps, tf.shape(steps)[0], id_],
    "inputs, targets and mask": lambda id_, steps: [
        tf.slice(steps, [0], [tf.maximum(tf.size(steps) - 1, 0)]), steps[1:],
        tf.ones_like(steps[1:], tf.int32),
    ],
    "reversed": lambda id_, steps: [tf.reverse(steps, [0]), tf.cast(id_, tf.float32)],
    "in pairs": lambda id_, steps: [tf.stack([steps, steps], 1), id_],
    "counted": lambda id_, steps: [tf.range(tf.size(steps)), tf.fill([tf.size(steps), 2], True)],
}  # fmt: skip


def written(make: Any, dtype: Any, lengths: list[int]) -> list[bytes]:
    rng = np.random.default_rng(sum(lengths))
    return [make(rng, dtype, length) for length in lengths]


def pipeline(name: str, parse: Any, dtype: Any, form: Any, size: int = 7) -> Callable[[], Any]:
    def build() -> Any:
        names = legacy.train.string_input_producer([name], num_epochs=2, shuffle=False)
        _, record = legacy.TFRecordReader().read(names)
        return legacy.train.batch(
            form(*parse(record, dtype)), size, dynamic_pad=True, allow_smaller_final_batch=True
        )

    return build


def file_of(path: Path, records: list[bytes]) -> str:
    with tf.io.TFRecordWriter(str(path)) as writer:
        for record in records:
            writer.write(record)
    return str(path)


def batches(dataset: tf.data.Dataset) -> Iterator[list[Any]]:
    for element in dataset:
        yield [(t.dtype.name, t.numpy().tolist()) for t in element]


def piece_of(plan: Any) -> Any:
    maps = [node for node in plan.stages if isinstance(node, Transform)]
    return next(filter(None, (Packed.of(node._run, node.elements) for node in maps)), None)


def is_packed(plan: Any) -> bool:
    return piece_of(plan) is not None


@pytest.mark.parametrize("source", SOURCES)
@pytest.mark.parametrize("form", by_turns(FORMS))
def test_padded_batches_are_those_of_single_examples(
    form: str, source: str, tmp_path: Path
) -> None:
    make, parse = SOURCES[source]
    dtype = DTYPES[(list(FORMS).index(form) + list(SOURCES).index(source)) % len(DTYPES)]
    lengths = np.random.default_rng(len(form)).integers(0, 6, 30).tolist()
    name = file_of(tmp_path / "a", written(make, dtype, lengths))
    plan = queueio.lift(pipeline(name, parse, dtype, FORMS[form]))
    chunks, singles = plan.to_dataset(), plan.to_dataset(vectorise=False)
    assert is_packed(plan)
    assert chunks.element_spec == singles.element_spec
    assert list(batches(chunks)) == list(batches(singles))


@pytest.mark.parametrize("lengths", [[0] * 9, [5] * 9, [0, 0, 3], [1]], ids=str)
def test_lengths_may_all_be_nothing_or_all_the_same(lengths: list[int], tmp_path: Path) -> None:
    name = file_of(tmp_path / "a", written(sequence, tf.int64, lengths))
    plan = queueio.lift(pipeline(name, parse_sequence, tf.int64, FORMS["with its length"], 3))
    told = list(batches(plan.to_dataset(vectorise=False)))
    assert list(batches(plan.to_dataset())) == told
    assert len(told) == -(-2 * len(lengths) // 3)


@pytest.mark.parametrize("source", ["SequenceExample", "Example"])
def test_whole_batches_before_a_wrong_record_come_and_then_its_error(
    source: str, tmp_path: Path
) -> None:
    make, parse = SOURCES[source]
    records = written(make, tf.int64, [n % 5 for n in range(30)])
    records[20] = make(np.random.default_rng(1), tf.string, 3)
    plan = queueio.lift(
        pipeline(file_of(tmp_path / "a", records), parse, tf.int64, FORMS["as it is"])
    )
    assert is_packed(plan)
    found: list[Any] = []
    with pytest.raises(tf.errors.InvalidArgumentError, match="steps"):
        found.extend(batches(plan.to_dataset()))
    assert len(found) == 2  # of 20 examples two whole batches, as the queue gave them


AT_ONCE = {
    "as it is": FORMS["as it is"],
    "with its length": FORMS["with its length"],
    "with its size, twice": lambda id_, steps: [steps, tf.size(steps) * 2, steps, id_ * 3],
}


def parse_as_then(record: Any, dtype: Any) -> tuple[Any, Any]:
    """As a graph saved by TensorFlow 1 parses a SequenceExample."""
    made = tf.raw_ops.ParseSingleSequenceExample(
        serialized=record, feature_list_dense_missing_assumed_empty=[], debug_name="",
        context_sparse_keys=[], context_dense_keys=["id"], feature_list_sparse_keys=[],
        feature_list_dense_keys=["steps"], context_dense_defaults=[tf.zeros([0], tf.int64)],
        context_dense_shapes=[[]], feature_list_dense_types=[dtype],
        feature_list_dense_shapes=[[]],
    )  # fmt: skip
    (id_,), (steps,) = made.context_dense_values, made.feature_list_dense_values
    steps.set_shape([None])
    return id_, steps


def parse_pairs(record: Any, dtype: Any) -> tuple[Any, Any]:
    """Values in pairs; another feature may be missing."""
    parsed = legacy.parse_single_example(record, {
        "id": tf.io.FixedLenFeature([], tf.int64),
        "more": tf.io.FixedLenFeature([2], tf.float32, default_value=[0.5, 1.5]),
        "steps": tf.io.FixedLenSequenceFeature([2], dtype, allow_missing=True),
    })  # fmt: skip
    return parsed["id"] + tf.cast(parsed["more"][1], tf.int64), parsed["steps"]


PARSERS = {
    "today": (sequence, parse_sequence),
    "then": (sequence, parse_as_then),
    "Example": (example, parse_example),
    "pairs": (lambda rng, dtype, length: example(rng, dtype, 2 * length), parse_pairs),
}


@pytest.mark.parametrize("dtype", DTYPES, ids=lambda d: d.name)
@pytest.mark.parametrize("source", by_turns(PARSERS))
def test_lists_that_are_delivered_as_they_are_come_out_of_one_call_for_a_chunk(
    source: str, dtype: Any, tmp_path: Path
) -> None:
    make, parse = PARSERS[source]
    form = AT_ONCE[list(AT_ONCE)[(DTYPES.index(dtype) + len(source)) % len(AT_ONCE)]]
    lengths = np.random.default_rng(len(source)).integers(0, 6, 30).tolist()
    name = file_of(tmp_path / "a", written(make, dtype, lengths))
    plan = queueio.lift(pipeline(name, parse, dtype, form))
    assert isinstance(piece_of(plan), PackedLists)
    told = list(batches(plan.to_dataset(vectorise=False)))
    assert list(batches(plan.to_dataset())) == told


@pytest.mark.long
@pytest.mark.parametrize("source", ["today", "then", "pairs"])
@pytest.mark.parametrize("wrong", ["another type", "no record", "a row is missing", "half a pair"])
def test_a_wrong_record_among_lists_is_told_after_what_came_before_it(
    source: str, wrong: str, tmp_path: Path
) -> None:
    if (wrong == "half a pair") != (source == "pairs"):
        source = "pairs" if wrong == "half a pair" else "today"
    make, parse = PARSERS[source]
    rng = np.random.default_rng(1)
    records = written(make, tf.int64, [n % 5 for n in range(30)])
    kind = tf.train.Example if source == "pairs" else tf.train.SequenceExample
    records[20] = {
        "another type": make(rng, tf.string, 3),
        "no record": b"no record",
        "a row is missing": bytes(kind().SerializeToString()),
        "half a pair": example(rng, tf.int64, 3),
    }[wrong]
    name = file_of(tmp_path / "a", records)
    plan = queueio.lift(pipeline(name, parse, tf.int64, FORMS["as it is"]))
    assert isinstance(piece_of(plan), PackedLists)
    found: list[Any] = []
    with pytest.raises(tf.errors.InvalidArgumentError) as chunked:
        found.extend(batches(plan.to_dataset()))
    with pytest.raises(tf.errors.InvalidArgumentError) as single:
        list(batches(plan.to_dataset(vectorise=False)))
    assert len(found) == 2
    assert _reason(chunked.value) == _reason(single.value)


def _reason(error: Any) -> str:
    """What an op says of a record, without the names of the functions around it."""
    return str(error.message).rpartition("iterator: ")[2].partition(": ")[2].split("\n")[0]


UNFIT: dict[str, Callable[[Any], Any]] = {
    "of two unknown sizes": lambda steps: tf.ones([tf.size(steps), tf.size(steps)]),
    "what Python makes": lambda steps: tf.compat.v1.py_func(lambda s: s[::-1], [steps], tf.int64),
    "drawn with a seed": lambda steps: tf.compat.v1.random_shuffle(steps, seed=4),
}


@pytest.mark.parametrize("form", UNFIT)
def test_what_cannot_be_packed_or_must_keep_its_turn_goes_one_by_one(
    form: str, tmp_path: Path
) -> None:
    name = file_of(tmp_path / "a", written(sequence, tf.int64, [3, 1, 2, 5]))

    def made(id_: Any, steps: Any) -> list[Any]:
        unlike = UNFIT[form](steps)
        unlike.set_shape([None] * (unlike.shape.rank or 1))
        return [unlike]

    plan = queueio.lift(pipeline(name, parse_sequence, tf.int64, made, 2))
    assert not is_packed(plan)
    told = [np.shape(batch[0][1]) for batch in batches(plan.to_dataset(vectorise=False))]
    assert [np.shape(batch[0][1]) for batch in batches(plan.to_dataset())] == told


@pytest.mark.long
def test_the_data_engine_pads_what_the_queues_pad(tmp_path: Path) -> None:
    name = file_of(tmp_path / "a", written(sequence, tf.int64, [3, 0, 2, 5, 1, 4]))
    build = pipeline(name, parse_sequence, tf.int64, FORMS["inputs, targets and mask"], 4)

    def run(engine: str) -> list[Any]:
        with tf.Graph().as_default(), queueio.engine(engine):
            batch = build()
            with tf.compat.v1.Session() as sess:
                sess.run(tf.compat.v1.local_variables_initializer())
                coord = queueio.train.Coordinator()
                threads = queueio.train.start_queue_runners(sess, coord)
                found = [[v.tolist() for v in sess.run(batch)] for _ in range(3)]
                coord.request_stop()
                coord.join(threads)
                return found

    assert run("data") == run("queue")


@pytest.mark.long
@pytest.mark.parametrize("dtype", by_turns([tf.uint8, tf.bool, tf.float32, tf.int64, tf.string]))
@pytest.mark.parametrize("inner", [(), (3,)])
def test_what_is_padded_one_by_one_is_what_is_padded_together(
    dtype: Any, inner: tuple[int, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    rng = np.random.default_rng(len(inner))
    of = tf.TensorSpec([None, *inner], dtype)
    for lengths in ([3, 0, 5], [4, 4], [0, 0], [1], *rng.integers(0, 9, (5, 4)).tolist()):
        rows = [tf.cast(rng.integers(0, 2, (n, *inner)), tf.int32) for n in lengths]
        rows = [tf.as_string(r) if dtype == tf.string else tf.cast(r, dtype) for r in rows]
        cells = tf.stack([packed._packed(row) for row in rows])
        expected = _padded(cells, of)
        with monkeypatch.context() as patch:
            patch.setattr(packed, "_MANY_VALUES", -1)
            found = _padded(cells, of)
        assert found.dtype == expected.dtype
        np.testing.assert_array_equal(found, expected)


def _padded(cells: tf.Tensor, of: tf.TensorSpec) -> tf.Tensor:
    dataset = tf.data.Dataset.from_tensors(cells).map(lambda cells: packed._padded(cells, of))
    return dataset.get_single_element()
