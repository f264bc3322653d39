"""Files of one image each: decode, crop at random, flip, resize: `python -m benchmarks.jpeg`.

Unchanged TF1 code under the data engine and its plan as a dataset, against tf.data written by
hand: one map over the files, AUTOTUNE. Every contender has a process of its own; they take turns,
each for a moment, and the ratios are of the medians. The images are generated.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click

from benchmarks.contenders import Legacy

ROOT = Path(__file__).resolve().parent.parent
FILES, BATCH, POOL, CROP, SIZE = 256, 32, 128, 224, 128
HEIGHTS, WIDTHS = (300, 900), (400, 1200)
CONTENDERS = {
    "data": "queueio, data engine, unchanged TF1 code",
    "plan": "queueio, plan.to_dataset()",
    "hand": "tf.data by hand, map and AUTOTUNE",
    "stock": "stock compat.v1 queues, 4 threads",
}


def generate(folder: Path) -> list[str]:
    """Photograph-like JPEGs of unequal size; the same bytes in every run."""
    import numpy as np
    import tensorflow as tf

    folder.mkdir(parents=True, exist_ok=True)
    names = [str(folder / f"{number}.jpg") for number in range(FILES)]
    rng = np.random.default_rng(5)
    for name in names if not Path(names[-1]).exists() else ():
        height, width = int(rng.integers(*HEIGHTS)), int(rng.integers(*WIDTHS))
        coarse = rng.integers(0, 256, (height // 16, width // 16, 3))
        smooth = tf.image.resize(coarse, [height, width]).numpy()
        image = np.clip(smooth + rng.normal(0, 8, smooth.shape), 0, 255).astype(np.uint8)
        Path(name).write_bytes(tf.io.encode_jpeg(image, quality=90).numpy())
    return names


def queue_input(tf: Any, files: list[str]) -> Any:
    """The TF1 input function."""
    names = tf.train.string_input_producer(files, shuffle=True)
    _, content = tf.WholeFileReader().read(names)
    image = tf.image.decode_jpeg(content, channels=3)
    image = tf.random_crop(image, [CROP, CROP, 3])
    image = tf.image.random_flip_left_right(image)
    image = tf.image.resize_images(image, [SIZE, SIZE])
    return tf.train.shuffle_batch([image], BATCH, POOL + 3 * BATCH, POOL, num_threads=4)


def hand_written(files: list[str]) -> Any:
    """What one writes today: shuffled names, one map, a shuffle, a batch."""
    import tensorflow as tf

    def load(name: Any) -> Any:
        image = tf.io.decode_jpeg(tf.io.read_file(name), channels=3)
        image = tf.image.random_crop(image, [CROP, CROP, 3])
        image = tf.image.random_flip_left_right(image)
        return tf.image.resize(image, [SIZE, SIZE])

    names = tf.data.Dataset.from_tensor_slices(files).shuffle(len(files)).repeat()
    images = names.map(load, num_parallel_calls=tf.data.AUTOTUNE)
    return images.shuffle(POOL + BATCH).batch(BATCH).prefetch(tf.data.AUTOTUNE)


def steps_of(name: str, files: list[str]) -> Iterator[int]:
    """Endless steps of a contender, each of so many images."""
    if name == "data":
        os.environ["QUEUEIO_ENGINE"] = "data"
        import queueio.v1 as tf

        return _session(tf, files)
    if name == "stock":
        import tensorflow.compat.v1 as tf

        tf.disable_v2_behavior()
        return _session(tf, files)
    if name == "hand":
        return (BATCH for _ in hand_written(files))
    import queueio

    dataset = queueio.lift(lambda: queue_input(Legacy(), files)).to_dataset()
    return (BATCH for _ in dataset)


def _session(tf: Any, files: list[str]) -> Iterator[int]:
    tf.logging.set_verbosity("ERROR")
    step = queue_input(tf, files).op
    with tf.Session() as sess:
        sess.run(tf.local_variables_initializer())
        tf.train.start_queue_runners(sess)
        while True:
            sess.run(step)
            yield BATCH


def work(name: str, files: list[str]) -> None:
    """Measures as often as a line asks for so many seconds: images per second, ms of processor."""
    steps = steps_of(name, files)
    next(steps)
    print("ready", flush=True)
    for line in sys.stdin:
        images, seconds = 0, float(line)
        rest = time.perf_counter() + seconds / 3  # what it had ready from before
        while time.perf_counter() < rest:
            next(steps)
        start, used = time.perf_counter(), time.process_time()
        while time.perf_counter() - start < seconds:
            images += next(steps)
        spent = time.process_time() - used
        print(images / (time.perf_counter() - start), spent / images * 1e3, flush=True)
    os._exit(0)


class Worker:
    """A contender in a process of its own."""

    def __init__(self, name: str, files: list[str]) -> None:
        environment = {**os.environ, "TF_CPP_MIN_LOG_LEVEL": "3", "PYTHONPATH": str(ROOT)}
        self._process = subprocess.Popen(
            [sys.executable, "-m", "benchmarks.jpeg", "--work", name, *files],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=ROOT, env=environment,
        )  # fmt: skip
        self._answer()

    def measure(self, seconds: float) -> tuple[float, float]:
        """Images per second, and milliseconds of processor time for one."""
        assert self._process.stdin is not None
        self._process.stdin.write(f"{seconds}\n")
        self._process.stdin.flush()
        rate, spent = self._answer().split()
        return float(rate), float(spent)

    def end(self) -> None:
        """Ends the process."""
        self._process.kill()
        self._process.wait()

    def _answer(self) -> str:
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line:
            raise click.ClickException("a contender failed; its error is above")
        return line.strip()


@click.command()
@click.argument("files", nargs=-1)
@click.option("--work", "worker", hidden=True)
@click.option("--contender", "names", multiple=True, type=click.Choice(list(CONTENDERS)))
@click.option("--rounds", default=7, show_default=True)
@click.option("--seconds", default=3.0, show_default=True, help="Of each measurement.")
def main(
    files: tuple[str, ...], worker: str | None, names: tuple[str, ...], rounds: int, seconds: float
) -> None:
    """Measures the contenders in turn and prints the ratios to tf.data by hand."""
    if worker:
        work(worker, list(files))
        return
    images = generate(ROOT / "bench-results" / "jpeg")
    workers = {name: Worker(name, images) for name in names or CONTENDERS}
    try:
        figures: dict[str, list[tuple[float, float]]] = {name: [] for name in workers}
        for _ in range(rounds):
            for name, contender in workers.items():
                figures[name].append(contender.measure(seconds))
    finally:
        for contender in workers.values():
            contender.end()
    medians = {
        name: [statistics.median(values) for values in zip(*both, strict=True)]
        for name, both in figures.items()
    }
    by_hand = medians.get("hand", [float("nan")])[0]
    print(f"{'pipeline':44}{'images/s':>9}{'÷ by hand':>11}{'cpu ms':>8}")
    for name, (rate, spent) in medians.items():
        print(f"{CONTENDERS[name]:44}{rate:9.0f}{rate / by_hand:11.2f}{spent:8.2f}")
    print(f"medians of {rounds} rounds; load of the machine {os.getloadavg()[0]:.1f}")


if __name__ == "__main__":
    main()
