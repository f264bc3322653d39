"""Photographs in files of their own, the CIFAR-10 tutorial's images, and clicks to predict.

Each is written twice: as TF1 code of its time, and as one writes it with tf.data today.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

PHOTOS, CROP, SIZE, HUED = 256, 224, 128, 112
HEIGHTS, WIDTHS = (300, 900), (400, 1200)
RECORDS, RECORD_BYTES, SMALL_CROP = 2_000, 3_073, 24
CLICKS, FIELDS = 10_000, 39
LOT = 64


@dataclass(frozen=True)
class Pipeline:
    """What is measured: files, TF1's input function of them, and a dataset written by hand."""

    batch: int
    pool: int
    generate: Callable[[Path], list[str]]
    queue_input: Callable[[Any, list[str], Pipeline], Any]
    hand_written: Callable[[list[str], Pipeline], Any]


def photographs(folder: Path) -> list[str]:
    """Photograph-like JPEGs of unequal size; the same bytes in every run."""
    import numpy as np
    import tensorflow as tf

    folder.mkdir(parents=True, exist_ok=True)
    names = [str(folder / f"{number}.jpg") for number in range(PHOTOS)]
    rng = np.random.default_rng(5)
    for name in names if not Path(names[-1]).exists() else ():
        height, width = int(rng.integers(*HEIGHTS)), int(rng.integers(*WIDTHS))
        coarse = rng.integers(0, 256, (height // 16, width // 16, 3))
        smooth = tf.image.resize(coarse, [height, width]).numpy()
        image = np.clip(smooth + rng.normal(0, 8, smooth.shape), 0, 255).astype(np.uint8)
        Path(name).write_bytes(tf.io.encode_jpeg(image, quality=90).numpy())
    return names


def photographs_queued(tf: Any, files: list[str], of: Pipeline) -> Any:
    """Decode, crop at random, flip, resize."""
    names = tf.train.string_input_producer(files, shuffle=True)
    _, content = tf.WholeFileReader().read(names)
    image = tf.image.decode_jpeg(content, channels=3)
    image = tf.random_crop(image, [CROP, CROP, 3])
    image = tf.image.random_flip_left_right(image)
    image = tf.image.resize_images(image, [SIZE, SIZE])
    return tf.train.shuffle_batch([image], of.batch, of.pool + 3 * of.batch, of.pool, num_threads=4)


def photographs_by_hand(files: list[str], of: Pipeline) -> Any:
    """The same: shuffled names, one map, a shuffle, a batch."""
    import tensorflow as tf

    def load(name: Any) -> Any:
        image = tf.io.decode_jpeg(tf.io.read_file(name), channels=3)
        image = tf.image.random_crop(image, [CROP, CROP, 3])
        image = tf.image.random_flip_left_right(image)
        return tf.image.resize(image, [SIZE, SIZE])

    names = tf.data.Dataset.from_tensor_slices(files).shuffle(len(files)).repeat()
    images = names.map(load, num_parallel_calls=tf.data.AUTOTUNE)
    return images.shuffle(of.pool + of.batch).batch(of.batch).prefetch(tf.data.AUTOTUNE)


def cifar_files(folder: Path) -> list[str]:
    """Records of a label and a 32×32 image in channels, as CIFAR-10's are."""
    import numpy as np

    folder.mkdir(parents=True, exist_ok=True)
    names = [folder / f"data_batch_{number}.bin" for number in range(1, 6)]
    rng = np.random.default_rng(7)
    for name in names if not names[-1].exists() else ():
        name.write_bytes(rng.bytes(RECORDS * RECORD_BYTES))
    return [str(name) for name in names]


def cifar_queued(tf: Any, files: list[str], of: Pipeline) -> Any:
    """The tutorial's distortions: crop, flip, brightness, contrast, standardised."""
    names = tf.train.string_input_producer(files)
    _, record = tf.FixedLengthRecordReader(RECORD_BYTES).read(names)
    numbers = tf.decode_raw(record, tf.uint8)
    label = tf.cast(tf.strided_slice(numbers, [0], [1]), tf.int32)
    channels = tf.reshape(tf.strided_slice(numbers, [1], [RECORD_BYTES]), [3, 32, 32])
    image = tf.cast(tf.transpose(channels, [1, 2, 0]), tf.float32)
    image = tf.random_crop(image, [SMALL_CROP, SMALL_CROP, 3])
    image = tf.image.random_flip_left_right(image)
    image = tf.image.random_brightness(image, max_delta=63)
    image = tf.image.random_contrast(image, lower=0.2, upper=1.8)
    image = tf.image.per_image_standardization(image)
    label.set_shape([1])
    return tf.train.shuffle_batch(
        [image, label], of.batch, of.pool + 3 * of.batch, of.pool, num_threads=4
    )


def seeded_queued(tf: Any, files: list[str], of: Pipeline) -> Any:
    """The same distortions, drawn from a seed."""
    tf.set_random_seed(1)
    return cifar_queued(tf, files, of)


def cifar_by_hand(files: list[str], of: Pipeline) -> Any:
    """The same: one map, a shuffle, a batch."""
    import tensorflow as tf

    def load(record: Any) -> Any:
        numbers = tf.io.decode_raw(record, tf.uint8)
        image = tf.transpose(tf.reshape(numbers[1:], [3, 32, 32]), [1, 2, 0])
        image = tf.image.random_crop(tf.cast(image, tf.float32), [SMALL_CROP, SMALL_CROP, 3])
        image = tf.image.random_flip_left_right(image)
        image = tf.image.random_brightness(image, max_delta=63)
        image = tf.image.random_contrast(image, lower=0.2, upper=1.8)
        return tf.image.per_image_standardization(image), tf.cast(numbers[:1], tf.int32)

    names = tf.data.Dataset.from_tensor_slices(files).shuffle(len(files)).repeat()
    records = names.flat_map(lambda name: tf.data.FixedLengthRecordDataset(name, RECORD_BYTES))
    images = records.map(load, num_parallel_calls=tf.data.AUTOTUNE)
    return images.shuffle(of.pool + of.batch).batch(of.batch).prefetch(tf.data.AUTOTUNE)


def click_files(folder: Path) -> list[str]:
    """TFRecords of 39 ids, 39 values and a label, as those of advertisements are."""
    import numpy as np
    import tensorflow as tf

    folder.mkdir(parents=True, exist_ok=True)
    names = [folder / f"{number}.tfrecord" for number in range(4)]
    rng = np.random.default_rng(9)
    for name in names if not names[-1].exists() else ():
        with tf.io.TFRecordWriter(str(name)) as writer:
            for _ in range(CLICKS):
                example = tf.train.Example()
                feature = example.features.feature
                feature["ids"].int64_list.value.extend(rng.integers(0, 10**6, FIELDS).tolist())
                feature["values"].float_list.value.extend(rng.random(FIELDS).tolist())
                feature["label"].float_list.value.append(float(rng.integers(2)))
                writer.write(example.SerializeToString())
    return [str(name) for name in names]


def clicks_queued(tf: Any, files: list[str], of: Pipeline) -> Any:
    """Parse, and take logarithms of the values."""
    names = tf.train.string_input_producer(files)
    _, record = tf.TFRecordReader().read(names)
    features = tf.parse_single_example(record, _click_features(tf))
    values = tf.log1p(features["values"])
    return tf.train.shuffle_batch(
        [features["ids"], values, features["label"]],
        of.batch, of.pool + 3 * of.batch, of.pool, num_threads=4,
    )  # fmt: skip


def clicks_by_hand(files: list[str], of: Pipeline) -> Any:
    """The same: one map, a shuffle, a batch."""
    import tensorflow as tf

    def load(record: Any) -> Any:
        features = tf.io.parse_single_example(record, _click_features(tf.io))
        return features["ids"], tf.math.log1p(features["values"]), features["label"]

    names = tf.data.Dataset.from_tensor_slices(files).shuffle(len(files)).repeat()
    records = names.flat_map(tf.data.TFRecordDataset)
    clicks = records.map(load, num_parallel_calls=tf.data.AUTOTUNE)
    return clicks.shuffle(of.pool + of.batch).batch(of.batch).prefetch(tf.data.AUTOTUNE)


def _click_features(tf: Any) -> Any:
    import tensorflow

    return {
        "ids": tf.FixedLenFeature([FIELDS], tensorflow.int64),
        "values": tf.FixedLenFeature([FIELDS], tensorflow.float32),
        "label": tf.FixedLenFeature([1], tensorflow.float32),
    }


def coloured_queued(tf: Any, files: list[str], of: Pipeline) -> Any:
    """Decode, resize to 112 × 112, draw hue and saturation."""
    names = tf.train.string_input_producer(files, shuffle=True)
    _, content = tf.WholeFileReader().read(names)
    image = tf.image.decode_jpeg(content, channels=3)
    image = tf.image.resize_images(tf.to_float(image) / 255.0, [HUED, HUED])
    image = tf.image.random_hue(image, max_delta=0.2)
    image = tf.image.random_saturation(image, lower=0.5, upper=1.5)
    return tf.train.shuffle_batch([image], of.batch, of.pool + 3 * of.batch, of.pool, num_threads=4)


def coloured_by_hand(files: list[str], of: Pipeline) -> Any:
    """The same: shuffled names, one map, a shuffle, a batch."""
    import tensorflow as tf

    def load(name: Any) -> Any:
        image = tf.io.decode_jpeg(tf.io.read_file(name), channels=3)
        image = tf.image.resize(tf.cast(image, tf.float32) / 255.0, [HUED, HUED])
        image = tf.image.random_hue(image, max_delta=0.2)
        return tf.image.random_saturation(image, lower=0.5, upper=1.5)

    names = tf.data.Dataset.from_tensor_slices(files).shuffle(len(files)).repeat()
    images = names.map(load, num_parallel_calls=tf.data.AUTOTUNE)
    return images.shuffle(of.pool + of.batch).batch(of.batch).prefetch(tf.data.AUTOTUNE)


def sparse_files(folder: Path) -> list[str]:
    """TFRecords of a label and two lists of any length."""
    import numpy as np
    import tensorflow as tf

    folder.mkdir(parents=True, exist_ok=True)
    names = [folder / f"{number}.tfrecord" for number in range(4)]
    rng = np.random.default_rng(13)
    for name in names if not names[-1].exists() else ():
        with tf.io.TFRecordWriter(str(name)) as writer:
            for _ in range(CLICKS):
                example = tf.train.Example()
                feature = example.features.feature
                ids = rng.integers(0, 10**6, rng.integers(0, 12))
                feature["ids"].int64_list.value.extend(ids.tolist())
                feature["weights"].float_list.value.extend(rng.random(len(ids)).tolist())
                feature["label"].int64_list.value.append(int(rng.integers(2)))
                writer.write(example.SerializeToString())
    return [str(name) for name in names]


def sparse_queued(tf: Any, files: list[str], of: Pipeline) -> Any:
    """Parsed one by one, with VarLenFeature."""
    names = tf.train.string_input_producer(files)
    _, record = tf.TFRecordReader().read(names)
    parsed = tf.parse_single_example(record, sparse_features(tf))
    return tf.train.shuffle_batch(
        [parsed["ids"], parsed["weights"], parsed["label"]],
        of.batch, of.pool + 3 * of.batch, of.pool, num_threads=4,
    )  # fmt: skip


def sparse_by_hand(files: list[str], of: Pipeline) -> Any:
    """The same: one map, a shuffle, a batch."""
    import tensorflow as tf

    def load(record: Any) -> Any:
        parsed = tf.io.parse_single_example(record, sparse_features(tf.io))
        return parsed["ids"], parsed["weights"], parsed["label"]

    names = tf.data.Dataset.from_tensor_slices(files).shuffle(len(files)).repeat()
    records = names.flat_map(tf.data.TFRecordDataset)
    examples = records.map(load, num_parallel_calls=tf.data.AUTOTUNE)
    return examples.shuffle(of.pool + of.batch).batch(of.batch).prefetch(tf.data.AUTOTUNE)


def kept_queued(tf: Any, files: list[str], of: Pipeline) -> Any:
    """The same, of which every other example is left out (`keep_input`)."""
    names = tf.train.string_input_producer(files)
    _, record = tf.TFRecordReader().read(names)
    parsed = tf.parse_single_example(record, sparse_features(tf))
    return tf.train.maybe_batch(
        [parsed["ids"], parsed["label"]], tf.equal(parsed["label"], 1), of.batch, num_threads=4,
        capacity=4 * of.batch,
    )  # fmt: skip


def kept_by_hand(files: list[str], of: Pipeline) -> Any:
    """The same: one map, a filter, a batch."""
    import tensorflow as tf

    def load(record: Any) -> Any:
        parsed = tf.io.parse_single_example(record, sparse_features(tf.io))
        return parsed["ids"], parsed["label"]

    names = tf.data.Dataset.from_tensor_slices(files).shuffle(len(files)).repeat()
    records = names.flat_map(tf.data.TFRecordDataset)
    examples = records.map(load, num_parallel_calls=tf.data.AUTOTUNE)
    kept = examples.filter(lambda _, label: tf.equal(label, 1))
    return kept.batch(of.batch).prefetch(tf.data.AUTOTUNE)


def lots_queued(tf: Any, files: list[str], of: Pipeline) -> Any:
    """Records read in lots, shuffled as they are, and parsed batch by batch."""
    names = tf.train.string_input_producer(files)
    _, records = tf.TFRecordReader().read_up_to(names, of.batch)
    batch = tf.train.shuffle_batch(
        [records], of.batch, of.pool + 3 * of.batch, of.pool, num_threads=4, enqueue_many=True
    )
    return tf.parse_example(batch, {"label": sparse_features(tf)["label"]})["label"]


def lots_by_hand(files: list[str], of: Pipeline) -> Any:
    """The same: a shuffle, a batch, a parse."""
    import tensorflow as tf

    features = {"label": sparse_features(tf.io)["label"]}
    names = tf.data.Dataset.from_tensor_slices(files).shuffle(len(files)).repeat()
    records = names.flat_map(tf.data.TFRecordDataset).shuffle(of.pool + of.batch)
    parsed = records.batch(of.batch).map(
        lambda batch: tf.io.parse_example(batch, features)["label"], tf.data.AUTOTUNE
    )
    return parsed.prefetch(tf.data.AUTOTUNE)


def kept_rows_queued(tf: Any, files: list[str], of: Pipeline) -> Any:
    """Records read and parsed in lots, of which every other row is left out."""
    names = tf.train.string_input_producer(files)
    _, records = tf.TFRecordReader().read_up_to(names, LOT)
    parsed = tf.parse_example(records, sparse_features(tf))
    return tf.train.maybe_batch(
        [parsed["ids"], parsed["label"]], tf.equal(parsed["label"], 1), of.batch, num_threads=4,
        capacity=4 * LOT, enqueue_many=True,
    )  # fmt: skip


def kept_rows_by_hand(files: list[str], of: Pipeline) -> Any:
    """The same: lots parsed, their rows, a filter, a batch."""
    import tensorflow as tf

    def load(records: Any) -> Any:
        parsed = tf.io.parse_example(records, sparse_features(tf.io))
        return parsed["ids"], parsed["label"]

    names = tf.data.Dataset.from_tensor_slices(files).shuffle(len(files)).repeat()
    lots = names.flat_map(lambda name: tf.data.TFRecordDataset(name).batch(LOT))
    rows = lots.map(load, num_parallel_calls=tf.data.AUTOTUNE).unbatch()
    kept = rows.filter(lambda _, label: tf.equal(label, 1))
    return kept.batch(of.batch).prefetch(tf.data.AUTOTUNE)


def line_files(folder: Path) -> list[str]:
    """Lines of six numbers."""
    from benchmarks.data import generate

    return generate(folder, "csv", CLICKS)


def _numbers(line: Any) -> Any:
    import numpy as np

    return np.array([float(field) for field in line.decode().split(",")], np.float32)


def python_queued(tf: Any, files: list[str], of: Pipeline) -> Any:
    """Lines taken apart by a function in Python, in four threads."""
    _, line = tf.TextLineReader().read(tf.train.string_input_producer(files))
    numbers = tf.py_func(_numbers, [line], _float32())
    numbers.set_shape([6])
    return tf.train.shuffle_batch(
        [numbers], of.batch, of.pool + 3 * of.batch, of.pool, num_threads=4
    )


def _float32() -> Any:
    import tensorflow

    return tensorflow.float32


def python_by_hand(files: list[str], of: Pipeline) -> Any:
    """The same: one map, a shuffle, a batch."""
    import tensorflow as tf

    names = tf.data.Dataset.from_tensor_slices(files).shuffle(len(files)).repeat()
    lines = names.flat_map(tf.data.TextLineDataset)
    numbers = lines.map(
        lambda line: tf.ensure_shape(tf.numpy_function(_numbers, [line], tf.float32), [6]),
        num_parallel_calls=tf.data.AUTOTUNE,
    )
    return numbers.shuffle(of.pool + of.batch).batch(of.batch).prefetch(tf.data.AUTOTUNE)


def sparse_features(tf: Any) -> Any:
    import tensorflow

    return {
        "ids": tf.VarLenFeature(tensorflow.int64),
        "weights": tf.VarLenFeature(tensorflow.float32),
        "label": tf.FixedLenFeature([], tensorflow.int64),
    }


def sequence_files(folder: Path) -> list[str]:
    """TFRecords of SequenceExamples: an id, and tokens of any number."""
    import numpy as np
    import tensorflow as tf

    folder.mkdir(parents=True, exist_ok=True)
    names = [folder / f"{number}.tfrecord" for number in range(4)]
    rng = np.random.default_rng(17)
    for name in names if not names[-1].exists() else ():
        with tf.io.TFRecordWriter(str(name)) as writer:
            for _ in range(CLICKS):
                example = tf.train.SequenceExample()
                example.context.feature["id"].int64_list.value.append(int(rng.integers(10**6)))
                tokens = example.feature_lists.feature_list["tokens"].feature
                for token in rng.integers(1, 12_000, rng.integers(5, 21)).tolist():
                    tokens.add().int64_list.value.append(token)
                writer.write(example.SerializeToString())
    return [str(name) for name in names]


def padded_queued(tf: Any, files: list[str], of: Pipeline) -> Any:
    """The tokens with their number, padded in the batch."""
    context, tokens = _sequence(tf, files)
    return tf.train.batch(
        [context["id"], tokens, tf.shape(tokens)[0]], of.batch, num_threads=4,
        capacity=4 * of.batch, dynamic_pad=True,
    )  # fmt: skip


def captions_queued(tf: Any, files: list[str], of: Pipeline) -> Any:
    """What a captioning model takes: the tokens but the last, those but the first, a mask."""
    _, tokens = _sequence(tf, files)
    length = tf.expand_dims(tf.subtract(tf.shape(tokens)[0], 1), 0)
    inputs, targets = tf.slice(tokens, [0], length), tf.slice(tokens, [1], length)
    mask = tf.ones(length, dtype=tf.int32)
    return tf.train.batch(
        [inputs, targets, mask], of.batch, num_threads=4, capacity=4 * of.batch, dynamic_pad=True
    )


def _sequence(tf: Any, files: list[str]) -> Any:
    names = tf.train.string_input_producer(files)
    _, record = tf.TFRecordReader().read(names)
    context, lists = tf.parse_single_sequence_example(record, *_sequence_features(tf))
    return context, lists["tokens"]


def padded_by_hand(files: list[str], of: Pipeline) -> Any:
    """The same: one map, a padded batch."""
    import tensorflow as tf

    def load(record: Any) -> Any:
        context, lists = tf.io.parse_single_sequence_example(record, *_sequence_features(tf.io))
        return context["id"], lists["tokens"], tf.shape(lists["tokens"])[0]

    return _padded(files, load, of)


def captions_by_hand(files: list[str], of: Pipeline) -> Any:
    """The same: one map, a padded batch."""
    import tensorflow as tf

    def load(record: Any) -> Any:
        _, lists = tf.io.parse_single_sequence_example(record, *_sequence_features(tf.io))
        tokens = lists["tokens"]
        return tokens[:-1], tokens[1:], tf.ones_like(tokens[1:], tf.int32)

    return _padded(files, load, of)


def _padded(files: list[str], load: Any, of: Pipeline) -> Any:
    import tensorflow as tf

    names = tf.data.Dataset.from_tensor_slices(files).shuffle(len(files)).repeat()
    records = names.flat_map(tf.data.TFRecordDataset)
    examples = records.map(load, num_parallel_calls=tf.data.AUTOTUNE)
    return examples.padded_batch(of.batch).prefetch(tf.data.AUTOTUNE)


def _sequence_features(tf: Any) -> Any:
    import tensorflow

    return (
        {"id": tf.FixedLenFeature([], tensorflow.int64)},
        {"tokens": tf.FixedLenSequenceFeature([], tensorflow.int64)},
    )


PIPELINES = {
    "jpeg": Pipeline(32, 128, photographs, photographs_queued, photographs_by_hand),
    "cifar": Pipeline(128, 1_000, cifar_files, cifar_queued, cifar_by_hand),
    "seeded": Pipeline(128, 1_000, cifar_files, seeded_queued, cifar_by_hand),
    "ctr": Pipeline(128, 1_000, click_files, clicks_queued, clicks_by_hand),
    "coloured": Pipeline(32, 128, photographs, coloured_queued, coloured_by_hand),
    "sparse": Pipeline(128, 1_000, sparse_files, sparse_queued, sparse_by_hand),
    "kept": Pipeline(32, 1_000, sparse_files, kept_queued, kept_by_hand),
    "kept_rows": Pipeline(32, 1_000, sparse_files, kept_rows_queued, kept_rows_by_hand),
    "lots": Pipeline(32, 1_000, sparse_files, lots_queued, lots_by_hand),
    "python": Pipeline(32, 500, line_files, python_queued, python_by_hand),
    "padded": Pipeline(128, 1_000, sequence_files, padded_queued, padded_by_hand),
    "captions": Pipeline(128, 1_000, sequence_files, captions_queued, captions_by_hand),
}
