"""Hand migrations of the pipelines in examples/, each as it should be and with faults.

The old side is the example's own function, loaded as `queueio compare script.py:name` loads it;
the new one is what somebody would write in tf.data. Some examples switch TensorFlow 2's behaviour
off for the whole process, so these pairs are run after all others.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import tensorflow as tf

from queueio.compare.sides.script import load

Side = Any
EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
LABELLED = {
    "image": tf.io.FixedLenFeature([], tf.string),
    "label": tf.io.FixedLenFeature([], tf.int64),
}


def script(name: str) -> str:
    return str(EXAMPLES / name)


def function(name: str) -> Callable[..., Any]:
    """`script.py:name` of examples/, loaded when it is first called."""
    return lambda *args, **kwargs: load(script(name))(*args, **kwargs)


def files(kind: str, split: str = "train") -> list[str]:
    return sorted(str(p) for p in (EXAMPLES / "data").glob(f"digits-{split}-*.{kind}"))


def concatenated(parts: list[Any]) -> Any:
    made = parts[0]
    for part in parts[1:]:
        made = made.concatenate(part)
    return made


def _key(file: str, number: Any) -> Any:
    return tf.strings.join([file, ":", tf.strings.as_string(number)])


def csv(keys: bool = True, **fault: Any) -> Side:
    """read_csv.py and migrate_old.py."""
    header, names = fault.get("header", 1), fault.get("files", files("csv"))

    def lines(file: str) -> Any:
        made = tf.data.TextLineDataset(file).skip(header).enumerate(header + 1)
        return made.map(lambda n, line: (_key(file, n), line))

    def parse(key: Any, line: Any) -> Any:
        of: list[Any] = [tf.constant([], tf.int32)] * 65
        columns = tf.io.decode_csv(line, of)
        pixels = tf.stack(fault.get("columns", lambda c: c[1:])(columns))
        if keys:
            return key, columns[0], fault.get("pixels", lambda p: p)(pixels)
        image = tf.cast(pixels, tf.float32) / fault.get("by", 16)
        return fault.get("order", lambda a, b: (a, b))(image, columns[0])

    def make() -> Any:
        made = concatenated([lines(name) for name in names])
        made = made if keys else made.shuffle(fault.get("pool", 1050))
        return made.map(parse).batch(fault.get("size", 100 if keys else 50))

    return make


def tfrecord(**fault: Any) -> Side:
    """read_tfrecord.py; a record's key is the byte at which it begins."""

    def parse(key: Any, record: Any) -> Any:
        found = tf.io.parse_single_example(record, LABELLED)
        image = tf.reshape(tf.io.decode_raw(found["image"], tf.uint8), [64])
        made = {"key": key, "image": image, "label": found["label"]}
        return fault.get("element", lambda e: e)(made)

    def keyed(file: str) -> Any:
        def at(place: Any, record: Any) -> Any:
            after = place + 16 + tf.cast(tf.strings.length(record), tf.int64)
            return after, (_key(file, place), record)

        return tf.data.TFRecordDataset(file).scan(tf.constant(0, tf.int64), at)

    def make() -> Any:
        made = concatenated([keyed(f) for f in fault.get("files", files("tfrecord"))])
        return made.map(parse).batch(100)

    return make


def digits(shape: list[int], label: Any, scale: Callable[[Any], Any], **fault: Any) -> Side:
    """train_keras.py and train_digits.py."""

    def parse(record: Any) -> Any:
        found = tf.io.parse_single_example(record, LABELLED)
        image = tf.reshape(tf.io.decode_raw(found["image"], tf.uint8), shape)
        return scale(tf.cast(image, tf.float32)), tf.cast(found["label"], label)

    def make() -> Any:
        made = tf.data.TFRecordDataset(files("tfrecord", fault.get("split", "train")))
        made = made.shuffle(fault["pool"]) if "pool" in fault else made
        return made.map(parse).batch(fault.get("size", 64), fault.get("drop", False))

    return make


def binary(**fault: Any) -> Side:
    """read_fixed_length.py and joins.py."""
    skip, names = fault.get("skip", 0), fault.get("files", files("bin"))

    def records(file: str) -> Any:
        made = tf.data.FixedLengthRecordDataset(file, 65, fault.get("head", 0))
        made = made.skip(skip).enumerate(skip)
        return made.map(lambda n, record: (_key(file, n), record))

    def parse(key: Any, record: Any) -> Any:
        values = tf.io.decode_raw(record, tf.uint8)
        if "joined" in fault:
            return key, values[0]
        first = fault.get("first", 1)
        image = tf.reshape(values[first : first + 64], [8, 8])
        return key, tf.cast(values[0], tf.int32), fault.get("image", lambda i: i)(image)

    def make() -> Any:
        made = concatenated([records(name) for name in names])
        if fault.get("joined", 1) > 1:
            # As joins.py's readers take turns, each at a file of its own.
            made = tf.data.Dataset.choose_from_datasets(
                [records(name) for name in names],
                tf.data.Dataset.range(len(names)).repeat(),
                stop_on_empty_dataset=False,
            )
        made = made.shuffle(fault["pool"]) if "pool" in fault else made
        return made.map(parse).batch(fault.get("size", 100))

    return make


def inked(value: int = 0, length: int | None = None, change: Any = lambda i: i) -> Side:
    """padding.py."""

    def places(record: Any) -> Any:
        pixels = tf.io.decode_raw(record, tf.uint8)[1:]
        return change(tf.reshape(tf.where(pixels > 0), [-1]) + 1)

    def make() -> Any:
        made = tf.data.FixedLengthRecordDataset(files("bin", "test"), 65).map(places)
        return made.padded_batch(50, [length], tf.constant(value, tf.int64))

    return make


def padded() -> Any:
    """What padding.py batches."""
    pixels = load(script("padding.py:inked_pixels"))()
    return tf.compat.v1.train.batch(
        [pixels], 50, dynamic_pad=True, allow_smaller_final_batch=True
    )  # fmt: skip


def joined(name: str) -> Side:
    """One of joins.py's three pipelines."""

    def build() -> Any:
        queue = tf.compat.v1.train.string_input_producer(files("bin"), 1)
        return load(script(f"joins.py:{name}"))(queue)

    return build


def parallel(number: int) -> Side:
    """parallel_enqueue.py's pipeline of the number-th kind of examples, on one file."""

    def build() -> Any:
        kind = load(script("parallel_enqueue.py:KINDS"))[number]
        return load(script("parallel_enqueue.py:with_batch"))(kind, files("bin")[:1], 1)

    return build


def enlarged(method: str = "bicubic", **fault: Any) -> Side:
    """parallel_enqueue.py's cheap examples, or its heavy ones: enlarged, and their mean."""

    def parse(record: Any) -> Any:
        pixels = tf.reshape(tf.io.decode_raw(record, tf.uint8), [65])[1:]
        if not method:
            return pixels
        image = tf.reshape(tf.cast(pixels, tf.float32), [8, 8, 1])
        return tf.reduce_mean(tf.image.resize(image, [512, 512], method=method))

    def make() -> Any:
        made = tf.data.FixedLengthRecordDataset(files("bin")[:1], 65, fault.get("head", 0))
        made = made.repeat(fault.get("epochs", -1)).map(parse)
        return made.batch(32, drop_remainder=True)

    return make


def counted(name: str, smaller: bool) -> Side:
    """batch_and_shuffle_batch.py's pipelines."""
    return lambda: load(script("batch_and_shuffle_batch.py:build"))(name, smaller)


def numbers(stop: int = 23, drop: bool = True, pool: int = 0, size: int = 5) -> Side:
    """The numbers of batch_and_shuffle_batch.py."""

    def make() -> Any:
        made = tf.data.Dataset.range(stop).map(lambda n: tf.cast(n, tf.int32))
        return (made.shuffle(pool) if pool else made).batch(size, drop_remainder=drop)

    return make


def spelled(*texts: str) -> Side:
    """coordinator_life_cycle.py's pipeline."""
    return lambda: load(script("coordinator_life_cycle.py:pipeline"))(list(texts), 1)


def parsed(*texts: str, skip_errors: bool = False) -> Side:
    """The same by hand."""

    def make() -> Any:
        made = tf.data.Dataset.from_tensor_slices(list(texts)).map(tf.strings.to_number)
        return (made.ignore_errors() if skip_errors else made).batch(2, drop_remainder=True)

    return make


def _sides() -> dict[str, Side]:
    """The old sides, as a user would name them or call them."""
    digit = function("train_digits.py:inputs")
    return {
        "read_csv": script("read_csv.py:build"),
        "read_tfrecord": script("read_tfrecord.py:build"),
        "read_fixed_length": script("read_fixed_length.py:build"),
        "migrate_old": lambda: function("migrate_old.py:inputs")(1),
        "train_digits": lambda: digit("train", 1, 50),
        "train_digits, test": lambda: digit("test", 1, 50),
        "train_keras": script("train_keras.py:old_input_fn"),
        "padding": padded,
        "joins, batch": joined("batch"),
        "joins, batch_join": joined("batch_join"),
        "joins, shuffle_batch_join": joined("shuffle_batch_join"),
        "batch": counted("batch", False),
        "batch, smaller": counted("batch", True),
        "shuffle_batch": counted("shuffle_batch", False),
        "shuffle_batch, smaller": counted("shuffle_batch", True),
        "parallel_enqueue, cheap": parallel(0),
        "parallel_enqueue, heavy": parallel(1),
        "coordinator": spelled("1", "2", "3", "4"),
        "coordinator, an error": spelled("1", "2", "three", "4"),
    }


def _sixteenth(image: Any) -> Any:
    return image / 16.0


def _centred(image: Any) -> Any:
    return image * (1.0 / 16) - 0.5


def _migrations() -> Iterator[tuple[str, Side, str, dict[str, Any]]]:
    """(old side, new side, code of the fault or "", options)."""
    square: list[int] = [8, 8]
    cut = {"limit": 640}
    yield "read_csv", csv(), "", {}
    yield "read_csv", csv(header=2), "first-missing", {}
    yield "read_csv", csv(files=files("csv")[:2]), "file-missing", {}
    yield "read_csv", csv(pixels=lambda p: tf.cast(p, tf.int64)), "dtype", {}
    yield "read_csv", csv(columns=lambda c: c[:64]), "changed", {}
    yield "read_tfrecord", tfrecord(), "", {}
    yield "read_tfrecord", tfrecord(files=files("tfrecord")[1:]), "file-missing", {}
    keyless = tfrecord(element=lambda e: {k: v for k, v in e.items() if k != "key"})
    yield "read_tfrecord", keyless, "component-missing", {}
    flipped = tfrecord(element=lambda e: {**e, "image": e["image"][::-1]})
    yield "read_tfrecord", flipped, "flipped", {}
    yield "read_fixed_length", binary(), "", {}
    yield "read_fixed_length", binary(first=0), "changed", {}
    yield "read_fixed_length", binary(image=tf.transpose), "transposed", {}
    yield "read_fixed_length", binary(skip=1), "first-missing", {}
    yield "migrate_old", csv(False), "", {}
    yield "migrate_old", csv(False, by=255), "scale", {}
    yield "migrate_old", csv(False, order=lambda a, b: (b, a)), "component-order", {}
    yield "migrate_old", csv(False, header=2), "first-missing", {}
    yield "migrate_old", csv(False, pool=50), "weak-shuffle", {}
    yield "migrate_old", csv(False, files=files("csv") * 2), "epochs", {}
    yield "train_digits", digits([64], tf.int32, _centred, size=50, pool=1050), "", {}
    yield "train_digits", digits([64], tf.int32, _sixteenth, size=50, pool=1050), "offset", {}
    yield "train_digits", digits([64], tf.int64, _centred, size=50, pool=1050), "dtype", {}
    test = digits([64], tf.int32, _centred, size=50, split="test")
    yield "train_digits, test", test, "", {}
    dropped = digits([64], tf.int32, _centred, size=50, split="test", drop=True)
    yield "train_digits, test", dropped, "tail-batch", {}
    yield "train_keras", digits(square, tf.int64, _sixteenth, pool=600), "", {}
    yield "train_keras", digits(square, tf.int64, _sixteenth), "no-shuffle", {}
    yield "train_keras", digits([8, 8, 1], tf.int64, _sixteenth, pool=600), "shape", {}
    yield "train_keras", digits(square, tf.int64, _sixteenth, pool=600, size=32), "batch-size", {}
    yield "padding", inked(), "", {}
    yield "padding", inked(-1), "padding-value", {}
    yield "padding", inked(0, 64), "padding-length", {}
    yield "padding", inked(change=lambda places: 65 - places), "linear", {}
    yield "joins, batch", binary(joined=1, size=30), "", {}
    yield "joins, batch_join", binary(joined=3, size=30), "", {}
    lost = binary(joined=3, size=30, files=files("bin")[:2])
    yield "joins, batch_join", lost, "file-missing", {}
    yield "joins, shuffle_batch_join", binary(joined=3, size=30, pool=530), "", {}
    yield "joins, shuffle_batch_join", binary(joined=1, size=30), "no-shuffle", {}
    yield "batch", numbers(), "", {}
    yield "batch", numbers(drop=False), "tail-batch", {}
    yield "batch, smaller", numbers(drop=False), "", {}
    yield "batch, smaller", numbers(), "tail-batch", {}
    yield "shuffle_batch", numbers(pool=15), "", {}
    yield "shuffle_batch", numbers(pool=15, drop=False), "tail-batch", {}
    yield "shuffle_batch, smaller", numbers(drop=False, pool=15), "", {}
    yield "shuffle_batch, smaller", numbers(24, False, 15), "extra", {}
    yield "parallel_enqueue, cheap", enlarged(""), "", cut
    yield "parallel_enqueue, cheap", enlarged("", head=65), "first-missing", cut
    yield "parallel_enqueue, heavy", enlarged(), "", cut
    yield "parallel_enqueue, heavy", enlarged("bilinear"), "changed", cut
    yield "parallel_enqueue, heavy", enlarged(epochs=1), "never-ends", {}
    yield "coordinator", parsed("1", "2", "3", "4"), "", {}
    yield "coordinator", parsed("1", "2", "3"), "missing", {}
    yield "coordinator, an error", parsed("1", "2", "three", "4"), "", {}
    skipping = parsed("1", "2", "three", "4", skip_errors=True)
    yield "coordinator, an error", skipping, "end", {}


def pairs(equal: bool) -> Iterator[tuple[str, Side, Side, set[str], dict[str, Any]]]:
    """The migrations without a fault, or those with one."""
    olds = _sides()
    for old, new, code, options in _migrations():
        if equal == (not code):
            yield f"{old}{code and f': {code}'}", olds[old], new, {code}, options
