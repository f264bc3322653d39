"""Decoders: from the bytes of a record to tensors."""

from __future__ import annotations

from typing import Any

from pipelines.registry import Script, lines, pipeline


def records(tf: Any, name: str) -> Any:
    queue = tf.train.string_input_producer(["data/" + name], num_epochs=1, shuffle=False)
    return tf.TFRecordReader().read(queue)[1]


def contents(tf: Any, name: str) -> Any:
    queue = tf.train.string_input_producer(["data/" + name], num_epochs=1, shuffle=False)
    return tf.WholeFileReader().read(queue)[1]


@pipeline()
def csv(tf: Any) -> Any:
    _, line = lines(tf, ["data/table.csv"])
    return tf.decode_csv(line, record_defaults=[[0.0], [7], ["none"]])


@pipeline()
def csv_with_options(tf: Any) -> Any:
    _, line = lines(tf, ["data/semicolon.csv"])
    defaults = [[-1.0], tf.constant([], tf.int64)]
    return tf.decode_csv(
        line, defaults, ";", use_quote_delim=False, na_value="NA", select_cols=[0, 2], name="cells"
    )


@pipeline()
def csv_of_a_batch(tf: Any) -> Any:
    _, line = lines(tf, ["data/table.csv"])
    batch = tf.train.batch([line], 2)
    a, b, c = tf.decode_csv(batch, [[0.0], [7], ["none"]])
    return {"a": a, "b": b, "c": c}


@pipeline()
def raw_bytes(tf: Any) -> Any:
    queue = tf.train.string_input_producer(["data/fixed.bin"], num_epochs=1, shuffle=False)
    _, record = tf.FixedLengthRecordReader(4).read(queue)
    little = tf.decode_raw(record, tf.int16)
    big = tf.decode_raw(record, tf.int16, little_endian=False)
    label = tf.cast(tf.slice(tf.decode_raw(record, tf.uint8), [0], [1]), tf.int32)
    image = tf.reshape(tf.decode_raw(record, tf.uint8), [2, 2])
    return {"little": little, "big": big, "label": label, "image": image}


@pipeline()
def single_example(tf: Any) -> Any:
    features = {
        "image": tf.FixedLenFeature([], tf.string),
        "label": tf.FixedLenFeature([], tf.int64),
        "weights": tf.FixedLenFeature([2], tf.float32),
        "absent": tf.FixedLenFeature([1], tf.int64, default_value=[-1]),
        "tags": tf.VarLenFeature(tf.string),
        "walk": tf.FixedLenSequenceFeature([], tf.int64, allow_missing=True),
    }
    return tf.parse_single_example(records(tf, "examples-0.tfrecord"), features)


@pipeline()
def single_example_with_sparse_feature(tf: Any) -> Any:
    sparse = tf.SparseFeature(index_key="walk", value_key="steps", dtype=tf.float32, size=20)
    example = records(tf, "examples-0.tfrecord")
    return tf.parse_single_example(example, {"sparse": sparse}, name="parsed")


@pipeline()
def examples_of_a_batch(tf: Any) -> Any:
    batch = tf.train.batch([records(tf, "examples-0.tfrecord")], 2)
    features = {
        "label": tf.FixedLenFeature([1], tf.int64),
        "tags": tf.VarLenFeature(tf.string),
    }
    return tf.parse_example(batch, features)


@pipeline()
def sequence_example(tf: Any) -> Any:
    context, sequence = tf.parse_single_sequence_example(
        records(tf, "sequences.tfrecord"),
        context_features={"length": tf.FixedLenFeature([], tf.int64)},
        sequence_features={
            "tokens": tf.FixedLenSequenceFeature([], tf.int64),
            "words": tf.VarLenFeature(tf.string),
        },
    )
    return {"length": context["length"], "tokens": sequence["tokens"], "words": sequence["words"]}


@pipeline()
def png(tf: Any) -> Any:
    image = tf.image.decode_png(contents(tf, "gradient.png"), channels=1)
    return tf.image.resize_image_with_crop_or_pad(image, 2, 4)


@pipeline()
def jpeg(tf: Any) -> Any:
    image = tf.image.decode_jpeg(contents(tf, "gray.jpg"), channels=3)
    image.set_shape([8, 8, 3])
    return tf.cast(image, tf.float32) / 255.0


@pipeline()
def image_of_any_kind(tf: Any) -> Any:
    queue = tf.train.string_input_producer(["data/gray.jpg", "data/gradient.png"], 1, False)
    image = tf.image.decode_image(tf.WholeFileReader().read(queue)[1])
    return tf.shape(image)


@pipeline()
def compressed_and_json(tf: Any) -> Any:
    text = tf.decode_compressed(contents(tf, "note.gz"), compression_type="GZIP")
    example = tf.decode_json_example(
        '{"features": {"feature": {"a": {"int64List": {"value": ["3"]}}}}}'
    )
    parsed = tf.parse_single_example(example, {"a": tf.FixedLenFeature([], tf.int64)})
    return Script([text, parsed])


@pipeline()
def text_to_numbers(tf: Any) -> Any:
    _, line = lines(tf, ["data/numbers.txt"])
    cells = tf.string_split([line], ",").values
    return {"floats": tf.string_to_number(cells), "raw": tf.substr(line, 0, 2)}
