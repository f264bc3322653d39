"""The batches before an example that fails are delivered, however many are made at once."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tensorflow as tf

import queueio
from queueio import contrib, io, settings, train

v1 = tf.compat.v1
GOOD, ALL = 13, 20


def _in_python(number: Any) -> Any:
    def asked(value: Any) -> Any:
        if value >= GOOD:
            raise ValueError("the fourteenth")
        return np.int32(value)

    known = v1.py_func(asked, [number], tf.int32)
    known.set_shape([])
    return known


def _decoded(number: Any) -> Any:
    good = tf.image.encode_png(tf.zeros([2, 2, 3], tf.uint8))
    image = tf.image.decode_png(tf.where(number < GOOD, good, tf.constant(b"no picture")), 3)
    image.set_shape([2, 2, 3])
    return image


def _split(number: Any) -> Any:
    text = tf.where(number < GOOD, tf.as_string(number) + " 7", tf.constant("x y"))
    parts = tf.strings.to_number(v1.string_split([text]).values)
    parts.set_shape([2])
    return parts


def _looped(number: Any) -> Any:
    with tf.control_dependencies([v1.assert_less(number, GOOD)]):
        return tf.while_loop(lambda n, _: n < number, lambda n, y: (n + 1, y + n), [0, 0])[1]


@pytest.mark.parametrize("compute", [_in_python, _decoded, _split, _looped])
@pytest.mark.parametrize("size", [1, 2, 5])
def test_every_batch_before_it_comes(compute: Callable[[Any], Any], size: int) -> None:
    def build() -> Any:
        number = train.range_input_producer(ALL, num_epochs=1, shuffle=False).dequeue()
        return train.batch([number, compute(number)], size)

    seen: list[int] = []
    with pytest.raises(tf.errors.InvalidArgumentError):
        for numbers, _ in queueio.lift(build).to_dataset():
            seen += numbers.numpy().tolist()
    assert seen == list(range(GOOD // size * size))


HANDED_ON = {
    "kept": lambda x, y: train.maybe_batch([x, y], x >= 0, 1),
    "joined": lambda x, y: train.batch_join([[x, y]], 1),
    "sorted": lambda x, y: contrib.training.bucket([x, y], x % 1, 1, 2)[1],
    "of three threads": lambda x, y: train.batch([x, y], 1, num_threads=3),
}


@pytest.mark.parametrize("compute", [_in_python, _decoded, _looped])
@pytest.mark.parametrize("name", HANDED_ON)
def test_so_it_does_where_ops_and_stages_follow(compute: Callable[[Any], Any], name: str) -> None:
    def build() -> Any:
        number = train.range_input_producer(ALL, num_epochs=1, shuffle=False).dequeue()
        made = tf.cast(compute(number), tf.float32) * tf.cast(number, tf.float32)
        return HANDED_ON[name](number, tf.reduce_sum(made))

    seen: list[int] = []
    with pytest.raises(tf.errors.InvalidArgumentError):
        for numbers, _ in queueio.lift(build).to_dataset():
            seen += numbers.numpy().tolist()
    assert seen == list(range(GOOD))


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        (tf.errors.OutOfRangeError(None, None, "past the end"), tf.errors.UnknownError),
        (KeyError("none"), tf.errors.UnknownError),
        (ValueError("bad"), tf.errors.InvalidArgumentError),
        (None, tf.errors.InvalidArgumentError),
    ],
)
def test_of_a_function_in_several_threads_only_stop_iteration_is_an_end(
    error: Exception | None, kind: type[Exception]
) -> None:
    def asked(value: Any) -> Any:
        if value < GOOD:
            return np.int32(value)
        if error is None:
            return np.int32(value), np.int32(0)  # one more than told
        raise error

    def build() -> Any:
        number = train.range_input_producer(ALL, num_epochs=1, shuffle=False).dequeue()
        made = v1.py_func(asked, [number], tf.int32)
        made.set_shape([])
        return train.batch([number, made], 1, num_threads=3)

    for engine in ("queue", "data"):
        with tf.Graph().as_default(), settings.override(engine=engine, small_job=0):
            batch = build()
            with v1.Session() as session, pytest.raises(kind):
                session.run(v1.local_variables_initializer())
                with queueio.running(session):
                    while True:
                        session.run(batch)


def _fixed(names: Any, wide: int) -> Any:
    _, record = io.FixedLengthRecordReader(wide).read(names)
    return tf.reshape(v1.decode_raw(record, tf.uint8), [wide])


def _lines(names: Any) -> Any:
    _, line = io.TextLineReader().read(names)
    return tf.stack(v1.decode_csv(line, [[0]] * 3))


READ = {
    "narrow": lambda names: _fixed(names, 12),
    "wide": lambda names: _fixed(names, 2400),
    "lines": _lines,
}
BATCHED = {
    "shuffled": lambda x: train.shuffle_batch([x], 4, 40, 10),
    "in order": lambda x: train.batch([x], 4),
    "into buckets": lambda x: contrib.training.bucket([x], tf.cast(x[0], tf.int32) % 2, 4, 2)[1],
}


@pytest.mark.parametrize("batched", BATCHED)
@pytest.mark.parametrize("read", READ)
def test_an_assertion_is_made_though_all_that_waits_for_it_waits_for_the_batch(
    read: str, batched: str, tmp_path: Path
) -> None:
    """A cast cannot fail and may come after the queue; what it waits for may not."""
    numbers = np.tile(np.arange(1, 201, dtype=np.uint8), 12)
    numbers[-1] = 0
    (tmp_path / "records").write_bytes(numbers.tobytes())
    rows = numbers.reshape(-1, 3)
    (tmp_path / "lines").write_text("".join("{},{},{}\n".format(*row) for row in rows))

    def build() -> Any:
        file = tmp_path / ("lines" if read == "lines" else "records")
        x = READ[read](train.string_input_producer([str(file)], num_epochs=1))
        with tf.control_dependencies([v1.assert_greater(tf.cast(x, tf.int32), 0)]):
            y = tf.cast(x, tf.float32) * 2
        return BATCHED[batched](y)

    with pytest.raises(tf.errors.InvalidArgumentError, match="assertion failed"):
        for _ in queueio.lift(build).to_dataset():
            pass


@pytest.mark.parametrize("seed", range(6))
def test_what_a_cast_after_the_decoding_waits_for_is_not_lost_where_a_file_is_missing(
    seed: int, tmp_path: Path
) -> None:
    """Such ops wait for the batch, so that less is moved; no rows wait for more than that."""
    rng = np.random.default_rng(seed)
    count, size = int(rng.integers(1, 9_000)), int(rng.choice([1, 3, 7, 32, 128]))
    wide = int(rng.choice([4, 60, 300]))
    good, missing = str(tmp_path / "good"), str(tmp_path / "missing")
    Path(good).write_bytes(rng.bytes(count * wide))

    def build() -> Any:
        names = train.string_input_producer([good, missing], num_epochs=1, shuffle=False)
        _, record = io.FixedLengthRecordReader(wide).read(names)
        numbers = tf.reshape(v1.decode_raw(record, tf.uint8), [wide])
        some = v1.to_float(tf.strings.length(record) > 3)
        return train.batch([tf.cast(numbers, tf.float32), some], size, capacity=4 * size)

    rows: list[Any] = []
    with pytest.raises(tf.errors.NotFoundError):
        for numbers, _ in queueio.lift(build).to_dataset():
            rows += numbers.numpy().tolist()
    content = np.frombuffer(Path(good).read_bytes(), np.uint8).reshape(count, wide)
    assert rows == content[: count // size * size].tolist()
