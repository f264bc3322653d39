"""Forms of pipelines and calls that have lost to stock queues: `python -m benchmarks.forms`.

The other benchmarks have the forms of tutorials. Here each form is short: lots of records, sparse
tensors that ops make, queues written by hand; and ways to ask a session for one and the same batch.
Every form has a process of its own under the data engine and one on stock queues, which take turns.
"""

from __future__ import annotations

import collections
import os
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import click

from benchmarks.tutorial_pipelines import line_files, sparse_features, sparse_files
from benchmarks.worker import in_turn

ROOT = Path(__file__).resolve().parent.parent
BATCH, LOT, THREADS, POOL = 32, 64, 4, 1000
Files = dict[str, list[str]]
Form = Callable[[Any, Files], Any]
Both = collections.namedtuple("Both", ["x", "y"])


def _record(tf: Any, files: Files) -> Any:
    return tf.TFRecordReader().read(tf.train.string_input_producer(files["sparse"]))[1]


def _example(tf: Any, files: Files) -> Any:
    return tf.parse_single_example(_record(tf, files), sparse_features(tf))


def _lot(tf: Any, files: Files, dense: bool = False) -> Any:
    names = tf.train.string_input_producer(files["sparse"])
    features = sparse_features(tf)
    features = {"label": features["label"]} if dense else features
    return tf.parse_example(tf.TFRecordReader().read_up_to(names, LOT)[1], features)


def _line(tf: Any, files: Files) -> Any:
    return tf.TextLineReader().read(tf.train.string_input_producer(files["lines"]))[1]


def _columns(tf: Any, files: Files) -> Any:
    return tf.decode_csv(_line(tf, files), [[0.0]] * 6)


def _shuffled(tf: Any, parts: Any, **more: Any) -> Any:
    return tf.train.shuffle_batch(parts, BATCH, POOL + 500, POOL, num_threads=THREADS, **more)


def _in_order(tf: Any, parts: Any, **more: Any) -> Any:
    return tf.train.batch(parts, BATCH, num_threads=THREADS, capacity=500, **more)


def _one_hot(tf: Any, files: Files) -> Any:
    columns = tf.cast(tf.stack(_columns(tf, files)[:3]), tf.int64)
    return tf.SparseTensor(tf.expand_dims(columns, 1), tf.ones([3]), [1000])


def _numbers(tf: Any, files: Files) -> Any:
    columns = _columns(tf, files)
    return {"x": tf.stack(columns[:5]), "y": columns[5]}


def _by_hand(tf: Any, files: Files) -> Any:
    queue = tf.FIFOQueue(500, [tf.string], [[]])
    fills = [queue.enqueue([_line(tf, files)])] * THREADS
    tf.train.add_queue_runner(tf.train.QueueRunner(queue, fills))
    return _shuffled(tf, [tf.stack(tf.decode_csv(queue.dequeue(), [[0.0]] * 6))])


PIPELINES: dict[str, Form] = {
    "dense lots": lambda tf, f: _in_order(tf, _lot(tf, f, True), enqueue_many=True),
    "dense lots, shuffled": lambda tf, f: _shuffled(tf, _lot(tf, f, True), enqueue_many=True),
    "dense lots, joined": lambda tf, f: tf.train.batch_join(
        [_lot(tf, f, True) for _ in range(THREADS)], BATCH, capacity=500, enqueue_many=True
    ),
    "sparse lots": lambda tf, f: _in_order(tf, _lot(tf, f), enqueue_many=True),
    "sparse lots, shuffled": lambda tf, f: _shuffled(tf, _lot(tf, f), enqueue_many=True),
    "sparse lots, joined": lambda tf, f: tf.train.batch_join(
        [_lot(tf, f) for _ in range(THREADS)], BATCH, capacity=500, enqueue_many=True
    ),
    "SparseTensor of columns": lambda tf, f: _in_order(tf, [_one_hot(tf, f)]),
    "SparseTensor of columns, shuffled": lambda tf, f: _shuffled(tf, [_one_hot(tf, f)]),
    "string_split": lambda tf, f: _in_order(tf, [tf.string_split([_line(tf, f)], ",")]),
    "sparse_merge": lambda tf, f: _shuffled(
        tf, [tf.sparse_merge((e := _example(tf, f))["ids"], e["weights"], 10**6), e["label"]]
    ),
    "queue by hand, then shuffle_batch": _by_hand,
    "two readers": lambda tf, f: _in_order(
        tf, [_example(tf, f)["label"], tf.stack(_columns(tf, f))]
    ),
}
"""What a step fetches, of each form of pipeline."""


def _of_lines(tf: Any, files: Files) -> Any:
    return Both(**_shuffled(tf, _numbers(tf, files)))


def _call(session: Any, fetches: Any, **more: Any) -> Callable[[], Any]:
    return lambda: session.run(fetches, **more)


def _model(tf: Any, batch: Both) -> Any:
    weights = tf.get_variable("weights", [5, 1])
    loss = tf.reduce_mean(tf.square(tf.matmul(batch.x, weights)[:, 0] - batch.y))
    step = tf.train.get_or_create_global_step()
    train = tf.train.GradientDescentOptimizer(1e-9).minimize(loss, global_step=step)
    return {"train": train, "loss": loss, "step": step}


Call = Callable[[Any, Any, Both], Callable[[], Any]]
CALLS: dict[str, Call] = {
    "a list": lambda tf, s, b: _call(s, [b.x, b.y]),
    "a dict": lambda tf, s, b: _call(s, {"x": b.x, "y": b.y}),
    "a named tuple": lambda tf, s, b: _call(s, b),
    "names": lambda tf, s, b: _call(s, [b.x.name, b.y.name]),
    "eval()": lambda tf, s, b: lambda: b.x.eval(session=s),
    "make_callable": lambda tf, s, b: s.make_callable([b.x, b.y]),
    "with options": lambda tf, s, b: _call(
        s, [b.x, b.y], options=tf.RunOptions(timeout_in_ms=60000)
    ),
    "with a feed": lambda tf, s, b: _call(
        s, [b.x * (keep := tf.placeholder_with_default(1.0, [])), b.y], feed_dict={keep: 0.5}
    ),
    "a training step, dict": lambda tf, s, b: _call(s, _model(tf, b)),
    "a training step, feed": lambda tf, s, b: _call(
        s, [*_model(tf, b).values()], feed_dict={tf.placeholder_with_default(1.0, []): 0.5}
    ),
}
"""What makes a step of a session and the batch."""


def steps(engine: str, form: str, files: Files) -> Iterator[int]:
    """Endless steps of a form on an engine, each of so many examples."""
    os.environ.update(QUEUEIO_ENGINE=engine, QUEUEIO_SMALL_JOB="0")
    if engine == "data":
        import queueio.v1 as tf
    else:
        import tensorflow.compat.v1 as tf

        tf.disable_v2_behavior()
    tf.logging.set_verbosity("ERROR")
    fetches = PIPELINES.get(form, _of_lines)(tf, files)
    with tf.Session() as session:
        step = CALLS[form](tf, session, fetches) if form in CALLS else _call(session, fetches)
        session.run([tf.global_variables_initializer(), tf.local_variables_initializer()])
        tf.train.start_queue_runners(session)
        while True:
            step()
            yield BATCH


def work(engine: str, form: str, *names: str) -> None:
    """Measures for as many seconds as each line says: µs for an example, and of processors."""
    half = len(names) // 2
    made = steps(engine, form, {"sparse": list(names[:half]), "lines": list(names[half:])})
    for _ in range(100):
        next(made)
    print("ready", flush=True)
    for line in sys.stdin:
        examples, start, used = 0, time.perf_counter(), time.process_time()
        while (spent := time.perf_counter() - start) < float(line):
            examples += next(made)
        print(spent / examples * 1e6, (time.process_time() - used) / examples * 1e6, flush=True)
    os._exit(0)


def measured(form: str, names: list[str], rounds: int, seconds: float) -> list[list[float]]:
    """µs for an example, and of processors, medians: under the data engine, on stock queues."""
    contenders = {engine: (engine, form, *names) for engine in ("data", "stock")}
    return [*in_turn("benchmarks.forms", contenders, rounds, seconds).values()]


@click.command()
@click.argument("forms", nargs=-1)
@click.option("--work", "worker", hidden=True, nargs=1)
@click.option("--rounds", default=3, show_default=True)
@click.option("--seconds", default=2.0, show_default=True, help="Of each measurement.")
def main(forms: tuple[str, ...], worker: str | None, rounds: int, seconds: float) -> None:
    """Measures FORMS; all if none is named."""
    if worker:
        work(worker, *forms)
        return
    results = ROOT / "bench-results"
    sparse, lines = sparse_files(results / "sparse"), line_files(results / "python")
    half = min(len(sparse), len(lines))
    names = [*sparse[:half], *lines[:half]]
    for title, table in (("pipelines", PIPELINES), ("calls", CALLS)):
        print(f"\n{title + f', batches of {BATCH}':40}{'data':>8}{'stock':>8}{'cpu':>8}{'stock':>8}"
              f"{'rate':>8}")  # fmt: skip
        for form in [form for form in table if not forms or form in forms]:
            data, stock = measured(form, names, rounds, seconds)
            print(f"{form:40}{data[0]:8.1f}{stock[0]:8.1f}{data[1]:8.1f}{stock[1]:8.1f}"
                  f"{stock[0] / data[0]:8.2f}", flush=True)  # fmt: skip
    print(f"\nµs for an example, medians of {rounds} rounds; "
          f"load of the machine {os.getloadavg()[0]:.1f}")  # fmt: skip


if __name__ == "__main__":
    main()
