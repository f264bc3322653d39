"""Examples of many numbers are in their batches what they are one by one."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tensorflow as tf

import queueio
from queueio import contrib, io, train
from queueio.compile import columns
from queueio.compile.columns import Columns
from tests.turns import by_turns

v1 = tf.compat.v1
INTS, FLOATS = 30, 27
NUMBERS = 57


def _features(name: str) -> list[Any]:
    """Ints and floats in turns, two strings, one vector; the last one a number."""
    _, line = io.TextLineReader().read(train.string_input_producer([name], num_epochs=1))
    defaults: list[Any] = [[0] if n < INTS else [0.0] for n in range(NUMBERS)]
    numbers = v1.decode_csv(line, [*defaults, [""]])
    words = numbers.pop()
    order = np.random.default_rng(3).permutation(NUMBERS)
    mixed = [numbers[n] for n in order]
    return [*mixed[:20], words, *mixed[20:40], tf.stack(numbers[:3]), *mixed[40:]]


def _through_another_queue(features: list[Any]) -> list[Any]:
    queue = io.FIFOQueue(40, [t.dtype for t in features], [t.shape for t in features])
    v1.train.add_queue_runner(v1.train.QueueRunner(queue, [queue.enqueue(features)]))
    return list(queue.dequeue())


BATCHED: dict[str, Callable[[list[Any]], Any]] = {
    "in order": lambda f: train.batch(f, 7, allow_smaller_final_batch=True),
    "whole batches": lambda f: train.batch(f, 7),
    "as a dict": lambda f: train.batch({f"f{n}": t for n, t in enumerate(f)}, 7),
    "shuffled": lambda f: train.shuffle_batch(f, 7, 50, 20, allow_smaller_final_batch=True),
    "joined": lambda f: train.batch_join([f, f], 7, allow_smaller_final_batch=True),
    "kept": lambda f: train.maybe_batch(f, tf.equal(f[0] % 2, 0), 7),
    "into buckets": lambda f: contrib.training.bucket(
        f, tf.cast(f[0], tf.int32) % 2, 7, 2, allow_smaller_final_batch=True
    )[1],
    "through another queue": lambda f: train.batch(_through_another_queue(f), 7),
    "one by one": _through_another_queue,
}


def _rows(dataset: Any, batched: bool) -> list[list[Any]]:
    made = []
    for batch in dataset.as_numpy_iterator():
        parts = tf.nest.flatten(batch)
        rows = zip(*parts, strict=True) if batched else [parts]
        made += [[np.asarray(part).tolist() for part in row] for row in rows]
    return made


@pytest.mark.long
@pytest.mark.parametrize("name", by_turns(BATCHED))
def test_as_one_by_one(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(columns, "_MANY", 24)
    packed = []
    stock = Columns.rows
    monkeypatch.setattr(Columns, "rows", lambda *args: packed.append(1) or stock(*args))
    rng = np.random.default_rng(8)
    lines = [[*rng.integers(-9, 9, INTS), *rng.normal(size=FLOATS), f"w{n}"] for n in range(100)]
    (tmp_path / "lines").write_text("".join(",".join(map(str, row)) + "\n" for row in lines))
    plan = queueio.lift(lambda: BATCHED[name](_features(str(tmp_path / "lines"))))
    got, told = plan.to_dataset(), plan.to_dataset(vectorise=False)
    assert got.element_spec == told.element_spec
    batched = name != "one by one"
    have, want = _rows(got, batched), _rows(told, batched)
    assert packed or not batched, "no numbers stood together"
    assert len(want) > 30
    assert (sorted(have) == sorted(want)) if name == "shuffled" else (have == want)


def test_few_numbers_and_a_last_component_stand_alone() -> None:
    with tf.Graph().as_default():
        number, word = tf.constant(1.0), tf.constant("a")
        assert Columns.of([number] * 50) is None
        assert Columns.of([word] * 90) is None
        found = Columns.of([word, *[number] * 300, number])
    assert found == Columns((tuple(range(1, 301)),), (0, 301))
