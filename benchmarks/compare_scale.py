"""Time and memory of a comparison, by the number of examples.

    python benchmarks/compare_scale.py                    # 10 thousand, 1 million, 10 million
    python benchmarks/compare_scale.py --sizes 10000      # one of them

Each row is a process of its own. An example is an id and four floats. "sides" is the time that
the two pipelines take alone, one after the other; "digests" is what digesting adds to it; "added"
is the peak of the resident memory above what the two pipelines, run alone, had needed.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import threading
import time
from typing import Any

CASES = ("same order", "shuffled", "ten differ", "a third differs")


def side(count: int, shuffle: bool, change: int) -> Any:
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
    shuffled = case != "same order"
    change = {"ten differ": max(1, count // 10), "a third differs": 3}.get(case, 0)
    return side(count, shuffled, 0), side(count, shuffled, change)


class Peak:
    """The largest resident memory while it is entered, above that at the start."""

    def __enter__(self) -> Peak:
        import psutil

        process = psutil.Process()
        self.start, self.most, self._stop = process.memory_info().rss, 0, threading.Event()

        def watch() -> None:
            while not self._stop.wait(0.02):
                self.most = max(self.most, process.memory_info().rss - self.start)

        self._thread = threading.Thread(target=watch)
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        self._thread.join()


def measure(case: str, count: int) -> dict[str, Any]:
    """One row, in this process."""
    import queueio

    old, new = pair(case, count)
    queueio.compare(old, new, limit=2048, cost=False)  # what is loaded and traced once
    seconds = []
    with Peak() as alone:
        for make in (old, new):
            started = time.perf_counter()
            for _ in make().as_numpy_iterator():
                pass
            seconds.append(time.perf_counter() - started)
    started = time.perf_counter()
    with Peak() as peak:
        result = queueio.compare(old, new, cost=False)
    return {
        "sides": seconds,
        "slower": max(result.old.seconds, result.new.seconds),
        "digests": result.old.digest_seconds + result.new.digest_seconds,
        "total": time.perf_counter() - started,
        "added": max(0, peak.most - alone.most),
        "method": result.method,
        "verdict": result.verdict,
    }


def main() -> None:
    """Prints the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sizes", type=int, nargs="*", default=[10_000, 1_000_000, 10_000_000])
    parser.add_argument("--cases", nargs="*", default=list(CASES), choices=CASES)
    parser.add_argument("--row", nargs=2, metavar=("CASE", "SIZE"), help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.row:
        print(json.dumps(measure(arguments.row[0], int(arguments.row[1]))))
        return
    print(
        f"{'examples':>12}  {'case':16} {'sides s':>8} {'digests s':>9} {'all s':>7} {'MB':>6}  how"
    )
    for count in arguments.sizes:
        for case in arguments.cases:
            row = _row(case, count)
            print(
                f"{count:>12,}  {case:16} {sum(row['sides']):8.1f} {row['digests']:9.2f} "
                f"{row['total']:7.1f} {row['added'] / 1e6:6.0f}  {row['method']}; {row['verdict']}"
            )


def _row(case: str, count: int) -> dict[str, Any]:
    environment = {**os.environ, "TF_CPP_MIN_LOG_LEVEL": "3"}
    command = [sys.executable, __file__, "--row", case, str(count)]
    done = subprocess.run(command, capture_output=True, text=True, env=environment, check=True)
    row: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return row


if __name__ == "__main__":
    main()
