"""Keys that were put off until after a shuffle are those that a session gives."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tensorflow as tf

import queueio
from queueio import io, train
from queueio.compile import key_parts
from queueio.stages.decoders.user_ops import Transform
from tests.turns import by_turns

v1 = tf.compat.v1
COUNTS = [0, 1, 2, 40, 700]
READERS: dict[str, Callable[[int], Any]] = {
    "text": io.TextLineReader,
    "fixed": lambda header: io.FixedLengthRecordReader(8, header_bytes=1),
    "tfrecord": lambda header: io.TFRecordReader(),
    "whole": lambda header: io.WholeFileReader(),
}
OF_KEY: dict[str, Callable[[Any], list[Any]]] = {
    "as it is": lambda key: [key],
    "twice": lambda key: [key, key],
    "joined": lambda key: [tf.strings.join(["<", key, ">"])],
    "hashed too": lambda key: [key, tf.strings.to_hash_bucket_fast(key, 1000)],
    "replaced": lambda key: [tf.strings.regex_replace(key, ":[0-9]+$", "")],
    "split": lambda key: [v1.string_split([key], ":").values[0]],
    "looked up": lambda key: [key, _table().lookup(key)],
}


def _table() -> Any:
    pairs = tf.lookup.KeyValueTensorInitializer(["none"], tf.constant([1], tf.int64))
    return tf.lookup.StaticVocabularyTable(pairs, 3)


def _write(kind: str, path: bytes, count: int, rng: np.random.Generator) -> None:
    numbers = rng.integers(10**7, 10**8, count)
    if kind != "tfrecord":
        header, between = (b"#", b"") if kind == "fixed" else (b"", b"\n")
        Path(os.fsdecode(path)).write_bytes(header + between.join(b"%d" % n for n in numbers))
        return
    plain = os.path.join(os.path.dirname(path), b"plain")
    with tf.io.TFRecordWriter(os.fsdecode(plain)) as writer:
        for number in numbers:
            writer.write(b"%d" % number)
    os.rename(plain, path)


def _files(kind: str, folder: Path, rng: np.random.Generator) -> list[bytes]:
    """Files of many sizes; some are named again, some strangely."""
    names = []
    for count in rng.permutation(COUNTS):
        name = rng.choice([b"part", b"a:b", b"\xff\xfe"]) + b"-%d" % len(names)
        names.append(os.fsencode(folder) + b"/" + name)
        _write(kind, names[-1], int(count), rng)
    return [*names, names[0]] if rng.integers(2) else names


def _pipeline(kind: str, of_key: str, files: list[bytes], rng: np.random.Generator) -> Any:
    header, batch = int(rng.integers(2)), int(rng.choice([1, 7, 64]))
    readers, shuffles = int(rng.choice([1, 1, 2])), bool(rng.integers(4))
    room = 200 + 3 * batch

    def read(names: Any) -> list[Any]:
        key, record = READERS[kind](header).read(names)
        number = tf.strings.length if kind == "whole" else tf.strings.to_number
        return [number(record), *OF_KEY[of_key](key)]

    def build() -> Any:
        names = train.string_input_producer(files, num_epochs=2, shuffle=shuffles, capacity=3)
        more = {"capacity": room, "allow_smaller_final_batch": True}
        if not shuffles:
            return train.batch(read(names), batch, **more)
        examples = [read(names) for _ in range(readers)]
        return train.shuffle_batch_join(examples, batch, min_after_dequeue=100, **more)

    return build, shuffles


def _in_a_session(build: Callable[[], Any]) -> list[list[Any]]:
    got = []
    with tf.Graph().as_default(), queueio.engine("queue"):
        batch = build()
        with v1.Session() as session:
            session.run([v1.local_variables_initializer(), v1.tables_initializer()])
            coord = train.Coordinator()
            threads = train.start_queue_runners(session, coord)
            try:
                while True:
                    got.append(session.run(batch))
            except tf.errors.OutOfRangeError:
                coord.request_stop()
            coord.join(threads)
    return _rows(got)


def _rows(batches: list[Any]) -> list[Any]:
    return [row for batch in batches for row in zip(*(p.tolist() for p in batch), strict=True)]


@pytest.mark.long
@pytest.mark.parametrize("of_key", by_turns(OF_KEY))
@pytest.mark.parametrize("kind", READERS)
def test_a_plan_gives_the_keys_of_a_session(kind: str, of_key: str, tmp_path: Path) -> None:
    rng = np.random.default_rng([*kind.encode(), *of_key.encode()])
    files = _files(kind, tmp_path, rng)
    build, shuffles = _pipeline(kind, of_key, files, rng)
    plan = queueio.lift(build)
    got = _rows([[part.numpy() for part in batch] for batch in plan.to_dataset()])
    told = _in_a_session(build)
    assert sorted(got) == sorted(told)
    if not shuffles:
        assert got == told


def _put_off(of_record: Callable[[Any, Any], list[Any]]) -> bool:
    """Whether the key of `[key, ...]` waits in parts."""

    def build() -> Any:
        names = train.string_input_producer(["a"], shuffle=False)
        return train.shuffle_batch(of_record(*io.TextLineReader().read(names)), 2, 9, 3)

    (node,) = (n for n in queueio.lift(build).stages if isinstance(n, Transform))
    return key_parts.with_key_put_off(node._run) is not None


def test_a_key_that_only_passes_waits_in_parts() -> None:
    number = lambda line: tf.strings.to_number(line)  # noqa: E731
    assert _put_off(lambda key, line: [key, number(line)])
    assert _put_off(lambda key, line: [number(line), tf.strings.join([key, "!"])])


def test_a_key_waits_whole_where_parts_bring_nothing() -> None:
    number = lambda line: tf.strings.to_number(line)  # noqa: E731
    other = tf.strings.upper
    assert not _put_off(lambda key, line: [key, other(line)])  # another string waits as well
    bucket = tf.strings.to_hash_bucket_fast
    assert not _put_off(lambda key, line: [number(line), bucket(key, 9)])  # it does not wait
    picture = lambda line: tf.ensure_shape(tf.io.decode_jpeg(line), [2, 2, 3])  # noqa: E731
    assert not _put_off(lambda key, line: [key, picture(line)])  # one by one


@pytest.mark.long
def test_rows_come_in_the_order_that_they_have_without_keys(tmp_path: Path) -> None:
    path = tmp_path / "numbers"
    path.write_text("".join(f"{n}\n" for n in range(5_000)))

    def rows(keys: bool) -> list[Any]:
        def build() -> Any:
            names = train.string_input_producer([str(path)], num_epochs=1, shuffle=False)
            key, line = io.TextLineReader().read(names)
            parts = [tf.strings.to_number(line, tf.int32), *([key] if keys else [])]
            return train.shuffle_batch(parts, 10, 300, 200, seed=3)

        batches = queueio.lift(build).to_dataset()
        return [batch[0].numpy().tolist() if keys else batch.numpy().tolist() for batch in batches]

    assert rows(True) == rows(False)
