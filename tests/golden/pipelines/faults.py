"""What goes wrong while the pipeline runs."""

from __future__ import annotations

from typing import Any

from pipelines.readers import files
from pipelines.registry import Script, lines, numbers, pipeline


@pipeline()
def fault_empty_string_tensor(tf: Any) -> Any:
    names = tf.placeholder_with_default(tf.constant([], tf.string), [None])
    return tf.train.string_input_producer(names, num_epochs=1).dequeue()


@pipeline()
def fault_glob_without_a_match(tf: Any) -> Any:
    found = tf.train.match_filenames_once("data/nothing-*.txt")
    return tf.train.string_input_producer(found, num_epochs=1).dequeue()


@pipeline(init=False)
def fault_uninitialised_epochs(tf: Any) -> Any:
    return tf.train.batch(lines(tf), 2)


@pipeline(init=False)
def fault_uninitialised_matched_files(tf: Any) -> Any:
    found = tf.train.match_filenames_once("data/lines-*.txt")
    return tf.train.string_input_producer(found).dequeue()


@pipeline()
def fault_missing_file(tf: Any) -> Any:
    return tf.train.batch(lines(tf, ["data/lines-0.txt", "data/absent.txt"]), 2)


@pipeline()
def fault_missing_file_then_on(tf: Any) -> Any:
    read = lines(tf, ["data/absent.txt", "data/lines-1.txt"])
    return Script([read, read, read, read])


@pipeline()
def fault_missing_whole_file(tf: Any) -> Any:
    read = tf.WholeFileReader().read(files(tf, "absent.txt", "whole-a.txt"))
    return Script([read, read, read])


@pipeline()
def fault_corrupt_record(tf: Any) -> Any:
    read = tf.TFRecordReader().read(files(tf, "corrupt.tfrecord", "examples-0.tfrecord"))
    return Script([read.key, read.key, read.key, read.key])


@pipeline()
def fault_corrupt_record_in_a_batch(tf: Any) -> Any:
    read = tf.TFRecordReader().read(files(tf, "corrupt.tfrecord"))
    return tf.train.batch([read.value], 1, capacity=1)


@pipeline()
def fault_truncated_record(tf: Any) -> Any:
    read = tf.TFRecordReader().read(files(tf, "truncated.tfrecord"))
    return Script([read.key, read.key, read.key, read.key])


@pipeline()
def fault_truncated_length(tf: Any) -> Any:
    read = tf.TFRecordReader().read(files(tf, "truncated-length.tfrecord", "examples-0.tfrecord"))
    return Script([read.key] * 5)


@pipeline()
def fault_wrong_compression(tf: Any) -> Any:
    read = tf.TFRecordReader().read(files(tf, "examples.tfrecord.gz"))
    return Script([read.key, read.key])


@pipeline()
def fault_not_compressed(tf: Any) -> Any:
    options = tf.python_io.TFRecordOptions(tf.python_io.TFRecordCompressionType.GZIP)
    return Script([tf.TFRecordReader(options=options).read(files(tf, "examples-0.tfrecord")).key])


@pipeline()
def fault_file_shorter_than_its_header(tf: Any) -> Any:
    reader = tf.FixedLengthRecordReader(3, header_bytes=100)
    return Script([reader.read(files(tf, "fixed.bin", "framed.bin"))] * 2)


@pipeline()
def fault_partial_last_record(tf: Any) -> Any:
    return tf.FixedLengthRecordReader(5).read(files(tf, "fixed.bin", "fixed.bin"))


@pipeline()
def fault_csv_with_a_missing_column(tf: Any) -> Any:
    _, line = lines(tf, ["data/bad-columns.csv"])
    row = tf.decode_csv(line, [[0.0], [0.0]])
    return Script([row, row, row])


@pipeline()
def fault_csv_with_a_bad_number(tf: Any) -> Any:
    _, line = lines(tf, ["data/bad-number.csv"])
    row = tf.decode_csv(line, [[0.0], [0.0]])
    return Script([row, row, row])


@pipeline()
def fault_csv_without_a_required_value(tf: Any) -> Any:
    row = tf.decode_csv(",2", [tf.constant([], tf.float32), [0]])
    return Script([row])


@pipeline()
def fault_bad_csv_in_a_batch(tf: Any) -> Any:
    _, line = lines(tf, ["data/bad-number.csv"])
    return tf.train.batch(tf.decode_csv(line, [[0.0], [0.0]]), 1, capacity=1)


@pipeline()
def fault_missing_feature(tf: Any) -> Any:
    _, record = tf.TFRecordReader().read(files(tf, "examples-0.tfrecord"))
    parsed = tf.parse_single_example(record, {"absent": tf.FixedLenFeature([], tf.int64)})
    return Script([parsed])


@pipeline()
def fault_feature_of_another_dtype(tf: Any) -> Any:
    _, record = tf.TFRecordReader().read(files(tf, "examples-0.tfrecord"))
    parsed = tf.parse_single_example(record, {"label": tf.FixedLenFeature([], tf.float32)})
    return Script([parsed])


@pipeline()
def fault_bad_image(tf: Any) -> Any:
    _, content = tf.WholeFileReader().read(files(tf, "whole-a.txt"))
    return Script([tf.image.decode_png(content)])


@pipeline()
def fault_raw_bytes_of_odd_length(tf: Any) -> Any:
    return Script([tf.decode_raw("abc", tf.int16)])


@pipeline()
def fault_slices_of_unequal_length(tf: Any) -> Any:
    slices = tf.train.slice_input_producer([[1, 2, 3], [1, 2]], num_epochs=1, shuffle=False)
    return Script([slices, slices, slices])


@pipeline()
def fault_in_python_code(tf: Any) -> Any:
    def explode(value: Any) -> Any:
        raise KeyError("no such label")

    label = tf.py_func(explode, [numbers(tf, 4)], tf.int32)
    label.set_shape([])
    return tf.train.batch([label], 2)


@pipeline()
def fault_unfed_placeholder(tf: Any) -> Any:
    return tf.train.batch([tf.placeholder(tf.int32, [], name="unfed")], 2)


@pipeline()
def fault_upstream_of_a_join(tf: Any) -> Any:
    good, bad = numbers(tf, 4), numbers(tf, 4)
    with tf.control_dependencies([tf.Assert(bad < 0, ["negative only"])]):
        bad = tf.identity(bad)
    return tf.train.batch_join([[bad], [bad + good]], 100, capacity=200)


@pipeline()
def fault_shape_at_run_time(tf: Any) -> Any:
    n = numbers(tf, 4)
    vector = tf.placeholder_with_default(tf.range(n), None)
    return tf.train.batch([vector], 2, shapes=[[2]])


@pipeline()
def fault_unequal_rows_with_enqueue_many(tf: Any) -> Any:
    n = numbers(tf, 4)
    return tf.train.batch([tf.range(3), tf.fill([n], n)], 2, enqueue_many=True)


@pipeline(start=False)
def fault_capacity_below_the_minimum_of_a_join(tf: Any) -> Any:
    return Script([tf.train.shuffle_batch_join([[numbers(tf)]], 2, 3, min_after_dequeue=4)])


@pipeline()
def fault_dequeue_many_without_shapes(tf: Any) -> Any:
    return tf.FIFOQueue(5, [tf.int32]).dequeue_many(2)


@pipeline()
def enqueue_of_another_length_is_cut(tf: Any) -> Any:
    queue = tf.FIFOQueue(5, [tf.int32], [[]])
    return Script([queue.enqueue([1, 2]), queue.dequeue(), queue.size()])
