"""Input that TensorFlow drops in silence is reported, with files and bytes; whole files are not.

`delivered` runs the real reader, so that each loss stands beside what was really read.
"""

from __future__ import annotations

import gzip
import warnings
import zlib
from pathlib import Path

import pytest
import tensorflow as tf

from queueio.errors import DataLossWarning
from queueio.forensics import audit, audit_graph, report

v1 = tf.compat.v1
GZIP = v1.io.TFRecordOptions(v1.io.TFRecordCompressionType.GZIP)
WHOLE = b"H" * 4 + b"r" * 30 + b"F" * 2


def fixed(**options):
    return lambda: v1.FixedLengthRecordReader(10, header_bytes=4, footer_bytes=2, **options)


def delivered(reader, files):
    """The keys that a reader really delivers, and the losses that audit reports."""
    with tf.Graph().as_default(), v1.Session() as session:
        queue = v1.train.string_input_producer([str(f) for f in files], shuffle=False)
        made = reader()
        key, _ = made.read(queue)
        session.run("input_producer/input_producer_EnqueueMany")
        session.run(queue.close())
        keys = []
        with pytest.raises(tf.errors.OutOfRangeError):
            while True:
                keys.append(Path(session.run(key).decode()).name)
        return keys, audit(made.reader_ref.op, [str(f) for f in files])


def put(path: Path, data: bytes) -> Path:
    path.write_bytes(data)
    return path


@pytest.fixture
def whole(tmp_path):
    return put(tmp_path / "whole", WHOLE)


@pytest.mark.parametrize("options", [{}, {"hop_bytes": 5}, {"hop_bytes": 12}], ids=str)
def test_a_file_of_whole_records_loses_nothing(tmp_path, options):
    hop = options.get("hop_bytes", 10)
    data = put(tmp_path / "whole", b"H" * 4 + b"r" * (10 + 4 * hop) + b"F" * 2)
    keys, losses = delivered(fixed(**options), [data])
    assert len(keys) == 5
    assert losses == []


def test_a_file_shorter_than_its_header_drops_the_files_after_it(whole, tmp_path):
    short = put(tmp_path / "short", b"HHH")
    after = put(tmp_path / "after", WHOLE)
    keys, losses = delivered(fixed(), [whole, short, after])
    assert keys == ["whole:0", "whole:1", "whole:2"]  # nothing of "after"
    (loss,) = losses
    assert loss.file == str(short) and loss.ends_reading and loss.lost_bytes == 3
    assert "header of 4 bytes" in str(loss) and "files after it" in str(loss)


def test_an_empty_file_with_a_header_expected_drops_the_files_after_it_too(whole, tmp_path):
    keys, (loss,) = delivered(fixed(), [put(tmp_path / "empty", b""), whole])
    assert keys == []
    assert loss.ends_reading


def test_a_file_shorter_than_header_and_footer_is_lost_alone(whole, tmp_path):
    keys, (loss,) = delivered(fixed(), [put(tmp_path / "short", b"HHHHF"), whole])
    assert keys == ["whole:0", "whole:1", "whole:2"]
    assert loss.lost_bytes == 5 and not loss.ends_reading


def test_a_partial_last_record_is_counted_in_bytes(whole, tmp_path):
    partial = put(tmp_path / "partial", b"H" * 4 + b"r" * 25 + b"F" * 2)
    keys, (loss,) = delivered(fixed(), [partial, whole])
    assert keys[:2] == ["partial:0", "partial:1"] and len(keys) == 5
    assert (loss.file, loss.records, loss.lost_bytes, loss.size) == (str(partial), 2, 5, 31)


@pytest.mark.parametrize(("hop", "records", "lost"), [(7, 3, 6), (12, 2, 6), (9, 3, 2)])
def test_what_is_behind_the_last_hop_is_counted(tmp_path, hop, records, lost):
    keys, losses = delivered(fixed(hop_bytes=hop), [put(tmp_path / "whole", WHOLE)])
    assert len(keys) == records
    assert sum(loss.lost_bytes for loss in losses) == lost


@pytest.mark.parametrize(
    ("encoding", "pack"), [("GZIP", gzip.compress), ("ZLIB", zlib.compress)], ids=["gzip", "zlib"]
)
def test_compressed_files_are_counted_uncompressed(tmp_path, encoding, pack):
    partial = put(tmp_path / "partial", pack(b"H" * 4 + b"r" * 25 + b"F" * 2))
    keys, (loss,) = delivered(fixed(encoding=encoding), [partial])
    assert len(keys) == 2
    assert (loss.records, loss.lost_bytes, loss.size) == (2, 5, 31)


def test_a_gzip_stream_cut_short_is_reported(tmp_path):
    data = bytes(range(256)) * 40
    packed = gzip.compress(data, 0)
    cut = put(tmp_path / "cut", packed[:5000])
    keys, (loss,) = delivered(fixed(encoding="GZIP"), [cut])
    assert 0 < len(keys) == loss.records < 1000
    assert loss.lost_bytes is None and "cut short" in str(loss)


def test_gzip_data_read_as_records_is_reported_with_its_encoding(tmp_path):
    packed = put(tmp_path / "packed", gzip.compress(b"H" * 4 + bytes(range(250)) + b"F" * 2))
    _, (loss,) = delivered(fixed(), [packed])
    assert "encoding='GZIP'" in str(loss)


def tfrecord(path: Path, options=None) -> bytes:
    with v1.io.TFRecordWriter(str(path), options) as writer:
        for word in (b"one", b"twoo", b"three"):
            writer.write(word)
    return path.read_bytes()


@pytest.mark.parametrize(
    ("size", "records", "lost"), [(5, 0, 5), (20, 1, 1), (30, 1, 11), (45, 2, 6)]
)
def test_a_tfrecord_cut_in_a_length_field_is_reported(tmp_path, size, records, lost):
    data = tfrecord(tmp_path / "whole")
    cut = put(tmp_path / "cut", data[:size])
    keys, (loss,) = delivered(v1.TFRecordReader, [cut, tmp_path / "whole"])
    assert len(keys) == records + 3
    assert (loss.file, loss.records, loss.lost_bytes) == (str(cut), records, lost)
    assert "12-byte length field" in str(loss)


@pytest.mark.parametrize("size", [0, 19, 39, 60])
def test_a_tfrecord_that_ends_between_records_is_whole(tmp_path, size):
    data = tfrecord(tmp_path / "whole")
    _, losses = delivered(v1.TFRecordReader, [put(tmp_path / "cut", data[:size])])
    assert losses == []


def test_a_gzip_tfrecord_cut_in_an_inner_length_field_is_reported(tmp_path):
    data = tfrecord(tmp_path / "plain")
    cut = put(tmp_path / "cut", gzip.compress(data[:25]))
    keys, (loss,) = delivered(lambda: v1.TFRecordReader(options=GZIP), [cut])
    assert keys == ["cut:0"]
    assert loss.lost_bytes == 6


def test_gzip_members_in_a_row_are_one_file(tmp_path):
    data = tfrecord(tmp_path / "plain")
    both = put(tmp_path / "both", gzip.compress(data) + gzip.compress(data))
    keys, losses = delivered(lambda: v1.TFRecordReader(options=GZIP), [both])
    assert len(keys) == 6
    assert losses == []


def test_strict_raises_and_otherwise_one_warning_names_every_file(tmp_path, whole):
    partial = put(tmp_path / "partial", WHOLE[:-3])
    with tf.Graph().as_default():
        queue = v1.train.string_input_producer([str(whole), str(partial)], num_epochs=2)
        _, value = fixed()().read(queue)
        batch = v1.train.batch([tf.io.decode_raw(value, tf.uint8)[:10]], 2, shapes=[[10]])
        with pytest.warns(DataLossWarning, match="7 bytes in 1 file") as caught:
            audit_graph(batch)
        assert len(caught) == 1 and str(partial) in str(caught[0].message)
        with pytest.raises(tf.errors.DataLossError, match="7 bytes in 1 file"):
            audit_graph(batch, strict=True)


def test_only_the_stage_that_reads_reports_not_the_stages_behind_it(tmp_path):
    partial = put(tmp_path / "partial", WHOLE[:-3])
    with tf.Graph().as_default():
        queue = v1.train.string_input_producer([str(partial)])
        _, value = fixed()().read(queue)
        first = v1.FIFOQueue(5, tf.string, [[]])
        enqueue = first.enqueue(value)
        second = v1.FIFOQueue(5, tf.string, [[]])
        second.enqueue(first.dequeue())
        for direct in (first, enqueue):
            with pytest.warns(DataLossWarning):
                audit_graph(direct)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            assert audit_graph(second) == audit_graph(queue) == []


def test_a_conditional_enqueue_of_tf2_does_not_hide_the_reader(tmp_path):
    partial = put(tmp_path / "partial", WHOLE[:-3])
    with tf.Graph().as_default():
        _, value = fixed()().read(v1.train.string_input_producer([str(partial)]))
        queue = v1.FIFOQueue(5, tf.string, [[]])
        keep = tf.strings.length(value) > 3
        tf.cond(keep, lambda: queue.enqueue(value), tf.no_op)
        with pytest.warns(DataLossWarning, match="partial"):
            audit_graph(queue)


def test_whole_files_and_other_readers_say_nothing(tmp_path):
    (tmp_path / "a.txt").write_text("no newline at the end")
    with tf.Graph().as_default(), warnings.catch_warnings():
        queue = v1.train.string_input_producer([str(tmp_path / "a.txt")])
        _, value = v1.TextLineReader().read(queue)
        warnings.simplefilter("error")
        assert audit_graph(value) == []
        report([])


@pytest.mark.skipif(not Path("/proc/version").exists(), reason="there is no /proc")
def test_files_whose_length_the_system_does_not_know_are_not_called_empty(tmp_path):
    (tmp_path / "empty").write_bytes(b"")
    for name, told in (("/proc/version", 0), (str(tmp_path / "empty"), 1)):
        with tf.Graph().as_default(), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            queue = v1.train.string_input_producer([name])
            _, value = v1.TextLineReader().read(queue)
            assert len(audit_graph(value)) == told


PIPELINE = """
import sys, warnings
import tensorflow.compat.v1 as tf
from queueio import io, settings, train
from queueio.errors import DataLossWarning
mode, alone = sys.argv[1], "alone" in sys.argv
warnings.simplefilter("error" if mode == "warnings are errors" else "always", DataLossWarning)
strict = settings.override(strict=mode == "strict")
with strict, tf.Graph().as_default(), tf.Session() as session:
    names = train.string_input_producer(["whole", "short", "after"], num_epochs=1, shuffle=False)
    _, value = io.FixedLengthRecordReader(10, header_bytes=4).read(names)
    first = train.batch([value], 1, num_threads=1 if alone else 2)
    second = train.batch([first], 1, enqueue_many=True)
    session.run(tf.local_variables_initializer())
    coordinator = None if alone else train.Coordinator()
    threads = train.start_queue_runners(session, coordinator)
    count = 0
    try:
        while True:
            session.run(second)
            count += 1
    except tf.errors.OpError as error:
        print(type(error).__name__, count, "because of", type(error.__cause__).__name__)
        print(error.message)
    if alone:
        for thread in threads:
            thread.join(20)
        print("alive:", [thread.name for thread in threads if thread.is_alive()])
        sys.exit()
    coordinator.request_stop()
    try:
        coordinator.join(threads)
    except (tf.errors.DataLossError, DataLossWarning) as error:
        print("join:", error)
"""


@pytest.mark.parametrize("strict", ["strict", "lenient"])
def test_a_run_warns_once_and_under_strict_ends_in_a_data_loss_error(run_python, tmp_path, strict):
    put(tmp_path / "whole", WHOLE)
    put(tmp_path / "short", b"HHH")
    put(tmp_path / "after", WHOLE)
    result = run_python(PIPELINE, strict)
    assert result.returncode == 0, result.stderr
    if strict == "strict":
        assert "join: input was lost in silence" in result.stdout
        assert "short: 3 of 3 bytes were not delivered" in result.stdout
        assert "DataLossWarning" not in result.stderr
    else:
        assert result.stdout.startswith("OutOfRangeError")
        assert "join" not in result.stdout
        assert result.stderr.count("short: 3 of 3 bytes were not delivered") == 1
        assert "program.py:11: DataLossWarning" in result.stderr  # the line that made the reader


def test_a_warning_turned_into_an_error_ends_the_run_as_strict_does(run_python, tmp_path):
    put(tmp_path / "whole", WHOLE)
    put(tmp_path / "short", b"HHH")
    put(tmp_path / "after", b"HHHH")
    result = run_python(PIPELINE, "warnings are errors")
    assert "because of DataLossWarning" in result.stdout, result.stderr
    assert "join: input was lost in silence" in result.stdout


@pytest.mark.parametrize(
    ("mode", "cause"),
    [("strict", "DataLossError"), ("warnings are errors", "DataLossWarning"), ("lenient", None)],
)
def test_without_a_coordinator_a_loss_ends_every_stage_and_nobody_waits(
    run_python, tmp_path, mode, cause
):
    put(tmp_path / "whole", WHOLE)
    put(tmp_path / "short", b"HHH")
    put(tmp_path / "after", b"HHHH")
    result = run_python(PIPELINE, mode, "alone", timeout=40)
    first, *told = result.stdout.splitlines()
    assert first == f"OutOfRangeError 3 because of {cause or 'NoneType'}", result.stderr
    assert told[-1] == "alive: []"
    assert ("short: 3 of 3 bytes were not delivered" in result.stdout) == (cause is not None)
