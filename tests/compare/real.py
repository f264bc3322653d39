"""Faults planted in pipelines as people write them, and equal pairs; run by hand.

    python -m tests.compare.real [planted] [real] [equal] [examples] [--part 0/2] > LOG
    python -m tests.compare.real --sum LOG LOG

runs all, or some kinds of pairs, or every second of them; each line of the log is a pair, and the
confusion table comes last. `--sum` prints one table of several logs.

The old side is a queue pipeline, the new one its migration by hand, with or without a fault. Each
entry of `faults` is (name, old, new, codes that name it exactly, options): exact is the code of
the first finding.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import tensorflow as tf

from tests.compare import by_hand
from tests.compare.planted import planted as faults_of_planted

Make = Callable[[], Any]
Fault = tuple[str, Make, Make, set[str], dict[str, Any]]
KINDS = ["planted", "real", "equal", "examples"]
v1 = tf.compat.v1
FOLDER = Path(tempfile.mkdtemp(prefix="queueio-real-"))
EXAMPLES = Path(__file__).resolve().parents[2] / "examples" / "data"
RNG = np.random.default_rng(17)
COUNT = 240


def _write(name: str, raw: bytes) -> str:
    (FOLDER / name).write_bytes(raw)
    return str(FOLDER / name)


def _records(name: str, made: list[bytes]) -> str:
    with tf.io.TFRecordWriter(str(FOLDER / name)) as writer:
        for record in made:
            writer.write(record)
    return str(FOLDER / name)


def _example(**features: Any) -> bytes:
    def feature(value: Any) -> tf.train.Feature:
        if isinstance(value, bytes):
            return tf.train.Feature(bytes_list=tf.train.BytesList(value=[value]))
        return tf.train.Feature(int64_list=tf.train.Int64List(value=value))

    made = {name: feature(value) for name, value in features.items()}
    return tf.train.Example(features=tf.train.Features(feature=made)).SerializeToString()


LABELS = RNG.integers(0, 10, COUNT)
SHADES = RNG.integers(20, 230, (COUNT, 1, 1, 1))
IMAGES = np.clip(SHADES + RNG.integers(-20, 20, (COUNT, 12, 12, 3)) + [10, 0, -15], 0, 255)
IMAGES[:, :5] = IMAGES[:, :5] * 3 // 4
IMAGES = IMAGES.astype(np.uint8)
CHW = IMAGES.transpose(0, 3, 1, 2).reshape(COUNT, -1)
CIFAR = [
    _write(f"cifar_{n}.bin", b"".join(bytes([a]) + b.tobytes() for a, b in zip(
        LABELS[n::2].tolist(), CHW[n::2], strict=True)))
    for n in (0, 1)
]  # fmt: skip
MNIST = [
    _records(f"mnist_{n}.tfrecord", [
        _example(image=IMAGES[i, :, :, 0].tobytes(), label=[int(LABELS[i])], number=[i])
        for i in range(n, COUNT, 2)])
    for n in (0, 1)
]  # fmt: skip
TABLE = [f"{i},{i * 37 % 101 / 8},{i * i % 89},name{i}" for i in range(COUNT)]
CSV = [
    _write(f"table_{n}.csv", "\n".join(["id,score,count,name", *TABLE[n::2], ""]).encode())
    for n in (0, 1)
]
CLICKS = [
    _records("clicks.tfrecord", [
        _example(clicks=[int(c) for c in RNG.integers(1, 50, i % 6)], user=[i])
        for i in range(COUNT)])
]  # fmt: skip
TEXTS = [_write("texts.txt", "\n".join(
    " ".join(f"w{(i * 7 + k) % 90}" for k in range(1 + i % 7)) for i in range(COUNT)).encode()
    + b"\n")]  # fmt: skip
JPEGS = [_write(f"{i:03}.jpg", tf.io.encode_jpeg(IMAGES[i], quality=95).numpy()) for i in range(60)]


def _batch(
    tensors: Any, pool: int, size: int = 20, threads: int = 1, drop: bool = False, **more: Any
) -> Any:
    more = {"num_threads": threads, "allow_smaller_final_batch": not drop, **more}
    if not pool:
        return v1.train.batch(tensors, size, **more)
    return v1.train.shuffle_batch(tensors, size, pool + 60, pool, **more)


def _augment(image: Any, how: str) -> Any:
    if how in ("crop", "tutorial"):
        image = tf.image.random_crop(image, [10, 10, 3])
    if how in ("flip", "tutorial"):
        image = tf.image.random_flip_left_right(image)
        image = tf.image.random_brightness(image, 4.0)
    if how in ("crop", "tutorial"):
        image = tf.image.random_contrast(image, 0.8, 1.2)
    return tf.image.per_image_standardization(image) if how == "tutorial" else image


def cifar_old(pool: int = 60, augment: str = "", epochs: int = 1, **batch: Any) -> Make:
    def build() -> Any:
        files = v1.train.string_input_producer(CIFAR, epochs, shuffle=False)
        record = tf.io.decode_raw(v1.FixedLengthRecordReader(433).read(files)[1], tf.uint8)
        image = tf.transpose(tf.reshape(record[1:433], [3, 12, 12]), [1, 2, 0])
        image = _augment(tf.cast(image, tf.float32), augment)
        return _batch([image, tf.cast(record[0], tf.int32)], pool, **batch)

    return build


def cifar_new(pool: int = 60, augment: str = "", epochs: int = 1, **fault: Any) -> Make:
    files = fault.get("files", CIFAR)

    def make() -> tf.data.Dataset:
        def parse(raw: Any) -> Any:
            record = tf.io.decode_raw(raw, tf.uint8)
            image = tf.reshape(record[1:433], [3, 12, 12])
            image = fault.get("layout", lambda i: tf.transpose(i, [1, 2, 0]))(image)
            image = _augment(tf.cast(image, tf.float32), augment)
            label = fault.get("label", lambda n: n)(tf.cast(record[0], tf.int32))
            return fault.get("image", lambda i: i)(image), label

        made = tf.data.FixedLengthRecordDataset(files, 433, header_bytes=fault.get("header", 0))
        made = made.skip(fault.get("skip", 0)).repeat(epochs)
        made = made.shuffle(pool + 20) if pool else made
        made = made.map(parse)
        if fault.get("torn"):
            labels = made.map(lambda image, label: label).shuffle(COUNT)
            made = tf.data.Dataset.zip((made.map(lambda image, label: image), labels))
        return made.batch(fault.get("size", 20), drop_remainder=fault.get("drop", False))

    return make


def mnist_old(pool: int = 0, epochs: int = 1, **batch: Any) -> Make:
    def build() -> Any:
        files = v1.train.string_input_producer(MNIST, epochs, shuffle=False)
        return _batch(_mnist(v1.TFRecordReader().read(files)[1], {}), pool, **batch)

    return build


def mnist_new(pool: int = 0, epochs: int = 1, **fault: Any) -> Make:
    def make() -> tf.data.Dataset:
        made = tf.data.TFRecordDataset(fault.get("files", MNIST), fault.get("compression"))
        made = made.skip(fault.get("skip", 0)).repeat(epochs)
        made = made.shuffle(pool + 20) if pool else made
        made = made.map(lambda raw: _mnist(raw, fault))
        return made.batch(fault.get("size", 20), drop_remainder=fault.get("drop", False))

    return make


def _mnist(raw: Any, fault: dict[str, Any]) -> dict[str, Any]:
    found = tf.io.parse_single_example(raw, {
        "image": tf.io.FixedLenFeature([], tf.string),
        "label": tf.io.FixedLenFeature([], tf.int64),
        "number": tf.io.FixedLenFeature([], tf.int64)})  # fmt: skip
    image = tf.reshape(tf.io.decode_raw(found["image"], tf.uint8), [12, 12])
    image = tf.cast(image, tf.float32) * (1 / 255.0) - 0.5
    made = {"image": fault.get("image", lambda i: i)(image), "label": found["label"],
            "number": found["number"]}  # fmt: skip
    return fault.get("element", lambda e: e)(made)  # type: ignore[no-any-return]


DEFAULTS: list[Any] = [[0], [0.0], [0], [""]]


def csv_old(pool: int = 0, epochs: int = 1, of: Any = None, **batch: Any) -> Make:
    def build() -> Any:
        files = v1.train.string_input_producer(CSV, epochs, shuffle=False)
        line = v1.TextLineReader(skip_header_lines=1).read(files)[1]
        return _batch(tf.io.decode_csv(line, of or DEFAULTS), pool, **batch)

    return build


def csv_new(pool: int = 0, epochs: int = 1, **fault: Any) -> Make:
    def make() -> tf.data.Dataset:
        parts = [tf.data.TextLineDataset(f).skip(fault.get("header", 1))
                 for f in fault.get("files", CSV)]  # fmt: skip
        made = parts[0]
        for part in parts[1:]:
            made = made.concatenate(part)
        made = made.repeat(epochs)
        made = made.shuffle(pool + 20) if pool else made
        made = made.map(lambda line: tuple(tf.io.decode_csv(line, fault.get("of", DEFAULTS))))
        made = made.map(fault["row"]) if "row" in fault else made
        return made.batch(fault.get("size", 20), drop_remainder=fault.get("drop", False))

    return make


def clicks(new: bool, **fault: Any) -> Make:
    spec = {"clicks": tf.io.VarLenFeature(tf.int64), "user": tf.io.FixedLenFeature([], tf.int64)}

    def build() -> Any:
        if not new:
            files = v1.train.string_input_producer(CLICKS, 1, shuffle=False)
            raw = _batch([v1.TFRecordReader().read(files)[1]], 0)
            return tf.io.parse_example(raw, spec)
        made = tf.data.TFRecordDataset(CLICKS).skip(fault.get("skip", 0)).batch(20)
        made = made.map(lambda raw: tf.io.parse_example(raw, spec))
        return made.map(fault.get("element", lambda e: e))

    return build


def text(new: bool, **fault: Any) -> Make:
    def split(line: Any) -> Any:
        return tf.strings.split([line]).values

    def build() -> Any:
        if not new:
            files = v1.train.string_input_producer(TEXTS, 1, shuffle=False)
            words = split(v1.TextLineReader().read(files)[1])
            return _batch([words, tf.size(words)], 0, dynamic_pad=True)
        made = tf.data.TextLineDataset(fault.get("files", TEXTS)).skip(fault.get("skip", 0))
        made = made.map(fault.get("line", lambda line: line))
        made = made.map(lambda line: (split(line), tf.size(split(line))))
        shapes = ([fault.get("length")], [])
        return made.padded_batch(20, shapes, (fault.get("pad", ""), 0))

    return build


def jpegs(new: bool, **fault: Any) -> Make:
    def decode(raw: Any) -> Any:
        return tf.cast(tf.io.decode_jpeg(raw, fault.get("channels", 3)), tf.float32)

    def build() -> Any:
        if not new:
            files = v1.train.string_input_producer(JPEGS, 1, shuffle=False)
            image = decode(v1.WholeFileReader().read(files)[1])
            return _batch([tf.ensure_shape(image, [12, 12, 3])], 0)
        made = tf.data.Dataset.from_tensor_slices(fault.get("files", JPEGS))
        made = made.map(lambda name: decode(tf.io.read_file(name)))
        if "channels" not in fault:
            made = made.map(lambda i: tf.ensure_shape(i, [12, 12, 3]))
        return made.map(fault.get("image", lambda i: i)).batch(20)

    return build


def digits(new: bool, **fault: Any) -> Make:
    """The repository's own CSV example, by hand."""
    files = sorted(str(p) for p in EXAMPLES.glob("digits-train-*.csv"))
    kinds: list[Any] = [tf.constant([], tf.int32)] * 65

    def build() -> Any:
        of = [tf.constant([], tf.int32)] * 65
        if not new:
            queue = v1.train.string_input_producer(files, 1, shuffle=False)
            line = v1.TextLineReader(skip_header_lines=1).read(queue)[1]
            columns = tf.io.decode_csv(line, of)
            return _batch([columns[0], tf.stack(columns[1:])], 0)
        made = tf.data.Dataset.from_tensor_slices(fault.get("files", files)).flat_map(
            lambda f: tf.data.TextLineDataset(f).skip(fault.get("header", 1))
        )

        def parse(line: Any) -> Any:
            columns = tf.io.decode_csv(line, kinds)
            return columns[0], fault.get("pixels", lambda p: p)(tf.stack(columns[1:]))

        return made.map(parse).batch(20)

    return build


def faults() -> Iterator[Fault]:
    """All planted faults; what both sides share is made anew for each."""
    yield from _of_cifar()
    yield from _of_records()
    yield from _of_text()
    yield from _of_the_rest()


def _of_cifar() -> Iterator[Fault]:
    plain, still = cifar_old(), cifar_old(0)
    changes: dict[str, tuple[Any, set[str]]] = {
        "scaled": (lambda i: i / 255, {"scale"}),
        "standardized": (lambda i: i / 128 - 1, {"linear"}),
        "bgr": (lambda i: i[..., ::-1], {"channels"}),
        "flipped": (lambda i: i[:, ::-1], {"flipped"}),
        "upside down": (lambda i: i[::-1], {"flipped"}),
        "cropped": (lambda i: i[1:11, 1:11], {"shape"}),
        "shifted": (lambda i: i + 1, {"offset"}),
    }
    for name, (change, codes) in changes.items():
        yield f"cifar {name}", still, cifar_new(0, image=change), codes, {}
        yield f"cifar {name}, shuffled", plain, cifar_new(image=change), codes, {}
    wrong = cifar_new(0, layout=lambda i: tf.transpose(i, [2, 1, 0]))
    yield "cifar transposed", still, wrong, {"transposed"}, {}
    yield "cifar one file", plain, cifar_new(files=CIFAR[:1]), {"file-missing"}, {}
    twice = cifar_new(files=[*CIFAR, CIFAR[0]])
    yield "cifar a file twice", plain, twice, {"file-twice"}, {}
    yield "cifar torn", plain, cifar_new(torn=True), {"torn"}, {}
    yield "cifar labels off by one", still, cifar_new(0, label=lambda n: n + 1), {"offset"}, {}
    yield "cifar not shuffled", plain, cifar_new(0), {"no-shuffle"}, {}
    yield "cifar two epochs", plain, cifar_new(epochs=2), {"epochs"}, {}
    yield "cifar no end", plain, cifar_new(epochs=-1), {"never-ends"}, {}
    yield "cifar batch", plain, cifar_new(size=16), {"batch-size"}, {}
    yield "cifar first skipped", still, cifar_new(0, skip=1), {"first-missing"}, {}
    augmented = cifar_old(augment="flip")
    more: dict[str, Any] = {
        "scaled": lambda i: i / 255,
        "a factor": lambda i: i * 1.05,
        "an offset": lambda i: i + 6.0,
        "bgr": lambda i: i[..., ::-1],
        "upside down": lambda i: i[::-1],
    }
    for name, change in more.items():
        new = cifar_new(augment="flip", image=change)
        yield f"cifar augmented, {name}", augmented, new, {"distribution"}, {}
    yield "cifar augmentation lost", augmented, cifar_new(), {"random"}, {}
    yield "cifar augmentation new", plain, cifar_new(augment="flip"), {"random"}, {}


def _of_records() -> Iterator[Fault]:
    still, plain = mnist_old(), mnist_old(60)
    changes: dict[str, tuple[Any, set[str]]] = {
        "no offset": (lambda i: i + 0.5, {"offset"}),
        "scaled twice": (lambda i: i * (1 / 255), {"scale"}),
        "transposed": (lambda i: tf.transpose(i), {"transposed"}),
        "flat": (lambda i: tf.reshape(i, [144]), {"shape"}),
        "a channel": (lambda i: i[..., None], {"shape"}),
        "bytes": (lambda i: tf.round((i + 0.5) * 255), {"linear"}),
    }
    for name, (change, codes) in changes.items():
        yield f"mnist {name}", still, mnist_new(image=change), codes, {}
    wide = mnist_new(60, element=lambda e: {**e, "label": tf.cast(e["label"], tf.int32)})
    yield "mnist label narrowed", plain, wide, {"dtype"}, {}
    one_hot = mnist_new(element=lambda e: {**e, "label": tf.one_hot(e["label"], 10)})
    yield "mnist one-hot", still, one_hot, {"shape", "dtype"}, {}
    column = mnist_new(element=lambda e: {**e, "label": e["label"][None]})
    yield "mnist label a column", still, column, {"shape"}, {}
    renamed = mnist_new(
        element=lambda e: {"picture" if k == "image" else k: v for k, v in e.items()}
    )
    yield "mnist renamed", still, renamed, {"dict-keys"}, {}
    yield "mnist one file", plain, mnist_new(60, files=MNIST[1:]), {"file-missing"}, {}
    yield "mnist compression", still, mnist_new(compression="GZIP"), {"compression"}, {}
    damaged = (FOLDER / "mnist_1.tfrecord").read_bytes()
    broken = _write("broken.tfrecord", damaged[:9000] + b"x" * 40 + damaged[9040:])
    yield "mnist damaged", still, mnist_new(files=[MNIST[0], broken]), {"end"}, {}
    yield "mnist first skipped", still, mnist_new(skip=1), {"first-missing"}, {}
    yield "mnist ten epochs", plain, mnist_new(60, 10), {"epochs"}, {}


def _of_text() -> Iterator[Fault]:
    still = csv_old()
    texts: list[Any] = [[""]] * 4
    yield "csv header read", csv_old(of=texts), csv_new(header=0, of=texts), {"header"}, {}
    yield "csv header read as figures", still, csv_new(header=0), {"end"}, {}
    yield "csv all columns texts", still, csv_new(of=texts), {"dtype"}, {}
    yield "csv skip 2, one file each", still, csv_new(header=2), {"first-missing"}, {}
    full = csv_old(size=32, drop=True)
    skipped = csv_new(header=2, size=32, drop=True, files=CSV)
    yield "csv skip 2, full batches", full, skipped, {"first-missing"}, {}
    yield "csv tail dropped", still, csv_new(size=32, drop=True), {"tail-batch"}, {}
    swapped = csv_new(row=lambda a, b, c, d: (c, b, a, d))
    yield "csv columns swapped", still, swapped, {"component-order"}, {}
    lost = csv_new(row=lambda a, b, c, d: (a, b, c))
    yield "csv column lost", still, lost, {"component-missing"}, {}
    upper = csv_new(row=lambda a, b, c, d: (a, b, c, tf.strings.upper(d)))
    yield "csv upper case", still, upper, {"case"}, {}
    single = csv_new(of=[[0], [""], [0], [""]])
    yield "csv string for float", still, single, {"dtype"}, {}
    rounded = csv_new(row=lambda a, b, c, d: (a, tf.round(b), c, d))
    yield "csv rounded", still, rounded, {"changed"}, {}
    yield "text padded", text(False), text(True, pad="<pad>"), {"padding-value"}, {}
    yield "text padded longer", text(False), text(True, length=12), {"padding-length"}, {}
    lower = text(True, line=tf.strings.upper)
    yield "text upper case", text(False), lower, {"case"}, {}
    yield "text first skipped", text(False), text(True, skip=1), {"first-missing"}, {}


def _of_the_rest() -> Iterator[Fault]:
    def bumped(element: Any) -> Any:
        return {**element, "clicks": tf.sparse.map_values(lambda v: v + 1, element["clicks"])}

    def dense(element: Any) -> Any:
        return {**element, "clicks": tf.sparse.to_dense(element["clicks"])}

    yield "clicks bumped", clicks(False), clicks(True, element=bumped), {"offset"}, {}
    yield "clicks dense", clicks(False), clicks(True, element=dense), {"kind"}, {}
    yield "clicks first skipped", clicks(False), clicks(True, skip=1), {"first-missing"}, {}
    less = jpegs(True, files=JPEGS[:40])
    yield "jpegs missing", jpegs(False), less, {"file-missing"}, {}
    yield "jpegs grey", jpegs(False), jpegs(True, channels=1), {"shape"}, {}
    yield "jpegs bgr", jpegs(False), jpegs(True, image=lambda i: i[..., ::-1]), {"channels"}, {}
    yield "jpegs scaled", jpegs(False), jpegs(True, image=lambda i: i / 255), {"scale"}, {}
    yield "digits skip 2", digits(False), digits(True, header=2), {"first-missing"}, {}
    scaled = digits(True, pixels=lambda p: p * 2)
    yield "digits doubled", digits(False), scaled, {"scale"}, {}


def equal(number: int) -> tuple[str, Make, Make]:
    """The number-th equal pair; every third is augmented."""
    turn = number // 3
    pool, epochs = (0, 40, 90)[turn % 3], 1 + turn // 3 % 2
    batch = {"threads": 1 + 2 * (turn // 6 % 2), "drop": bool(turn // 12 % 2)}
    new = {"drop": batch["drop"]}
    if number % 3 == 0:
        how = ("flip", "crop", "tutorial")[turn // 2 % 3]
        name = f"cifar augmented ({how}), pool {pool}, epochs {epochs}, {batch}"
        return name, cifar_old(pool, how, epochs, **batch), cifar_new(pool, how, epochs, **new)
    makers: list[tuple[str, Make, Make]] = [
        ("cifar", cifar_old(pool, "", epochs, **batch), cifar_new(pool, "", epochs, **new)),
        ("mnist", mnist_old(pool, epochs, **batch), mnist_new(pool, epochs, **new)),
        ("csv", csv_old(pool, epochs, **batch), csv_new(pool, epochs, **new)),
        ("clicks", clicks(False), clicks(True)),
        ("text", text(False), text(True)),
        ("jpegs", jpegs(False), jpegs(True)),
        ("digits", digits(False), digits(True)),
    ]
    name, old, made = makers[number % len(makers)]
    shown = f", pool {pool}, epochs {epochs}, {batch}" if number % len(makers) < 3 else ""
    return name + shown, old, made


def planted() -> Iterator[Fault]:
    """The faults of planted.py, where a finding that is no fault is one too."""
    for name, old, new, code, options in faults_of_planted():
        yield name, old, new, {code}, options


FINE = {"tolerance", "epoch-borders"}  # what planted.py plants of them is no fault
EQUAL = 300


def _compare(old: Any, new: Any, options: dict[str, Any]) -> Any:
    import queueio.compare as comparing

    return comparing(old, new, cost=False, stages=False, draw_seconds=20, **options)


def of_fault(old: Any, new: Any, codes: set[str], options: dict[str, Any]) -> tuple[str, str, str]:
    """State, what was planted, what was named."""
    result = _compare(old, new, options)
    said = [f.code for f in result.findings]
    state = "identical" if result.ok else "other name"
    if said and said[0] in codes and result.ok == (said[0] in FINE):
        state = "named"
    return state, " or ".join(sorted(codes)), " ".join(said) or "nothing"


def of_pair(old: Any, new: Any, options: dict[str, Any]) -> tuple[str, str, str]:
    result = _compare(old, new, options)
    said = " ".join(f.code for f in result.findings)
    return ("equal" if result.ok else "alarm"), "nothing", said or "nothing"


def runs(kinds: Sequence[str]) -> Iterator[tuple[str, str, Callable[[], tuple[str, str, str]]]]:
    """What is to be run: its kind, its name, and how. The examples' own pairs come last, as some
    of them switch TensorFlow 2's behaviour off."""
    for kind, made in (("planted", planted), ("real", faults)):
        for name, old, new, codes, options in made() if kind in kinds else ():
            yield kind, name, partial(of_fault, old, new, codes, options)
    for number in range(EQUAL) if "equal" in kinds else ():
        name, old, new = equal(number)
        kind = "augmented" if number % 3 == 0 else "equal"
        yield kind, f"{number} {name}", partial(of_pair, old, new, {})
    if "examples" in kinds:
        for name, old, new, codes, options in by_hand.pairs(False):
            yield "examples", name, partial(of_fault, old, new, codes, options)
        for name, old, new, _, options in by_hand.pairs(True):
            yield "examples, equal", name, partial(of_pair, old, new, options)


def table(lines: Iterable[str]) -> str:
    """What was planted against what was named, and the tallies, of the lines that `main` prints."""
    seen = [line.rstrip("\n").split("\t") for line in lines if line.count("\t") == 5]
    rows: dict[tuple[str, str], list[str]] = defaultdict(list)
    for _, name, state, planted_, named, _ in seen:
        if state not in ("equal", "alarm"):
            said = named.split()[0] if state == "named" else f"{named} ({state}: {name})"
            rows[planted_, said].append(name)
    text = ["| planted | first finding | pairs |", "|---|---|---|"]
    text += [f"| {a} | {b} | {len(names)} |" for (a, b), names in sorted(rows.items())]
    states = Counter((kind, state) for kind, _, state, *_ in seen)
    text += ["", "| pairs | came out as | |", "|---|---|---|"]
    text += [f"| {kind} | {state} | {n} |" for (kind, state), n in sorted(states.items())]
    alarms = [f"{name}: {said}" for _, name, state, _, said, _ in seen if state == "alarm"]
    return "\n".join([*text, "", *alarms])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("kinds", nargs="*", default=KINDS, help=f"of {', '.join(KINDS)}; or logs")
    parser.add_argument("--part", default="0/1", help="0/2 and 1/2 are the halves of it")
    parser.add_argument("--sum", action="store_true", help="print the table of logs")
    given = parser.parse_args()
    del sys.argv[1:]  # which scripts of examples/ would read
    if given.sum:
        print(table(line for path in given.kinds for line in Path(path).read_text().splitlines()))
        return
    part, parts = map(int, given.part.split("/"))
    lines = []
    for kind, name, run in islice(runs(given.kinds), part, None, parts):
        started = time.monotonic()
        lines.append("\t".join([kind, name, *run(), f"{time.monotonic() - started:.1f}"]))
        print(lines[-1], flush=True)
    print(table(lines))


if __name__ == "__main__":
    main()
