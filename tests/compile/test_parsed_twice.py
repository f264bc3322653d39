"""Features of any length that are parsed in chunks are those that are parsed one by one."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tensorflow as tf

import queueio
from benchmarks.contenders import Legacy
from queueio.compile.parsed_twice import ParsedTwice
from queueio.stages.decoders.user_ops import Transform

legacy = Legacy()
Values = Callable[[Any], Any]
DTYPES = [tf.int64, tf.float32, tf.string]
OF_VALUES: dict[Any, list[Values]] = {
    tf.int64: [lambda v: v, lambda v: tf.cast(v, tf.int32), lambda v: tf.cast(-v, tf.float32)],
    tf.float32: [lambda v: v, lambda v: tf.floor(tf.square(v)), tf.negative],
    tf.string: [lambda v: v, lambda v: tf.strings.to_hash_bucket_fast(v, 10), tf.strings.upper],
}  # fmt: skip
LABEL = tf.io.FixedLenFeature([], tf.int64, default_value=7)
WHERE = {
    "today": tf.io.parse_single_example,
    "then": legacy.parse_single_example,
}


def example(rng: np.random.Generator, dtypes: list[Any]) -> bytes:
    made = tf.train.Example()
    made.features.feature["label"].int64_list.value.append(int(rng.integers(1000)))
    for number, dtype in enumerate(dtypes):
        feature, count = made.features.feature[f"f{number}"], int(rng.integers(0, 5))
        if dtype == tf.int64:
            feature.int64_list.value.extend(rng.integers(-9, 9, count).tolist())
        elif dtype == tf.float32:
            feature.float_list.value.extend(rng.normal(size=count).tolist())
        else:
            feature.bytes_list.value.extend(rng.bytes(int(rng.integers(4))) for _ in range(count))
    return bytes(made.SerializeToString())


def write(path: Path, records: list[bytes]) -> str:
    with tf.io.TFRecordWriter(str(path)) as writer:
        for record in records:
            writer.write(record)
    return str(path)


def pipeline(
    name: str, parse: Any, dtypes: list[Any], rng: np.random.Generator, batch: Any
) -> Callable[[], Any]:
    of_values = [OF_VALUES[d][int(rng.integers(len(OF_VALUES[d])))] for d in dtypes]
    order = rng.permutation(len(dtypes) + 1)

    def build() -> Any:
        names = legacy.train.string_input_producer([name], num_epochs=2)
        _, record = legacy.TFRecordReader().read(names)
        features = {f"f{n}": tf.io.VarLenFeature(d) for n, d in enumerate(dtypes)}
        features["label"] = LABEL
        parsed = parse(record, features)
        components = [parsed["label"] * 2]
        for number, made in enumerate(of_values):
            sparse = parsed[f"f{number}"]
            values = made(sparse.values)
            components.append(tf.SparseTensor(sparse.indices, values, sparse.dense_shape))
        return batch([components[n] for n in order])

    return build


def batched(components: list[Any]) -> Any:
    return legacy.train.batch(components, 7, allow_smaller_final_batch=True)


def shuffled(components: list[Any]) -> Any:
    return legacy.train.shuffle_batch(components, 7, 40, 20, allow_smaller_final_batch=True)


def arrays(dataset: tf.data.Dataset) -> Iterator[list[np.ndarray]]:
    for element in dataset:
        yield [np.asarray(t) for t in tf.nest.flatten(element, expand_composites=True)]


def rows(dataset: tf.data.Dataset) -> list[Any]:
    """Every example of a dataset of batches, in an order of its own."""
    found = []
    for batch in dataset:
        dense = [tf.sparse.to_dense(t).numpy() if isinstance(t, tf.SparseTensor) else t.numpy()
                 for t in batch]  # fmt: skip
        counts = [
            np.bincount(t.indices[:, 0], minlength=len(dense[0]))
            for t in batch
            if isinstance(t, tf.SparseTensor)
        ]
        for n in range(len(dense[0])):
            cells = [d[n].tolist() for d in dense]
            lengths = iter(int(c[n]) for c in counts)
            found.append([c[: next(lengths)] if isinstance(c, list) else c for c in cells])
    return sorted(found, key=repr)


def in_two_steps(plan: Any) -> bool:
    maps = [node for node in plan.stages if isinstance(node, Transform)]
    return any(ParsedTwice.of(node._run, node.elements) for node in maps)


@pytest.mark.parametrize("parse", WHERE)
@pytest.mark.parametrize("seed", range(4))
def test_batches_are_those_of_single_examples(seed: int, parse: str, tmp_path: Path) -> None:
    rng = np.random.default_rng(seed)
    dtypes = [DTYPES[int(n)] for n in rng.integers(0, 3, int(rng.integers(1, 4)))]
    name = write(tmp_path / "a", [example(rng, dtypes) for _ in range(30)])
    plan = queueio.lift(pipeline(name, WHERE[parse], dtypes, rng, batched))
    chunks, singles = plan.to_dataset(), plan.to_dataset(vectorise=False)
    assert in_two_steps(plan)
    assert chunks.element_spec == singles.element_spec
    for one, other in zip(arrays(chunks), arrays(singles), strict=True):
        assert [a.dtype for a in one] == [a.dtype for a in other]
        assert [a.tolist() for a in one] == [a.tolist() for a in other]


@pytest.mark.long
@pytest.mark.parametrize("parse", WHERE)
def test_a_pool_gives_each_example_whole_and_once(parse: str, tmp_path: Path) -> None:
    rng = np.random.default_rng(11)
    name = write(tmp_path / "a", [example(rng, DTYPES) for _ in range(100)])
    plan = queueio.lift(pipeline(name, WHERE[parse], DTYPES, rng, shuffled))
    chunks = plan.to_dataset()
    assert in_two_steps(plan)
    assert rows(chunks) == rows(plan.to_dataset(vectorise=False))
    assert [len(batch[0]) for batch in arrays(chunks)].count(0) == 0


@pytest.mark.parametrize("parse", WHERE)
@pytest.mark.parametrize("wrong", [b"no example", "another type"])
def test_the_examples_before_a_wrong_one_come_and_then_its_error(
    wrong: Any, parse: str, tmp_path: Path
) -> None:
    rng = np.random.default_rng(3)
    records = [example(rng, [tf.int64]) for _ in range(30)]
    records[20] = wrong if isinstance(wrong, bytes) else _with_strings()
    name = write(tmp_path / "a", records)
    plan = queueio.lift(pipeline(name, WHERE[parse], [tf.int64], rng, batched))
    assert in_two_steps(plan)
    found = []
    with pytest.raises(tf.errors.InvalidArgumentError):
        found.extend(arrays(plan.to_dataset()))
    assert len(found) == 2  # of 20 examples two whole batches, as the queue gave them


@pytest.mark.parametrize("fetched", ["sparse", "sparse and key", "padded"])
@pytest.mark.parametrize("parse", WHERE)
def test_a_feature_that_is_parsed_and_not_delivered_must_be_there(
    parse: str, fetched: str, tmp_path: Path
) -> None:
    rng = np.random.default_rng(5)
    records = [example(rng, [tf.int64]) for _ in range(12)]
    name = write(tmp_path / "a", records)
    needed = {"f0": tf.io.VarLenFeature(tf.int64), "nowhere": tf.io.FixedLenFeature([], tf.int64)}

    def build() -> Any:
        files = queueio.train.string_input_producer([name], num_epochs=1, shuffle=False)
        key, value = queueio.io.TFRecordReader().read(files)
        sparse = WHERE[parse](value, needed)["f0"]
        if fetched == "padded":
            return queueio.train.batch([tf.sparse.to_dense(sparse)], 4, dynamic_pad=True)
        return queueio.train.batch([sparse, key] if fetched != "sparse" else [sparse], 4)

    with pytest.raises(tf.errors.InvalidArgumentError, match="nowhere"):
        list(arrays(queueio.lift(build).to_dataset()))


PADDED: dict[str, Callable[[Any], list[Any]]] = {
    "alone": lambda s: [tf.sparse.to_dense(s)],
    "with its length": lambda s: [tf.sparse.to_dense(s), tf.size(s.values)],
    "with the length of the dense one": lambda s: [(d := tf.sparse.to_dense(s)), tf.shape(d)[0]],
    "with a length that is computed with": lambda s: [
        tf.cast(tf.sparse.to_dense(s), tf.float32),
        tf.cast(s.dense_shape[0], tf.float32) / 3.0,
    ],
    "beside itself": lambda s: [s, tf.sparse.to_dense(s)],
}


@pytest.mark.parametrize("parse", WHERE)
@pytest.mark.parametrize("form", PADDED)
def test_padded_batches_are_those_of_single_examples(form: str, parse: str, tmp_path: Path) -> None:
    rng = np.random.default_rng(7)
    name = write(tmp_path / "a", [example(rng, [tf.int64]) for _ in range(30)])

    def build() -> Any:
        names = legacy.train.string_input_producer([name], num_epochs=2)
        _, record = legacy.TFRecordReader().read(names)
        features = {"f0": tf.io.VarLenFeature(tf.int64), "label": LABEL}
        parsed = WHERE[parse](record, features)
        return legacy.train.batch(
            [parsed["label"], *PADDED[form](parsed["f0"])], 7, dynamic_pad=True,
            allow_smaller_final_batch=True,
        )  # fmt: skip

    plan = queueio.lift(build)
    chunks, singles = plan.to_dataset(), plan.to_dataset(vectorise=False)
    assert in_two_steps(plan)
    assert chunks.element_spec == singles.element_spec
    for one, other in zip(arrays(chunks), arrays(singles), strict=True):
        assert [(a.dtype, a.tolist()) for a in one] == [(a.dtype, a.tolist()) for a in other]


UNPADDED: dict[str, Callable[[Any], Any]] = {
    "a default of its own": lambda s: tf.sparse.to_dense(s, default_value=-1),
    "a zero that becomes another number": lambda s: tf.sparse.to_dense(s) + 1,
    "a sum": lambda s: tf.reduce_sum(tf.sparse.to_dense(s), keepdims=True),
}


@pytest.mark.parametrize("form", UNPADDED)
def test_what_padding_would_change_goes_one_by_one(form: str, tmp_path: Path) -> None:
    rng = np.random.default_rng(9)
    name = write(tmp_path / "a", [example(rng, [tf.int64]) for _ in range(30)])

    def build() -> Any:
        names = legacy.train.string_input_producer([name], num_epochs=1)
        _, record = legacy.TFRecordReader().read(names)
        sparse = legacy.parse_single_example(record, {"f0": tf.io.VarLenFeature(tf.int64)})["f0"]
        return legacy.train.batch([UNPADDED[form](sparse)], 7, dynamic_pad=True)

    plan = queueio.lift(build)
    assert not in_two_steps(plan)
    told = [[a.tolist() for a in batch] for batch in arrays(plan.to_dataset(vectorise=False))]
    assert [[a.tolist() for a in batch] for batch in arrays(plan.to_dataset())] == told


def _with_strings() -> bytes:
    made = tf.train.Example()
    made.features.feature["f0"].bytes_list.value.append(b"five")
    return bytes(made.SerializeToString())


@pytest.mark.long
def test_what_needs_the_sparse_values_for_a_dense_component_goes_one_by_one(tmp_path: Path) -> None:
    rng = np.random.default_rng(5)
    name = write(tmp_path / "a", [example(rng, [tf.int64]) for _ in range(30)])

    def build() -> Any:
        names = legacy.train.string_input_producer([name], num_epochs=1)
        _, record = legacy.TFRecordReader().read(names)
        sparse = legacy.parse_single_example(record, {"f0": tf.io.VarLenFeature(tf.int64)})["f0"]
        return batched([sparse, tf.reduce_sum(sparse.values), tf.size(sparse.values)])

    plan = queueio.lift(build)
    assert not in_two_steps(plan)
    told = [[a.tolist() for a in batch] for batch in arrays(plan.to_dataset(vectorise=False))]
    assert [[a.tolist() for a in batch] for batch in arrays(plan.to_dataset())] == told


@pytest.mark.long
def test_an_assertion_of_what_is_parsed_is_made(tmp_path: Path) -> None:
    """What waits for it may be part of either step."""
    records = [
        tf.train.Example(
            features=tf.train.Features(
                feature={
                    "s": tf.train.Feature(int64_list=tf.train.Int64List(value=[number] * 3)),
                    "d": tf.train.Feature(int64_list=tf.train.Int64List(value=[number])),
                }
            )
        ).SerializeToString()
        for number in (*range(1, 60), 0)
    ]
    name = write(tmp_path / "records", records)

    def build(waits: str) -> Any:
        names = legacy.train.string_input_producer([name], num_epochs=1)
        _, record = legacy.TFRecordReader().read(names)
        spec = {"s": tf.io.VarLenFeature(tf.int64), "d": tf.io.FixedLenFeature([], tf.int64)}
        parsed = legacy.parse_single_example(record, spec)
        sparse, dense = parsed["s"], parsed["d"]
        with tf.control_dependencies([tf.compat.v1.assert_positive(dense)]):
            if waits == "sparse":
                values = tf.cast(sparse.values, tf.float32)
                sparse = tf.SparseTensor(sparse.indices, values, sparse.dense_shape)
            else:
                dense = tf.cast(dense, tf.float32)
        return legacy.train.shuffle_batch([sparse, dense], 4, 30, 10)

    for waits in ("sparse", "dense"):
        with pytest.raises(tf.errors.InvalidArgumentError, match="assertion failed"):
            for _ in queueio.lift(lambda waits=waits: build(waits)).to_dataset():
                pass


@pytest.mark.parametrize("padded", [False, True])
def test_a_float_out_of_range_is_cast_as_it_is_in_an_example_of_its_own(
    padded: bool, tmp_path: Path
) -> None:
    values = [300.0, -5.0, 70000.0, 1e10] * 10
    records = []
    for value in values:
        made = tf.train.Example()
        made.features.feature["f0"].float_list.value.append(value)
        records.append(bytes(made.SerializeToString()))
    name = write(tmp_path / "a", records)

    def build() -> Any:
        names = legacy.train.string_input_producer([name], num_epochs=1)
        _, record = legacy.TFRecordReader().read(names)
        sparse = legacy.parse_single_example(record, {"f0": tf.io.VarLenFeature(tf.float32)})["f0"]
        if padded:
            return legacy.train.batch(
                [tf.cast(tf.sparse.to_dense(sparse), tf.uint8)], 40, dynamic_pad=True
            )
        return legacy.train.batch([tf.cast(sparse, tf.uint8)], 40)

    (batch,) = queueio.lift(build).to_dataset()
    got = batch.numpy().ravel() if padded else batch.values.numpy()
    assert got.tolist() == [int(tf.cast([value], tf.uint8)[0]) for value in values]
