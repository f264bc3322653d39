"""Pipelines that end by an op of theirs, in every form: the same examples and the same end.

    python -m tests.ends.every_form [FIRST HOW_MANY] [--recorded FILE] [--behaviour v1|v2]

A form may refuse a pipeline; the data engine then runs it on queues. A failure or a hang is a line
that begins with FAILED, the last line counts what ran.
"""

from __future__ import annotations

import argparse
import collections
import faulthandler
import json
import sys
import tempfile
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import tensorflow as tf

import queueio
from queueio import train
from tests.ends.pipelines import Builder, Case, chosen, on_queues
from tests.loading import loaded

v1 = tf.compat.v1
PATIENCE = 40  # seconds for one form, on a machine that does other things too
Batches = list[list[int]]


def on_data_engine(case: Case, folder: str) -> Batches:
    with queueio.engine("data"), warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        batches = on_queues(case, train, folder, PATIENCE)
    fell_back = any(issubclass(w.category, queueio.FallbackWarning) for w in told)
    tally["fell back to queues"] += fell_back
    return batches


def as_dataset(case: Case, folder: str, **how: Any) -> Batches:
    builder = Builder(case, train, folder)
    plan = queueio.lift(builder.batch)
    batches = [batch.numpy().tolist() for batch in plan.to_dataset(**how)]
    given = [repr(call) for call in builder.calls]
    assert case.place == "behind" or len(given) == len(set(given)), "a function was called twice"
    return batches


def as_source(case: Case, folder: str, style: str) -> Batches:
    plan = queueio.lift(Builder(case, train, folder).batch)
    path = Path(folder) / f"emitted_{style}.py"
    path.write_text(str(plan.to_source(style=style)))
    return [batch.numpy().tolist() for batch in loaded(path).input_fn()]


FORMS: dict[str, Callable[[Case, str], Batches]] = {
    "data engine": on_data_engine,
    "chunks": as_dataset,
    "examples": lambda case, folder: as_dataset(case, folder, vectorise=False),
    "plain": lambda case, folder: as_source(case, folder, "plain"),
    "fast": lambda case, folder: as_source(case, folder, "fast"),
}
tally: collections.Counter[str] = collections.Counter()


def numbers(batches: Batches) -> collections.Counter[int]:
    return collections.Counter(number for batch in batches for number in batch)


def check(form: str, got: Batches, queue: Batches, whole: collections.Counter[int]) -> None:
    """Holds a form against the queue engine.

    Args:
      whole: the examples that the queues deliver where the last batch may be smaller.
    """
    examples = numbers(got)
    lost, extra = whole - numbers(queue), examples - whole
    assert not extra, (form, "has more", sorted(extra.elements()))
    assert (whole - examples).total() == lost.total(), (form, "lacks", whole - examples)
    assert sorted(map(len, got)) == sorted(map(len, queue)), (form, list(map(len, got)))


def try_out(case: Case, recorded: list[int] | None) -> None:
    """Every form of a case; `recorded` is what TF1 delivered of it, where that is known."""
    with tempfile.TemporaryDirectory() as folder:
        timed(2)
        queue = on_queues(case, train, folder, PATIENCE)
        if recorded is None:
            every = on_queues(case._replace(remainder=True), train, folder, PATIENCE)
            recorded = list(numbers(every).elements())
        whole = collections.Counter(recorded)
        check("queues", queue, queue, whole)
        for form, run in FORMS.items():
            timed(1)
            try:
                check(form, run(case, folder), queue, whole)
            except queueio.Refusal as refusal:
                tally[f"refused: {form}"] += 1
                assert form in ("plain", "fast") and "PyFunc" in str(refusal), refusal
            else:
                tally[f"same: {form}"] += 1
    faulthandler.cancel_dump_traceback_later()


def timed(times: int) -> None:
    """A form that hangs prints all stacks and ends the process."""
    faulthandler.dump_traceback_later(times * PATIENCE, exit=True, file=sys.stdout)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("first", type=int, nargs="?", default=0, help="seed of the first case")
    parser.add_argument("how_many", type=int, nargs="?", default=0)
    parser.add_argument("--recorded", type=argparse.FileType(), help="of TF1: its lines are cases")
    parser.add_argument("--behaviour", choices=["v1", "v2"], default="v2")
    told = parser.parse_args()
    if told.behaviour == "v1":
        v1.disable_resource_variables()
        v1.disable_control_flow_v2()
    tf.get_logger().setLevel("ERROR")
    cases: list[tuple[Case, list[int] | None]]
    cases = [(chosen(told.first + number), None) for number in range(told.how_many)]
    for case, recorded in map(json.loads, told.recorded or ()):
        cases.append((Case(**case), recorded))
    for case, recorded in cases:
        print(json.dumps(case._asdict()), end=" ", flush=True)
        try:
            try_out(case, recorded)
            print("same", flush=True)
        except Exception as error:
            tally["failed"] += 1
            print(f"\nFAILED {type(error).__name__}: {str(error)[:600]!r}", flush=True)
    print(json.dumps(dict(tally)))


if __name__ == "__main__":
    main()
