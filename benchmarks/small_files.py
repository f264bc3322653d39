"""Many small files: `python -m benchmarks.small_files`.

What a file costs besides its records: examples a second, and microseconds of processor time for
each, of files of a few records, on stock queues and on the data engine, each in its own process.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import click

ROOT = Path(__file__).resolve().parent.parent
DATA = ROOT / "bench-results" / "data" / "small"
CASES = [("text", 1), ("text", 6), ("text", 30), ("text", 200), ("fixed", 1), ("fixed", 6),
         ("tfrecord", 1), ("tfrecord", 6), ("tfrecord", 30), ("whole", 1), ("matched", 6),
         ("png", 1)]  # fmt: skip
TOLD = {
    "whole": "3 kB, read whole",
    "matched": "6 text, found by match_filenames_once",
    "png": "a 64×64 PNG, flipped at random and standardized",
}
FILES, BATCH, WARM = 50, 32, 50


def files(kind: str, records: int) -> list[str]:
    """The files of a case, made where they are missing."""
    folder = DATA / f"{kind}-{records}"
    names = [folder / str(number) for number in range(FILES)]
    if not names[-1].exists():
        folder.mkdir(parents=True, exist_ok=True)
        for name in names:
            _write(kind, records, name)
    return [str(name) for name in names]


def _write(kind: str, records: int, name: Path) -> None:
    if kind == "tfrecord":
        import numpy as np
        import tensorflow as tf

        with tf.io.TFRecordWriter(str(name)) as writer:
            for _ in range(records):
                writer.write(np.float32([1.5, 2.5, 3]).tobytes())
        return
    if kind == "png":
        import numpy as np
        import tensorflow as tf

        image = np.random.default_rng(int(name.name)).integers(0, 256, (64, 64, 3), np.uint8)
        with tf.Graph().as_default(), tf.compat.v1.Session() as session:  # not eager for stock
            name.write_bytes(session.run(tf.io.encode_png(image)))
        return
    lines = b"1.5,2.5,3\n"
    one = {"text": lines, "matched": lines, "fixed": b"abcdefghij", "whole": b"x" * 3000}[kind]
    name.write_bytes(one * records)


def example(tf: Any, kind: str, names: Any) -> Any:
    """A decoded record."""
    readers = {
        "text": tf.TextLineReader, "matched": tf.TextLineReader, "tfrecord": tf.TFRecordReader,
        "whole": tf.WholeFileReader, "png": tf.WholeFileReader,
        "fixed": lambda: tf.FixedLengthRecordReader(10),
    }  # fmt: skip
    _, record = readers[kind]().read(names)
    if kind == "png":
        image = tf.reshape(tf.image.decode_png(record, channels=3), [64, 64, 3])
        return tf.image.per_image_standardization(tf.image.random_flip_left_right(image))
    if kind in ("text", "matched"):
        return tf.stack(tf.decode_csv(record, [[0.0]] * 3))
    if kind == "tfrecord":
        return tf.reshape(tf.decode_raw(record, tf.float32), [3])
    return tf.reshape(tf.decode_raw(record, tf.uint8), [10 if kind == "fixed" else 3000])


def work(name: str, kind: str, records: int, seconds: float) -> None:
    """Prints the rate and the processor time of a contender."""
    if name == "data":
        os.environ["QUEUEIO_ENGINE"] = "data"
        import queueio.v1 as tf
    else:
        import tensorflow.compat.v1 as tf

        tf.disable_v2_behavior()
    tf.logging.set_verbosity("ERROR")
    found = files(kind, records)
    if kind == "matched":
        found = tf.train.match_filenames_once(f"{Path(found[0]).parent}/*")
    names = tf.train.string_input_producer(found)
    batch = tf.train.shuffle_batch([example(tf, kind, names)], BATCH, 1000, 500, num_threads=2)
    with tf.Session() as session:
        session.run(tf.local_variables_initializer())
        coord = tf.train.Coordinator()
        tf.train.start_queue_runners(session, coord)
        step = session.make_callable(tf.group(batch))
        for _ in range(WARM):
            step()
        steps, start, used = 0, time.perf_counter(), time.process_time()
        while time.perf_counter() - start < seconds:
            step()
            steps += 1
        rate = steps * BATCH / (time.perf_counter() - start)
        print(rate, (time.process_time() - used) / steps / BATCH * 1e6, flush=True)
        os._exit(0)


def measured(name: str, kind: str, records: int, seconds: float) -> tuple[float, float]:
    """The rate and the processor time, from a process of its own."""
    environment = {**os.environ, "TF_CPP_MIN_LOG_LEVEL": "3", "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-m", "benchmarks.small_files", "--work", name, kind, str(records)]
    done = subprocess.run(
        [*command, "--seconds", str(seconds)], env=environment, cwd=ROOT, check=True,
        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
    )  # fmt: skip
    rate, spent = done.stdout.split()
    return float(rate), float(spent)


@click.command()
@click.option("--work", "worker", nargs=3, hidden=True)
@click.option("--seconds", default=1.5, show_default=True, help="Of each measurement.")
def main(worker: tuple[str, str, str] | None, seconds: float) -> None:
    """Prints the table."""
    if worker:
        work(worker[0], worker[1], int(worker[2]), seconds)
    print("| files of | stock, examples/s | data engine ÷ stock | cpu µs: stock, data engine |")
    print("| --- | --: | --: | --- |")
    for kind, records in CASES:
        stock, ours = (measured(name, kind, records, seconds) for name in ("stock", "data"))
        what = TOLD.get(kind, f"{records} {kind}")
        print(f"| {what} | {stock[0]:,.0f} | {ours[0] / stock[0]:.1f} |"
              f" {stock[1]:.0f}, {ours[1]:.0f} |", flush=True)  # fmt: skip


if __name__ == "__main__":
    main()
