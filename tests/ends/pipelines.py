"""Random pipelines that end because an op of the program says so; also for TensorFlow 1.15.

    python tests/ends/pipelines.py FIRST HOW_MANY > tests/ends/tf_1_15_5.jsonl

records what its queues deliver: a line of JSON for each case, [case, examples].
"""

from __future__ import annotations

import collections
import json
import os
import random
import sys
import tempfile
from collections.abc import Callable
from typing import Any

import numpy as np
import tensorflow as tf

v1 = tf.compat.v1

SOURCES = ("range", "lines", "generator", "rows of a generator", "limit", "constant")
PLACES = ("nowhere", "python", "eager", "stateless", "in a cond", "twice", "beside", "behind")


class Case(
    collections.namedtuple(
        "Case", "source count place ends threads producers middle many keep shuffle size remainder"
    )
):
    """A pipeline.

    source: where values come from, `count` of them from each producer's own source.
    place: where an op ends the stream that did not begin it; at the values `ends`.
    threads: how many run each enqueue op. producers: how many there are of them in a join.
    middle: whether a queue of its own, filled by as many threads, lies before the batch's.
    many: whether rows are enqueued. keep: whether a third of the examples is left out.
    shuffle, size, remainder: of the batch.
    """


def drawn(one: Callable[..., Any]) -> Case:
    """A case whose examples are certain; `one` chooses among its arguments."""
    place = one(*PLACES)
    threads = one(1, 1, 2, 3)
    case = Case(
        source=one(*SOURCES),
        count=one(7, 20, 33),
        place=place,
        ends=tuple(sorted({one(*range(3, 25)) for _ in range(one(1, 2, 3))})),
        threads=threads,
        producers=one(1, 1, 2),
        middle=one(False, False, True),
        many=one(False, True),
        keep=one(False, False, True),
        shuffle=one(False, True),
        size=one(1, 4, 5),
        remainder=one(False, True),
    )
    if case.producers > 1:
        case = case._replace(threads=1, keep=False)
    if place == "beside":  # which value meets which of the generator's is a race of the threads
        case = case._replace(threads=1, source="range")
    if case.source == "rows of a generator":
        case = case._replace(place=one("nowhere", "behind"), middle=False, many=True)
    if case.place == "behind":  # which batch an end comes upon depends on the order
        case = case._replace(shuffle=False, threads=1, producers=1)
    if case.source == "limit":  # who is over the limit has drawn a number nevertheless
        case = case._replace(threads=1)
    if case.source == "constant":  # TF1 waits for ever for a shuffle queue that stayed empty
        case = case._replace(place="nowhere", keep=False)
    return case


class Builder:
    """Builds a case with TF1's `train` or queueio's; notes what its functions were given."""

    def __init__(self, case: Case, train: Any, folder: str) -> None:
        self.case, self.train, self.folder = case, train, folder
        self.calls: list[Any] = []

    def batch(self) -> Any:
        """The batch, a vector of numbers."""
        case = self.case
        producers = [self.producer(1000 * p) for p in range(case.producers)]
        if case.many:
            producers = [x if x.shape.ndims else tf.stack([x, -x]) for x in producers]
        options: dict[str, Any] = {
            "enqueue_many": case.many, "allow_smaller_final_batch": case.remainder, "capacity": 50,
        }  # fmt: skip
        if case.shuffle:
            options["min_after_dequeue"] = 10
        name = "shuffle_batch" if case.shuffle else "batch"
        if case.producers > 1:
            maker = getattr(self.train, name + "_join")
            lists: Any = [[x] for x in producers]
        else:
            maker = getattr(self.train, "maybe_" * case.keep + name)
            lists, options["num_threads"] = [producers[0]], case.threads
        if case.keep:
            options["keep_input"] = tf.not_equal(producers[0] % 3, 0)
            if producers[0].shape.ndims and case.source != "rows of a generator":
                options["keep_input"] = options["keep_input"][0]
        made = maker(lists, batch_size=case.size, **options)
        if isinstance(made, list):
            (made,) = made
        return self.ending(made, 0) if case.place == "behind" else made

    def producer(self, first: int) -> Any:
        value = self.source(first)
        if self.case.middle:
            queue = tf.queue.FIFOQueue(9, [tf.int64], [[]])
            value = self.placed(value, first)
            ops = [queue.enqueue(value)] * self.case.threads
            self.train.add_queue_runner(self.train.QueueRunner(queue, ops))
            return queue.dequeue() + 0
        return self.placed(value, first)

    def source(self, first: int) -> Any:
        case = self.case
        if case.source == "range":
            queue = self.train.range_input_producer(case.count, num_epochs=1, shuffle=False)
            return tf.cast(queue.dequeue(), tf.int64) + first
        if case.source == "lines":
            path = os.path.join(self.folder, f"{first}.txt")
            with open(path, "w") as file:
                file.write("".join(f"{first + n}\n" for n in range(case.count)))
            queue = self.train.string_input_producer([path], num_epochs=1)
            return v1.string_to_number(v1.TextLineReader().read(queue)[1], tf.int64)
        if case.source == "constant":
            return self.train.limit_epochs(tf.constant(first, tf.int64), case.count)
        if case.source == "limit":
            count = iter(range(10**6))
            value = self.python(lambda: np.int64(first + next(count)), [])
            return self.train.limit_epochs(value, case.count)
        values = iter(range(first, first + case.count))
        if case.source == "generator":
            return self.python(lambda: np.int64(next(values)), [])

        def rows() -> Any:
            number = next(values)
            return np.arange(number % 4, dtype=np.int64) + 10 * number

        return self.python(rows, [], shape=[None])

    def placed(self, value: Any, first: int) -> Any:
        """`value` behind the op that ends."""
        place = self.case.place
        if place in ("nowhere", "behind"):
            return value
        if place == "beside":
            numbers = iter(range(max(self.case.ends)))
            return value + 0 * self.python(lambda: np.int64(next(numbers)), [])
        if place == "in a cond":
            return v1.cond(value % 2 > 0, lambda: self.ending(value, first), lambda: value + 0)
        # What comes before and behind can take chunks, the function cannot.
        value = tf.cast(v1.string_to_number(tf.as_string(value), tf.int64), tf.int64) * 2 // 2
        value = self.ending(value, first)
        if place == "twice":
            value = v1.string_to_number(tf.as_string(value * 3), tf.int64) // 3
            value = self.ending(value, first, also=1)
        return value + 1 - 1

    def ending(self, value: Any, first: int, also: int = 0) -> Any:
        ends = {end + first + also for end in self.case.ends}

        def pass_on(number: Any) -> Any:
            number = np.asarray(number)
            self.calls.append((also, number.tolist()))
            if ends & set(number.ravel().tolist()):
                raise StopIteration
            return number

        if self.case.place == "eager":
            made = tf.py_function(lambda t: pass_on(t.numpy()), [value], tf.int64)
            made.set_shape(value.shape)
            return made
        return self.python(pass_on, [value], value.shape, stateful=self.case.place != "stateless")

    def python(self, function: Any, inputs: Any, shape: Any = (), stateful: bool = True) -> Any:
        made = v1.py_func(function, inputs, tf.int64, stateful=stateful)
        made.set_shape(shape)
        return made


def on_queues(case: Case, train: Any, folder: str, patience: int = 40) -> list[list[int]]:
    """The batches that a session of this process delivers."""
    batches: list[list[int]] = []
    options = v1.RunOptions(timeout_in_ms=1000 * patience)
    with tf.Graph().as_default(), v1.Session() as session:
        builder = Builder(case, train, folder)
        batch = builder.batch()
        session.run(v1.local_variables_initializer())
        coordinator = train.Coordinator()
        threads = train.start_queue_runners(session, coordinator)
        try:
            while True:
                batches.append(session.run(batch, options=options).tolist())
        except tf.errors.OutOfRangeError:
            coordinator.request_stop()
        coordinator.join(threads, stop_grace_period_secs=patience)
    given = [repr(call) for call in builder.calls]
    assert case.place == "behind" or len(given) == len(set(given)), "a function was called twice"
    return batches


def chosen(seed: int) -> Case:
    """The case of a seed, the same in every Python."""
    chance = random.Random(seed)
    return drawn(lambda *among: among[int(chance.random() * len(among))])


def main() -> None:
    v1.disable_v2_behavior()
    first, how_many = map(int, sys.argv[1:])
    for seed in range(first, first + how_many):
        case = chosen(seed)
        with tempfile.TemporaryDirectory() as folder:
            whole = on_queues(case._replace(remainder=True), v1.train, folder)
        print(json.dumps([case._asdict(), sorted(x for batch in whole for x in batch)]), flush=True)


if __name__ == "__main__":
    main()
