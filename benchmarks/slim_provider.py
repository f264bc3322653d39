"""slim's provider pipeline: `python -m benchmarks.slim_provider` (`mnist`, `vectors`).

The input of the models repository's train_image_classifier.py: four readers, a decoder, `batch` by
four threads, a prefetch queue. Unchanged TF1 code under the data engine against the same graph on
queues: queueio's, and stock TensorFlow's, which has no contrib and gets the graph as a MetaGraph.
Contenders have processes of their own and take turns; the ratios are of the medians. The data are
generated: `mnist` are PNG images of 28×28, `vectors` are Examples of 64 floats and a label.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import click

from benchmarks.worker import in_turn, started

ROOT = Path(__file__).resolve().parent.parent
CONTENDERS = {
    "data": "queueio, data engine, unchanged TF1 code",
    "queue": "queueio, queue engine",
    "stock": "stock compat.v1 queues",
}
FILES, RECORDS, SIZE, NUMBERS, CLASSES = 4, 5_000, 28, 64, 10


def batch_size() -> int:
    """How many examples a batch has: train_image_classifier.py's own default, or `--batch`."""
    return int(os.environ.get("SLIM_BATCH", "32"))


def generate(kind: str) -> list[str]:
    """TFRecords of Examples; the same bytes in every run."""
    folder = ROOT / "bench-results" / f"slim-{kind}"
    folder.mkdir(parents=True, exist_ok=True)
    names = [folder / f"{number}.tfrecord" for number in range(FILES)]
    if not names[-1].exists():
        _write(kind, names)
    return [str(name) for name in names]


def _write(kind: str, names: list[Path]) -> None:
    import numpy as np
    import tensorflow as tf

    rng = np.random.default_rng(3)
    for name in names:
        with tf.io.TFRecordWriter(str(name)) as writer:
            for _ in range(RECORDS):
                example = tf.train.Example()
                feature = example.features.feature
                feature["image/class/label"].int64_list.value.append(int(rng.integers(CLASSES)))
                if kind == "mnist":
                    pixels = rng.integers(0, 256, (SIZE, SIZE, 1)).astype(np.uint8)
                    pixels[:, : SIZE // 2] = 0  # a digit leaves most of its image black
                    png = tf.io.encode_png(pixels).numpy()
                    feature["image/encoded"].bytes_list.value.append(png)
                    feature["image/format"].bytes_list.value.append(b"png")
                else:
                    feature["vector"].float_list.value.extend(rng.random(NUMBERS).tolist())
                writer.write(example.SerializeToString())


def mnist(tf: Any) -> tuple[Any, Any]:
    """slim's datasets/mnist.py."""
    handlers = tf.contrib.slim.tfexample_decoder
    features = {
        "image/encoded": tf.FixedLenFeature((), tf.string, default_value=""),
        "image/format": tf.FixedLenFeature((), tf.string, default_value="raw"),
        "image/class/label": tf.FixedLenFeature([1], tf.int64),
    }
    image = handlers.Image(shape=[SIZE, SIZE, 1], channels=1)
    return features, {"image": image, "label": handlers.Tensor("image/class/label", shape=[])}


def vectors(tf: Any) -> tuple[Any, Any]:
    """Features of fixed length."""
    handlers = tf.contrib.slim.tfexample_decoder
    features = {
        "vector": tf.FixedLenFeature([NUMBERS], tf.float32),
        "image/class/label": tf.FixedLenFeature([], tf.int64),
    }
    label = handlers.Tensor("image/class/label")
    return features, {"image": handlers.Tensor("vector"), "label": label}


KINDS: dict[str, Callable[[Any], tuple[Any, Any]]] = {"mnist": mnist, "vectors": vectors}


def queue_input(tf: Any, kind: str, files: list[str]) -> Any:
    """As train_image_classifier.py has it: lenet's preprocessing, batches, prefetched."""
    slim, batch = tf.contrib.slim, batch_size()
    decoder = slim.tfexample_decoder.TFExampleDecoder(*KINDS[kind](tf))
    data = slim.dataset.Dataset(files, tf.TFRecordReader, decoder, FILES * RECORDS, {})
    provider = slim.dataset_data_provider.DatasetDataProvider(
        data, num_readers=4, common_queue_capacity=20 * batch, common_queue_min=10 * batch
    )
    image, label = provider.get(["image", "label"])
    image = tf.div(tf.subtract(tf.to_float(image), 128.0), 128.0)
    images, labels = tf.train.batch([image, label], batch, num_threads=4, capacity=5 * batch)
    labels = tf.one_hot(labels, CLASSES)
    return slim.prefetch_queue.prefetch_queue([images, labels], capacity=2).dequeue()


def steps(name: str, kind: str, files: list[str]) -> Iterator[None]:
    """Endless steps of a contender."""
    if name == "stock":
        import tensorflow.compat.v1 as tf

        tf.disable_v2_behavior()
        tf.train.import_meta_graph(_meta_graph(kind))
        fetches: Any = tf.get_collection("fetches")
    else:
        os.environ["QUEUEIO_ENGINE"] = name
        import queueio.v1 as tf

        fetches = queue_input(tf, kind, files)
    tf.logging.set_verbosity("ERROR")
    step = tf.group(fetches)
    with tf.Session() as session:
        session.run(tf.local_variables_initializer())
        tf.train.start_queue_runners(session)
        while True:
            session.run(step)
            yield


def _meta_graph(kind: str) -> str:
    return str(ROOT / "bench-results" / f"slim-{kind}" / "provider.meta")


def save(kind: str, files: list[str]) -> None:
    """Writes the graph for stock TensorFlow."""
    import queueio.v1 as tf

    for tensor in queue_input(tf, kind, files):
        tf.add_to_collection("fetches", tensor)
    tf.train.export_meta_graph(_meta_graph(kind))


def work(name: str, kind: str, files: list[str]) -> None:
    """Measures for as many seconds as each line says: examples per second, µs of processor."""
    stream = steps(name, kind, files)
    next(stream)
    print("ready", flush=True)
    for line in sys.stdin:
        _run(stream, float(line) / 3)  # what it had ready from before
        used = time.process_time()
        examples, spent = _run(stream, float(line))
        processor = (time.process_time() - used) / examples * 1e6
        print(examples / spent, processor, flush=True)
    os._exit(0)


def _run(stream: Iterator[None], seconds: float) -> tuple[int, float]:
    examples, start = 0, time.perf_counter()
    while time.perf_counter() - start < seconds:
        next(stream)
        examples += batch_size()
    return examples, time.perf_counter() - start


def table(kind: str, names: tuple[str, ...], rounds: int, seconds: float) -> None:
    """Measures the contenders in turn and prints the ratios to stock queues."""
    files = generate(kind)
    if started("benchmarks.slim_provider", "--save", "queue", kind, *files).wait():
        raise click.ClickException("the graph could not be saved; the error is above")
    contenders = {name: (name, kind, *files) for name in names or CONTENDERS}
    medians = in_turn("benchmarks.slim_provider", contenders, rounds, seconds)
    stock = medians.get("stock", [float("nan")])[0]
    title = f"{kind}, batches of {batch_size()}"
    print(f"\n{title:44}{'examples/s':>11}{'÷ stock':>11}{'cpu µs':>8}")
    for name, (rate, spent) in medians.items():
        print(f"{CONTENDERS[name]:44}{rate:11,.0f}{rate / stock:11.2f}{spent:8,.0f}")


@click.command()
@click.argument("kinds", nargs=-1)
@click.option("--work", "worker", hidden=True)
@click.option("--save", "saved", hidden=True)
@click.option("--contender", "names", multiple=True, type=click.Choice(list(CONTENDERS)))
@click.option("--batch", default=32, show_default=True)
@click.option("--rounds", default=7, show_default=True)
@click.option("--seconds", default=3.0, show_default=True, help="Of each measurement.")
def main(
    kinds: tuple[str, ...],
    worker: str | None,
    saved: str | None,
    names: tuple[str, ...],
    batch: int,
    rounds: int,
    seconds: float,
) -> None:
    """Measures the pipelines KINDS: mnist, vectors; both if none is named."""
    if worker:
        work(worker, kinds[0], list(kinds[1:]))
    elif saved:
        save(kinds[0], list(kinds[1:]))
    else:
        os.environ["SLIM_BATCH"] = str(batch)
        for kind in kinds or KINDS:
            table(kind, names, rounds, seconds)
        print(f"\nmedians of {rounds} rounds; load of the machine {os.getloadavg()[0]:.1f}")


if __name__ == "__main__":
    main()
