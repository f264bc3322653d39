"""Does `queueio whatif` tell the truth? `python -m benchmarks.whatif` prints predicted, measured.

Five pipelines, each with a change that changes its rate. Each is recorded, predicted, and run with
the change, in processes of their own. The bar is 15 %. The machine should be quiet: a case waits
for that some time, and where other processes kept more than a fifth of a core busy all the same,
the line says so, and the case is tried again.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import NamedTuple

import click
import numpy as np

ROOT = Path(__file__).resolve().parent
DATA = ROOT.parent / "bench-results" / "data" / "whatif"
BAR, QUIET, ROUNDS, PATIENCE = 0.15, 0.2, 3, 30.0


class Case(NamedTuple):
    """A pipeline, the kind of its data, and the change."""

    script: str
    data: str
    change: str


CASES = (
    Case("csv_bursts", "csv", "shuffle_batch.capacity=4000"),
    Case("tfrecord_slow_step", "tfrecord", "batch.batch_size=16"),
    Case("slow_source", "", "batch.threads=6"),
    Case("joined_readers", "csv", "shuffle_batch_join.threads=9"),
    Case("images", "jpeg", "batch.threads=2"),
)


class Outcome(NamedTuple):
    """The rates of a case: today's, those predicted, the real one, and its verdict."""

    now: float
    low: float
    high: float
    real: float
    off: float
    others: float


def data(kind: str) -> list[str]:
    """The file that a pipeline reads, made where it is missing."""
    path = DATA / f"few.{kind}"
    if kind and not path.exists():
        DATA.mkdir(parents=True, exist_ok=True)
        _WRITERS[kind](path)
    return [str(path)] if kind else []


def _csv(path: Path) -> None:
    rows = np.random.default_rng(0).random((2000, 20))
    np.savetxt(path, rows, fmt="%.5f", delimiter=",")


def _tfrecord(path: Path) -> None:
    import tensorflow as tf

    with tf.io.TFRecordWriter(str(path)) as writer:
        for row in np.random.default_rng(0).random((500, 3000)):
            x = tf.train.Feature(float_list=tf.train.FloatList(value=row))
            example = tf.train.Example(features=tf.train.Features(feature={"x": x}))
            writer.write(example.SerializeToString())


def _jpeg(path: Path) -> None:
    import tensorflow as tf

    pixels = np.random.default_rng(0).integers(0, 255, (60, 80, 3), np.uint8)
    image = tf.image.resize(pixels, [600, 800], method="bicubic")
    path.write_bytes(tf.io.encode_jpeg(tf.cast(image, tf.uint8)).numpy())


_WRITERS = {"csv": _csv, "tfrecord": _tfrecord, "jpeg": _jpeg}


def outcome(case: Case, seconds: float) -> Outcome:
    """Predicts a case, and runs it."""
    from queueio.schedule.child import Order
    from queueio.schedule.whatif.changes import from_text, resolved
    from queueio.schedule.whatif.command import recorded_model, verified
    from queueio.schedule.whatif.predict import knobs_of, predict
    from queueio.schedule.whatif.shown import difference

    script = str(ROOT / "whatif_pipelines" / f"{case.script}.py")
    order = Order(script, tuple(data(case.data)), quiet_until=-1, events=True)
    seen = recorded_model(order, seconds)
    changes = resolved([from_text(case.change)], knobs_of(seen.model))
    found = predict(seen.tape, seen.model, changes)
    real = verified(order, changes, seconds)
    rates = found.then.examples, found.other.examples
    off = difference(rates, real.figures.examples)
    others = max(seen.others, real.others)
    return Outcome(found.now.examples, min(rates), max(rates), real.figures.examples, off, others)


@click.command()
@click.option("--seconds", default=5.0, show_default=True, help="Of each recording.")
@click.option("--only", default="", help="One case.")
def main(seconds: float, only: str) -> None:
    """Prints the table; status 1 if a prediction is off by more than the bar."""
    from queueio.schedule.child import warm

    for kind in sorted({case.data for case in CASES}):
        data(kind)
    warm()
    missed = 0
    print(f"{'pipeline':20}{'change':32}{'now':>8}{'predicted':>16}{'measured':>10}{'off':>7}")
    for case in CASES:
        if only in case.script:
            missed += not _told(case, seconds)
    sys.exit(missed > 0)


def wait_until_quiet(patience: float) -> None:
    """Waits until nobody computes for two seconds, or patience is over."""
    from queueio.schedule.whatif.record import processor_seconds

    until = time.monotonic() + patience
    while time.monotonic() < until:
        before = processor_seconds()
        time.sleep(2.0)
        if processor_seconds() - before < 2.0 * QUIET:
            return


def _told(case: Case, seconds: float) -> bool:
    for _ in range(ROUNDS):
        wait_until_quiet(PATIENCE)
        found = outcome(case, seconds)
        alike = found.high <= found.low * 1.05
        told = f"{found.low:,.0f}" if alike else f"{found.low:,.0f}-{found.high:,.0f}"
        busy = f"  ({found.others:.1f} cores busy otherwise)" if found.others > QUIET else ""
        print(
            f"{case.script:20}{case.change:32}{found.now:8,.0f}{told:>16}{found.real:10,.0f}"
            f"{found.off:+7.0%}{busy}", flush=True,
        )  # fmt: skip
        if not busy:
            break
    return abs(found.off) <= BAR


if __name__ == "__main__":
    main()
