"""Random pipelines in every form that queueio gives them: the same examples, the same end, no hang.

    python -m tests.forms.every_form HOW_MANY [--behaviour v1|v2] [--seed N]

Each pipeline runs on the queue engine, on the data engine, as a dataset (of chunks and of single
examples) and as emitted code in both styles. A form may refuse a pipeline; the data engine then
runs it on queues. The last line counts what ran and what was refused.
"""

from __future__ import annotations

import argparse
import collections
import faulthandler
import json
import random
import tempfile
import warnings
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any

import queueio
import tensorflow as tf
from queueio import train
from tests.forms.pipelines import Builder, Pipe, drawn, rows_of, simpler
from tests.loading import loaded
from tests.turns import by_turns

v1 = tf.compat.v1
PATIENCE = 40  # seconds for one form of a pipeline, on a machine that does other things too
tally: collections.Counter[str] = collections.Counter()


Steps = list[dict[str, Any]]


def on_engine(pipe: Pipe, folder: str, engine: str) -> Steps:
    """The batches of one engine up to the natural end."""
    steps: Steps = []
    options = v1.RunOptions(timeout_in_ms=1000 * PATIENCE)
    with tf.Graph().as_default(), queueio.engine(engine):
        batch = Builder(pipe, train, folder).batch()
        with v1.Session() as session:
            session.run([v1.global_variables_initializer(), v1.local_variables_initializer()])
            coordinator = train.Coordinator()
            threads = train.start_queue_runners(session, coordinator)
            try:
                while True:
                    steps.append(session.run(batch, options=options))
            except tf.errors.OutOfRangeError:
                coordinator.request_stop()
            coordinator.join(threads, stop_grace_period_secs=PATIENCE)
    return steps


def as_dataset(pipe: Pipe, folder: str, **how: Any) -> Steps:
    plan = queueio.lift(lambda: Builder(pipe, train, folder).batch())
    return fetched(plan.to_dataset(**how))


def fetched(dataset: Any) -> Steps:
    """As `sess.run` gives them: sparse tensors in three parts."""
    return [
        {
            name: v1.SparseTensorValue(part.indices.numpy(), part.values.numpy(), part.shape)
            if isinstance(part, tf.SparseTensor)
            else part.numpy()
            for name, part in step.items()
        }
        for step in dataset
    ]


def as_source(pipe: Pipe, folder: str, style: str) -> Steps:
    plan = queueio.lift(lambda: Builder(pipe, train, folder).batch())
    path = Path(folder) / f"emitted_{tally['pipelines']}_{style}.py"
    path.write_text(str(plan.to_source(style=style)))
    module = loaded(path)
    try:
        return fetched(module.input_fn())
    except Exception as error:
        error.add_note(path.read_text())
        raise


FORMS: dict[str, Callable[[Pipe, str], Steps]] = {
    "data engine": lambda pipe, folder: on_engine(pipe, folder, "data"),
    "chunks": lambda pipe, folder: as_dataset(pipe, folder),
    "examples": lambda pipe, folder: as_dataset(pipe, folder, vectorise=False),
    "plain": lambda pipe, folder: as_source(pipe, folder, "plain"),
    "fast": lambda pipe, folder: as_source(pipe, folder, "fast"),
}


def counted(steps: Steps) -> collections.Counter[Any]:
    return collections.Counter(row for step in steps for row in rows_of(step))


def check(pipe: Pipe, whole: collections.Counter[Any], queue: Steps, form: str, got: Steps) -> None:
    """Holds a form against the queue engine.

    Args:
      whole: the examples that the queues deliver where nothing is dropped at the end.
      queue: the steps of the queue engine.
      got: those of the form.
    """
    sizes = sorted((len(step["value"]) for step in got), reverse=True)
    assert sizes == sorted((len(step["value"]) for step in queue), reverse=True), (form, sizes)
    examples = counted(got)
    if pipe.counted_only:
        return
    if pipe.remainder:
        assert examples == whole, (form, "missing", whole - examples, "extra", examples - whole)
    assert not examples - whole, (form, "extra", examples - whole)
    if pipe.ordered:
        told = [row for step in queue for row in rows_of(step)]
        assert [row for step in got for row in rows_of(step)] == told, form


def as_recorded(pipe: Pipe, told: dict[str, Any]) -> None:
    """Holds the queue engine against what TensorFlow 1.15.5 delivered (record_tf1.py)."""
    tally["recorded"] += 1
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        timed(2)
        steps = on_engine(pipe, folder, "queue")
    assert sorted(len(step["value"]) for step in steps) == sorted(told["sizes"]), pipe
    rows = collections.Counter(map(repr, (row for step in steps for row in rows_of(step))))
    recorded = collections.Counter(told["rows"])
    if not pipe.counted_only and (pipe.remainder or pipe.ordered):
        assert rows == recorded, (pipe, rows - recorded, recorded - rows)


def try_out(pipe: Pipe) -> None:
    """Every form of one pipeline."""
    tally["pipelines"] += 1
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        timed(10)
        queue = on_engine(pipe, folder, "queue")
        whole = on_engine(simpler(pipe, remainder=True), folder, "queue")
        check(pipe, counted(whole), queue, "queue engine", queue)
        for form, run in FORMS.items():
            timed(2)
            try:
                got = run(pipe, folder)
            except queueio.Refusal:
                tally[f"refused: {form}"] += 1
                continue
            check(pipe, counted(whole), queue, form, got)
            tally[f"same: {form}"] += 1
    faulthandler.cancel_dump_traceback_later()


def timed(times: int) -> None:
    """A form that hangs prints all stacks and ends the process."""
    faulthandler.dump_traceback_later(times * PATIENCE, exit=True)


def keep_going(pipe: Pipe) -> None:
    """Prints a failure as a line of JSON and goes on with the next pipeline."""
    print(json.dumps(asdict(pipe)), end=" ", flush=True)
    try:
        try_out(pipe)
        print("same", flush=True)
    except Exception as error:
        tally["failed"] += 1
        print(f"FAILED {type(error).__name__}: {str(error)[:600]!r}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("how_many", type=int)
    parser.add_argument("--seed", type=int, default=0, help="which pipelines")
    parser.add_argument("--behaviour", choices=["v1", "v2"], default="v2")
    parser.add_argument("--recorded", help="a file of record_tf1.py, to begin with")
    parser.add_argument("--case", help="the JSON of one pipeline")
    told = parser.parse_args()
    if told.behaviour == "v1":
        v1.disable_resource_variables()
        v1.disable_control_flow_v2()
    if told.case:
        try_out(Pipe(**json.loads(told.case)))
        print(dict(tally))
        return
    if told.recorded:
        for case in by_turns(json.loads(Path(told.recorded).read_text())):
            as_recorded(Pipe(**case["pipe"]), case)
    chance = random.Random(told.seed)
    for _ in range(told.how_many):
        keep_going(drawn(lambda *choices: chance.choice(choices)))
    print(json.dumps(dict(tally)))


if __name__ == "__main__":
    main()
