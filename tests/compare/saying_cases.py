"""What is said of two pairs of sides that are nearly the same: of one what is true of it, of its
neighbour what is true of that.

A pair is an old side and a new one, and options of `compare`. What must be said of each, and of
the other must not, stands beside it word for word; … is for figures that a measurement gives.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import tensorflow as tf

from queueio.compare.sides.side import End
from tests.compare.memory import Memory, failing

RNG = np.random.default_rng(17)
COUNT = 40
ID = np.arange(COUNT)
IMAGE = RNG.random((COUNT, 4, 5, 3)).astype(np.float32)
DATA = {"id": ID, "image": IMAGE, "label": ID % 10}
NAME = np.array([b"Name %d of %d" % (n * 7, n) for n in range(COUNT)], object)
LINE = np.array([b"a line " * 57] * COUNT, object)
WORDS = np.array(
    [[b"w%d" % (n + k) if k < 1 + n % 3 else b"" for k in range(4)] for n in ID], object
)
MANY = {"id": np.arange(200), "image": RNG.random((200, 4, 5, 3)).astype(np.float32)}
MASKED = {**MANY, "mask": (MANY["image"][..., :1] > 0.5).astype(np.float32)}
LEANING = {**MANY, "image": MANY["image"] + np.arange(3) / 2 + np.arange(5)[:, None] / 3}
CLASSES = {"label": np.arange(200) % 10, "image": MANY["image"]}
LISTS = {
    "id": ID,
    "x": ((3 + ID[:, None] + np.arange(9) ** 2) * (np.arange(9) < 3 + ID[:, None] % 6)),
}
FULL = {**LISTS, "x": (3 + ID[:, None] + np.arange(9) ** 2) * (np.arange(9) < 5 + ID[:, None] % 5)}
PIXELS = np.floor(IMAGE * 256).astype(np.float32)
LARGE = {"id": ID, "x": ID**3 * 12_345_678_901 + 7_654_321_987}
SIGNED = {"id": ID, "x": (ID - 20.3).astype(np.float32)}
SHORTS = {"id": ID, "x": (ID * 1571 + 259).astype(np.uint16)}
MIXED = {"x": np.random.default_rng(3).permutation(COUNT), "image": IMAGE}
SQUARE = {"id": ID, "image": IMAGE[:, :, :4]}
TENTHS = {"id": ID, "image": np.round(IMAGE * 9) / 10}
BIRDS = np.array([b"bird %d" % (n % 90) for n in range(200)], object)
PARTS = {"id": ID, "x": (ID * 2.37 - 20.31).astype(np.float32)}
NEAR = {"id": ID, "x": (ID * 0.079 - 0.677).astype(np.float32)}
RISEN = {"id": ID, "x": (99.3 + ID).astype(np.float32)}
THREE = np.tile([0, 1, 2, 0], 10)[np.random.default_rng(3).permutation(COUNT)]
HALF = np.random.default_rng(3).permutation(COUNT) % 2 == 0
FAR = {**MANY, "image": MANY["image"] * np.float32(100)}
SCALAR = {"id": np.arange(200), "x": np.zeros(200, np.float32)}
BITS = {f"bits {n}": RNG.integers(0, 10, 200) for n in range(6)}
SOME = np.sort(np.random.default_rng(1).choice(1000, 200, False))
LABELS = {"label": np.arange(1400) % 10}
Pair = tuple[Any, Any, dict[str, Any]]
Case = tuple[Pair, str, Pair, str]


def pair(old: Any, new: Any, **options: Any) -> Pair:
    return old, new, options


def three() -> tf.data.Dataset:
    return tf.data.Dataset.range(3)


def with_(data: Any = DATA, **columns: Any) -> dict[str, Any]:
    return {**data, **columns}


def stepped(by: int) -> dict[str, Any]:
    """Labels of random classes, each of an example some places away."""
    label = np.random.default_rng(3).permutation(CLASSES["label"])
    return {**CLASSES, "label": np.roll(label, by)}


def put(name: str, index: Any, value: Any, data: Any = DATA) -> dict[str, Any]:
    column = data[name].copy()
    column[index] = value
    return {**data, name: column}


def rows(keep: Any, data: Any = DATA) -> dict[str, Any]:
    return {name: column[keep] for name, column in data.items()}


def beside(old: Any, new: Any, **options: Any) -> Pair:
    """Two sides that differ in their data alone."""
    return Memory(old), Memory(new), options


def image(new: Any, **options: Any) -> Pair:
    return beside(DATA, with_(image=new.astype(np.float32)), **options)


def moved(image: Any) -> Any:
    """The same but for rounding."""
    return image * np.float32(1 + 3e-7)


def rounded(count: int) -> Pair:
    x = np.arange(1, count + 1, dtype=np.float32)
    return Memory({"x": x}, 5000), Memory({"x": moved(x)}, 5000), {}


LONG, SHORT = rounded(25_000), rounded(500)


def numbers(count: int = 400, **how: Any) -> Memory:
    return Memory({"id": np.arange(count)}, **how)


def some(count: int, without: int = 0, **how: Any) -> Memory:
    """Numbers in batches of 8, but for one of so many."""
    ids = np.arange(count)
    return Memory({"id": ids[ids % without != 7] if without else ids}, 8, **how)


def texts(change: Any) -> Pair:
    made = np.array([change(t) for t in NAME], object)
    return beside({"id": ID, "name": NAME}, {"id": ID, "name": made})


def turned(times: int) -> dict[str, Any]:
    return {"id": ID, "image": np.rot90(SQUARE["image"], times, (1, 2))}


def before(lists: Any) -> Any:
    """Filled up before their numbers, not behind them."""
    own = [row[: 1 + np.flatnonzero(row)[-1]] for row in lists]
    return np.array([np.pad(row, (lists.shape[1] - len(row), 0)) for row in own])


def paths(file: bytes) -> Pair:
    columns = [np.array([f % n for n in ID], object) for f in (b"/data/%d.png", file)]
    return beside(*({"id": ID, "file": column} for column in columns))


def filled(value: Any, length: int = 4) -> Pair:
    made = np.full((COUNT, length), value, object)
    made[:, :4] = np.where(WORDS == b"", value, WORDS)
    return beside({"id": ID, "words": WORDS}, {"id": ID, "words": made})


def records(*files: bytes, skip: int = 0) -> Memory:
    """With the keys of a reader."""
    keys = [(f, n) for f in files for n in range(skip, 20)]
    key = np.array([b"%s:%d" % k for k in keys], object)
    return Memory({"key": key, "x": np.array([ord(f) * 1000 + n * n for f, n in keys])})


def lines(header: bool) -> Memory:
    table = [b"%d,%d.5,n%d" % (n, n * n, n) for n in range(20)]
    return Memory({"line": np.array([b"id,score,name"] * header + table, object)})


def strings(text: bytes) -> Memory:
    return Memory({"text": np.array([text % n for n in ID], object)})


def sparse(later: int = 0, more: int = 0, width: int = 5) -> Any:
    def row(n: Any) -> Any:
        places = tf.range(later, later + 1 + n % 3)[:, None]
        return tf.SparseTensor(places, tf.range(n, n + 1 + n % 3) + more, [width])

    return lambda: tf.data.Dataset.range(8).map(row).batch(4)


def lists(length: int | None = None) -> Any:
    def make() -> tf.data.Dataset:
        rows = tf.data.Dataset.range(40).shuffle(40).map(lambda n: (n, tf.range(n % 7)))
        return rows.padded_batch(2, ([], [length]))

    return make


def bucketed(*borders: int) -> Any:
    """Lists of 1 to 20 numbers, in batches of lists that are about as long."""

    def make() -> tf.data.Dataset:
        rows = tf.data.Dataset.range(400).shuffle(400).map(lambda n: (n, tf.range(1 + n % 20)))
        sizes = [10] * (len(borders) + 1)
        return rows.bucket_by_sequence_length(lambda _, row: tf.size(row), borders, sizes)

    return make


def rows_of(length: Any) -> Any:
    """Ragged rows of so many numbers."""
    lists = tf.ragged.constant([[n + i * i for i in range(length(n))] for n in range(40)])
    return lambda: tf.data.Dataset.from_tensor_slices((np.arange(40), lists)).batch(4)


def augmented() -> tf.data.Dataset:
    """By random ops whose draws can be fixed."""

    def flipped(row: Any) -> Any:
        return {**row, "image": tf.image.random_flip_left_right(row["image"])}

    return tf.data.Dataset.from_tensor_slices(rows(slice(64), MANY)).map(flipped).batch(64)


def in_blocks(length: int) -> Any:
    def order(rng: np.random.Generator, count: int) -> Any:
        starts = rng.permutation(count // length) * length
        return (starts[:, None] + np.arange(length)).reshape(-1)

    return order


def fixed(seed: int) -> Any:
    return lambda rng, count: np.random.default_rng(seed).permutation(count)


def each_alike(rng: np.random.Generator, count: int) -> Any:
    return np.tile(rng.permutation(count), 3)


def through(rng: np.random.Generator, count: int) -> Any:
    return np.concatenate([rng.permutation(count) for _ in range(100)])


def twice(rng: np.random.Generator, count: int) -> Any:
    order = through(rng, count)
    return np.repeat(order, np.where(order == 7, 2, 1))


def sieved(share: float, epochs: int = 1) -> Any:
    """Shuffled, by a random filter."""

    def order(rng: np.random.Generator, count: int) -> Any:
        made = np.concatenate([rng.permutation(count) for _ in range(epochs)])
        return made[rng.random(count * epochs) < share]

    return order


def replaced(rng: np.random.Generator, count: int) -> Any:
    return rng.integers(0, count, 10_000)


def rising(rng: np.random.Generator, count: int) -> Any:
    """One of them twice as often, but in the second half only."""
    return np.concatenate([through(rng, count)[:2000], twice(rng, count)])


def endless(old: Any, new: Any, limit: int = 3000) -> Pair:
    data = {"id": np.arange(100)}
    sides = (Memory(data, order=o, seed=s, unbounded=True) for s, o in enumerate((old, new)))
    return *sides, {"limit": limit}


def some_of(rng: np.random.Generator, count: int) -> Any:
    return rng.permutation(count)[:60]


# What draws anew in each run.


def jitter(by: float = 1.0, factor: Any = 1.0, offset: Any = 0.0, name: str = "image") -> Any:
    def draw(rng: np.random.Generator, made: Any) -> Any:
        noise = rng.random(made[name].shape) * by
        column = (made[name] + noise) * np.array(factor) + np.array(offset)
        return {**made, name: column.astype(np.float32)}

    return draw


def dealt(seed: int, by: float = 1.0) -> Any:
    """The same noise in each run, and for other examples."""

    def draw(rng: np.random.Generator, made: Any) -> Any:
        noise = np.random.default_rng(seed).random(made["image"].shape) * by
        return {**made, "image": made["image"] + rng.permutation(noise).astype(np.float32)}

    return draw


def then(change: Any, name: str = "image", draw: Any = None) -> Any:
    def drawn(rng: np.random.Generator, made: Any) -> Any:
        made = (draw or jitter(name=name))(rng, made)
        return {**made, name: change(made[name])}

    return drawn


def lit(rng: np.random.Generator, made: Any) -> Any:
    """One number for each image, not for each of its values."""
    light = rng.random((len(made["image"]), 1, 1, 1))
    return {**made, "image": (made["image"] + light).astype(np.float32)}


def rarely(rng: np.random.Generator, made: Any) -> Any:
    """A light on two images or so."""
    light = (rng.random(len(made["image"])) < 0.01) * rng.random(len(made["image"]))
    return {**made, "image": (made["image"] + light[:, None, None, None]).astype(np.float32)}


def scalar(make: Any) -> Any:
    return lambda rng, made: {**made, "x": make(rng, len(made["id"])).astype(np.float32)}


def bits(rng: np.random.Generator, made: Any) -> Any:
    """Of so few values that each comes in each run."""
    draws = {n: rng.integers(0, 10, len(v)) for n, v in made.items()}
    return draws


def flips(axis: int, share: float = 0.5) -> Any:
    def draw(rng: np.random.Generator, made: Any) -> Any:
        some = rng.random((len(made["image"]), 1, 1, 1)) < share
        return {**made, "image": np.where(some, np.flip(made["image"], axis), made["image"])}

    return draw


def sharing(batch: int = 1, torn: bool = False) -> Any:
    """Flips of an image and its mask, by one draw for so many examples."""

    def draw(rng: np.random.Generator, made: Any) -> Any:
        turns = [np.repeat(rng.random(-(-len(made["id"]) // batch)) < 0.5, batch) for _ in "ab"]
        flipped = {}
        for name, turn in zip(("image", "mask"), (turns[0], turns[1 if torn else 0]), strict=True):
            if name in made:
                some = turn[: len(made["id"]), None, None, None]
                flipped[name] = np.where(some, np.flip(made[name], 2), made[name])
        return {**made, **flipped}

    return draw


def lights(rng: np.random.Generator, made: Any) -> Any:
    light = (rng.random((len(made["image"]), 1, 1, 1)) - 0.5) / 2
    return then(lambda image: (image + light).astype(np.float32))(rng, made)


def lumpy(rng: np.random.Generator, count: int) -> Any:
    drawn = rng.random(count)
    return np.where(abs(drawn - 0.5) < 0.1, 0.5, drawn)


def words(rng: np.random.Generator, made: Any) -> Any:
    some = np.array([b"%d" % n for n in rng.integers(0, 1 << 40, len(made["id"]))], object)
    return {**made, "text": some}


def kept(rng: np.random.Generator, made: Any) -> Any:
    """Drawn in the first epoch, and repeated."""
    first = jitter()(rng, {"image": made["image"][:200]})["image"]
    return {**made, "image": np.tile(first, (4, 1, 1, 1))}


def apart(rng: np.random.Generator, made: Any) -> Any:
    return {**made, "label": rng.permutation(made["label"])}


def apart_and_drawn(rng: np.random.Generator, made: Any) -> Any:
    return apart(rng, jitter()(rng, made))


def drawing(old: Any, new: Any, data: Any = MANY, **options: Any) -> Pair:
    sides = Memory(data, 100, draw=old, seed=2), Memory(data, 100, draw=new)
    return *sides, {"order": False, "draw_seconds": 30.0, **options}


def twins(torn: int) -> Pair:
    other = IMAGE.copy()
    other[:torn] += 1
    return beside((ID, IMAGE, IMAGE.copy()), (ID, IMAGE, other))


def values(**columns: Any) -> dict[str, Any]:
    return {name: np.asarray(column) for name, column in columns.items()}


SAME = beside(DATA, DATA)
OTHER_ORDER = pair(Memory(DATA), Memory(DATA, order=fixed(3)))
ALONE = (
    "each component alone has the same values in each run, but beside other ones each time, as "
    "when components are shuffled apart from one another."
)
OTHERS_ALONE = ALONE.replace("each component", "each other component")
TORN = {**MANY, "label": MANY["id"] % 10}
AS = "as random augmentation does, or what takes values of whatever comes beside"
FROM = "image is drawn anew in each run, from another distribution: "
UNKNOWN = (
    "It is drawn anew in each run, so that only its distribution could be compared, and that was "
    "not possible: "
)
TEARS = (
    "Draws of one seed, or lists shuffled by one, came apart: a map with num_parallel_calls, or a "
    "shuffle with another seed, tears them."
)
SKIPPED = "as when one line more is skipped: skip(2) for skip(1), say."

VERDICTS: dict[str, Case] = {
    "one order, or two": (
        SAME, "Identical stream: 40 examples in 4 batches, in the same order.",
        OTHER_ORDER, "Identical examples: the same 40 examples on both sides, in another order."),
    "other batches": (
        pair(Memory(DATA), Memory(DATA, 8), ignore=["batch-size"]),
        "Identical examples: the same 40 examples on both sides, in other batches.",
        pair(Memory(DATA), Memory(DATA, 8)),
        "Identical examples, but delivered worse: The batch size is 10 in the old side, 8 in the "
        "new one."),
    "one batch, or two": (
        pair(Memory(DATA, 40), Memory(DATA, 40)),
        "Identical stream: 40 examples in 1 batch, in the same order.",
        pair(Memory(DATA, 20), Memory(DATA, 20)),
        "Identical stream: 40 examples in 2 batches, in the same order."),
    "within the tolerance": (
        image(moved(IMAGE), rtol=1e-5),
        "Identical examples: the same 40 examples on both sides, within rtol=1e-05, atol=0.",
        image(moved(IMAGE), rtol=1e-9), "Different: image differs by rounding in 40 examples"),
    "lists in buckets of another border": (
        pair(bucketed(6, 11, 16), bucketed(7, 11, 16)),
        "Component 1 of up to 5 values and of 6 or more is in no batch of the old side together, "
        "but in … of … batches of the other one, as with another bucket boundary.",
        pair(bucketed(7, 11, 16), bucketed(6, 11, 16)),
        "Component 1 of up to 6 values and of 7 or more is in no batch of the old side together, "
        "but in … of … batches of the other one, as with another bucket boundary."),
    "full batches, by chance or not": (
        pair(Memory(DATA, 8), Memory(DATA, 8, drop=True)),
        "All batches are full here. By its static shape the new side has none but of 8, as with "
        "drop_remainder=True; by the old side's a smaller one may come last.",
        pair(Memory(DATA, 7), Memory(DATA, 7, drop=True)), "The tail batch is dropped"),
    "the last of each epoch, or some in a row": (
        pair(Memory(DATA, 16, epochs=2, drop=True),
             Memory(DATA, 16, epochs=2, drop=True, each=True)),
        "8 examples of the old side are missing from the new one: the last of each epoch, as when "
        "batch(16, drop_remainder=True) is before repeat().",
        pair(Memory(DATA, 16, epochs=2), Memory(rows(abs(ID - 25) > 4), 16, epochs=2)),
        "are missing from the new one: number 21 to 29 in a row, as when a file is not read."),
    "epochs that are batched each by itself": (
        pair(Memory(DATA, 16, epochs=2), Memory(DATA, 16, epochs=2, each=True)),
        "Each epoch of the new side ends with a batch of 8, as where repeat() comes after batch(); "
        "the old side's batches go on into the next epoch: there are 6 and 5 of them.",
        pair(Memory(DATA, 16, epochs=2, each=True), Memory(DATA, 16, epochs=2)),
        "Each epoch of the old side ends with a batch of 8, as where repeat() comes after batch(); "
        "the new side's batches go on into the next epoch: there are 6 and 5 of them."),
    "lists in other buckets, or in none": (
        pair(bucketed(6, 11, 16), bucketed(7, 12, 17)),
        "examples are compared as padded to one length. With it an example takes 1… values in the "
        "old side, 1… in the new one.",
        pair(bucketed(6, 11, 16), bucketed()),
        "Identical examples, but delivered worse: Component 1 takes more padding in the new side: "
        "1… values an example, 1… in the old one, as where examples of unlike lengths come into "
        "one batch: with other bucket boundaries, or none."),
    "lists that are filled up, shifted or all of them": (
        beside(LISTS, with_(LISTS, x=LISTS["x"] + (LISTS["x"] > 0))),
        "x is shifted by a constant, but for its padding, in 40 examples: by 1.",
        beside(LISTS, with_(LISTS, x=LISTS["x"] + 1)),
        "x is shifted by a constant in 40 examples: by 1."),
    "lists that are cut off, or changed": (
        beside(LISTS, with_(LISTS, x=LISTS["x"] * (np.arange(9) < 4))),
        ", as when lists are cut off before they are padded.",
        beside(LISTS, with_(LISTS, x=LISTS["x"] * (1 + ID[:, None] % 3))),
        "x is multiplied by a constant factor in 26 examples: by another one in each, as "
        "augmentation or standardization does."),
    "lists that are filled up at the other end": (
        beside(LISTS, with_(LISTS, x=before(LISTS["x"]))),
        ", as when lists are filled up before their numbers, not behind them.",
        beside(with_(LISTS, x=before(LISTS["x"])), LISTS),
        ", as when lists are filled up behind their numbers, not before them."),
    "a cast that does not hold the numbers": (
        beside(LARGE, with_(LARGE, x=LARGE["x"].astype(np.int32).astype(np.int64))),
        "x has another value in 40 examples, as when they are cast to int32 on the way.",
        beside(LARGE, with_(LARGE, x=LARGE["x"].astype(np.float32).astype(np.int64))),
        ", as when they are cast to float32 on the way."),
    "the sign dropped, or inverted": (
        beside(SIGNED, with_(SIGNED, x=np.abs(SIGNED["x"]))),
        "examples: by -1, as when the sign is dropped.",
        beside(SIGNED, with_(SIGNED, x=-SIGNED["x"])), "x is multiplied by a constant factor in 40 "
        "examples: by -1."),
    "means of channels, or scales too": (
        image(IMAGE - np.float32([0.5, 0.4, 0.3])),
        "image has other values in 40 examples: each channel is shifted by its own constant, -0.5, "
        "-0.4, -0.3.",
        image((IMAGE - np.float32([0.5, 0.4, 0.3])) / np.float32([0.2, 0.25, 0.5])),
        "image has other values in 40 examples: each channel is scaled and shifted by its own "
        "constants, × 5 -2.5, × 4 -1.6, × 2 -0.6."),
    "channels in reverse order and other means, or a grey image": (
        image(IMAGE[..., ::-1] - np.float32([0.5, 0.4, 0.3])),
        ": its channels are in reverse order, and each is shifted by its own constant, -0.5, -0.4, "
        "-0.3.",
        image(IMAGE @ np.float32([[0.299] * 3, [0.587] * 3, [0.114] * 3])),
        ": each new channel is one mixture of the old ones, × 0.299, 0.587, 0.114, as in a grey "
        "image."),
    "channels in reverse order and other scales, or another colour space": (
        image(IMAGE[..., ::-1] * np.float32([2, 3, 4]) - np.float32([0.5, 0.4, 0.3])),
        ": its channels are in reverse order, and each is scaled and shifted by its own constants, "
        "× 2 -0.5, × 3 -0.4, × 4 -0.3.",
        image(IMAGE @ np.float32([[0.3, -0.15, 0.6], [0.6, -0.3, -0.5], [0.1, 0.44, -0.1]])),
        ": each new channel is a mixture of the old ones, as in another colour space."),
    "a mean image, or columns that are standardized": (
        image(IMAGE - IMAGE.mean(0)),
        ": each of its numbers is shifted by a constant of its place, as by a mean image.",
        image((IMAGE - IMAGE.mean(0)) / IMAGE.std(0)),
        ": each of its numbers is scaled and shifted by constants of its place, as where columns "
        "are standardized."),
    "turned, or of axes in another order": (
        beside(SQUARE, turned(3)),
        "image has other values in 40 examples: it is turned by 270 degrees counter-clockwise.",
        image(IMAGE.transpose(0, 3, 1, 2)),
        "[4, 5, 3] in the old side, [3, 4, 5] in the new one, in 40 examples: its axes are in the "
        "order (2, 0, 1) of the old ones."),
    "reshaped and not transposed, or a crop that begins elsewhere": (
        image(IMAGE.transpose(0, 3, 1, 2).reshape(IMAGE.shape)),
        ": it is reshaped where its axes should be transposed, from (2, 0, 1).",
        beside(with_(image=IMAGE[:, 1:, 1:]), with_(image=IMAGE[:, :3, 1:])),
        ": its value at [y, x] is the old one's at [y-1, x], as where a crop or the padding begins "
        "elsewhere."),
    "bytes in the other order, or another function of each value": (
        beside(SHORTS, with_(SHORTS, x=SHORTS["x"].byteswap())),
        "x has another value in 40 examples, as when the bytes of uint16 are read in the other "
        "order.",
        beside(SHORTS, with_(SHORTS, x=SHORTS["x"] * np.uint16(40503))),
        "x has another value in 40 examples."),
    "a few values that became others, or many": (
        beside(with_(label=np.eye(9)[ID % 9]), with_(label=np.eye(9)[ID % 9] * 0.9 + 0.01)),
        "label has other values in 40 examples: 0 became 0.01, 1 became 0.91.",
        beside(TENTHS, with_(TENTHS, image=TENTHS["image"] ** 2.2)),
        "image has other values in 40 examples: each of its 10 values has become the same one "
        "wherever it stands."),
    "texts with something before and behind them, or behind them alone": (
        texts(lambda t: b'"' + t + b'"'),
        """: each has b'"' before it and b'"' behind it in the new side only.""",
        texts(lambda t: t + b".png"),
        ": each has b'.png' behind it in the new side only."),
    "texts that are cut off, or differ in two ways": (
        texts(lambda t: t[:5]), ": each is cut off after 5 bytes in the new side.",
        texts(lambda t: t.upper().replace(b" ", b"  ")),
        ": they differ in white space and upper and lower case only."),
    "texts that end with carriage returns or newlines, in other cases": (
        texts(lambda t: t.lower() + b"\r"),
        ": they differ in carriage returns and upper and lower case only.",
        texts(lambda t: t.lower() + b"\n"),
        ": they differ in a newline at the end and upper and lower case only."),
    "clipped at the top, or on both sides": (
        beside(SIGNED, with_(SIGNED, x=np.minimum(SIGNED["x"], 10))),
        ", as when they are clipped to at most 10.",
        beside(SIGNED, with_(SIGNED, x=np.clip(SIGNED["x"], -9, 10))),
        ", as when they are clipped to at least -9 and at most 10."),
    "one value that is cut to a whole one, or more": (
        beside(RISEN, put("x", 0, 99.0, RISEN)), "x has another value in 1 example.",
        beside(PARTS, put("x", slice(0, 20), np.trunc(PARTS["x"][:20]), PARTS)),
        "x has another value in 20 examples, as when they are cut to whole numbers."),
    "clipped to a whole number, or to a fraction": (
        beside(NEAR, with_(NEAR, x=np.minimum(NEAR["x"], np.float32(2)))),
        ", as when they are rounded to whole numbers or they are clipped to at most 2.",
        beside(NEAR, with_(NEAR, x=np.minimum(NEAR["x"], np.float32(1.75)))),
        "examples, as when they are clipped to at most 1.75."),
    "fractions that are rounded, or rounded down": (
        beside(PARTS, with_(PARTS, x=np.round(PARTS["x"]))),
        "x has another value in 40 examples, as when they are rounded to whole numbers.",
        beside(PARTS, with_(PARTS, x=np.floor(PARTS["x"]))),
        "x has another value in 40 examples, as when they are rounded down to whole numbers."),
    "by rounding to float16, or by a factor near one": (
        image(IMAGE.astype(np.float16)),
        "image differs by rounding to float16 in 40 examples: by 0.000… at most (relative); rtol=",
        image(IMAGE * np.float32(1.0004)),
        "image is multiplied by a constant factor in 40 examples: by 1.0004, as when one constant "
        "is a little other."),
    "divided by 256 instead of 255, or rounded to bfloat16": (
        beside(with_(image=PIXELS / np.float32(255)), with_(image=PIXELS / np.float32(256))),
        "image is multiplied by a constant factor in 40 examples: by 0.996094, as when one "
        "constant is a little other.",
        beside(with_(image=PIXELS / np.float32(255)), with_(image=tf.cast(
            tf.cast(PIXELS / np.float32(255), tf.bfloat16), tf.float32).numpy())),
        "image differs by rounding to bfloat16 in 40 examples"),
    "one number each, times a factor near one, or rounded to bfloat16": (
        beside(SIGNED, with_(SIGNED, x=SIGNED["x"] * np.float32(1.002))),
        "x is multiplied by a constant factor in 40 examples: by 1.002, as when one constant is a "
        "little other.",
        beside(SIGNED, with_(SIGNED, x=tf.cast(
            tf.cast(SIGNED["x"], tf.bfloat16), tf.float32).numpy())),
        "x differs by rounding to bfloat16 in 40 examples"),
    "lists of all lengths that are cut off, or whose last number is zeroed": (
        beside(FULL, with_(FULL, x=FULL["x"] * (np.arange(9) < 4))),
        ", as when lists are cut off before they are padded.",
        beside(FULL, with_(FULL, x=np.where(np.arange(9) < 8, FULL["x"], 0))),
        "x is changed in one value in 8 examples."),
    "by rounding, or to bfloat16": (
        image(moved(IMAGE)), "image differs by rounding in 40 examples",
        image(tf.cast(tf.cast(IMAGE, tf.bfloat16), tf.float32).numpy()),
        "image differs by rounding to bfloat16 in 40 examples: by 0.00… at most (relative); rtol="),
    "a long list that differs late, or a long text": (
        beside(values(v=ID[:, None] + ID), values(v=ID[:, None] + ID + (ID >= 30) * ID)),
        "old [… from [30]: 30, 31, 32, 33, 34, 35, … 40 values, shape (40,)], new [… from [30]: 60",
        beside(values(id=ID, v=LINE + NAME), values(id=ID, v=LINE + NAME + b"!")),
        "old … from byte 400: b'ame 0 of 0' (410 bytes), new … from byte 400: b'ame 0 of 0!' (411"),
    "ignored": (
        beside(DATA, put("label", 7, 3), ignore=["changed"]),
        "No fault but what is ignored. label has another value in 1 example.",
        beside(DATA, put("label", 7, 3)), "Different: label has another value in 1 example."),
    "two findings, or one": (
        beside(DATA, put("image", (7, 0, 0, 0), 9, put("label", 8, 3))), " And 1 other finding.",
        beside(DATA, put("label", 8, 3)), "Different: label has another value in 1 example."),
    "interrupted": (
        pair(numbers(60, end=KeyboardInterrupt), numbers(60, end=KeyboardInterrupt)),
        "So far (interrupted): Identical stream: 60 examples in 6 batches, in the same order.",
        pair(numbers(60), numbers(60)),
        "\nIdentical stream: 60 examples in 6 batches, in the same order."),
    "interrupted in another order": (
        pair(numbers(90, end=KeyboardInterrupt, order=some_of), numbers(90, seed=3, order=some_of)),
        "So far (interrupted): undecided: the old side delivered 60 examples, the new one 60, in "
        "another order, and some have come from one side only.",
        pair(numbers(60, end=KeyboardInterrupt), numbers(60, order=fixed(2))),
        "So far (interrupted): Identical examples: the same 60 examples on both sides, in another "
        "order."),
}  # fmt: skip

STRUCTURE: dict[str, Case] = {
    "renamed, or in another nest": (
        beside(DATA, {"id": ID, "picture": IMAGE, "label": ID % 10}),
        "Dict keys are renamed: 'image' is 'picture'.",
        beside(values(id=ID), {"x": values(id=ID)}),
        "The nests differ: {'dict': {'id': '*'}} against {'dict': {'x': {'dict': {'id': '*'}}}}."),
    "a key that became a place, or keys that are there all the same": (
        beside(values(id=ID, label=ID % 10), (values(id=ID), ID % 10)),
        "The nests differ: {'dict': {'id': '*', 'label': '*'}} against {'tuple': [{'dict': {'id': "
        "'*'}}, '*']}. Taken for one: 'label' is '1'.",
        beside(values(id=ID, label=ID % 10), (values(id=ID), values(label=ID % 10))),
        "The nests differ: {'dict': {'id': '*', 'label': '*'}} against {'tuple': [{'dict': {'id': "
        "'*'}}, {'dict': {'label': '*'}}]}."),
    "renamed within, or deeper": (
        beside((values(id=ID, label=ID % 10), ID), (values(id=ID, category=ID % 10), ID)),
        "Dict keys are renamed: '0/label' is '0/category'.",
        beside((values(id=ID), ID), ({"x": values(id=ID)}, ID)), "The nests differ: "),
    "a parent renamed, or left out": (
        beside({"features": values(id=ID)}, {"inputs": values(id=ID)}),
        "Dict keys are renamed: 'features/id' is 'inputs/id'.",
        beside({"features": values(id=ID)}, values(id=ID)), "The nests differ: "),
    "a component less, or more": (
        beside(DATA, values(id=ID, label=ID % 10)),
        "The old side has 3 components, the new one 2; only the old one has 'image'.",
        beside(DATA, with_(more=ID)),
        "The old side has 3 components, the new one 4; only the new one has 'more'."),
    "two swapped, or all in other places": (
        beside((ID, IMAGE, ID * 3), (ID * 3, IMAGE, ID)), "Components 0 and 2 are swapped.",
        beside((ID, ID * 3, IMAGE), (ID * 3, IMAGE, ID)),
        "The components are in other places: old component 0 (0) is new component 2, old component "
        "1 (1) is new component 0, old component 2 (2) is new component 1."),
    "widened, or narrowed": (
        beside(DATA, with_(image=IMAGE.astype(float))),
        "The dtype of image is widened: float32 became float64.",
        beside(with_(image=IMAGE.astype(float)), DATA),
        "The dtype of image is narrowed: float64 became float32."),
    "another dtype": (
        beside(DATA, with_(label=(ID % 10).astype(np.float32))),
        "The dtype of label is another: int64 became float32.",
        beside(DATA, with_(label=(ID % 10).astype(np.int32))),
        "The dtype of label is narrowed: int64 became int32."),
    "a static shape lost": (
        pair(Memory(DATA), Memory(DATA, shapes={"image": (None, 4, None, 3)})),
        "The static shape is lost: image (None, 4, 5, 3) became (None, 4, None, 3).",
        pair(Memory(DATA, shapes={"image": (None, 4, None, 3)}), Memory(DATA)),
        "\nIdentical stream: 40 examples"),
    "all of its rank lost": (
        pair(Memory(DATA), Memory(DATA, shapes={"image": None})),
        "The static shape is lost: image (None, 4, 5, 3) became unknown.",
        pair(Memory(DATA, shapes={"image": None}), Memory(DATA)),
        "\nIdentical stream: 40 examples"),
    "the batch size": (
        pair(Memory(DATA), Memory(DATA, 8)),
        "The batch size is 10 in the old side, 8 in the new one.",
        pair(Memory(DATA), Memory(DATA, 0)),
        "The new side delivers single examples, the other one batches of 10."),
    "single examples": (
        pair(Memory(DATA, 0), Memory(DATA)),
        "The old side delivers single examples, the other one batches of 10.",
        pair(Memory(DATA, 0), Memory(DATA, 0)),
        "\nIdentical stream: 40 examples in 40 batches, in the same order."),
    "a column, or a crop": (
        beside(DATA, with_(label=(ID % 10)[:, None])),
        "The example shape of label is [] in the old side and [1] in the new one.",
        image(IMAGE[:, :3, 1:]),
        "image has the shape [4, 5, 3] in the old side, [3, 4, 3] in the new one, in 40 examples: "
        "its value at [y, x] is the old one's at [y, x+1], as where a crop or the padding begins "
        "elsewhere."),
    "a label that is one_hot, and one more or less": (
        beside(with_(label=np.eye(10)[ID % 9]), with_(label=np.eye(10)[ID % 9 + 1])),
        "label has other values in 40 examples, as where 1 is added to each label before one_hot.",
        beside(with_(label=np.eye(9)[ID % 9]), with_(label=np.eye(10)[ID % 9 - 1, :9])),
        "label has other values in 40 examples, as where 1 is taken from each label before"
        " one_hot."),
    "a depth of one_hot": (
        beside(with_(label=np.eye(10)[ID % 9]), with_(label=np.eye(11)[ID % 9])),
        "label has the shape [10] in the old side, [11] in the new one, in 40 examples, as with"
        " another depth of one_hot.",
        beside(with_(label=np.eye(10)[ID % 9] + 1), with_(label=np.eye(11)[ID % 9] + 1)),
        "label is padded to another length in 40 examples: (10,) in the old side, (11,) in the"
        " new one."),
}  # fmt: skip

ENDS: dict[str, Case] = {
    "an error, or a clean end": (
        pair(Memory(DATA), Memory(rows(ID < 30), end=failing(message="no"))),
        "The old side ends with the end of the input, the new one with DataLossError: no, after 40 "
        "and 30 examples.",
        pair(Memory(DATA), Memory(rows(ID < 30))),
        "10 examples of the old side are missing from the new one: the last 10 in a row, as by "
        "take(30), or when a file is not read."),
    "one error, or two": (
        pair(Memory(DATA, end=failing(message="a")), Memory(DATA, end=failing("ValueError"))),
        "The sides end with different errors: DataLossError: a against ValueError.",
        pair(Memory(DATA, end=failing(message="a")), Memory(DATA, end=failing(message="a"))),
        "Both sides stop with DataLossError, after 40 and 40 examples: what would follow was not "
        "compared. DataLossError: a"),
    "stalled": (
        pair(Memory(DATA), Memory(rows(ID < 30), end=End("stalled"))),
        "Different: The new side stopped delivering and never ended; the other reached the end of "
        "the input.",
        pair(Memory(DATA), Memory(DATA, epochs=100)),
        "The new side goes on and on: it was stopped after 1,810 examples; the other one ended "
        "after 40. That is num_epochs (repeat in tf.data): left out, or far larger."),
    "cut off": (
        pair(numbers(epochs=60, unbounded=True), numbers(epochs=60, unbounded=True)),
        "Both sides were stopped after 20,000 examples (neither ends by itself).",
        pair(numbers(), numbers(), limit=200),
        "Both sides were stopped after 200 examples (the limit given)."),
    "cut off, shuffled": (
        pair(numbers(100, epochs=60, pool=30, seed=2), numbers(100, epochs=60, pool=50),
             limit=2000),
        "Both sides were stopped after 2,000 examples (the limit given). Each example comes about "
        "20 times, one time more or less by the cut: that a class comes 5% more often would not "
        "show.",
        pair(numbers(100, epochs=60), numbers(100, epochs=60), limit=2000),
        "Both sides were stopped after 2,000 examples (the limit given).\n"),
    "a side that delivers nothing": (
        beside(DATA, rows(ID < 0)),
        "The new side delivers no example and comes to its end at once, as where its files are not "
        "found, or empty, or a filter keeps none; the other one delivers 40.",
        beside(rows(ID < 0), DATA), "The old side delivers no example"),
    "fewer examples than a batch, which must be full": (
        pair(lambda: three().batch(8), lambda: three().batch(8, drop_remainder=True)),
        "The new side delivers no example: it has none but full batches of 8, and the 3 examples "
        "that the other one delivers fill none.",
        pair(lambda: three().batch(8), lambda: three().take(0).batch(2, drop_remainder=True)),
        "The new side delivers no example and comes to its end at once"),
    "the first examples of a shuffled side": (
        pair(numbers(pool=60, seed=2), numbers(pool=150), limit=50),
        "The first 50 examples of a shuffled side are other ones in each run: both sides were read "
        "on, to 400 and 400.",
        pair(numbers(), numbers(), limit=50),
        "Both sides were stopped after 50 examples (the limit given)."),
    "what nobody can tell": (
        pair(numbers(60_000, pool=10, seed=2), numbers(60_000, pool=30_000), limit=1000),
        "Not compared: … examples that came from one side only before both were cut off. What a "
        "shuffled side delivers first is chance, also from run to run, and what is drawn for each "
        "example is another one each time: let both run to their ends, as with num_epochs, or give "
        "a higher limit.",
        pair(numbers(60_000, pool=10, seed=2), numbers(60_000, pool=20), limit=1000),
        "Identical examples: the same 1,000 examples on both sides, in another order."),
    "compressed strings": (
        pair(strings(b"text %d"), strings(b"\x1f\x8b\x08\0%d")),
        "The new side reads gzip files without decompressing them: its strings begin with "
        r"b'\x1f\x8b'.",
        pair(strings(b"text %d"), strings(b"\x1f\x8btext %d")),
        "text has 40 values in the old side, 40 in the new one, none of them common."),
    "a compressed file": (
        pair(Memory(DATA), Memory(rows(ID < 0), end=failing(message="corrupted record at 0"))),
        "The new side takes its first record for corrupt (DataLossError: corrupted record at 0): a "
        "compressed file is read without its compression type, or a plain one with it.",
        pair(Memory(DATA), Memory(rows(ID < 0), end=failing(message="corrupted record at 9"))),
        "The old side ends with the end of the input, the new one with DataLossError: corrupted "
        "record at 9, after 40 and 0 examples."),
}  # fmt: skip

FILES: dict[str, Case] = {
    "the new side's header, or the old one's": (
        pair(lines(False), lines(True)),
        "The new side reads the header line as data: b'id,score,name'.",
        pair(lines(True), lines(False)),
        "The old side reads the header line as data: b'id,score,name'."),
    "one file missing, or five": (
        pair(records(b"a", b"b"), records(b"a")),
        "1 file missing on the new side: b (20 examples).",
        pair(records(*(b"%c" % c for c in b"abcdef")), records(b"a")),
        "5 files missing on the new side: b, c, d and 2 more (100 examples)."),
    "a file missing, or read twice": (
        pair(records(b"a"), records(b"a", b"b")),
        "1 file missing on the old side: b (20 examples).",
        pair(records(b"a", b"b"), records(b"a", b"b", b"b")),
        "1 file read 2 times on the new side: b (20 examples too many)."),
    "first records of files": (
        pair(records(b"a", b"b"), records(b"a", b"b", skip=1)),
        f"The first record of a, b is missing on the new side, {SKIPPED}",
        beside(DATA, rows(ID > 0)),
        f"The first record of the old side is missing on the new side, {SKIPPED}"),
    "the first record, where the last batch is dropped": (
        pair(Memory(rows(ID < 34), drop=True), Memory(rows((ID > 0) & (ID < 34)), drop=True)),
        f"{SKIPPED} 1 example came into full batches at the end instead.",
        pair(Memory(rows(ID < 30), drop=True), Memory(rows((ID > 0) & (ID < 30)), drop=True)),
        f"{SKIPPED} 9 examples more at the end then fill no batch."),
    "the first record, or another": (
        beside(DATA, rows(ID > 0)), "The first record of the old side is missing",
        beside(DATA, rows(ID != 1)), "1 example of the old side is missing from the new one."),
}  # fmt: skip

COUNTS: dict[str, Case] = {
    "epochs": (
        pair(Memory(DATA), Memory(DATA, epochs=3)),
        "The number of epochs differs: each example comes 1 time in the old side, 3 times in the "
        "new one. It is num_epochs=1 of the producer, and repeat(3) of a dataset or num_epochs "
        "again.",
        beside(DATA, rows([*ID, *ID, *ID, 4])),
        "40 examples are delivered more often by the new side: one of them … time in the old, … "
        "times in the new"),
    "epochs of what is not lost": (
        pair(Memory(DATA), Memory(rows(ID < 33), epochs=2)),
        "The number of epochs differs: each example that both sides have comes 1 time in the old "
        "side, 2 times in the new one. It is num_epochs=1 of the producer, and repeat(2) of a "
        "dataset or num_epochs again.",
        beside(DATA, rows([*ID[:12], *ID[:12]])),
        "12 examples are delivered more often by the new side: 1 time in the old, 2 times in the "
        "new; they follow one another, as when a file is read twice."),
    "epochs, beside examples that are lost": (
        pair(Memory(DATA, 7, drop=True), Memory({**rows(ID < 33), "label": ID[:33] % 10 + 1}, 7,
                                                drop=True, epochs=2)),
        "The number of epochs differs: each example that both sides have comes 1 time in the old "
        "side, 2 times in the new one, but for what fills no batch at the end. It is "
        "num_epochs=1 of the producer, and repeat(2) of a dataset or num_epochs again.",
        beside(DATA, rows([*ID[:12], *ID[:12]])),
        "12 examples are delivered more often by the new side: 1 time in the old, 2 times in the "
        "new; they follow one another, as when a file is read twice."),
    "epochs, and a last batch that is dropped": (
        pair(Memory(DATA, 7, drop=True), Memory(DATA, 7, drop=True, epochs=3)),
        "The number of epochs differs: each example comes 1 time in the old side, 3 times in the "
        "new one, but for 5 and 1 that fill no batch at the end. It is num_epochs=1 of the "
        "producer, and repeat(3) of a dataset or num_epochs again.",
        pair(Memory(DATA, 8, drop=True), Memory(DATA, 8, drop=True, epochs=3)),
        "each example comes 1 time in the old side, 3 times in the new one. It is num_epochs=1"),
    "epochs of labels alone, or beside draws": (
        pair(Memory(values(label=ID % 7)), Memory(values(label=ID % 7), epochs=3)),
        "The number of epochs differs: each example comes 3 times as often in the new side.",
        pair(Memory(CLASSES, draw=jitter(), seed=2), Memory(CLASSES, epochs=2, draw=jitter()),
             order=False, draw_seconds=0.0),
        "The number of epochs differs: what is not drawn comes 2 times as often in the new side."),
    "epochs, and images that are changed": (
        pair(Memory(DATA), Memory(with_(image=-IMAGE), epochs=3)),
        "The number of epochs differs: each example comes 1 time in the old side, 3 times in the "
        "new one. It is num_epochs=1 of the producer, and repeat(3) of a dataset or num_epochs "
        "again.…image is multiplied by a constant factor in 40 examples: by -1.",
        image(-IMAGE),
        "Different: image is multiplied by a constant factor in 40 examples: by -1."),
    "the first ones, or the last": (
        beside(DATA, rows(ID > 4)),
        "5 examples of the old side are missing from the new one: the first 5 in a row, as by "
        "skip(5), or when a file is not read.",
        beside(DATA, rows(ID < 34)),
        "6 examples of the old side are missing from the new one: the last 6 in a row, as by "
        "take(34), or when a file is not read."),
    "a range that is kept, or other examples": (
        beside(MIXED, rows(MIXED["x"] < 29, MIXED)),
        "11 examples of the old side are missing from the new one: x is from 0 to 28 in all "
        "examples of the new side, and beyond that in these, as where a filter keeps a range.",
        beside(MIXED, rows(MIXED["x"] % 4 != 2, MIXED)),
        "10 examples of the old side are missing from the new one."),
    "the tail batch": (
        pair(Memory(DATA, 7), Memory(DATA, 7, drop=True)),
        "The tail batch is dropped by the new side: 5 examples that fill no batch of 7, which "
        "the old side delivers.",
        pair(Memory(DATA, 7, drop=True), Memory(DATA, 7)),
        "The tail batch is kept by the new side: 5 examples that fill no batch of 7, which the "
        "old side leaves out."),
    "the end, or another part": (
        pair(Memory(DATA, 7), Memory(DATA, 7, drop=True)), "The tail batch is dropped",
        pair(Memory(DATA, 7), Memory(rows((ID < 9) | (ID > 13)), 7)),
        "5 examples of the old side are missing from the new one: number 9 to 13 in a row, as when "
        "a file is not read."),
    "missing, or more": (
        beside(DATA, rows(ID != 17)), "1 example of the old side is missing from the new one.",
        beside(rows(ID != 17), DATA), "1 example of the new side is not in the old one."),
    "in a row, or not": (
        beside(DATA, rows((ID < 10) | (ID > 19))),
        "10 examples of the old side are missing from the new one: number 10 to 19 in a row, as "
        "when a file is not read.",
        beside(DATA, rows(ID % 4 != 1)),
        "10 examples of the old side are missing from the new one."),
    "twice, one or a run": (
        beside(DATA, rows([*ID, 4])),
        "1 example is delivered more often by the new side: 1 time in the old, 2 times in the new.",
        beside(DATA, rows([*ID, *ID[10:20]])),
        "10 examples are delivered more often by the new side: 1 time in the old, 2 times in the "
        "new; they follow one another, as when a file is read twice."),
    "a filter inverted, by few values": (
        beside(rows(ID % 10 < 5), rows(ID % 10 > 4)),
        "No example is common to both sides, as when a filter is inverted: label is one of {0, 1, "
        "2, 3, 4} in the old side and one of {5, 6, 7, 8, 9} in the new one.",
        beside(rows(ID % 10 < 5), rows(ID % 10 < 4)),
        "4 examples of the old side are missing from the new one: label is 4 in each, and never in "
        "the new side, as where a filter leaves them out."),
    "what a filter leaves out, or some of it": (
        beside(DATA, rows(ID % 10 != 3)),
        "label is 3 in each, and never in the new side, as where a filter leaves them out.",
        beside(DATA, rows((ID % 10 != 3) | (ID == 3))),
        "3 examples of the old side are missing from the new one."),
    "a filter of the old side, or of the new one": (
        beside(rows(ID % 5 != 2), DATA),
        "8 examples of the new side are not in the old one: label is one of {2, 7} in each, and "
        "never in the old side, as where a filter leaves them out.",
        beside(DATA, rows(ID % 5 != 2)),
        "8 examples of the old side are missing from the new one: label is one of {2, 7} in each, "
        "and never in the new side, as where a filter leaves them out."),
    "by a number, or a remainder": (
        beside(values(v=np.arange(100)), values(v=np.arange(100, 200))),
        "as when a filter is inverted: v is at most 99 in the old side and at least 100 in the new "
        "one.",
        beside(values(v=np.arange(0, 200, 2)), values(v=np.arange(1, 200, 2))),
        "as when a filter is inverted: v modulo 2 is {0} in the old side, {1} in the new one."),
    "by nothing that shows": (
        beside(values(v=SOME[::2]), values(v=SOME[1::2])),
        "as when a filter is inverted: v has 100 values in the old side, 100 in the new one, none "
        "of them common.",
        beside(values(v=np.arange(0, 200, 4)), values(v=np.arange(1, 200, 4))),
        "as when a filter is inverted: v modulo 2 is {0} in the old side, {1} in the new one."),
    "left out by chance, where both shuffle or one": (
        pair(numbers(405, pool=405, drop=True), numbers(405, pool=405, drop=True, seed=2)),
        "Both sides drop an incomplete last batch: 5 examples that one delivered the other left "
        "out this time, as both shuffle; each delivers them in other runs.",
        pair(numbers(403, pool=100, epochs=2, drop=True), numbers(403, epochs=2, drop=True)),
        "Both sides drop an incomplete last batch: 5 examples that one delivered the other left "
        "out this time, as one of them shuffles; in other runs it leaves out others."),
}  # fmt: skip

VALUES: dict[str, Case] = {
    "left to right, or top to bottom": (
        image(IMAGE[:, :, ::-1]), "image is flipped in 40 examples: left to right.",
        image(IMAGE[:, ::-1]), "image is flipped in 40 examples: top to bottom."),
    "the same, rounded besides": (
        image(moved(IMAGE[:, :, ::-1])), "image is flipped in 40 examples: left to right.",
        image(moved(IMAGE[..., ::-1])), "image has its channels in reverse order in 40 examples."),
    "along an axis that has no name": (
        beside(values(id=ID, v=IMAGE[:, 0, :, 0]), values(id=ID, v=IMAGE[:, 0, ::-1, 0])),
        "v is flipped in 40 examples: along axis 0.",
        beside(values(id=ID, v=IMAGE[:, 0, :, 0]), values(id=ID, v=np.roll(IMAGE[:, 0, :, 0], 1))),
        "v has other values in 40 examples."),
    "channels, or axes": (
        image(IMAGE[..., ::-1]), "image has its channels in reverse order in 40 examples.",
        image(IMAGE.swapaxes(1, 2)),
        "image is transposed in 40 examples: axes 0 and 1 of each example."),
    "a factor": (
        image(IMAGE / 255),
        "image is multiplied by a constant factor in 40 examples: by 0.00392157 = 1/255, as when a "
        "scale is applied twice or left out.",
        image(IMAGE * 1.5),
        "image is multiplied by a constant factor in 40 examples: by 1.5, as when a scale is "
        "applied twice or left out."),
    "an offset": (
        image(IMAGE + 0.5), "image is shifted by a constant in 40 examples: by 0.5.",
        image(IMAGE - 0.5), "image is shifted by a constant in 40 examples: by -0.5."),
    "both": (
        image(IMAGE * 0.25 + 0.5),
        "image is scaled and shifted in 40 examples: new = old × 0.25 + 0.5.",
        image(IMAGE * 0.25 - 0.5),
        "image is scaled and shifted in 40 examples: new = old × 0.25 − 0.5."),
    "each by itself": (
        image((IMAGE - IMAGE.mean((1, 2, 3), keepdims=True)) / IMAGE.std((1, 2, 3), keepdims=True)),
        "image is scaled and shifted in 40 examples: by another one in each, as augmentation or "
        "standardization does.",
        image((IMAGE - 0.5) * 4),
        "image is scaled and shifted in 40 examples: new = old × 4 − 2."),
    "a factor of several labels, or one label for another": (
        beside(values(id=ID, label=ID % 5 * 2), values(id=ID, label=np.where(
            ID % 5 > 1, ID % 5 * 3, ID % 5 * 2))),
        "label is multiplied by a constant factor in 24 examples: by 1.5, as when a scale is "
        "applied twice or left out.",
        beside(values(id=ID, label=ID % 5), values(id=ID, label=np.where(
            ID % 5 == 3, 4, ID % 5))),
        "label has another value in 8 examples: 3 became 4."),
    "of numbers, a factor or other ones": (
        beside(values(v=ID * 17 % 41), values(v=ID * 17 % 41 * 50 + 50)),
        "v is scaled and shifted in 40 examples: new = old × 50 + 50.",
        pair(Memory(values(v=ID * 17 % 41), pool=40), Memory(values(v=ID * 17 % 41 * 50 + 50))),
        "as when a filter is inverted: v is at most 40 in the old side and at least 50 in the new "
        "one."),
    "rounding": (
        image(moved(IMAGE)),
        "image differs by rounding in 40 examples: by …e-07 at most (relative); rtol=…e-07 would "
        "accept that.",
        image(moved(IMAGE), rtol=1e-5),
        "image differs within the tolerance in 40 examples: by …e-07 at most (relative)."),
    "rounding, or a little more": (
        image(IMAGE * np.array([1, 1, 1.0001], np.float32)),
        "image differs a little in 40 examples: by 0.0001 at most (relative); rtol=…e-04 would "
        "accept that.",
        image(moved(IMAGE)), "image differs by rounding in 40 examples: by …e-07 at most"),
    "one value, or several": (
        beside(DATA, put("image", (7, 2, 2, 1), 1)), "image is changed in one value in 1 example.",
        beside(DATA, put("image", 7, IMAGE[8])), "image has other values in 1 example."),
    "the place, and both values": (
        beside(DATA, put("image", (7, 2, 2, 1), 1)),
        "example 7 image[2, 2, 1]: old 0.…, new 1",
        beside(values(id=ID, long=np.array([b"x" * 90] * 40, object)),
               values(id=ID, long=np.array([b"y" * 90] * 40, object))),
        "example 0 long: old b'xx…… (90 bytes), new b'yy…… (90 bytes)"),
    "whole values": (
        image(IMAGE[:, ::-1]),
        "example 0 image: old [0.…, … 60 values, shape (4, 5, 3)], new [0.…, … 60 values",
        pair(strings(b"text %d"), strings(b"\x1f\x8b\x08\0%d")),
        "first such example: old –, new b'"),
    "more than are looked at": (
        LONG, "x differs by rounding in 256 examples looked at (of 25,000 that differ): …. More "
        "than 20,000 examples differ, so only a sample was looked at.",
        SHORT, "x differs by rounding in 500 examples: by"),
    "more than are looked at, within the tolerance": (
        (*LONG[:2], {"rtol": 1e-5}),
        "Different: x differs within the tolerance in 256 examples looked at (of … The others were "
        "not looked at: to be sure compare some of the files at a time, or fewer examples "
        "(limit=…) where nothing is shuffled.",
        (*SHORT[:2], {"rtol": 1e-5}), "x differs within the tolerance in 500 examples: by"),
    "a factor, where some are left out": (
        pair(Memory({"image": MANY["image"][:45]}, pool=45, drop=True, seed=2),
             Memory({"image": MANY["image"][:45] / 255}, pool=45, drop=True)),
        " examples of each side could not be told which is which.",
        pair(Memory({"image": MANY["image"][:45]}, pool=45, seed=2),
             Memory({"image": MANY["image"][:45] / 255}, pool=45)),
        "image is multiplied by a constant factor in 45 examples: by 0.00392157 = 1/255"),
    "padded as a batch needs, or further": (
        pair(lists(), lists()),
        "Component 1 is padded to the longest of its batch, which are other ones in each order: "
        "examples are compared as padded to one length.",
        pair(lists(), lists(9), ignore=["static-shape"]),
        "Component 1 is padded further by the new side than the longest of a batch needs."),
    "sparse, of another dense shape": (
        pair(sparse(), sparse(width=6)),
        "The dense shape of component 0 is [5] in the old side and [6] in the new one.",
        pair(sparse(), sparse()), "Identical stream: 8 examples"),
    "sparse, in other places or with other values": (
        pair(sparse(), sparse(later=1)),
        "Component 0 has the same values in other places in 8 examples.",
        pair(sparse(), sparse(more=1)),
        "Component 0 is shifted by a constant in 8 examples: by 1."),
    "labels": (
        beside(DATA, put("label", 7, 3)), "label has another value in 1 example.",
        beside(DATA, put("label", [3, 4], [4, 3])),
        "label is swapped between 2 examples: the values are the same, at other examples."),
    "labels of another order, or of other examples": (
        beside(with_(label=THREE), with_(label=np.array([2, 0, 1])[THREE])),
        "label has another value in 40 examples: 0 became 2, 1 became 0, 2 became 1.",
        beside(with_(label=THREE), with_(label=RNG.permutation(THREE))),
        "; the values are the same, at other examples."),
    "labels out of step, to either side": (
        beside(with_(label=THREE), with_(label=np.roll(THREE, -1))),
        "The pairs are torn: label is another one in … examples; the values are the same, at other "
        "examples. Each has that of the one 1 place further on, as with skip(1) of a part of a "
        "zip.",
        beside(with_(label=THREE), with_(label=np.roll(THREE, 2))),
        "at other examples. Each has that of the one 2 places before, as with skip(2) of a part of "
        "a zip."),
    "other examples in the last batch, that is dropped, or by chance": (
        pair(some(90, drop=True), some(90, 14, drop=True)),
        "Both sides drop an incomplete last batch, which begins elsewhere as other examples "
        "differ: 2 examples at the end of one side are left out of the other.",
        pair(some(90, drop=True, pool=90), some(90, 14, drop=True, pool=90, seed=2)),
        "that one delivered the other left out this time, as both shuffle"),
    "labels out of step behind a shuffle, of the new side or the old one": (
        pair(Memory(stepped(0)), Memory(stepped(-1), pool=50)),
        "The pairs are torn: label is another one in … examples; the values are the same, at "
        "other examples. Each has that of the one 1 place further on",
        pair(Memory(stepped(0), pool=50), Memory(stepped(3))),
        "at other examples. Each has that of the one 3 places before, as with skip(3)"),
    "labels and names out of step, or labels alone": (
        beside(with_(stepped(0), name=BIRDS), with_(stepped(2), name=np.roll(BIRDS, 2))),
        "The pairs are torn: label and name are other ones in … examples; the values are the same, "
        "at other examples. Each has that of the one 2 places before, as with skip(2)",
        beside(with_(stepped(0), name=BIRDS), with_(stepped(2), name=BIRDS)),
        "The pairs are torn: label is another one in "),
    "labels out of step in each epoch": (
        pair(Memory(stepped(0), epochs=3), Memory(stepped(-2), epochs=3)),
        "The pairs are torn: label is another one in ",
        pair(
            Memory(stepped(0), epochs=3),
            Memory(put("label", [3, 4], [8, 9], stepped(0)), epochs=3)),
        "label is swapped between 2 examples"),
    "labels inverted, or of other examples": (
        beside(with_(label=HALF), with_(label=~HALF)),
        "label has another value in 40 examples: False became True, True became False.",
        beside(with_(label=HALF), with_(label=np.roll(HALF, 1))),
        "; the values are the same, at other examples."),
    "most labels": (
        beside(DATA, with_(label=np.roll(ID % 10, 1))),
        "The pairs are torn: label is another one in 40 examples; the values are the same, at "
        "other examples.",
        beside(DATA, with_(label=ID % 10 + 1)),
        "label is shifted by a constant in 40 examples: by 1."),
    "a carriage return, or a newline": (
        texts(lambda t: t + b"\r"), "name has a carriage return at the end on one side in 40",
        texts(lambda t: t + b"\n"), "name ends with a newline on one side in 40 examples."),
    "a byte order mark, or NULs": (
        texts(lambda t: b"\xef\xbb\xbf" + t),
        "name begins with a byte order mark on one side in 40 examples.",
        texts(lambda t: t + b"\0\0"), "name ends with NUL bytes on one side in 40 examples."),
    "white space, or case": (
        texts(lambda t: t.replace(b" ", b"  ")), "name differs in white space in 40 examples.",
        texts(lambda t: t.upper()), "name differs in upper and lower case in 40 examples."),
    "an encoding, or a path": (
        texts(lambda t: t.decode().encode("utf-16")),
        "name is in another string encoding in 40 examples.",
        paths(b"/tmp/%d.png"), "file differs in the directory of a path in 40 examples."),
    "a directory, or a name": (
        paths(b"/tmp/%d.png"), "file differs in the directory of a path in 40 examples.",
        paths(b"/data/%d.jpg"), "file has another value in 40 examples."),
    "padding": (
        filled(b"<pad>"),
        "words is padded with another value in 40 examples: b'' in the old side, b'<pad>' in the "
        "new one.",
        filled(b"", 6),
        "words is padded to another length in 40 examples: (4,) in the old side, (6,) in the new "
        "one."),
    "lists of one length cut off, or of several": (
        pair(rows_of(lambda n: 6), rows_of(lambda n: 4)),
        "Component 1 has the shape [6] in the old side, [4] in the new one, in 40 examples.",
        pair(rows_of(lambda n: 3 + n % 5), rows_of(lambda n: min(4, 3 + n % 5))),
        "Component 1 has another shape in 24 examples."),
    "two lists of one seed": (
        twins(5),
        "The values of component 1 and component 2 are equal in each of the old side's examples; "
        f"in 5 of 40 of the new side's they are not. {TEARS}",
        twins(30),
        "The values of component 1 and component 2 are equal in each of the old side's examples; "
        f"in many of the new side's they are not. {TEARS}"),
}  # fmt: skip

ORDER: dict[str, Case] = {
    "no shuffle, where threads made the order or a queue": (
        pair(numbers(pool=60, seed=2, promised=0), numbers()),
        "The old side mixes like a pool of 6…, the new one less; but no queue of the old side "
        "shuffles: its threads come as they happen to.",
        pair(numbers(pool=60, seed=2), numbers()),
        "The new side has the same order each time, as without a shuffle or with one of a fixed "
        "seed; the old one mixes like a pool of 6…."),
    "a seed on both sides, or on the new one": (
        pair(numbers(200, pool=90, seed=2, seeded=True),
             numbers(200, pool=90, seeded=True, repeats=True)),
        "Both sides shuffle with a seed: with it the new side has the same order each time, the "
        "old one has another each time even so. How well they mix was judged under other seeds.",
        pair(numbers(200, pool=90, seed=2), numbers(200, order=fixed(3), seeded=True)),
        "The new side has the same order each time, as without a shuffle or with one of a fixed "
        "seed;"),
    "a seed on the new side, of several epochs or of one": (
        pair(numbers(200, pool=90, seed=2, epochs=3),
             numbers(200, pool=90, epochs=3, seeded=True, repeats=True)),
        "Only the new side shuffles with a seed: with it that has the same order each time it "
        "runs, the old one has another each time.",
        pair(numbers(200, pool=90, seed=2), numbers(200, order=fixed(3), seeded=True)),
        "The new side has the same order each time, as without a shuffle or with one of a fixed "
        "seed;"),
    "few examples without a shuffle, or with one": (
        pair(numbers(40, pool=20, seed=2), numbers(40)),
        "The new side has the same order each time, as without a shuffle or with one of a fixed "
        "seed; the old one has another each time.",
        pair(numbers(40, pool=20, seed=2), numbers(40, pool=10)),
        "How well the sides mix was not judged: 40 examples cannot tell that."),
    "few examples with a shuffle more, or with seeds": (
        pair(numbers(40), numbers(40, pool=20)),
        "The new side shuffles anew each time, the old one has the same order.",
        pair(numbers(40, pool=20, seed=2, seeded=True),
             numbers(40, pool=20, seeded=True, repeats=True)),
        "How well the sides mix was not judged: 40 examples cannot tell that."),
    "a shuffle more, or less": (
        pair(numbers(), numbers(pool=60)),
        "The new side shuffles anew each time, the old one has the same order.",
        pair(numbers(pool=60, seed=2), numbers()), "The new side has the same order each time"),
    "blocks": (
        pair(numbers(2000, pool=200, seed=2), numbers(2000, order=in_blocks(100))),
        "The new side shuffles whole runs of records but not the records, as when only files are "
        "shuffled: 9…% of neighbours are neighbours again, 0% in the old side.",
        pair(numbers(2000, pool=200, seed=2), numbers(2000, pool=200)),
        "Identical examples: the same 2,000 examples on both sides, in another order."),
    "batches, or blocks": (
        pair(numbers(400, pool=200, seed=2), numbers(400, order=in_blocks(10))),
        "The new side shuffles whole batches but not the records, as when it shuffles after "
        "batch(): 9…% of neighbours are neighbours again",
        pair(numbers(400, pool=200, seed=2), numbers(400, order=in_blocks(16))),
        "The new side shuffles whole runs of records but not the records"),
    "blocks that are files": (
        pair(Memory(keyed := values(key=np.array([b"%c:%d" % (97 + n // 100, n) for n in
             range(400)], object)), pool=400, seed=2), Memory(keyed, order=in_blocks(100))),
        "The new side shuffles files but not records: 9…% of neighbours are neighbours again",
        pair(Memory(keyed, pool=400, seed=2), Memory(keyed, order=in_blocks(50))),
        "The new side shuffles whole runs of records but not the records"),
    "a small pool": (
        pair(numbers(2000, pool=300, seed=2), numbers(2000, pool=20)),
        "The shuffle buffer is too small: the new side mixes like a pool of 2…, the old one like a "
        "pool of ….",
        pair(numbers(2000, pool=300, seed=2, promised=20), numbers(2000, pool=60)),
        "Seen here, the new side mixes like a pool of …, the old one like a pool of …; the old "
        "queue's min_after_dequeue promises 20 only."),
    "a pool of less than is promised": (
        pair(numbers(200, pool=101, seed=3, promised=101), numbers(200, pool=30)),
        "The shuffle buffer is too small: the new side mixes like a pool of …; the old queue's "
        "min_after_dequeue promises 101 at least.",
        pair(numbers(200, pool=101, seed=3, promised=101), numbers(200, pool=90)),
        "\nIdentical examples: the same 200 examples on both sides, in another order."),
    "a pool that cannot be told": (
        pair(numbers(pool=200, seed=2), numbers(pool=4)),
        "the old one like a pool that holds much of the input.",
        pair(numbers(pool=30, seed=2), numbers(pool=4)), "the old one like a pool of "),
    "epochs blurred, or sharp": (
        pair(numbers(pool=60, seed=2, epochs=3), numbers(pool=60, early=True, epochs=3)),
        "Epoch borders are blurred in the old side and sharp in the new one, as when it repeats "
        "after it shuffles.",
        pair(numbers(pool=60, early=True, epochs=3), numbers(pool=60, seed=2, epochs=3)),
        "Epoch borders are sharp in the old side and blurred in the new one, as when it repeats "
        "before it shuffles."),
    "epochs of one order": (
        pair(numbers(pool=60, early=True, epochs=3), numbers(order=each_alike)),
        "Identical examples, but delivered worse: Each of the 3 epochs of the new side has the "
        "same order, as with reshuffle_each_iteration=False or without a shuffle; the other "
        "side's differ.",
        pair(numbers(pool=60, early=True, epochs=3, promised=0), numbers(order=each_alike)),
        "\nIdentical examples: the same 1,200 examples on both sides, in another order."),
    "orders that stay": (
        pair(numbers(order=fixed(3)), numbers(order=fixed(4))),
        "Both sides keep a fixed order, but not the same one.",
        pair(numbers(order=fixed(3)), numbers(pool=400)),
        "The new side shuffles anew each time, the old one has the same order."),
}  # fmt: skip

DRAWN: dict[str, Case] = {
    "one side draws, or the other": (
        drawing(None, jitter()),
        f"Random values: the new side delivers other values in image each time it runs, the other "
        f"one does not, {AS}.",
        drawing(jitter(), None),
        f"Random values: the old side delivers other values in image each time it runs, the other "
        f"one does not, {AS}."),
    "both draw, and agree or not": (
        drawing(jitter(), jitter()),
        f"Random values: both sides deliver other values in image each time they run, {AS}; the "
        "distributions of single examples agree over … examples: mean of channel … … and …, where "
        "a difference of … shows, and one of … in how far the draws of one example lie apart; ",
        drawing(jitter(), jitter(factor=1.25)),
        f"{FROM}its values lie as those of old × 1.2… would."),
    "the verdict, where both draw": (
        drawing(jitter(), jitter()),
        "Identical examples: the same 200 examples on both sides, but for image: drawn anew in "
        "each run, each from distributions that agree, and so do the draws of a batch.",
        drawing(None, None), "Identical stream: 200 examples"),
    "nothing but draws, and a random filter": (
        pair(*(Memory({"image": MANY["image"]}, draw=jitter(), order=sieved(0.8), seed=n)
               for n in (2, 3)), order=False),
        "How many examples come varies from run to run, on both sides alike. image: drawn anew in "
        "each run, each from distributions that agree",
        drawing(jitter(), jitter(), {"image": MANY["image"]}),
        "As many examples on both sides, 200."),
    "draws, and a random filter": (
        pair(*(Memory({"id": ID, "image": IMAGE}, draw=jitter(), order=sieved(0.7, 40), seed=n)
               for n in (2, 3)), order=False),
        "Identical examples: the same 40 examples on both sides; how often each comes varies from "
        "run to run, on both sides alike; but for image: drawn anew in each run, each from ",
        drawing(jitter(), jitter()),
        "Identical examples: the same 200 examples on both sides, but for image: drawn anew"),
    "nothing but draws": (
        drawing(jitter(), jitter(), {"image": MANY["image"]}),
        "As many examples on both sides, 200. image: drawn anew in each run, each from "
        "distributions that agree; whether draws of one batch belong together was not judged.",
        pair(Memory({"image": MANY["image"]}, draw=jitter(), seed=2),
             Memory({"image": MANY["image"][:190]}, draw=jitter()), order=False),
        "The old side delivers 200 examples, the new one 190."),
    "a factor, or an offset": (
        drawing(jitter(), jitter(factor=1.05)),
        f"{FROM}its values lie as those of old × 1.0… (±…) would.",
        drawing(jitter(), jitter(offset=0.04)),
        f"{FROM}its values lie as those of old + 0.0… (±…) would."),
    "less": (
        drawing(jitter(), jitter(offset=-0.04)),
        f"{FROM}its values lie as those of old − 0.0… (±…) would.",
        drawing(jitter(), jitter(factor=0.5)),
        f"{FROM}its values lie as those of old × 0.… would."),
    "turned round": (
        drawing(jitter(by=0.2), jitter(by=0.2, factor=-1), LEANING),
        f"{FROM}its values lie as those of old × -1",
        drawing(jitter(), lit), "; what differs most is the contrast of an example."),
    "one channel": (
        drawing(jitter(), jitter(offset=[0, 0.55, 0])),
        f"{FROM}mean of channel 1 … became 1.5… (±…), deviation … became ….",
        drawing(jitter(), jitter(offset=0.5)), f"{FROM}its values lie as those of old + 0.5"),
    "channels, or a flip": (
        drawing(jitter(), then(lambda i: i[..., ::-1]), LEANING),
        f"{FROM}its channels are in reverse order.",
        drawing(jitter(), then(lambda i: i[:, :, ::-1]), LEANING),
        f"{FROM}it is flipped left to right."),
    "a scalar": (
        drawing(scalar(lambda r, n: r.integers(0, 2, n)), scalar(lambda r, n: r.random(n)), SCALAR),
        "x is drawn anew in each run, from another distribution: mean … became … (±…), deviation "
        "… became …",
        drawing(scalar(lambda r, n: np.arange(n) + r.random(n)),
                scalar(lambda r, n: np.arange(n) + r.random(n)), SCALAR),
        "agree over … examples: mean … and …, where a difference of … shows"),
    "beside other components": (
        drawing(jitter(), then(lambda i: i[::-1]), with_(MANY, image=np.repeat(
            np.arange(200.0)[:, None], 6, 1))),
        f"{FROM}the same on the whole, but not beside the same values of the other components: the "
        "pairs are torn, the examples are other ones, or each is drawn otherwise.",
        drawing(jitter(), jitter(), with_(MANY, image=np.repeat(np.arange(200.0)[:, None], 6, 1))),
        "each from distributions that agree, and so do the draws of a batch."),
    "drawn once": (
        pair(Memory(MANY, epochs=4, draw=jitter(), seed=2), Memory(MANY, epochs=4, draw=kept),
             order=False),
        "The new side repeats what it has drawn, as when random values are cached: 200 of its "
        "examples are different ones, 800 of the other's.",
        pair(Memory(MANY, epochs=4, draw=kept, seed=2), Memory(MANY, epochs=4, draw=jitter()),
             order=False),
        "The old side repeats what it has drawn, as when random values are cached: 200 of its "
        "examples are different ones, 800 of the other's."),
    "drawn once, or more rarely": (
        pair(Memory(MANY, epochs=4, draw=jitter(), seed=2), Memory(MANY, epochs=4, draw=kept),
             order=False),
        "The new side repeats what it has drawn",
        pair(Memory(MANY, epochs=2, draw=flips(2), seed=2),
             Memory(MANY, epochs=2, draw=flips(2, 0.1)), order=False),
        "The new side draws fewer different values, as when they are drawn more rarely or from "
        "fewer: 2… of its examples are different ones, 3… of the other's."),
    "torn on one side, or both": (
        drawing(None, apart, values(id=ID, label=ID % 10)),
        f"The pairs are torn: in the new side {ALONE}",
        drawing(apart, apart, values(id=ID, label=ID % 10)),
        f"The pairs are torn: in both sides {ALONE}"),
    "torn beside what is drawn, on one side or both": (
        drawing(jitter(), apart_and_drawn, TORN, draw_seconds=0.1),
        f"The pairs are torn: in the new side {OTHERS_ALONE}",
        drawing(apart_and_drawn, apart_and_drawn, TORN, draw_seconds=0.1),
        f"The pairs are torn: in both sides {OTHERS_ALONE}"),
    "torn beside what is drawn, on the old side": (
        drawing(apart_and_drawn, jitter(), TORN, draw_seconds=0.1),
        f"The pairs are torn: in the old side {OTHERS_ALONE}",
        drawing(None, apart, values(id=ID, label=ID % 10)),
        f"The pairs are torn: in the new side {ALONE}"),
    "torn, or changed once": (
        drawing(apart, None, values(id=ID, label=ID % 10)),
        f"The pairs are torn: in the old side {ALONE}",
        beside(values(id=ID, label=ID % 10), values(id=ID, label=np.roll(ID % 10, 3))),
        "The pairs are torn: label is another one in 40 examples"),
    "the same draws, or the same distribution": (
        pair(augmented, augmented, order=False),
        "image: drawn anew in each run, the same where both draw the same.… Random values: both "
        f"sides deliver other values in image each time they run, {AS}; given the same draws they "
        "deliver the same, over … examples.",
        pair(augmented, augmented(), order=False),
        "image: drawn anew in each run, each from distributions that agree; whether draws of one "
        "batch belong together was not judged."),
    "noise that is small beside what tells examples apart": (
        drawing(jitter(), jitter(by=2, offset=-0.5), FAR),
        f"{FROM}it shows in how the draws of one example lie: from a first draw of the old side, "
        "further ones are … away in the old side, … in the new one (root of the mean "
        "square)",
        drawing(jitter(), jitter(), FAR),
        "where a difference of … shows, and one of … in how far the draws of one example lie "
        "apart; "),
    "no spread of draws": (
        drawing(rarely, rarely, FAR),
        "…; too few examples to see how far the draws of one example lie apart.",
        drawing(dealt(1, 1e-3), dealt(2, 1e-3), FAR),
        "…; no spread of draws shows, as all runs come to about the same, by a seed, or by values "
        "that move from one example to another."),
    "too few runs, or too few examples": (
        drawing(jitter(), jitter(), draw_seconds=0.0),
        f"Not compared: image. {UNKNOWN}there were too few runs.",
        drawing(jitter(by=1e4), jitter(by=1e4), rows(slice(8), MANY)),
        f"Not compared: image. {UNKNOWN}mean of channel … … and …, where a difference of … shows: "
        "too few examples, or too different, to be surer in the time given."),
    "too few examples under a seed, or without one": (
        drawing(dealt(1), dealt(2), draw_seconds=1.0),
        f"Not compared: image. {UNKNOWN}mean of channel … … and …, where a difference of … shows: "
        "too few examples to be surer, as all runs come to about the same, by a seed, or by values "
        "that move from one example to another.",
        drawing(jitter(), jitter()),
        f"Random values: both sides deliver other values in image each time they run, {AS}; the "
        "distributions of single examples agree"),
    "a recording": (
        pair(Memory(MANY, draw=jitter()), Memory(MANY, draw=jitter(), repeatable=False, seed=2)),
        f"Not compared: image. {UNKNOWN}a recording cannot be run again.",
        pair(Memory(MANY), Memory(MANY, repeatable=False)), "Identical stream: 200 examples"),
    "strings, or other shapes": (
        drawing(words, words, with_(SCALAR, text=np.full(200, b"x", object))),
        f"Not compared: text. {UNKNOWN}it is no dense tensor of numbers.",
        drawing(jitter(), then(lambda i: i[:, :, :4])),
        f"Not compared: image. {UNKNOWN}its shapes differ."),
    "in nobody knows which components": (
        drawing(bits, bits, BITS),
        f"Random values: both sides deliver other values each time they run, {AS}.",
        drawing(bits, None, BITS),
        "Random values: the old side delivers other values each time it runs, the other one does "
        f"not, {AS}."),
    "of one side, in nobody knows which components": (
        drawing(None, bits, BITS),
        "Random values: the new side delivers other values each time it runs, the other one does "
        f"not, {AS}.",
        drawing(bits, None, BITS),
        "Random values: the old side delivers other values each time it runs, the other one does "
        f"not, {AS}."),
    "ignored, compared or not": (
        drawing(None, bits, BITS, ignore=["random"]),
        "Not compared: the values that are drawn. Random values: the new side delivers",
        drawing(None, jitter(by=1e-6, offset=-5e-7), ignore=["random"]),
        "image: drawn anew in each run of the new side, each from distributions that agree; "
        "whether draws of one batch belong together was not judged."),
    "ignored, the other side": (
        drawing(jitter(by=1e-6, offset=-5e-7), None, ignore=["random"]),
        "image: drawn anew in each run of the old side, each from distributions that agree; "
        "whether draws of one batch belong together was not judged.",
        drawing(None, jitter(by=1e-6, offset=-5e-7), ignore=["random"]),
        "image: drawn anew in each run of the new side, each from distributions that agree; "
        "whether draws of one batch belong together was not judged."),
    "one channel, a little": (
        drawing(jitter(by=0.2), jitter(by=0.2, offset=[0, 0.012, 0])),
        f"{FROM}in channel 1 its values lie as those of old + 0.01… (±…) would.",
        drawing(jitter(by=0.2), jitter(by=0.2, offset=0.012)),
        f"{FROM}its values lie as those of old + 0.01"),
    "flips, or light": (
        drawing(flips(2), flips(1), LEANING), "; what differs most is the balance left to right.",
        drawing(jitter(), lights), "; what differs most is the spread of the examples' means."),
    "another probability, or the same": (
        pair(Memory(CLASSES, draw=flips(2), seed=2), Memory(CLASSES, draw=flips(2, 0.3)),
             order=False),
        f"{FROM}its values lie alike on the whole, but how often a draw comes near to single draws "
        "of the first runs differs, as with another probability, or with places or amounts from "
        "another range.",
        pair(Memory(CLASSES, draw=flips(2), seed=2), Memory(CLASSES, draw=flips(2)), order=False),
        "lie apart; a side that draws the same again and again in … of all cases, as with another "
        "probability, would show"),
    "how often each draw comes": (
        pair(Memory(MANY, draw=jitter(), seed=2), Memory(rows(slice(199), MANY), draw=jitter()),
             order=False, draw_seconds=30.0),
        f"Random values: both sides deliver other values in image each time they run, {AS}; the "
        "distributions of single examples agree over … examples: … lie apart; how often each draw "
        "comes was not compared.",
        drawing(jitter(), jitter()),
        "lie apart; a side that draws the same again and again in … of all cases, as with another "
        "probability, would show"),
    "draws of one batch": (
        pair(Memory(MANY, 20, pool=90, draw=sharing(), seed=2),
             Memory(MANY, 20, pool=90, draw=sharing(20)), order=False),
        "Different: image: the examples of a batch have draws in common in the new side, …% of "
        "what varies, and …% in the old one, as where one draw is made for a whole batch and where "
        "each example has its own.",
        pair(Memory(MANY, 20, pool=90, draw=sharing(20), seed=2),
             Memory(MANY, 20, pool=90, draw=sharing()), order=False),
        "Different: image: the examples of a batch have draws in common in the old side, …% of "
        "what varies, and …% in the new one, as where"),
    "draws of one batch, alike": (
        pair(Memory(MANY, 20, pool=90, draw=sharing(), seed=2),
             Memory(MANY, 20, pool=90, draw=sharing()), order=False),
        "probability, would show; a side on which alone …% of what varies in the draws of a batch "
        "were the same for all of it would show.",
        pair(Memory(MANY, 0, pool=90, draw=sharing(), seed=2),
             Memory(MANY, 0, pool=90, draw=sharing()), order=False),
        "distributions that agree; whether draws of one batch belong together was not judged."),
    "draws of one example": (
        pair(Memory(MASKED, 20, pool=90, draw=sharing(), seed=2),
             Memory(MASKED, 20, pool=90, draw=sharing(torn=True)), order=False),
        "Different: image, mask: their draws for one example do not belong together as in the old "
        "side, as where an image and its mask are cropped by one draw in one side, and each by its "
        "own in the other.",
        pair(Memory(MASKED, 20, pool=90, draw=sharing(), seed=2),
             Memory(MASKED, 20, pool=90, draw=sharing()), order=False),
        "image, mask: drawn anew in each run, each from distributions that agree, and so do the "
        "draws of a batch and those of an example."),
    "shares": (
        drawing(scalar(lambda r, n: r.random(n)), scalar(lumpy), SCALAR),
        "; what differs most is the share of values in a part of the range.",
        drawing(jitter(), lights), "; what differs most is the spread of the examples' means."),
}  # fmt: skip

OFTEN: dict[str, Case] = {
    "too few different ones to follow": (
        pair(*(Memory({"y": np.arange(200) % 2}, order=fixed(n)) for n in (1, 2))),
        "How well the sides mix was not judged: 2 different examples among 200 cannot be followed. "
        "Add a component that tells them apart, such as the readers' keys, to both sides.",
        pair(*(Memory({"y": np.arange(200)}, order=fixed(n)) for n in (1, 2))),
        "Both sides keep a fixed order, but not the same one."),
    "too few different ones to follow, beside draws": (
        pair(*(Memory({k: v[:64] for k, v in MANY.items()}, pool=60, early=True, epochs=2, seed=n,
                      draw=jitter()) for n in (1, 2)), draw_seconds=0.1),
        "How well the sides mix was not judged: 64 different examples among 128 cannot be "
        "followed. Give epochs=…, where each comes in several. Add a component that tells them "
        "apart, such as the readers' keys, to both sides.",
        pair(*(Memory({"y": np.arange(200) % 2}, order=fixed(n)) for n in (1, 2))),
        "2 different examples among 200 cannot be followed. Add a component that tells them"),
    "too often, or too rarely": (
        endless(through, twice),
        "The new side delivers 1 example too often, in each of its runs: one of them 30 times on "
        "average in the old side, … times in the new one.",
        endless(twice, through),
        "The new side delivers 1 example too rarely, in each of its runs: one of them … times on "
        "average in the old side, 30 times in the new one."),
    "with replacement": (
        endless(through, replaced),
        "The new side draws its examples at random, so that each comes as often as it happens to; "
        "the old one goes through all of them before it begins again.",
        endless(replaced, through),
        "The old side draws its examples at random, so that each comes as often as it happens to; "
        "the new one goes through all of them before it begins again."),
    "too few, or enough": (
        endless(replaced, replaced, 1000),
        "Not compared: how often each example comes. Each comes about 10 times, and one that comes "
        "twice as often would not show. Give a higher limit.",
        endless(replaced, replaced, 9000),
        "Identical examples: the same 100 examples on both sides; how often each comes varies from "
        "run to run, on both sides alike."),
    "copies left out, or none": (
        pair(*(Memory(LABELS, 32, drop=True, order=sieved(2), seed=n) for n in (5, 6))),
        "How often an example comes differs between runs of one side, by up to … where it comes "
        "about … times: other rates that make less of a difference would not show.",
        pair(*(Memory(LABELS, 28, drop=True, order=sieved(2), seed=n) for n in (1, 2))),
        "Identical examples: the same 1,400 examples on both sides, in another order."),
    "a random filter of another share": (
        pair(numbers(100, order=sieved(0.6)), numbers(100, order=sieved(0.3), seed=2)),
        "The number of examples differs in each run: about … in the old side and … in the new one, "
        "as where a random filter keeps another share.",
        pair(numbers(100, order=sieved(0.6)), numbers(100, order=sieved(0.6), seed=2)),
        "Not compared: how often each example comes. Each comes about … times, and one that comes "
        "twice as often would not show. Give more epochs."),
    "not all the time": (
        endless(rising, through, 4000),
        "Not compared: how often each example comes. Some came more often on one side in all runs, "
        "but not all the time, or in runs that are all the same. Give a higher limit.",
        endless(through, through, 4000),
        "Identical examples: the same 4,000 examples on both sides, in another order."),
}  # fmt: skip

CASES: dict[str, Case] = {
    f"{of}: {name}": case
    for of, cases in {
        "verdict": VERDICTS, "structure": STRUCTURE, "end": ENDS, "files": FILES, "counts": COUNTS,
        "values": VALUES, "order": ORDER, "drawn": DRAWN, "often": OFTEN,
    }.items()
    for name, case in cases.items()
}  # fmt: skip
