"""slim's data part: parallel readers, dataset providers, Example decoders, prefetch queues."""

from __future__ import annotations

from typing import Any

from pipelines.registry import lines, numbers, pipeline

LINES = ["data/lines-0.txt", "data/lines-1.txt"]
EXAMPLES = ["data/examples-0.tfrecord", "data/examples-1.tfrecord"]


def decoder(tf: Any, features: Any, **handlers: Any) -> Any:
    return tf.contrib.slim.tfexample_decoder.TFExampleDecoder(features, handlers)


def dataset(tf: Any, sources: Any, decoded: Any, size: int = 7, **options: Any) -> Any:
    return tf.contrib.slim.dataset.Dataset(
        sources, tf.TFRecordReader, decoded, size, {"label": "a class"}, **options
    )


def labels(tf: Any, sources: Any = None) -> Any:
    """A dataset of a label and two weights."""
    handlers = tf.contrib.slim.tfexample_decoder
    features = {
        "weights": tf.FixedLenFeature([2], tf.float32),
        "label": tf.FixedLenFeature([], tf.int64, default_value=tf.zeros([], dtype=tf.int64)),
    }
    decoded = decoder(
        tf, features, label=handlers.Tensor("label"), weights=handlers.Tensor("weights")
    )
    return dataset(tf, EXAMPLES if sources is None else sources, decoded, num_classes=3)


def provider(tf: Any, data: Any, **options: Any) -> Any:
    options.setdefault("num_epochs", 1)
    return tf.contrib.slim.dataset_data_provider.DatasetDataProvider(data, **options)


def in_order(tf: Any, data: Any) -> Any:
    return provider(tf, data, shuffle=False)


def prefetched(tf: Any, tensors: Any, **options: Any) -> Any:
    return tf.contrib.slim.prefetch_queue.prefetch_queue(tensors, **options).dequeue()


def small(tf: Any, **options: Any) -> Any:
    """Options of a shuffle that the few records of the golden files can fill."""
    return dict(common_queue_capacity=6, common_queue_min=2, **options)


@pipeline(steps=0)
def slim_parallel_read_by_default(tf: Any) -> Any:
    return tf.contrib.slim.parallel_reader.parallel_read("data/lines-?.txt", tf.TextLineReader)


@pipeline(order="steps")
def slim_parallel_read_shuffled(tf: Any) -> Any:
    return tf.contrib.slim.parallel_reader.parallel_read(
        LINES, tf.TextLineReader, 2, num_readers=2, capacity=7, min_after_dequeue=2, seed=5
    )


@pipeline()
def slim_parallel_read_in_order(tf: Any) -> Any:
    files = ["data/lines-0.txt", ("data/lines-1.txt", "data/header.cs?")]
    return tf.contrib.slim.parallel_reader.parallel_read(
        files,
        tf.TextLineReader,
        num_epochs=1,
        num_readers=1,
        reader_kwargs={"skip_header_lines": 1},
        shuffle=False,
        dtypes=[tf.string, tf.string],
        scope="tables",
    )


@pipeline(order="rows")
def slim_parallel_read_batched(tf: Any) -> Any:
    with tf.name_scope("input"):
        read = tf.contrib.slim.parallel_reader.parallel_read(
            LINES, tf.TextLineReader, 1, num_readers=3, capacity=9, min_after_dequeue=1
        )
        return tf.train.batch(list(read), 2, shapes=[(), ()], allow_smaller_final_batch=True)


@pipeline()
def slim_parallel_read_without_files(tf: Any) -> Any:
    return tf.contrib.slim.parallel_reader.parallel_read("data/no-*.txt", tf.TextLineReader)


@pipeline()
def slim_single_pass_read(tf: Any) -> Any:
    return tf.contrib.slim.parallel_reader.single_pass_read(LINES, tf.TextLineReader)


@pipeline()
def slim_single_pass_read_of_a_table(tf: Any) -> Any:
    key, value = tf.contrib.slim.parallel_reader.single_pass_read(
        "data/header.csv", tf.TextLineReader, {"skip_header_lines": 1}, scope="table"
    )
    return tf.train.batch([key, value], 2)


def parallel_reader(tf: Any, kind: Any, count: int, **queue: Any) -> Any:
    common = kind(dtypes=[tf.string, tf.string], shapes=[[], []], **queue)
    return tf.contrib.slim.parallel_reader.ParallelReader(tf.TextLineReader, common, count)


def line_files(tf: Any) -> Any:
    return tf.train.string_input_producer(LINES, num_epochs=1, shuffle=False)


@pipeline(order="rows")
def slim_parallel_reader_up_to(tf: Any) -> Any:
    reader = parallel_reader(tf, tf.FIFOQueue, 2, capacity=6)
    return reader.read_up_to(line_files(tf), 2, name="some")


@pipeline(steps=0)
def slim_parallel_reader_and_its_counts(tf: Any) -> Any:
    reader = parallel_reader(tf, tf.RandomShuffleQueue, 2, capacity=8, min_after_dequeue=1, seed=1)
    key, _ = reader.read(line_files(tf), name="one")
    counts = [
        reader.num_records_produced(),
        reader.num_records_produced("records"),
        reader.num_work_units_completed(),
        reader.num_work_units_completed(name="files"),
    ]
    return [key, *counts]


@pipeline()
def slim_parallel_reader_into_a_queue_of_numbers(tf: Any) -> Any:
    common = tf.FIFOQueue(4, [tf.string, tf.int32])
    return tf.contrib.slim.parallel_reader.ParallelReader(tf.TextLineReader, common)


@pipeline()
def slim_prefetch_of_batches(tf: Any) -> Any:
    key, value = lines(tf)
    return prefetched(tf, tf.train.batch([key, value, tf.string_to_hash_bucket(key, 5)], 2))


@pipeline()
def slim_prefetch_of_one_tensor(tf: Any) -> Any:
    return prefetched(tf, [tf.train.batch([numbers(tf)], 3)], capacity=2, name="ahead")


@pipeline()
def slim_prefetch_of_a_dict(tf: Any) -> Any:
    number = numbers(tf)
    batch = tf.train.batch({"z": number, "a": tf.stack([number, -number])}, 2)
    return prefetched(tf, batch)


@pipeline(order="steps")
def slim_prefetch_with_padding_by_two_threads(tf: Any) -> Any:
    number = numbers(tf, 6)
    batch = tf.train.batch([tf.range(number)], 2, dynamic_pad=True)
    return prefetched(tf, [batch], dynamic_pad=True, num_threads=2, capacity=3)


@pipeline()
def slim_prefetch_by_towers(tf: Any) -> Any:
    queue = tf.contrib.slim.prefetch_queue.prefetch_queue([tf.train.batch([numbers(tf, 8)], 2)])
    first = queue.dequeue(name="tower")
    with tf.control_dependencies([first]):
        return [first, queue.dequeue()]


@pipeline()
def slim_prefetch_of_unknown_shapes(tf: Any) -> Any:
    return prefetched(tf, [tf.placeholder(tf.int32, [None, 3])])


@pipeline()
def slim_provider_in_order(tf: Any) -> Any:
    weights, key, label = in_order(tf, labels(tf)).get(["weights", "record_key", "label"])
    key.set_shape([])
    return [weights, key, label]


@pipeline(order="rows")
def slim_provider_shuffled_and_prefetched(tf: Any) -> Any:
    data = provider(tf, labels(tf), **small(tf, num_readers=2, num_epochs=2, seed=3))
    label, weights = data.get(["label", "weights"])
    images, classes = tf.train.batch([weights / 255.0, label], 2, num_threads=2, capacity=10)
    return prefetched(tf, [images, tf.one_hot(classes, 3)], capacity=4)


@pipeline(order="rows")
def slim_provider_of_two_epochs_shuffled_again(tf: Any) -> Any:
    options = small(tf, num_readers=3, num_epochs=2, scope="train", record_key="key")
    key, label = provider(tf, labels(tf, "data/examples-?.tfrecord"), **options).get(
        ("key", "label")
    )
    key.set_shape([])
    return tf.train.shuffle_batch(
        {"key": key, "label": label}, 4, 12, 3, allow_smaller_final_batch=True
    )


@pipeline()
def slim_provider_of_an_item_named_as_the_key(tf: Any) -> Any:
    return provider(tf, labels(tf), record_key="label")


@pipeline()
def slim_provider_without_the_item(tf: Any) -> Any:
    return provider(tf, labels(tf)).get(["image"])


@pipeline()
def slim_provider_of_one_name(tf: Any) -> Any:
    return provider(tf, labels(tf)).get("label")


def photos(tf: Any, file: str, **options: Any) -> Any:
    handlers = tf.contrib.slim.tfexample_decoder
    features = {
        "image/encoded": tf.FixedLenFeature((), tf.string, default_value=""),
        "image/format": tf.FixedLenFeature((), tf.string, default_value="png"),
        "image/class/label": tf.FixedLenFeature([1], tf.int64),
    }
    decoded = decoder(
        tf,
        features,
        image=handlers.Image(**options),
        label=handlers.Tensor("image/class/label", shape=[]),
    )
    return dataset(tf, ["data/" + file], decoded)


@pipeline()
def slim_images_of_any_format(tf: Any) -> Any:
    data = photos(tf, "photos.tfrecord", channels=1)
    return tf.train.batch(in_order(tf, data).get(["image", "label"]), 2, dynamic_pad=True)


@pipeline()
def slim_images_of_one_shape(tf: Any) -> Any:
    data = photos(tf, "photos-of-one-shape.tfrecord", shape=[3, 4, 1], channels=1)
    image, label = in_order(tf, data).get(["image", "label"])
    return tf.train.batch([tf.to_float(image) / 255.0, label], 2)


@pipeline()
def slim_images_as_floats(tf: Any) -> Any:
    data = photos(
        tf, "photos.tfrecord", channels=3, dtype=tf.float32, dct_method="INTEGER_ACCURATE"
    )
    return in_order(tf, data).get(["image"])


@pipeline()
def slim_images_several_in_a_record(tf: Any) -> Any:
    handlers = tf.contrib.slim.tfexample_decoder
    features = {
        "frames": tf.FixedLenFeature([2], tf.string),
        "image/format": tf.FixedLenFeature((), tf.string),
    }
    decoded = decoder(
        tf, features, frames=handlers.Image("frames", channels=1, shape=[3, 4, 1], repeated=True)
    )
    data = dataset(tf, ["data/photos-of-one-shape.tfrecord"], decoded)
    return tf.train.batch(in_order(tf, data).get(["frames"]), 2)


@pipeline()
def slim_words_by_a_table_or_a_backup(tf: Any) -> Any:
    handlers = tf.contrib.slim.tfexample_decoder
    words = tf.lookup.KeyValueTensorInitializer(["tag1", "tag0"], tf.constant([7, 8], tf.int64))
    table = tf.lookup.StaticHashTable(words, -1)
    features = {"tags": tf.VarLenFeature(tf.string), "walk": tf.VarLenFeature(tf.int64)}
    tags = handlers.LookupTensor("tags", table)
    decoded = decoder(
        tf, features, tags=tags, either=handlers.BackupHandler(handlers.Tensor("walk"), tags)
    )
    return in_order(tf, dataset(tf, EXAMPLES, decoded)).get(["tags", "either"])


@pipeline()
def slim_boxes_and_callbacks(tf: Any) -> Any:
    handlers = tf.contrib.slim.tfexample_decoder
    features = {
        "walk": tf.VarLenFeature(tf.int64),
        "steps": tf.VarLenFeature(tf.float32),
        "label": tf.FixedLenFeature([1], tf.int64),
        "weights": tf.FixedLenFeature([2], tf.float32),
    }
    dense = handlers.SparseTensor("walk", "steps", shape=(10,), densify=True, default_value=-1.0)
    decoded = decoder(
        tf,
        features,
        dense=dense,
        boxes=handlers.BoundingBox(["eps", "eps", "eps", "eps"], prefix="st"),
        fixed_boxes=handlers.BoundingBox(["weights"] * 4),
        first=handlers.ItemHandlerCallback("weights", lambda found: found["weights"][0]),
        both=handlers.ItemHandlerCallback(
            ["weights", "label"], lambda found: found["weights"] * tf.to_float(found["label"])
        ),
    )
    items = ["dense", "boxes", "fixed_boxes", "first", "both"]
    return in_order(tf, dataset(tf, EXAMPLES, decoded)).get(items)


@pipeline()
def slim_sparse_items(tf: Any) -> Any:
    handlers = tf.contrib.slim.tfexample_decoder
    features = {
        "walk": tf.VarLenFeature(tf.int64),
        "steps": tf.VarLenFeature(tf.float32),
        "size": tf.FixedLenFeature([1], tf.int64, default_value=[9]),
    }
    decoded = decoder(
        tf,
        features,
        by_shape=handlers.SparseTensor("walk", "steps", shape=[10]),
        by_key=handlers.SparseTensor("walk", "steps", shape_key="size"),
    )
    return in_order(tf, dataset(tf, EXAMPLES, decoded)).get(["by_shape", "by_key"])


@pipeline()
def slim_tensors_of_given_shapes(tf: Any) -> Any:
    handlers = tf.contrib.slim.tfexample_decoder
    features = {
        "weights": tf.VarLenFeature(tf.float32),
        "label": tf.VarLenFeature(tf.int64),
        "height": tf.FixedLenFeature([], tf.int64, default_value=2),
        "width": tf.FixedLenFeature([], tf.int64, default_value=1),
        "size": tf.FixedLenFeature([2], tf.int64, default_value=[1, 2]),
    }
    _, value = tf.contrib.slim.parallel_reader.single_pass_read(EXAMPLES, tf.TFRecordReader)
    decoded = decoder(
        tf,
        features,
        row=handlers.Tensor("weights", shape=(1, 2)),
        column=handlers.Tensor("weights", shape_keys=["height", "width"]),
        by_key=handlers.Tensor("weights", "size"),
        label=handlers.Tensor("label", default_value=9),
    )
    return decoded.decode(value)


@pipeline()
def slim_tensor_of_two_shapes(tf: Any) -> Any:
    return tf.contrib.slim.tfexample_decoder.Tensor("a", shape_keys="b", shape=[1])


@pipeline()
def slim_boxes_of_three_sides(tf: Any) -> Any:
    return tf.contrib.slim.tfexample_decoder.BoundingBox(["a", "b", "c"])


@pipeline()
def slim_backup_of_no_handler(tf: Any) -> Any:
    handlers = tf.contrib.slim.tfexample_decoder
    return handlers.BackupHandler(handlers.Tensor("a"), "b")
