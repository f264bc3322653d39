"""Readers: records of files, with their keys."""

from __future__ import annotations

from typing import Any

from pipelines.registry import Script, lines, pipeline


def files(tf: Any, *names: str, **options: Any) -> Any:
    paths: list[str] = ["data/" + name for name in names]
    options.setdefault("num_epochs", 1)
    return tf.train.string_input_producer(paths, shuffle=False, **options)


@pipeline()
def text_lines(tf: Any) -> Any:
    return lines(tf, epochs=2)


@pipeline()
def text_lines_after_a_header(tf: Any) -> Any:
    return lines(tf, ["data/header.csv", "data/lines-1.txt"], skip_header_lines=1, name="table")


@pipeline()
def text_lines_with_an_empty_file(tf: Any) -> Any:
    return lines(tf, ["data/lines-1.txt", "data/empty.txt", "data/lines-0.txt"])


@pipeline()
def text_lines_of_windows(tf: Any) -> Any:
    return lines(tf, ["data/crlf.txt"])


@pipeline()
def text_lines_up_to(tf: Any) -> Any:
    queue = files(tf, "lines-0.txt", "lines-1.txt")
    return tf.TextLineReader().read_up_to(queue, 2, name="some")


@pipeline()
def tf_records(tf: Any) -> Any:
    return tf.TFRecordReader().read(files(tf, "examples-0.tfrecord", "examples-1.tfrecord"))


@pipeline()
def tf_records_gzip(tf: Any) -> Any:
    options = tf.python_io.TFRecordOptions(tf.python_io.TFRecordCompressionType.GZIP)
    return tf.TFRecordReader(options=options).read(files(tf, "examples.tfrecord.gz"))


@pipeline()
def tf_records_zlib(tf: Any) -> Any:
    options = tf.python_io.TFRecordOptions(tf.python_io.TFRecordCompressionType.ZLIB)
    return tf.TFRecordReader("zlib", options).read(files(tf, "examples.tfrecord.zlib"))


@pipeline()
def tf_records_up_to(tf: Any) -> Any:
    queue = files(tf, "examples-0.tfrecord", "examples-1.tfrecord")
    return tf.TFRecordReader().read_up_to(queue, 3)


@pipeline()
def fixed_length(tf: Any) -> Any:
    return tf.FixedLengthRecordReader(record_bytes=3).read(files(tf, "fixed.bin", num_epochs=2))


@pipeline()
def fixed_length_between_header_and_footer(tf: Any) -> Any:
    reader = tf.FixedLengthRecordReader(3, header_bytes=4, footer_bytes=2, name="framed")
    return reader.read(files(tf, "framed.bin", "framed.bin"))


@pipeline()
def fixed_length_with_a_hop(tf: Any) -> Any:
    return tf.FixedLengthRecordReader(4, hop_bytes=2).read(files(tf, "fixed.bin"))


@pipeline()
def fixed_length_gzip(tf: Any) -> Any:
    return tf.FixedLengthRecordReader(3, encoding="GZIP").read(files(tf, "fixed.bin.gz"))


@pipeline()
def fixed_length_zlib(tf: Any) -> Any:
    return tf.FixedLengthRecordReader(3, encoding="ZLIB").read(files(tf, "fixed.bin.zlib"))


@pipeline()
def fixed_length_up_to(tf: Any) -> Any:
    return tf.FixedLengthRecordReader(3).read_up_to(files(tf, "fixed.bin", "fixed.bin"), 2)


@pipeline()
def whole_files(tf: Any) -> Any:
    return tf.WholeFileReader().read(files(tf, "whole-a.txt", "whole-b.txt"))


@pipeline()
def whole_files_up_to(tf: Any) -> Any:
    return tf.WholeFileReader().read_up_to(files(tf, "whole-a.txt", "whole-b.txt"), 5)


@pipeline()
def identity(tf: Any) -> Any:
    queue = tf.train.string_input_producer(["work", "unit"], num_epochs=2, shuffle=False)
    return tf.IdentityReader().read(queue)


@pipeline()
def identity_up_to(tf: Any) -> Any:
    queue = tf.train.string_input_producer(["a", "b", "c"], num_epochs=1, shuffle=False)
    return tf.IdentityReader("units").read_up_to(queue, 2)


@pipeline()
def reader_counters(tf: Any) -> Any:
    reader = tf.TextLineReader()
    read = reader.read(files(tf, "lines-0.txt", "lines-1.txt"))
    counts = [reader.num_records_produced(), reader.num_work_units_completed("units")]
    return Script([counts, read, counts, read, read, read, counts, read, read, counts])


@pipeline()
def reader_reset(tf: Any) -> Any:
    reader = tf.TextLineReader()
    read = reader.read(files(tf, "lines-0.txt", "lines-1.txt"))
    counts = [reader.num_records_produced(), reader.num_work_units_completed()]
    return Script([read, read, reader.reset(), counts, read, counts])


@pipeline()
def reader_state_of_identity(tf: Any) -> Any:
    queue = tf.train.string_input_producer(["a", "b"], num_epochs=1, shuffle=False)
    reader = tf.IdentityReader()
    read = reader.read(queue)
    state = tf.get_variable("state", initializer="", dtype=tf.string)
    save = tf.assign(state, reader.serialize_state()).op
    restore = reader.restore_state(state)
    produced = reader.num_records_produced()
    return Script([read, save, read, produced, restore, produced, read])


@pipeline()
def reader_state_of_text_lines(tf: Any) -> Any:
    reader = tf.TextLineReader()
    return Script([reader.serialize_state(), reader.restore_state("")])


@pipeline()
def reader_attributes(tf: Any) -> Any:
    tf.add_to_collection("readers", tf.WholeFileReader().reader_ref)
    same = [r.supports_serialize for r in (tf.IdentityReader(), tf.TextLineReader())]
    return Script([tf.constant(same)])


@pipeline()
def two_reads_of_one_reader(tf: Any) -> Any:
    reader, queue = tf.TextLineReader(), files(tf, "lines-0.txt")
    first, second = reader.read(queue, name="first"), reader.read(queue, name="second")
    return Script([first, second, first, second])


@pipeline()
def reader_of_a_shuffle_queue(tf: Any) -> Any:
    queue = tf.RandomShuffleQueue(8, 0, [tf.string], [[]], seed=1)
    fill = queue.enqueue_many([["data/lines-1.txt"]])
    tf.train.add_queue_runner(tf.train.QueueRunner(queue, [fill]))
    key, value = tf.TextLineReader().read(queue)
    return Script([[key, value]] * 4)
