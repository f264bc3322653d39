"""Where the graph contradicts what a reader knows, its examples and errors are the queues'."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import tensorflow as tf

import queueio
from queueio import io, train

v1 = tf.compat.v1
SIZE = 24
OPS: dict[str, Callable[[Any], Any]] = {
    "an index beyond the record": lambda x: x[30],
    "a slice beyond the record": lambda x: tf.slice(x, [20], [8]),
    "a reshape to more": lambda x: tf.reshape(x, [5, 5]),
    "a reshape that does not divide": lambda x: tf.reshape(x, [-1, 7])[0],
    "a promise of more": lambda x: promised(x, 25) + 1,
    "a branch that is never taken": lambda x: v1.cond(tf.size(x) > 30, lambda: x[30], lambda: x[0]),
}


def promised(x: Any, size: int) -> Any:
    x = tf.identity(x)
    x.set_shape([size])
    return x


def outcome(build: Callable[[], Any], engine: str) -> tuple[list[Any], type]:
    """The batches, and the error that the coordinator raises at the end."""
    got: list[Any] = []
    with tf.Graph().as_default(), queueio.engine(engine):
        batch = build()
        with v1.Session() as session:
            session.run(v1.local_variables_initializer())
            coord = train.Coordinator()
            threads = train.start_queue_runners(session, coord)
            try:
                while len(got) < 10:
                    got.append(session.run(batch).tolist())
            except tf.errors.OpError as error:
                end: type = type(error)
            coord.request_stop()
            try:
                coord.join(threads)
            except tf.errors.OpError as error:
                end = type(error)
    return got, end


@pytest.mark.parametrize("records", [0, 2])
@pytest.mark.parametrize("name", OPS)
def test_the_data_engine_does_what_the_queues_do(
    name: str, records: int, tmp_path: Path, v1_behaviour: None
) -> None:
    file = tmp_path / "records"
    file.write_bytes(bytes(range(SIZE * records)))

    def build() -> Any:
        files = train.string_input_producer([str(file)], num_epochs=1, shuffle=False)
        _, record = io.FixedLengthRecordReader(SIZE).read(files)
        return train.batch([OPS[name](tf.io.decode_raw(record, tf.uint8))], 1)

    assert outcome(build, "data") == outcome(build, "queue")
