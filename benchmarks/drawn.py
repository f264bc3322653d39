"""Is any pipeline slower on the data engine? `python -m benchmarks.drawn --first 1 --count 30`

Pipelines drawn at random, as scripts have them: a source, up to three steps between it and the
queue, a form of batch, how many rows and threads. Both contenders run each in a process of its
own, one after the other; the seed of a pipeline draws it again.
"""

from __future__ import annotations

import json
import os
import random
import statistics
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import click

from benchmarks.data import RECORDS, generate
from benchmarks.pipelines import COLUMNS, RECORD_BYTES, SIDE
from benchmarks.start_to_end import module_of

ROOT = Path(__file__).resolve().parent.parent
CONTENDERS = ("stock", "data")
WARM = 5
"""Steps before the clock starts."""
Example = dict[str, Any]


def lines(tf: Any, files: list[str]) -> Example:
    """Columns of a CSV file, and its fields as lists of numbers of one to nine digits."""
    _, line = tf.TextLineReader().read(tf.train.string_input_producer(files))
    *columns, label = tf.decode_csv(line, [[0.0]] * (COLUMNS - 1) + [[0]])
    ids = tf.string_to_hash_bucket_fast(tf.string_split([line], "1").values, 100)
    return {"x": tf.stack(columns), "y": label, "text": line, "ids": ids}


def records(tf: Any, files: list[str]) -> Example:
    """Examples of an image and a label."""
    key, record = tf.TFRecordReader().read(tf.train.string_input_producer(files))
    spec = {"image": tf.FixedLenFeature([], tf.string), "label": tf.FixedLenFeature([], tf.int64)}
    parsed = tf.parse_single_example(record, spec)
    pixels = tf.reshape(tf.decode_raw(parsed["image"], tf.uint8), [SIDE, SIDE, 1])
    image = tf.to_float(pixels) / 255.0
    return {"x": image[:, 0, 0], "y": parsed["label"], "text": key, "image": image}


def bytes_of_images(tf: Any, files: list[str]) -> Example:
    """Records of one length: a label and the bytes of an image."""
    reader = tf.FixedLengthRecordReader(RECORD_BYTES)
    key, record = reader.read(tf.train.string_input_producer(files))
    numbers = tf.decode_raw(record, tf.uint8)
    image = tf.reshape(numbers[1:RECORD_BYTES], [3, 32, 32])
    image = tf.to_float(tf.transpose(image, [1, 2, 0]))
    x = tf.to_float(tf.reshape(numbers[1:9], [8]))
    return {"x": x, "y": tf.to_int32(numbers[0]), "text": key, "image": image}


def numbers(tf: Any, files: list[str]) -> Example:
    """Numbers that no file holds."""
    number = tf.train.range_input_producer(5000).dequeue()
    x = tf.to_float(tf.stack([number, number + 1]))
    return {"x": x, "y": number, "text": tf.as_string(number)}


def arrays(tf: Any, files: list[str]) -> Example:
    """Rows of arrays in memory."""
    import numpy as np

    rows = np.random.default_rng(1).random((5000, 8)).astype(np.float32)
    x, y = tf.train.slice_input_producer([rows, np.arange(5000)])
    return {"x": x, "y": y, "text": tf.as_string(y)}


SOURCES = {"csv": lines, "tfrecord": records, "fixed": bytes_of_images, "range": numbers,
           "slice": arrays}  # fmt: skip


def with_python(tf: Any, example: Example) -> Any:
    """A light function in Python."""
    doubled = tf.py_func(lambda x: x * 2, [example["x"]], tf.float32)
    doubled.set_shape(example["x"].shape)
    return doubled


def with_table(tf: Any, example: Example) -> Any:
    """A lookup of texts, most of which are unknown."""
    keys = tf.constant([str(n) for n in range(50)])
    values = tf.constant(list(range(50)), tf.int64)
    found = tf.lookup.StaticHashTable(tf.lookup.KeyValueTensorInitializer(keys, values), -1)
    return found.lookup(example["text"])


def checked(tf: Any, example: Example) -> Any:
    """An assertion that holds."""
    label = example["y"]
    with tf.control_dependencies([tf.assert_greater_equal(label, tf.zeros_like(label))]):
        return tf.identity(label)


def distorted(tf: Any, image: Any) -> Any:
    """A flip and a brightness, drawn."""
    return tf.image.random_brightness(tf.image.random_flip_left_right(image), 0.2)


STEPS = {
    "cond": ("x", lambda tf, d: tf.cond(d["y"] > 5, lambda: d["x"] * 2, lambda: d["x"] - 1)),
    "while": ("x", lambda tf, d: tf.while_loop(
        lambda i, x: i < 3, lambda i, x: (i + 1, x * 1.5), [0, d["x"]])[1]),
    "map_fn": ("x", lambda tf, d: tf.map_fn(lambda x: x * 2 + 1, d["x"])),
    "py_func": ("x", with_python),
    "noise": ("x", lambda tf, d: d["x"] + tf.random_normal(d["x"].shape)),
    "seeded": ("x", lambda tf, d: d["x"] + tf.random_uniform(d["x"].shape, seed=5)),
    "print": ("x", lambda tf, d: tf.Print(d["x"], [d["y"]], first_n=1)),
    "variable": ("x", lambda tf, d: d["x"] * tf.Variable(2.0, trainable=False)),
    "cumsum": ("x", lambda tf, d: tf.cumsum(d["x"])),
    "top_k": ("top", lambda tf, d: tf.nn.top_k(d["x"], 2)[0]),
    "one_hot": ("hot", lambda tf, d: tf.one_hot(d["y"], 10)),
    "assert": ("y", checked),
    "table": ("id", with_table),
    "regex": ("text", lambda tf, d: tf.regex_replace(d["text"], "[0-3]", "z")),
    "hash": ("bucket", lambda tf, d: tf.string_to_hash_bucket_strong(d["text"], 99, [1, 2])),
    "split": ("many", lambda tf, d: tf.size(tf.string_split([d["text"]], "1").values)),
    "distorted": ("image", lambda tf, d: distorted(tf, d["image"]) if "image" in d else None),
}  # fmt: skip
"""The component that a step makes, and how; None where the source has nothing for it."""


def batched(tf: Any, form: str, example: Example, rows: int, threads: int) -> Any:
    """The batch in one of the forms; lists of any length are padded, or left out."""
    pads = form in ("batch", "batch_join", "maybe_batch")
    values = [value for name, value in example.items() if pads or name != "ids"]
    padded = {"dynamic_pad": True} if pads and "ids" in example else {}
    if form == "batch":
        return tf.train.batch(values, rows, num_threads=threads, **padded)
    if form == "batch_join":
        return tf.train.batch_join([values] * threads, rows, **padded)
    if form == "maybe_batch":
        even = tf.equal(tf.to_int32(example["y"]) % 2, 0)
        return tf.train.maybe_batch(values, even, rows, num_threads=threads, **padded)
    if form == "enqueue_many":
        values = [tf.stack([value, value]) for value in values]
    if form in ("shuffle_batch", "enqueue_many"):
        many = form == "enqueue_many"
        return tf.train.shuffle_batch(
            values, rows, 2000, 500, num_threads=threads, enqueue_many=many
        )
    queue = tf.FIFOQueue(500, [v.dtype for v in values], [v.shape for v in values])
    tf.train.add_queue_runner(tf.train.QueueRunner(queue, [queue.enqueue(values)] * threads))
    return queue.dequeue_many(rows)


FORMS = ("batch", "batch_join", "maybe_batch", "shuffle_batch", "enqueue_many", "a queue by hand")


def drawn(seed: int) -> tuple[str, list[str], str, int, int]:
    """The pipeline of a seed: source, steps, form of batch, rows and threads."""
    rng = random.Random(seed)
    steps = rng.sample(list(STEPS), rng.choice([0, 1, 2, 3]))
    rows, threads = rng.choice([8, 32, 32, 64, 128]), rng.choice([1, 1, 4])
    return rng.choice(list(SOURCES)), steps, rng.choice(FORMS), rows, threads


def work(name: str, seed: int, seconds: float) -> None:
    """Prints the examples a second of one contender, and its processor time for each, in µs."""
    source, steps, form, rows, threads = drawn(seed)
    folder = ROOT / "bench-results" / "drawn"
    files = generate(folder, source, 20_000) if source in RECORDS else []
    tf = module_of(name)
    example = SOURCES[source](tf, files)
    for component, made in map(STEPS.__getitem__, steps):
        value = made(tf, example)
        if value is not None:
            example[component] = value
    step = tf.group(*tf.nest.flatten(batched(tf, form, example, rows, threads)))
    with tf.Session() as session:
        session.run([tf.global_variables_initializer(), tf.local_variables_initializer(),
                     tf.tables_initializer()])  # fmt: skip
        tf.train.start_queue_runners(session, tf.train.Coordinator())
        for _ in range(WARM):
            session.run(step)
        start, used, done = time.perf_counter(), time.process_time(), 0
        while time.perf_counter() - start < seconds:
            session.run(step)
            done += rows
        rate = done / (time.perf_counter() - start)
        print(json.dumps([rate, (time.process_time() - used) / done * 1e6]), flush=True)
        os._exit(0)


def measured(name: str, seed: int, seconds: float) -> tuple[float, float] | None:
    """What a process of its own says; None where the pipeline does not run."""
    command = [sys.executable, "-W", "ignore", "-m", "benchmarks.drawn", "--work", name]
    environment = {**os.environ, "TF_CPP_MIN_LOG_LEVEL": "3", "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        [*command, "--first", str(seed), "--seconds", str(seconds)], env=environment, cwd=ROOT,
        capture_output=True, text=True, check=False, timeout=60 + 10 * seconds,
    )  # fmt: skip
    if done.returncode or not done.stdout.strip():
        return None
    rate, used = json.loads(done.stdout.splitlines()[-1])
    return rate, used


@click.command()
@click.option("--work", "worker", hidden=True)
@click.option("--first", default=1, show_default=True, help="The first seed.")
@click.option("--count", default=30, show_default=True, help="How many seeds.")
@click.option("--seconds", default=1.5, show_default=True, help="Of each measurement.")
@click.option("--worst", default=10, show_default=True, help="How many are shown.")
def main(worker: str | None, first: int, count: int, seconds: float, worst: int) -> None:
    """Prints the pipelines that gain least."""
    if worker:
        work(worker, first, seconds)
    found: dict[int, tuple[float, float, float]] = {}
    for seed in range(first, first + count):
        stock, data = (measured(name, seed, seconds) for name in CONTENDERS)
        if stock and data:
            found[seed] = data[0] / stock[0], data[1], stock[1]
        else:
            print(f"seed {seed} does not run on {'stock queues' if data else 'the data engine'}")
    ratios = [ratio for ratio, *_ in found.values()]
    below = sum(ratio < 1 for ratio in ratios)
    print(f"{len(ratios)} pipelines, {below} below 1, median {statistics.median(ratios):.1f}\n")
    print("| seed | pipeline | data engine ÷ stock | cpu µs: data engine, stock |")
    print("| --: | --- | --: | --- |")
    for seed in sorted(found, key=lambda seed: found[seed])[:worst]:
        source, steps, form, rows, threads = drawn(seed)
        told = ", ".join([source, *steps, form, f"{rows} rows", f"{threads} threads"])
        ratio, ours, theirs = found[seed]
        print(f"| {seed} | {told} | {ratio:.2f} | {ours:.1f}, {theirs:.1f} |")


if __name__ == "__main__":
    main()
