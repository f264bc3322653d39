"""Whole input functions as tutorials and models of 2016 wrote them."""

from __future__ import annotations

from typing import Any

from pipelines.registry import pipeline


@pipeline(order="rows")
def program_images_of_fixed_length_records(tf: Any) -> Any:
    """A label byte and a 2 x 2 image of 2 channels, depth first, as in CIFAR-10."""
    queue = tf.train.string_input_producer(["data/cifar.bin"], num_epochs=2)
    _, value = tf.FixedLengthRecordReader(record_bytes=9).read(queue)
    record = tf.decode_raw(value, tf.uint8)
    label = tf.cast(tf.strided_slice(record, [0], [1]), tf.int32)
    depth_major = tf.reshape(tf.strided_slice(record, [1], [9]), [2, 2, 2])
    image = tf.cast(tf.transpose(depth_major, [1, 2, 0]), tf.float32)
    label.set_shape([1])
    images, labels = tf.train.shuffle_batch(
        [image / 256.0, label], batch_size=5, num_threads=2, capacity=40, min_after_dequeue=6
    )
    return images, tf.reshape(labels, [5])


@pipeline(order="rows")
def program_csv_to_shuffle_batch(tf: Any) -> Any:
    queue = tf.train.string_input_producer(["data/flowers-0.csv", "data/flowers-1.csv"], 2)
    reader = tf.TextLineReader(skip_header_lines=1)
    _, line = reader.read(queue)
    width, height, kind = tf.decode_csv(line, record_defaults=[[0.0], [0.0], [""]])
    features = tf.stack([width, height])
    label = tf.cast(tf.equal(kind, "rose"), tf.int64)
    return tf.train.shuffle_batch(
        {"features": features, "label": label}, batch_size=6, capacity=20, min_after_dequeue=5
    )


@pipeline()
def program_padded_sequences(tf: Any) -> Any:
    queue = tf.train.string_input_producer(["data/sequences.tfrecord"], 2, shuffle=False)
    _, record = tf.TFRecordReader().read(queue)
    context, sequence = tf.parse_single_sequence_example(
        record,
        context_features={"length": tf.FixedLenFeature([], dtype=tf.int64)},
        sequence_features={"tokens": tf.FixedLenSequenceFeature([], dtype=tf.int64)},
    )
    return tf.train.batch(
        [context["length"], sequence["tokens"]],
        batch_size=2,
        dynamic_pad=True,
        allow_smaller_final_batch=True,
    )


@pipeline()
def program_word_ids_from_a_vocabulary(tf: Any) -> Any:
    queue = tf.train.string_input_producer(["data/words.txt"], num_epochs=2, shuffle=False)
    _, word = tf.TextLineReader().read(queue)
    words = tf.lookup.TextFileInitializer(
        "data/vocabulary.txt",
        tf.string,
        tf.lookup.TextFileIndex.WHOLE_LINE,
        tf.int64,
        tf.lookup.TextFileIndex.LINE_NUMBER,
    )
    ids = tf.lookup.StaticHashTable(words, default_value=-1).lookup(word)
    return tf.train.batch({"id": ids, "word": word}, 3)


@pipeline()
def program_image_files_with_labels(tf: Any) -> Any:
    files = ["data/gradient.png", "data/gradient.png", "data/gradient.png"]
    name, label = tf.train.slice_input_producer([files, [4, 5, 6]], num_epochs=1, shuffle=False)
    image = tf.image.decode_png(tf.read_file(name), channels=1)
    image.set_shape([3, 4, 1])
    return tf.train.batch([tf.image.convert_image_dtype(image, tf.float32), label], 2)


@pipeline(order="rows")
def program_filtered_examples_with_tags(tf: Any) -> Any:
    """Two readers, a filter on the label, sparse tags: joined."""
    queue = tf.train.string_input_producer(
        ["data/examples-0.tfrecord", "data/examples-1.tfrecord"], num_epochs=2, shuffle=False
    )
    features = {
        "label": tf.FixedLenFeature([], tf.int64),
        "weights": tf.FixedLenFeature([2], tf.float32),
        "tags": tf.VarLenFeature(tf.string),
    }
    readers = [tf.TFRecordReader().read(queue) for _ in range(2)]
    examples = [tf.parse_single_example(read.value, features) for read in readers]
    keep = tf.placeholder_with_default(True, [])
    return tf.train.maybe_batch_join(examples, keep, 7)


@pipeline(order="rows")
def program_batches_parsed_at_once(tf: Any) -> Any:
    """Shuffle serialised examples, then parse a batch in one op."""
    queue = tf.train.string_input_producer(["data/examples-0.tfrecord"], num_epochs=2)
    _, records = tf.TFRecordReader().read_up_to(queue, 3)
    batch = tf.train.shuffle_batch([records], 4, 30, 3, enqueue_many=True)
    features = {
        "label": tf.FixedLenFeature([1], tf.int64),
        "weights": tf.FixedLenFeature([2], tf.float32),
    }
    return tf.parse_example(batch, features)
