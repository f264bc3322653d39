"""Pairs of pipelines with one fault planted in the new one, and what must be said of it.

Each entry is (name, old, new, code expected, options). The pipelines are small; what tells
examples apart is made from their number, so that no two are equal by accident.
"""

from __future__ import annotations

import gzip
import tempfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import tensorflow as tf

Make = Callable[[], Any]
FOLDER = Path(tempfile.mkdtemp(prefix="queueio-planted-"))


def columns(count: int = 100) -> dict[str, np.ndarray]:  # type: ignore[type-arg]
    rng = np.random.default_rng(7)
    return {
        "id": np.arange(count, dtype=np.int32),
        "image": rng.integers(0, 255, (count, 5, 5, 3)).astype(np.uint8),
        "label": (np.arange(count) * 7 % 10).astype(np.int64),
        "score": rng.normal(size=(count, 3)).astype(np.float32),
    }


def dataset(data: Any, batch: int = 16, drop: bool = False, repeat: int = 1, **more: Any) -> Make:
    """A maker of a dataset: slices, shuffled (`shuffle`, `first`: before repeat), batched."""

    def make() -> tf.data.Dataset:
        made = tf.data.Dataset.from_tensor_slices(data)
        if more.get("filter"):
            made = made.filter(more["filter"])
        if more.get("map"):
            made = made.map(more["map"])
        if more.get("shuffle") and more.get("first"):
            made = made.shuffle(more["shuffle"])
        made = made.repeat(repeat)
        if more.get("shuffle") and not more.get("first"):
            made = made.shuffle(more["shuffle"])
        return made.batch(batch, drop_remainder=drop)

    return make


def changed(change: Callable[[dict[str, Any]], Any], count: int = 100) -> Any:
    data = columns(count)
    return change(data) or data


def put(name: str, index: Any, value: Any) -> Callable[[dict[str, Any]], None]:
    def change(data: dict[str, Any]) -> None:
        data[name][index] = value

    return change


def swap_labels(data: dict[str, Any]) -> None:
    data["label"][[3, 4]] = data["label"][[4, 3]]


def rows(data: dict[str, Any], keep: Any) -> dict[str, Any]:
    return {name: value[keep] for name, value in data.items()}


def write(name: str, lines: list[bytes], zipped: bool = False) -> str:
    path = FOLDER / name
    raw = b"".join(line + b"\n" for line in lines)
    path.write_bytes(gzip.compress(raw) if zipped else raw)
    return str(path)


def lines_of(*files: str, skip: int = 0, compression: str = "") -> Make:
    def make() -> tf.data.Dataset:
        parts = [tf.data.TextLineDataset(f, compression).skip(skip) for f in files]
        made = parts[0]
        for part in parts[1:]:
            made = made.concatenate(part)
        return made.batch(16)

    return make


def keyed(*files: str, shuffle: int = 0) -> Make:
    """Lines with the keys a reader would give."""
    texts, keys = [], []
    for file in files:
        for number, line in enumerate(Path(file).read_bytes().splitlines(), 1):
            texts.append(line)
            keys.append(f"{file}:{number}".encode())
    made = dataset((np.array(keys, object), np.array(texts, object)), shuffle=shuffle)
    return made


def queue(pool: int, epochs: int = 1, count: int = 2000) -> Make:
    """A stock queue pipeline that counts."""

    def build() -> Any:
        train = tf.compat.v1.train
        number = train.range_input_producer(count, num_epochs=epochs, shuffle=False).dequeue()
        if not pool:
            return train.batch([number], 16, allow_smaller_final_batch=True)
        return train.shuffle_batch([number], 16, pool + 64, pool, allow_smaller_final_batch=True)

    return build


def numbers(count: int = 2000, **more: Any) -> Make:
    return dataset((np.arange(count, dtype=np.int32),), **more)


def shuffled_files() -> tf.data.Dataset:
    files = tf.data.Dataset.range(20).shuffle(20)
    records = files.interleave(
        lambda f: tf.data.Dataset.range(f * 100, f * 100 + 100), cycle_length=1
    )
    return records.map(lambda n: (tf.cast(n, tf.int32),)).batch(16)


def failing() -> tf.data.Dataset:
    made = tf.data.Dataset.from_tensor_slices(columns()).batch(10)
    bad = tf.data.Dataset.range(1).map(
        lambda n: tf.debugging.check_numerics(tf.math.log(-1.0), "x")
    )
    return made.concatenate(bad.map(lambda _: made.get_single_element()))


def padded(value: int, length: int | None) -> Make:
    def make() -> tf.data.Dataset:
        made = tf.data.Dataset.range(1, 60).map(lambda n: (n, tf.range(n, n + 1 + n % 5)))
        return made.padded_batch(8, ([], [length]), (np.int64(0), np.int64(value)))

    return make


def texts(change: Callable[[str], bytes]) -> Make:
    words = [f"Größe {n} m" for n in range(60)]
    return dataset((np.array([change(w) for w in words], object), np.arange(60)))


def planted() -> Iterator[tuple[str, Make, Make, str, dict[str, Any]]]:
    """All planted faults."""
    base = dataset(columns())
    mixed = dataset(columns(), shuffle=50)
    yield "tail batch dropped", base, dataset(columns(), drop=True), "tail-batch", {}
    yield "tail batch kept", dataset(columns(), drop=True), base, "tail-batch", {}
    yield (
        "tail batch dropped, shuffled",
        mixed,
        dataset(columns(), drop=True, shuffle=50),
        "tail-batch",
        {},
    )
    one_less = dataset(rows(columns(), np.arange(100) != 40))
    yield "an example missing", base, one_less, "missing", {}
    yield "an example missing, shuffled", mixed, one_less, "missing", {}
    yield "an example extra", one_less, base, "extra", {}
    twice = dataset(rows(columns(), [*range(100), 40]))
    yield "an example duplicated", base, twice, "duplicated", {}
    yield (
        "changed in one value",
        base,
        dataset(changed(put("image", (7, 2, 2, 1), 1))),
        "changed",
        {},
    )
    yield (
        "changed, shuffled",
        mixed,
        dataset(changed(put("score", (7, 1), 9.0)), shuffle=50),
        "changed",
        {},
    )
    yield "labels swapped", base, dataset(changed(swap_labels)), "labels-swapped", {}
    yield (
        "labels swapped, shuffled",
        mixed,
        dataset(changed(swap_labels), shuffle=50),
        "labels-swapped",
        {},
    )
    wide = columns() | {"score": columns()["score"].astype(np.float64)}
    yield "dtype widened", base, dataset(wide), "dtype", {}
    floats = columns() | {"image": columns()["image"].astype(np.float32)}
    scaled = columns() | {"image": (columns()["image"] / 255).astype(np.float32)}
    again = columns() | {"image": (columns()["image"] / 255 / 255).astype(np.float32)}
    yield "scale left out", dataset(floats), dataset(scaled), "scale", {}
    yield (
        "scale applied twice",
        dataset(scaled, shuffle=50),
        dataset(again, shuffle=50),
        "scale",
        {},
    )
    only = columns()["image"].astype(np.float32)
    yield (
        "scale applied twice, nothing else",
        dataset((only,), shuffle=50),
        dataset((only / 255,), shuffle=50),
        "scale",
        {},
    )
    bgr = columns() | {"image": columns()["image"][..., ::-1]}
    yield "channels reversed", base, dataset(bgr), "channels", {}
    turned = columns() | {"image": columns()["image"].swapaxes(1, 2)}
    yield "axes transposed", base, dataset(turned, shuffle=20), "transposed", {}
    alone = columns()["image"]
    yield (
        "axes transposed, nothing else",
        dataset((alone,), shuffle=50),
        dataset((alone.swapaxes(1, 2),), shuffle=50),
        "transposed",
        {},
    )
    yield "padding value", padded(0, 6), padded(-1, 6), "padding-value", {}
    yield "padded length", padded(0, None), padded(0, 9), "padding-length", {}
    utf8 = texts(lambda t: t.encode())
    yield "string encoding", utf8, texts(lambda t: t.encode("latin-1")), "encoding", {}
    yield "carriage return", utf8, texts(lambda t: t.encode() + b"\r"), "carriage-return", {}
    rounded = columns() | {"score": columns()["score"] * np.float32(1 + 3e-7)}
    yield "floats within the tolerance", base, dataset(rounded), "tolerance", {"rtol": 1e-5}
    yield "floats beyond the tolerance", base, dataset(rounded), "float-difference", {"rtol": 1e-8}
    table = [f"{n},{n * n},word{n}".encode() for n in range(40)]
    other = [f"{n},{n * n},word{n}".encode() for n in range(40, 80)]
    csv = write("a.csv", [b"number,square,word", *table])
    yield "header read as data", lines_of(csv, skip=1), lines_of(csv), "header", {}
    a, b = write("one.csv", table), write("two.csv", other)
    yield "a file missing", lines_of(a, b), lines_of(a), "file-missing", {}
    yield (
        "a file missing, by key",
        keyed(a, b, shuffle=80),
        keyed(a, shuffle=40),
        "file-missing",
        {},
    )
    yield "a file read twice", lines_of(a, b), lines_of(a, b, b), "file-twice", {}
    yield (
        "a file read twice, by key",
        keyed(a, b, shuffle=80),
        keyed(a, b, a, shuffle=99),
        "file-twice",
        {},
    )
    packed = write("packed.csv.gz", table, zipped=True)
    yield (
        "compression misread",
        lines_of(packed, compression="GZIP"),
        lines_of(packed),
        "compression",
        {},
    )
    yield (
        "compression misread the other way",
        lines_of(a),
        lines_of(a, compression="GZIP"),
        "compression",
        {},
    )
    yield (
        "epochs off by one",
        dataset(columns(), repeat=2),
        dataset(columns(), repeat=3),
        "epochs",
        {},
    )
    yield (
        "epochs off by one, shuffled",
        dataset(columns(), repeat=2, shuffle=50),
        dataset(columns(), repeat=1, shuffle=50),
        "epochs",
        {},
    )
    yield (
        "epoch borders",
        queue(200, epochs=2),
        numbers(repeat=2, shuffle=264, first=True),
        "epoch-borders",
        {},
    )
    yield (
        "repeat after shuffle",
        numbers(repeat=2, shuffle=300),
        numbers(repeat=2, shuffle=300, first=True),
        "epoch-borders",
        {},
    )
    yield "no shuffling", queue(400), numbers(), "no-shuffle", {}
    yield "no shuffling, two epochs", queue(400, epochs=2), numbers(repeat=2), "no-shuffle", {}
    yield "shuffle buffer too small", queue(400), numbers(shuffle=20), "weak-shuffle", {}
    yield "files shuffled but records not", queue(400), shuffled_files, "files-only-shuffled", {}
    yield "batch size", base, dataset(columns(), batch=20), "batch-size", {}
    yield (
        "static shape lost",
        dataset(rows(columns(), np.arange(96)), drop=True),
        dataset(rows(columns(), np.arange(96))),
        "static-shape",
        {},
    )
    renamed = {("picture" if k == "image" else k): v for k, v in columns().items()}
    yield "dict keys renamed", base, dataset(renamed), "dict-keys", {}
    x, y = columns()["score"], columns()["score"][::-1] * 3
    yield "component order", dataset((x, y)), dataset((y, x)), "component-order", {}
    named = dataset({"x": x, "y": y}), dataset({"x": y, "y": x})
    yield "values under another's name", *named, "component-order", {}
    yield (
        "component order, other dtypes",
        dataset((x, columns()["id"])),
        dataset((columns()["id"], x)),
        "component-order",
        {},
    )
    yield (
        "a component left out",
        base,
        dataset({k: v for k, v in columns().items() if k != "label"}),
        "component-missing",
        {},
    )
    yield "different end", dataset(columns(), batch=10), failing, "end", {}
    yield "one side never ends", base, dataset(columns(), repeat=-1), "never-ends", {}
    low = dataset(columns(), filter=lambda e: e["label"] < 5)
    high = dataset(columns(), filter=lambda e: e["label"] >= 5)
    yield "a filter inverted", low, high, "filter-inverted", {}
    pairs, torn = twins(), twins([7, 40, 41, 90])
    yield "draws of one seed torn", dataset(pairs), dataset(torn), "torn", {}
    yield (
        "torn, in another order",
        dataset(pairs, shuffle=50),
        dataset(torn, shuffle=50),
        "torn",
        {},
    )
    yield "random augmentation", base, dataset(columns(), map=augment), "random", {}


def twins(torn: Sequence[int] = ()) -> dict[str, Any]:
    """An input and a target that are flipped alike, but for a few."""
    flipped = np.arange(100) * 5 % 7 < 3
    image = np.random.default_rng(3).normal(size=(100, 2, 4)).astype(np.float32)
    other = np.array([n in torn for n in range(100)])
    both = [np.where(f[:, None, None], image[..., ::-1], image) for f in (flipped, flipped ^ other)]
    return {"id": np.arange(100), "input": both[0], "target": both[1]}


def augment(element: dict[str, Any]) -> dict[str, Any]:
    return element | {"score": element["score"] + tf.random.uniform([3])}
