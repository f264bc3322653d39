"""What a comparison adds to the two pipelines that it runs: processor time and memory.

    python -m benchmarks.compare_scale                        # 10 thousand and 1 million
    python -m benchmarks.compare_scale --sizes 10000 --cases csv

Each row is a process of its own; short pipelines have five turns, and the medians count. The
first cases are toys: an example is an id and four floats made by a few elementwise ops, so that
the pipelines cost next to nothing. `csv`, `tfrecord` and `fixed` are the formats of the other
benchmarks: stock queues with four threads against the dataset that queueio lifts from them; a
size above one epoch's reads the files again.

"old" and "new" are the processor seconds of each side alone, all threads; "added" is what the
comparison takes beyond both of them, second passes and runs for the shuffling included, and its
share of the slower side. "wall" is the same share by the clock. "MB" is the peak of the resident
memory above that of the pipelines alone.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from benchmarks.data import RECORDS, generate
from benchmarks.pipelines import queue_input

TOYS = ("same order", "shuffled", "ten differ", "a third differs")
FORMATS = ("csv", "tfrecord", "fixed")
FOLDER = Path("bench-results/data")
BATCH = 100
TURNS, SHORT = 5, 100_000  # so often are pipelines of fewer examples run


def toy(count: int, shuffle: bool, change: int) -> Callable[[], Any]:
    """A dataset of `count` examples in batches of 1,024; each `change`-th is another one."""
    import tensorflow as tf

    def batch(start: Any) -> dict[str, Any]:
        ids = tf.range(start, tf.minimum(start + 1024, count))
        values = tf.stack([tf.cast(ids * k % 1009, tf.float32) for k in (3, 5, 7, 11)], 1)
        if change:
            values = tf.where((ids % change == 0)[:, None], values + 1, values)
        return {"id": ids, "values": values}

    def make() -> Any:
        starts = tf.data.Dataset.range(0, count, 1024)
        return (starts.shuffle(256) if shuffle else starts).map(batch)

    return make


def pair(case: str, count: int) -> tuple[Any, Any]:
    """The two sides of a case."""
    if case in FORMATS:
        return _formats(case, count)
    shuffled = case != "same order"
    change = {"ten differ": max(1, count // 10), "a third differs": 3}.get(case, 0)
    return toy(count, shuffled, 0), toy(count, shuffled, change)


def _formats(kind: str, count: int) -> tuple[Any, Any]:
    import tensorflow as tf

    import queueio

    records = min(count, RECORDS[kind])
    files = generate(FOLDER, kind, records)

    def queues() -> Any:
        return queue_input(tf.compat.v1, kind, files, 4, BATCH, count // records)

    return queues, queueio.lift(queues)


class Spent:
    """Processor and wall seconds, and the largest resident memory above that at the start."""

    def __enter__(self) -> Spent:
        import psutil

        process = psutil.Process()
        self._start, self.bytes, self._stop = process.memory_info().rss, 0, threading.Event()

        def watch() -> None:
            while not self._stop.wait(0.02):
                self.bytes = max(self.bytes, process.memory_info().rss - self._start)

        self._thread = threading.Thread(target=watch)
        self._thread.start()
        self.wall, self.cpu = -time.perf_counter(), -time.process_time()
        return self

    def __exit__(self, *_: object) -> None:
        self.wall += time.perf_counter()
        self.cpu += time.process_time()
        self._stop.set()
        self._thread.join()


def measure(case: str, count: int) -> dict[str, Any]:
    """One row, in this process."""
    import queueio

    given = pair(case, count)
    queueio.compare(*given, limit=2000, cost=False, stages=False)  # loaded and traced once
    turns: tuple[list[Spent], list[Spent], list[Spent]] = ([], [], [])
    for _ in range(TURNS if count < SHORT else 1):
        for name, one, spent in zip(("old", "new"), given, turns, strict=False):
            spent.append(_alone(one, name))
        with Spent() as both:
            result = queueio.compare(*given, cost=False, stages=False)
        turns[2].append(both)
    cpu = [statistics.median(s.cpu for s in mine) for mine in turns]
    sizes = [max(s.bytes for s in mine) for mine in turns]
    return {
        "sides": cpu[:2],
        "added": _beyond(cpu),
        "wall": _beyond([statistics.median(s.wall for s in mine) for mine in turns]),
        "digests": result.old.digest_seconds + result.new.digest_seconds,
        "bytes": max(0, sizes[2] - max(sizes[:2])),
        "verdict": result.verdict,
    }


def _alone(one: Any, name: str) -> Spent:
    """What a side takes when it is read and nothing else."""
    from queueio.compare.sides.given import as_side

    side = as_side(one, name)
    with Spent() as spent, side.open() as stream:
        for _ in stream.batches():
            pass
    return spent


def _beyond(spent: list[float]) -> tuple[float, float]:
    """What the third takes more than the two sides, and its share of the slower one."""
    added = spent[2] - sum(spent[:2])
    return added, added / max(spent[:2])


def main() -> None:
    """Prints the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--sizes", type=int, nargs="*", default=[10_000, 1_000_000])
    parser.add_argument("--cases", nargs="*", default=TOYS + FORMATS, choices=TOYS + FORMATS)
    parser.add_argument("--row", nargs=2, metavar=("CASE", "SIZE"), help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.row:
        print(json.dumps(measure(arguments.row[0], int(arguments.row[1]))))
        return
    print(f"{'examples':>10}  {'case':15} {'old s':>6} {'new s':>6} {'added s':>7} {'share':>6}"
          f" {'wall':>6} {'digests s':>9} {'MB':>5}  verdict")  # fmt: skip
    for count in arguments.sizes:
        for case in arguments.cases:
            row = _row(case, count)
            old, new = row["sides"]
            added, share = row["added"]
            print(
                f"{count:>10,}  {case:15} {old:6.2f} {new:6.2f} {added:7.2f} {share:6.0%}"
                f" {row['wall'][1]:6.0%} {row['digests']:9.2f} {row['bytes'] / 1e6:5.0f}"
                f"  {row['verdict']}",
                flush=True,
            )


def _row(case: str, count: int) -> dict[str, Any]:
    environment = {**os.environ, "TF_CPP_MIN_LOG_LEVEL": "3"}
    command = [sys.executable, "-m", "benchmarks.compare_scale", "--row", case, str(count)]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, env=environment, check=True)
    row: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return row


if __name__ == "__main__":
    main()
