"""One decoding as many people wrote it: what real code has in place of the benchmark's own.

For each format the same files and the same batches, seven ways; beside each the tf.data of an
expert: shuffled, batched, then one vectorised parse of the batch.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.data import RECORDS, generate
from benchmarks.pipelines import RECORD_BYTES, SIDE
from benchmarks.tutorial_pipelines import Pipeline

FLOATS = [[0.0]] * 5
LABEL = [[0]]
FEATURES = 40


def _tf() -> Any:
    import tensorflow

    return tensorflow


# CSV ---------------------------------------------------------------------------------------------


def csv_stack(tf: Any, key: Any, line: Any) -> list[Any]:
    """The benchmark's own: five floats in a vector, and the label."""
    columns = tf.decode_csv(line, FLOATS + LABEL)
    return [tf.stack(columns[:-1]), columns[-1]]


def csv_stack_by_hand(lines: Any) -> Any:
    columns = _tf().io.decode_csv(lines, FLOATS + LABEL)
    return _tf().stack(columns[:-1], axis=-1), columns[-1]


def csv_columns(tf: Any, key: Any, line: Any) -> list[Any]:
    """Each column a tensor of the batch."""
    return list(tf.decode_csv(line, FLOATS + LABEL))


def csv_columns_by_hand(lines: Any) -> Any:
    return tuple(_tf().io.decode_csv(lines, FLOATS + LABEL))


def csv_one_hot(tf: Any, key: Any, line: Any) -> list[Any]:
    """The vector standardised, the label one-hot."""
    columns = tf.decode_csv(line, FLOATS + LABEL)
    features = (tf.stack(columns[:-1]) - 0.5) / 0.29
    return [features, tf.one_hot(columns[-1], 10)]


def csv_one_hot_by_hand(lines: Any) -> Any:
    columns = _tf().io.decode_csv(lines, FLOATS + LABEL)
    features = (_tf().stack(columns[:-1], axis=-1) - 0.5) / 0.29
    return features, _tf().one_hot(columns[-1], 10)


def csv_strings(tf: Any, key: Any, line: Any) -> list[Any]:
    """A column of strings, compared with words, as the Titanic's passengers are."""
    *columns, kind = tf.decode_csv(line, [*FLOATS, [""]])
    flags = [tf.to_float(tf.equal(kind, [str(n)])) for n in range(3)]
    return [tf.stack([*columns, *[flag[0] for flag in flags]]), kind]


def csv_strings_by_hand(lines: Any) -> Any:
    tf = _tf()
    *columns, kind = tf.io.decode_csv(lines, [*FLOATS, [""]])
    flags = [tf.cast(tf.equal(kind, str(n)), tf.float32) for n in range(3)]
    return tf.stack([*columns, *flags], axis=-1), kind


def csv_keys(tf: Any, key: Any, line: Any) -> list[Any]:
    """The key in the batch: file and line of each example."""
    return [key, *csv_stack(tf, key, line)]


def csv_rows(tf: Any, key: Any, line: Any) -> list[Any]:
    """Features by name, each of one row, concatenated."""
    columns = tf.decode_csv(line, FLOATS + LABEL)
    rows = [tf.expand_dims(column, 0) for column in columns[:-1]]
    return [tf.concat(rows, 0), tf.cast(columns[-1], tf.int64)]


def csv_rows_by_hand(lines: Any) -> Any:
    columns = _tf().io.decode_csv(lines, FLOATS + LABEL)
    return _tf().stack(columns[:-1], axis=-1), _tf().cast(columns[-1], "int64")


def csv_numbers(tf: Any, key: Any, line: Any) -> list[Any]:
    """Split by commas, each field made a number."""
    fields = tf.string_split([line], ",").values
    numbers = tf.reshape(tf.string_to_number(fields), [6])
    return [numbers[:5], tf.to_int32(numbers[5])]


def csv_numbers_by_hand(lines: Any) -> Any:
    tf = _tf()
    numbers = tf.strings.to_number(tf.strings.split(lines, ",").flat_values)
    numbers = tf.reshape(numbers, [-1, 6])
    return numbers[:, :5], tf.cast(numbers[:, 5], tf.int32)


# TFRecord ----------------------------------------------------------------------------------------


def _image(tf: Any, record: Any) -> Any:
    features = {
        "image": tf.FixedLenFeature([], tf.string),
        "label": tf.FixedLenFeature([], tf.int64),
    }
    return tf.parse_single_example(record, features=features)


def _images_by_hand(records: Any) -> Any:
    tf = _tf()
    spec = {
        "image": tf.io.FixedLenFeature([], tf.string),
        "label": tf.io.FixedLenFeature([], tf.int64),
    }
    parsed = tf.io.parse_example(records, spec)
    return tf.io.decode_raw(parsed["image"], tf.uint8, fixed_length=SIDE * SIDE), parsed["label"]


def record_product(tf: Any, key: Any, record: Any) -> list[Any]:
    """The benchmark's own: reshaped, cast, a product."""
    parsed = _image(tf, record)
    image = tf.reshape(tf.decode_raw(parsed["image"], tf.uint8), [SIDE * SIDE])
    return [tf.cast(image, tf.float32) * (1.0 / 255), parsed["label"]]


def record_product_by_hand(records: Any) -> Any:
    images, labels = _images_by_hand(records)
    return _tf().cast(images, "float32") * (1.0 / 255), labels


def record_set_shape(tf: Any, key: Any, record: Any) -> list[Any]:
    """The MNIST tutorial's: set_shape, product and offset, the label an int32."""
    parsed = _image(tf, record)
    image = tf.decode_raw(parsed["image"], tf.uint8)
    image.set_shape([SIDE * SIDE])
    image = tf.cast(image, tf.float32) * (1.0 / 255) - 0.5
    return [image, tf.cast(parsed["label"], tf.int32)]


def record_set_shape_by_hand(records: Any) -> Any:
    images, labels = _images_by_hand(records)
    return _tf().cast(images, "float32") * (1.0 / 255) - 0.5, _tf().cast(labels, "int32")


def record_division(tf: Any, key: Any, record: Any) -> list[Any]:
    """Reshaped to an image, divided, the label one-hot."""
    parsed = _image(tf, record)
    image = tf.reshape(tf.decode_raw(parsed["image"], tf.uint8), [SIDE, SIDE, 1])
    return [tf.to_float(image) / 255.0, tf.one_hot(parsed["label"], 10)]


def record_division_by_hand(records: Any) -> Any:
    images, labels = _images_by_hand(records)
    images = _tf().reshape(images, [-1, SIDE, SIDE, 1])
    return _tf().cast(images, "float32") / 255.0, _tf().one_hot(labels, 10)


def record_bytes(tf: Any, key: Any, record: Any) -> list[Any]:
    """The bytes as they are; what scales them is in the model."""
    parsed = _image(tf, record)
    image = tf.reshape(tf.decode_raw(parsed["image"], tf.uint8), [SIDE, SIDE])
    return [image, parsed["label"]]


def record_bytes_by_hand(records: Any) -> Any:
    images, labels = _images_by_hand(records)
    return _tf().reshape(images, [-1, SIDE, SIDE]), labels


def record_keys(tf: Any, key: Any, record: Any) -> list[Any]:
    """The key in the batch."""
    return [key, *record_product(tf, key, record)]


def record_forty(tf: Any, key: Any, record: Any) -> list[Any]:
    """Forty features of one number each, stacked."""
    features = {f"f{n}": tf.FixedLenFeature([], tf.float32) for n in range(FEATURES)}
    parsed = tf.parse_single_example(record, features=features)
    return [tf.stack([parsed[name] for name in sorted(features)])]


def record_forty_by_hand(records: Any) -> Any:
    tf = _tf()
    spec = {f"f{n}": tf.io.FixedLenFeature([], tf.float32) for n in range(FEATURES)}
    parsed = tf.io.parse_example(records, spec)
    return tf.stack([parsed[name] for name in sorted(spec)], axis=-1)


def record_jpeg(tf: Any, key: Any, record: Any) -> list[Any]:
    """JPEG bytes inside Examples."""
    features = {"image/encoded": tf.FixedLenFeature([], tf.string, default_value="")}
    parsed = tf.parse_single_example(record, features=features)
    image = tf.image.decode_jpeg(parsed["image/encoded"], channels=3)
    image.set_shape([32, 32, 3])
    return [tf.image.convert_image_dtype(image, tf.float32)]


def record_jpeg_by_hand(records: Any) -> Any:
    tf = _tf()
    spec = {"image/encoded": tf.io.FixedLenFeature([], tf.string, default_value="")}
    encoded = tf.io.parse_example(records, spec)["image/encoded"]
    images = tf.map_fn(
        lambda e: tf.io.decode_jpeg(e, channels=3), encoded, fn_output_signature=tf.uint8
    )
    return tf.image.convert_image_dtype(tf.ensure_shape(images, [None, 32, 32, 3]), tf.float32)


# Records of fixed length -------------------------------------------------------------------------

PIXELS = RECORD_BYTES - 1


def _pictures_by_hand(records: Any) -> Any:
    numbers = _tf().io.decode_raw(records, "uint8", fixed_length=RECORD_BYTES)
    images = _tf().transpose(_tf().reshape(numbers[:, 1:], [-1, 3, 32, 32]), [0, 2, 3, 1])
    return images, _tf().cast(numbers[:, :1], "int32")


def fixed_reshape(tf: Any, key: Any, record: Any) -> list[Any]:
    """The benchmark's own: reshaped before it is sliced, a product."""
    numbers = tf.reshape(tf.decode_raw(record, tf.uint8), [RECORD_BYTES])
    image = tf.reshape(tf.slice(numbers, [1], [PIXELS]), [3, 32, 32])
    image = tf.cast(tf.transpose(image, [1, 2, 0]), tf.float32) * (1.0 / 255)
    return [image, tf.cast(tf.slice(numbers, [0], [1]), tf.int32)]


def fixed_product_by_hand(records: Any) -> Any:
    images, labels = _pictures_by_hand(records)
    return _tf().cast(images, "float32") * (1.0 / 255), labels


def fixed_strided(tf: Any, key: Any, record: Any) -> list[Any]:
    """The CIFAR-10 tutorial's: two strided slices, no reshape before them."""
    numbers = tf.decode_raw(record, tf.uint8)
    label = tf.cast(tf.strided_slice(numbers, [0], [1]), tf.int32)
    depth = tf.reshape(tf.strided_slice(numbers, [1], [RECORD_BYTES]), [3, 32, 32])
    label.set_shape([1])
    return [tf.cast(tf.transpose(depth, [1, 2, 0]), tf.float32), label]


def fixed_float_by_hand(records: Any) -> Any:
    images, labels = _pictures_by_hand(records)
    return _tf().cast(images, "float32"), labels


def fixed_slice(tf: Any, key: Any, record: Any) -> list[Any]:
    """The tutorial's first version: tf.slice, divided."""
    numbers = tf.decode_raw(record, tf.uint8)
    label = tf.cast(tf.slice(numbers, [0], [1]), tf.int32)
    depth = tf.reshape(tf.slice(numbers, [1], [PIXELS]), [3, 32, 32])
    label.set_shape([1])
    return [tf.to_float(tf.transpose(depth, [1, 2, 0])) / 255.0, label]


def fixed_division_by_hand(records: Any) -> Any:
    images, labels = _pictures_by_hand(records)
    return _tf().cast(images, "float32") / 255.0, labels


def fixed_cast_first(tf: Any, key: Any, record: Any) -> list[Any]:
    """Made floats before it is transposed; written with brackets."""
    numbers = tf.cast(tf.decode_raw(record, tf.uint8), tf.float32)
    image = tf.transpose(tf.reshape(numbers[1:RECORD_BYTES], [3, 32, 32]), [1, 2, 0])
    return [image / 255.0, tf.cast(numbers[0], tf.int64)]


def fixed_number_by_hand(records: Any) -> Any:
    images, labels = fixed_division_by_hand(records)
    return images, _tf().cast(labels[:, 0], "int64")


def fixed_bytes(tf: Any, key: Any, record: Any) -> list[Any]:
    """No scaling: the bytes in the file's order."""
    numbers = tf.decode_raw(record, tf.uint8)
    image = tf.reshape(numbers[1:], [3, 32, 32])
    return [image, tf.reshape(tf.cast(numbers[:1], tf.int32), [])]


def fixed_bytes_by_hand(records: Any) -> Any:
    numbers = _tf().io.decode_raw(records, "uint8", fixed_length=RECORD_BYTES)
    images = _tf().reshape(numbers[:, 1:], [-1, 3, 32, 32])
    return images, _tf().cast(numbers[:, 0], "int32")


def fixed_turned(tf: Any, key: Any, record: Any) -> list[Any]:
    """No scaling, channels last."""
    numbers = tf.decode_raw(record, tf.uint8)
    label = tf.one_hot(tf.cast(numbers[0], tf.int32), 10)
    image = tf.transpose(tf.reshape(numbers[1:], [3, 32, 32]), [1, 2, 0])
    return [image, label]


def fixed_turned_by_hand(records: Any) -> Any:
    images, labels = _pictures_by_hand(records)
    return images, _tf().one_hot(labels[:, 0], 10)


def fixed_keys(tf: Any, key: Any, record: Any) -> list[Any]:
    """The key in the batch."""
    return [key, *fixed_reshape(tf, key, record)]


# The table ---------------------------------------------------------------------------------------


def _forty_files(folder: Path, count: int) -> list[str]:
    return _examples(folder, count, _forty)


def _jpeg_files(folder: Path, count: int) -> list[str]:
    return _examples(folder, count // 5, _jpeg)


def _examples(folder: Path, count: int, fill: Callable[[Any, Any], None]) -> list[str]:
    """Four files of Examples; the same bytes in every run."""
    import numpy as np

    tf = _tf()
    folder.mkdir(parents=True, exist_ok=True)
    names = [folder / f"{number}.tfrecord" for number in range(4)]
    rng = np.random.default_rng(9)
    for name in names if not names[-1].exists() else ():
        with tf.io.TFRecordWriter(str(name)) as writer:
            for _ in range(count // 4):
                example = tf.train.Example()
                fill(example.features.feature, rng)
                writer.write(example.SerializeToString())
    return [str(name) for name in names]


def _forty(feature: Any, rng: Any) -> None:
    for number in range(FEATURES):
        feature[f"f{number}"].float_list.value.append(float(rng.random()))


def _jpeg(feature: Any, rng: Any) -> None:
    image = _tf().cast(rng.integers(0, 256, (32, 32, 3)), "uint8")
    encoded = _tf().io.encode_jpeg(image).numpy()
    feature["image/encoded"].bytes_list.value.append(encoded)


@dataclass(frozen=True)
class Phrasing:
    """One way to write a decoding, and an expert's tf.data of the same.

    Attributes:
      kind: the format of the files.
      queued: the tensors of one example, of TF1's module, a key and a record.
      parsed: the components of a batch, of a vector of records.
      keyed: whether the keys are in the batch, by hand as well.
      generate: makes the files in a folder; by default the benchmark's own of that format.
    """

    kind: str
    queued: Callable[[Any, Any, Any], list[Any]]
    parsed: Callable[[Any], Any]
    generate: Callable[[Path, int], list[str]] | None = None
    keyed: bool = False

    def files(self, folder: Path, count: int) -> list[str]:
        """Files of `count` records in all."""
        if self.generate:
            return self.generate(folder, count)
        return generate(folder.parent / "data", self.kind, count)

    def example(self, tf: Any, names: Any) -> list[Any]:
        """The tensors of one example, read from the files that a queue names."""
        return self.queued(tf, *_reader(tf, self.kind).read(names))

    def dataset(self, name: Any) -> Any:
        """The records of one file."""
        data = _tf().data
        if self.kind == "fixed":
            return data.FixedLengthRecordDataset(name, RECORD_BYTES)
        return (data.TextLineDataset if self.kind == "csv" else data.TFRecordDataset)(name)

    def pipeline(self) -> Pipeline:
        """What is measured of it."""
        return Pipeline(128, 1_000, self._generated, self._queue_input, self._by_hand)

    def _generated(self, folder: Path) -> list[str]:
        return self.files(folder, RECORDS[self.kind])

    def _queue_input(self, tf: Any, files: list[str], of: Pipeline) -> Any:
        tensors = self.example(tf, tf.train.string_input_producer(files, shuffle=True))
        return tf.train.shuffle_batch(
            tensors, of.batch, of.pool + 3 * of.batch, of.pool, num_threads=4
        )

    def _by_hand(self, files: list[str], of: Pipeline) -> Any:
        names = _tf().data.Dataset.from_tensor_slices(files).shuffle(len(files)).repeat()
        records = names.flat_map(self.records)
        batches = records.shuffle(of.pool + of.batch).batch(of.batch, drop_remainder=True)
        auto = _tf().data.AUTOTUNE
        return batches.map(self.batch, num_parallel_calls=auto).prefetch(auto)

    def records(self, name: Any) -> Any:
        """The records of one file; beside the file's name and what its reader counts, if keyed."""
        tf = _tf()
        if not self.keyed:
            return self.dataset(name)
        if self.kind != "tfrecord":
            counted = self.dataset(name).enumerate(1 if self.kind == "csv" else 0)
            return counted.map(lambda number, record: (name, number, record))

        def offsets(at: Any, records: Any) -> Any:  # of records in frames of 16 bytes
            ends = at + tf.cumsum(tf.cast(tf.strings.length(records), tf.int64) + 16)
            starts = tf.concat([[at], ends[:-1]], 0)
            return ends[-1], (tf.fill([tf.size(records)], name), starts, records)

        chunks = self.dataset(name).batch(1024)  # one by one a scan takes ten times as long
        return chunks.scan(tf.constant(0, tf.int64), offsets).unbatch()

    def batch(self, *of: Any) -> Any:
        """The components of a batch, of one of `records`."""
        if not self.keyed:
            return self.parsed(*of)
        names, numbers, records = of
        keys = _tf().strings.join([names, _tf().strings.as_string(numbers)], ":")
        return keys, *self.parsed(records)


def _reader(tf: Any, kind: str) -> Any:
    if kind == "fixed":
        return tf.FixedLengthRecordReader(RECORD_BYTES)
    return tf.TextLineReader() if kind == "csv" else tf.TFRecordReader()


PHRASINGS = {
    "csv/stack": Phrasing("csv", csv_stack, csv_stack_by_hand),
    "csv/columns": Phrasing("csv", csv_columns, csv_columns_by_hand),
    "csv/one-hot": Phrasing("csv", csv_one_hot, csv_one_hot_by_hand),
    "csv/strings": Phrasing("csv", csv_strings, csv_strings_by_hand),
    "csv/rows": Phrasing("csv", csv_rows, csv_rows_by_hand),
    "csv/split": Phrasing("csv", csv_numbers, csv_numbers_by_hand),
    "csv/keys": Phrasing("csv", csv_keys, csv_stack_by_hand, keyed=True),
    "tfrecord/product": Phrasing("tfrecord", record_product, record_product_by_hand),
    "tfrecord/set_shape": Phrasing("tfrecord", record_set_shape, record_set_shape_by_hand),
    "tfrecord/division": Phrasing("tfrecord", record_division, record_division_by_hand),
    "tfrecord/bytes": Phrasing("tfrecord", record_bytes, record_bytes_by_hand),
    "tfrecord/forty": Phrasing("tfrecord", record_forty, record_forty_by_hand, _forty_files),
    "tfrecord/jpeg": Phrasing("tfrecord", record_jpeg, record_jpeg_by_hand, _jpeg_files),
    "tfrecord/keys": Phrasing("tfrecord", record_keys, record_product_by_hand, keyed=True),
    "fixed/reshape": Phrasing("fixed", fixed_reshape, fixed_product_by_hand),
    "fixed/strided_slice": Phrasing("fixed", fixed_strided, fixed_float_by_hand),
    "fixed/slice": Phrasing("fixed", fixed_slice, fixed_division_by_hand),
    "fixed/cast_first": Phrasing("fixed", fixed_cast_first, fixed_number_by_hand),
    "fixed/bytes": Phrasing("fixed", fixed_bytes, fixed_bytes_by_hand),
    "fixed/turned": Phrasing("fixed", fixed_turned, fixed_turned_by_hand),
    "fixed/keys": Phrasing("fixed", fixed_keys, fixed_product_by_hand, keyed=True),
}
PIPELINES = {name: phrasing.pipeline() for name, phrasing in PHRASINGS.items()}
