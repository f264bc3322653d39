"""Random pipelines: every example is delivered exactly as often as planned, and nothing hangs.

Run by test_properties.py in a process of its own: `random_pipelines.py HOW_MANY v1|v2 SEED`. It
prints how many pipelines it ran. A hang prints the stacks of all threads and ends the process.
"""

from __future__ import annotations

import collections
import faulthandler
import os
import sys
import tempfile
from dataclasses import dataclass
from typing import Any

import tensorflow as tf
from hypothesis import HealthCheck, given, seed, settings
from hypothesis import strategies as st

from queueio import io, train

v1 = tf.compat.v1
HANG = 20  # seconds for one pipeline, on a machine that does other things too
ran = 0


@dataclass(frozen=True)
class Plan:
    """What a random pipeline is made of."""

    files: list[int]  # records in each file
    epochs: int
    shuffled_files: bool
    file_capacity: int
    read_up_to: int  # 0 for single reads
    width: int  # readers joined
    threads: int  # enqueue threads, where nothing is joined
    queue: str  # "fifo", "padding" or "shuffle"
    batch_size: int
    room: int  # capacity beyond what one batch needs
    minimum: int  # min_after_dequeue
    keeps_remainder: bool
    keep_input: str  # "no", "scalar" or "rows"
    prefetch: bool

    @property
    def capacity(self) -> int:
        return self.minimum + self.batch_size + self.room


@st.composite
def plans(draw: Any) -> Plan:
    read_up_to = draw(st.sampled_from([0, 0, 1, 3]))
    return Plan(
        files=draw(st.lists(st.integers(0, 6), min_size=1, max_size=4)),
        epochs=draw(st.integers(1, 3)),
        shuffled_files=draw(st.booleans()),
        file_capacity=draw(st.sampled_from([1, 2, 32])),
        read_up_to=read_up_to,
        width=draw(st.sampled_from([1, 1, 2, 3])),
        threads=draw(st.sampled_from([1, 1, 2, 4])),
        queue=draw(st.sampled_from(["fifo", "padding", "shuffle"])),
        batch_size=draw(st.integers(1, 7)),
        room=draw(st.integers(1, 5)),
        minimum=draw(st.integers(0, 9)),
        keeps_remainder=draw(st.booleans()),
        keep_input=draw(st.sampled_from(["no", "no", "scalar", *(["rows"] if read_up_to else [])])),
        prefetch=draw(st.booleans()),
    )


def write(folder: str, plan: Plan) -> list[str]:
    """Files of the distinct lines `file-line`."""
    names = [os.path.join(folder, f"{i}.txt") for i in range(len(plan.files))]
    for i, name in enumerate(names):
        with open(name, "w") as f:
            f.writelines(f"{i}-{line}\n" for line in range(plan.files[i]))
    return names


def example(plan: Plan, names: Any) -> tuple[dict[str, Any], Any]:
    """The tensors of one enqueue, and its keep_input: lines of an even number."""
    reader = io.TextLineReader()
    _, line = reader.read_up_to(names, plan.read_up_to) if plan.read_up_to else reader.read(names)
    last = tf.strings.to_number(tf.strings.regex_replace(line, ".*-", ""), tf.int32)
    keep = tf.equal(last % 2, 0)
    if plan.keep_input == "scalar":
        keep = v1.placeholder_with_default(True, [])
    tensors = {"line": line, "length": tf.strings.length(line)}
    if plan.queue == "padding":
        mark = tf.expand_dims(last, -1)
        tensors["mark"] = mark if plan.read_up_to else tf.fill([last + 1], 1)
    return tensors, keep


def build(plan: Plan, names: list[str]) -> dict[str, Any]:
    """The batch."""
    queue = train.string_input_producer(
        names, plan.epochs, shuffle=plan.shuffled_files, capacity=plan.file_capacity
    )
    examples = [example(plan, queue) for _ in range(plan.width)]
    keep: Any = True if plan.keep_input == "no" else examples[0][1]
    options: dict[str, Any] = {
        "batch_size": plan.batch_size,
        "capacity": plan.capacity,
        "enqueue_many": bool(plan.read_up_to),
        "allow_smaller_final_batch": plan.keeps_remainder,
        "keep_input": keep,
    }
    if plan.queue == "shuffle":
        options["min_after_dequeue"] = plan.minimum
    else:
        options["dynamic_pad"] = plan.queue == "padding"
    joins = plan.width > 1 and plan.keep_input != "rows"
    if not joins:
        options["num_threads"] = plan.threads
    function = {
        (False, False): train.maybe_batch,
        (False, True): train.maybe_batch_join,
        (True, False): train.maybe_shuffle_batch,
        (True, True): train.maybe_shuffle_batch_join,
    }[plan.queue == "shuffle", joins]
    batch = function([tensors for tensors, _ in examples] if joins else examples[0][0], **options)
    return train.batch(batch, 1, capacity=2, shapes=static(batch)) if fits(plan) else batch


def fits(plan: Plan) -> bool:
    """Whether batches can go through a queue of batches: their shapes must be known."""
    return plan.prefetch and not plan.keeps_remainder and plan.queue != "padding"


def static(batch: dict[str, Any]) -> list[Any]:
    return [batch[key].shape for key in sorted(batch)]


def deliver(batch: dict[str, Any]) -> list[dict[str, Any]]:
    """All steps up to the natural end; afterwards no thread may be left."""
    steps = []
    with v1.Session() as session:
        session.run(v1.local_variables_initializer())
        coordinator = train.Coordinator()
        threads = train.start_queue_runners(session, coordinator)
        try:
            while True:
                steps.append(session.run(batch))
        except tf.errors.OutOfRangeError:
            coordinator.request_stop()
        coordinator.join(threads, stop_grace_period_secs=HANG)
        assert not any(thread.is_alive() for thread in threads)
    return steps


def in_order(plan: Plan) -> list[bytes]:
    """The lines that get into the queue, in the order of the files."""
    epoch = [
        f"{i}-{line}".encode()
        for i, records in enumerate(plan.files)
        for line in range(records)
        if plan.keep_input != "rows" or line % 2 == 0
    ]
    return epoch * plan.epochs


def check(plan: Plan, steps: list[dict[str, Any]]) -> None:
    if fits(plan):
        steps = [{key: value[0] for key, value in step.items()} for step in steps]
    planned = collections.Counter(in_order(plan))
    delivered = collections.Counter(line for step in steps for line in step["line"])
    total, sizes = sum(planned.values()), [len(step["line"]) for step in steps]
    whole, rest = divmod(total, plan.batch_size)
    if is_ordered(plan):
        lines = [line for step in steps for line in step["line"]]
        assert lines == in_order(plan)[: len(lines)]
    if plan.keeps_remainder:
        assert delivered == planned
        assert sorted(sizes) == sorted([plan.batch_size] * whole + [rest] * bool(rest))
    else:
        assert not delivered - planned
        assert sizes == [plan.batch_size] * whole
    for step in steps:
        for key, values in step.items():
            assert len(values) == len(step["line"]), key
        assert [len(line) for line in step["line"]] == step["length"].tolist()


def is_ordered(plan: Plan) -> bool:
    alone = plan.width == 1 and plan.threads == 1
    return alone and plan.queue != "shuffle" and not plan.shuffled_files


def try_out(plan: Plan) -> None:
    """Build, run and check one pipeline."""
    global ran
    ran += 1
    faulthandler.dump_traceback_later(HANG, exit=True)
    with tempfile.TemporaryDirectory() as folder, tf.Graph().as_default():
        check(plan, deliver(build(plan, write(folder, plan))))
    faulthandler.cancel_dump_traceback_later()


def main() -> None:
    if sys.argv[2] == "v1":
        v1.disable_v2_behavior()
    exploring = settings(
        max_examples=int(sys.argv[1]),
        deadline=None,
        database=None,
        suppress_health_check=list(HealthCheck),
    )
    exploring(seed(int(sys.argv[3]))(given(plans())(try_out)))()
    print(ran)


if __name__ == "__main__":
    main()
