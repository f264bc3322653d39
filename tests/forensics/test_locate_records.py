"""Damaged, misread or unparsable records are named by file and place, with the cause."""

from __future__ import annotations

import gzip
import zlib
from pathlib import Path

import pytest
import tensorflow as tf

from queueio.forensics import locate
from queueio.forensics.location import Location
from tests.forensics.conftest import drive

v1 = tf.compat.v1
GZIP = v1.io.TFRecordOptions(v1.io.TFRecordCompressionType.GZIP)
ZLIB = v1.io.TFRecordOptions(v1.io.TFRecordCompressionType.ZLIB)
WORDS = (b"one", b"twoo", b"three")  # records start at bytes 0, 19 and 39; the file has 60


def write(path: Path, values=WORDS, options=None) -> Path:
    with v1.io.TFRecordWriter(str(path), options) as writer:
        for value in values:
            writer.write(value)
    return path


def flipped(path: Path, source: Path, at: int) -> Path:
    data = bytearray(source.read_bytes())
    data[at] ^= 0xFF
    path.write_bytes(data)
    return path


@pytest.fixture
def good(tmp_path):
    return write(tmp_path / "good.tfrecord")


def test_damaged_data_is_found_in_the_right_one_of_several_files(fail, good, tmp_path):
    bad = flipped(tmp_path / "bad.tfrecord", good, 32)
    found = fail(v1.TFRecordReader, [good, bad, good])
    assert found.location.key == f"{bad}:19"
    for fact in ("4 bytes of data", "record 1", "checksum", "length field is sound", "byte 39"):
        assert fact in found.text
    assert "the record before it is sound" in found.text


def test_a_damaged_length_field_is_told_from_damaged_data(fail, good, tmp_path):
    bad = flipped(tmp_path / "bad.tfrecord", good, 20)
    found = fail(v1.TFRecordReader, [good, bad])
    assert found.location.key == f"{bad}:19"
    assert "the length field of record 1" in found.text


def test_a_file_cut_within_a_record_says_how_much_is_there(fail, good, tmp_path):
    bad = tmp_path / "bad.tfrecord"
    bad.write_bytes(good.read_bytes()[:53])
    found = fail(v1.TFRecordReader, [good, bad])
    assert found.location.key == f"{bad}:39"
    assert "ends within record 2" in found.text and "2 of 9 bytes" in found.text


@pytest.mark.parametrize(
    ("options", "name"), [(GZIP, "GZIP"), (ZLIB, "ZLIB")], ids=["gzip", "zlib"]
)
def test_a_compressed_file_read_without_compression_gets_its_options_line(
    fail, good, tmp_path, options, name
):
    bad = write(tmp_path / "bad.tfrecord", options=options)
    found = fail(v1.TFRecordReader, [good, bad])
    assert found.location.file == str(bad)
    assert f"{name.lower()} data" in found.text and f"TFRecordCompressionType.{name}" in found.text


def test_a_plain_file_read_as_gzip_is_told_to_drop_the_option(fail, good, tmp_path):
    packed = write(tmp_path / "packed.gz", options=GZIP)
    found = fail(lambda: v1.TFRecordReader(options=GZIP), [packed, good])
    assert found.location.file == str(good)
    assert "compression GZIP" in found.text and "tf.TFRecordReader()" in found.text


def test_damage_inside_a_gzip_file_is_located_by_its_uncompressed_offset(fail, good, tmp_path):
    bad = tmp_path / "bad.gz"
    bad.write_bytes(gzip.compress(flipped(tmp_path / "x", good, 32).read_bytes()))
    found = fail(lambda: v1.TFRecordReader(options=GZIP), [bad])
    assert found.location.key == f"{bad}:19"


@pytest.mark.parametrize(
    ("content", "looks"),
    [
        (b"length,width\n1,2\n3,4\n", "CSV"),
        (b"\x89PNG\r\n\x1a\n" + bytes(50), "PNG"),
        (b"<!DOCTYPE html><html><body>404</body></html>", "HTML"),
        (b'{"a": 1, "b": [1, 2, 3]}', "JSON"),
    ],
    ids=["csv", "png", "html", "json"],
)
def test_a_file_that_is_no_tfrecord_is_called_what_it_is(fail, good, tmp_path, content, looks):
    bad = tmp_path / "bad"
    bad.write_bytes(content)
    found = fail(v1.TFRecordReader, [good, bad])
    assert found.location.file == str(bad)
    assert "no TFRecord file" in found.text and looks in found.text


def test_fixed_length_data_that_is_not_compressed_gets_its_encoding_line(fail, tmp_path):
    packed, plain = tmp_path / "packed", tmp_path / "plain"
    packed.write_bytes(zlib.compress(b"x" * 20))
    plain.write_bytes(b"x" * 20)
    found = fail(lambda: v1.FixedLengthRecordReader(10, encoding="ZLIB"), [packed, plain])
    assert found.location.file == str(plain)
    assert "encoding=None" in found.text


def test_what_follows_a_gzip_stream_is_counted(fail, good, tmp_path):
    bad = tmp_path / "bad.gz"
    bad.write_bytes(gzip.compress(good.read_bytes()) + b"something")
    found = fail(lambda: v1.TFRecordReader(options=GZIP), [bad])
    assert found.location.file == str(bad)
    assert "9 bytes after the end of its gzip stream" in found.text


def test_a_damaged_gzip_stream_is_told_from_a_damaged_record(fail, good, tmp_path):
    packed = bytearray(gzip.compress(bytes(range(256)) * 40))
    packed[100:120] = bytes(20)
    bad = tmp_path / "bad.gz"
    bad.write_bytes(packed)
    reader = lambda: v1.FixedLengthRecordReader(10, encoding="GZIP")  # noqa: E731
    found = fail(reader, [bad])
    assert found.location.file == str(bad)
    assert "gzip stream is damaged" in found.text


def test_raw_bytes_of_the_wrong_length_are_found(fail, tmp_path):
    good, bad = write(tmp_path / "a", [b"12345678"]), write(tmp_path / "b", [b"1234", b"12345"])
    found = fail(v1.TFRecordReader, [good, bad], lambda v: tf.io.decode_raw(v, tf.int32))
    assert found.location.key == f"{bad}:20"
    assert "5 bytes" in found.text and "int32" in found.text and "4 bytes each" in found.text


def test_a_record_that_does_not_reshape_is_found_and_the_users_line_named(fail, tmp_path):
    bad = write(tmp_path / "b", [b"123456", b"1234"])
    reshape = lambda v: tf.reshape(tf.io.decode_raw(v, tf.uint8), [2, 3])  # noqa: E731
    found = fail(v1.TFRecordReader, [bad], reshape)
    assert found.location.key == f"{bad}:22"
    for fact in ("Reshape", "test_locate_records.py", "4 bytes", "4 values"):
        assert fact in found.text


def test_a_shape_that_no_record_has_is_not_blamed_on_the_records(fail, tmp_path):
    alike = write(tmp_path / "a", [b"1234", b"5678"])
    reshape = lambda v: tf.reshape(tf.io.decode_raw(v, tf.uint8), [2, 3])  # noqa: E731
    text = fail(v1.TFRecordReader, [alike], reshape).text
    assert "check the shape that is asked for" in text and "one size" not in text
    uneven = write(tmp_path / "b", [b"123456", b"1234", b"1234"])
    assert "one size" in fail(v1.TFRecordReader, [uneven], reshape).text


@pytest.mark.parametrize(
    ("size", "record_bytes", "dtype", "words", "wrong"),
    [
        (300, 100, tf.float64, "3 whole records of record_bytes=100: check the dtype", "such as"),
        (288, 100, tf.float64, "true record size, such as 96", "check the dtype"),
        (301, 100, tf.float64, "header_bytes and footer_bytes, and the dtype", "such as"),
    ],
)
def test_another_record_size_is_advised_only_where_it_fits_the_file(
    fail, tmp_path, size, record_bytes, dtype, words, wrong
):
    (tmp_path / "data.bin").write_bytes(bytes(size))
    reader = lambda: v1.FixedLengthRecordReader(record_bytes=record_bytes)  # noqa: E731
    text = fail(reader, [tmp_path / "data.bin"], lambda v: tf.io.decode_raw(v, dtype)).text
    assert words in text and wrong not in text


def example(**features) -> bytes:
    message = tf.train.Example()
    for name, value in features.items():
        feature = message.features.feature[name]
        if isinstance(value, bytes):
            feature.bytes_list.value.append(value)
        elif isinstance(value, int):
            feature.int64_list.value.append(value)
        else:
            feature.float_list.value.extend(value)
    return message.SerializeToString()


def parsing(**features):
    return lambda value: v1.parse_single_example(value, features)


SCALAR = tf.io.FixedLenFeature([], tf.int64)


def test_a_missing_feature_lists_what_the_record_does_hold(fail, tmp_path):
    bad = write(tmp_path / "b", [example(label=1, x=[1.0]), example(labels=1, x=[1.0, 2.0])])
    found = fail(v1.TFRecordReader, [bad], parsing(label=SCALAR))
    assert found.location.record == 12 + len(example(label=1, x=[1.0])) + 4
    assert "'label' is missing" in found.text
    assert "labels: tf.int64[1]" in found.text and "x: tf.float32[2]" in found.text
    assert "nearest name in the record is 'labels'" in found.text


def test_a_feature_of_another_dtype_is_told_its_dtype(fail, tmp_path):
    bad = write(tmp_path / "b", [example(label=b"cat")])
    found = fail(v1.TFRecordReader, [bad], parsing(label=SCALAR))
    assert "'label' is tf.string" in found.text and "Ask for tf.string" in found.text


def test_a_feature_of_another_length_is_told_its_length(fail, tmp_path):
    bad = write(tmp_path / "b", [example(x=[1.0, 2.0]), example(x=[1.0, 2.0, 3.0])])
    found = fail(v1.TFRecordReader, [bad], parsing(x=tf.io.FixedLenFeature([2], tf.float32)))
    assert "'x' has another length" in found.text and "x: tf.float32[3]" in found.text
    assert "VarLenFeature(tf.float32)" in found.text


def test_a_record_that_is_no_example_is_called_what_it_is(fail, tmp_path):
    bad = write(tmp_path / "b", [example(label=1), b"a,line,of,csv"])
    found = fail(v1.TFRecordReader, [bad], parsing(label=SCALAR))
    assert "not a serialized Example" in found.text and "a,line,of,csv" in found.text
    assert "SerializeToString" in found.text


def test_a_sequence_examples_missing_list_is_named(fail, tmp_path):
    message = tf.train.SequenceExample()
    message.feature_lists.feature_list["words"].feature.add().int64_list.value.append(3)
    bad = write(tmp_path / "b", [message.SerializeToString()])
    lists = {"word": tf.io.FixedLenSequenceFeature([], tf.int64)}

    def parse(value):
        return v1.parse_single_sequence_example(value, None, lists)[1]

    found = fail(v1.TFRecordReader, [bad], parse)
    assert "'word' is missing" in found.text and "words: a list of 1 step" in found.text


def images(folder: Path) -> dict[str, bytes]:
    pixels = tf.random.uniform((32, 32, 3), 0, 255, tf.int32, seed=1)
    pixels = tf.cast(pixels, tf.uint8)
    jpeg, png = tf.io.encode_jpeg(pixels).numpy(), tf.io.encode_png(pixels).numpy()
    return {"good.jpg": jpeg, "cut.jpg": jpeg[:500], "cut.png": png[:500], "whole.png": png}


@pytest.mark.parametrize(
    ("name", "content", "facts"),
    [
        ("page.jpg", b"<!DOCTYPE html><html>404", ("an HTML page", "fetch the file again")),
        ("empty.jpg", b"", ("empty (0 bytes)",)),
        ("cut.jpg", None, ("a JPEG image cut short", "500 bytes", "end marker")),
        ("cut.png", None, ("a PNG image cut short", "IEND")),
        ("notes.jpg", b"some notes on the images", ("text, not an image", "'some notes")),
    ],
)
def test_the_image_that_does_not_decode_is_named(fail, tmp_path, name, content, facts):
    made = images(tmp_path)
    good, bad = tmp_path / "good.jpg", tmp_path / name
    good.write_bytes(made["good.jpg"])
    bad.write_bytes(made[name] if content is None else content)
    found = fail(v1.WholeFileReader, [good, bad, good], lambda v: tf.io.decode_jpeg(v))
    assert found.location.key == str(bad)
    for fact in facts:
        assert fact in found.text


def test_an_image_of_another_size_is_found_at_the_batch_queue(tmp_path):
    made = images(tmp_path)
    (tmp_path / "a.png").write_bytes(made["whole.png"])
    small = tf.io.encode_png(tf.zeros((8, 8, 3), tf.uint8)).numpy()
    (tmp_path / "b.png").write_bytes(small)
    with tf.Graph().as_default(), v1.Session() as session:
        names = [str(tmp_path / "a.png"), str(tmp_path / "b.png")]
        queue = v1.train.string_input_producer(names, shuffle=False)
        _, value = v1.WholeFileReader().read(queue)
        batch = v1.FIFOQueue(10, tf.uint8, [[32, 32, 3]], name="images")
        pixels = tf.io.decode_png(value, channels=3)
        enqueue = batch.enqueue([tf.ensure_shape(pixels, [None, None, 3])])
        session.run("input_producer/input_producer_EnqueueMany")
        session.run(enqueue)
        with pytest.raises(tf.errors.InvalidArgumentError) as caught:
            session.run(enqueue)
        found = locate(caught.value, enqueue, session)
        assert session.run(batch.size()) == 1  # nothing was put in by looking
    assert found.file == str(tmp_path / "b.png")
    assert "(8, 8, 3)" in str(found) and "(32, 32, 3)" in str(found)


def test_an_end_of_data_has_no_location(fail, good):
    assert fail(v1.TFRecordReader, [good]).location is None


def test_a_missing_file_has_its_place_in_the_list_and_similar_names(fail, tmp_path):
    write(tmp_path / "train-1.tfrecord")
    bad = tmp_path / "trian-1.tfrecord"
    found = fail(v1.TFRecordReader, [tmp_path / "train-1.tfrecord", bad])
    assert found.location.file == str(bad)
    assert "no such file" in found.text and "name 2 of 2" in found.text
    assert "similar names: train-1.tfrecord" in found.text


def test_a_file_in_a_missing_directory_names_the_deepest_one_that_exists(fail, tmp_path):
    found = fail(v1.TFRecordReader, [tmp_path / "nowhere" / "deep" / "a.tfrecord"])
    assert f"There is no directory {str(tmp_path / 'nowhere' / 'deep')!r}" in found.text
    assert repr(str(tmp_path)) in found.text


def test_a_pattern_given_as_a_name_gets_the_line_that_expands_it(fail, tmp_path):
    write(tmp_path / "a.tfrecord")
    pattern = str(tmp_path / "*.tfrecord")
    found = fail(v1.TFRecordReader, [pattern])
    assert f"match_filenames_once({pattern!r})" in found.text and "1 existing files" in found.text


def test_a_directory_in_the_list_is_called_that(fail, tmp_path):
    found = fail(v1.TFRecordReader, [tmp_path])
    assert found.location.file == str(tmp_path)
    assert "is a directory" in found.text


def test_the_name_of_the_present_directory_is_no_full_stop() -> None:
    assert str(Location(".", detail="is a directory")).startswith("'.': is a directory")


def test_a_pattern_that_matches_nothing_is_named_at_run_time(fail, tmp_path, v1_behaviour):
    (tmp_path / "a.csv").write_text("1\n")
    pattern = str(tmp_path / "*.tfrecord")
    found = fail(v1.TFRecordReader, lambda: v1.train.match_filenames_once(pattern))
    assert found.location.file == pattern
    assert "matches no file" in found.text and "a.csv" in found.text


def test_the_pattern_is_named_as_well_where_a_later_queue_is_asked(fail, tmp_path, v1_behaviour):
    pattern = str(tmp_path / "*.tfrecord")
    found = fail(
        v1.TFRecordReader,
        lambda: v1.train.match_filenames_once(pattern),
        lambda value: v1.FIFOQueue(9, [tf.string], [[]]).enqueue([value]),
    )
    assert found.location.file == pattern


def test_a_reshape_that_the_queue_is_the_first_to_refuse_is_told_with_its_line(fail, tmp_path):
    (tmp_path / "a.bin").write_bytes(bytes(200))
    found = fail(
        lambda: v1.FixedLengthRecordReader(100),
        [tmp_path / "a.bin"],
        lambda value: v1.FIFOQueue(9, [tf.uint8], [[250]]).enqueue(
            tf.reshape(v1.decode_raw(value, tf.uint8), [250], name="as_image")
        ),
    )
    assert "Shape mismatch in tuple component 0. Expected [250], got [100]" in str(found.error)
    assert "Reshape 'as_image' (" in found.text and "100 values" in found.text
    assert "a.bin, record 0" in found.text and "none is to blame" in found.text


def test_files_of_a_matched_pattern_come_from_the_sessions_variable(fail, tmp_path, v1_behaviour):
    good = write(tmp_path / "a.tfrecord")
    bad = flipped(tmp_path / "b.tfrecord", good, 32)
    pattern = str(tmp_path / "*.tfrecord")
    found = fail(v1.TFRecordReader, lambda: v1.train.match_filenames_once(pattern))
    assert found.location.key == f"{bad}:19"


GIF = b"GIF89a\1\0\1\0\x80\0\0\0\0\0\xff\xff\xff" + 2 * b",\0\0\0\0\1\0\1\0\0\2\2D\1\0" + b";"
"""Two frames of one pixel."""


@pytest.mark.parametrize(
    ("odd", "way_out"),
    [
        (tf.io.encode_png, "Decode all images with channels=3"),
        (lambda pixels: GIF, "expand_animations=False"),
    ],
)
def test_an_image_of_other_channels_or_frames_is_told_how_to_be_decoded(tmp_path, odd, way_out):
    for name, make, channels in (("good.png", tf.io.encode_png, 3), ("odd", odd, 1)):
        made = make(tf.zeros([1, 1, channels], tf.uint8))
        (tmp_path / name).write_bytes(made if isinstance(made, bytes) else made.numpy())
    with tf.Graph().as_default(), v1.Session() as session:
        names = [str(tmp_path / name) for name in ("good.png", "odd")]
        files = v1.train.string_input_producer(names, shuffle=False)
        image = v1.image.decode_image(v1.WholeFileReader().read(files)[1])
        image.set_shape([1, 1, 3])
        enqueue = v1.FIFOQueue(9, [tf.uint8], [[1, 1, 3]]).enqueue(image)
        with pytest.raises(tf.errors.InvalidArgumentError) as caught:
            drive(session, files, enqueue)
        text = str(locate(caught.value, enqueue, session))
    assert "the queue takes (1, 1, 3)" in text and way_out in text
    assert "one size" not in text
