"""A row that does not decode is named by file, line, column and text, with the cause."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest
import tensorflow as tf

from queueio.forensics import locate
from queueio.graph.error_text import readable
from tests.forensics.conftest import drive

v1 = tf.compat.v1
NUMBERS = [[0.0], [7.0], [0]]


def rows(path: Path, text: str | bytes) -> Path:
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return path


def three(value):
    return v1.decode_csv(value, NUMBERS)


def test_a_word_in_a_number_column_is_named_by_line_column_default_and_text(fail, tmp_path):
    good = rows(tmp_path / "good.csv", "1,2,3\n" * 5)
    bad = rows(tmp_path / "bad.csv", "1,2,3\n4,5,6\n7,abc,9\n")
    found = fail(v1.TextLineReader, [good, bad], three)
    assert found.location.key == f"{bad}:3"
    for fact in ("line 3", "column 1", "DecodeCSV", "default 7.0", "'abc'", "float", "'7,abc,9'"):
        assert fact in found.text
    assert "Correct the line" in found.text


def test_the_columns_name_is_read_from_a_skipped_header(fail, tmp_path):
    bad = rows(tmp_path / "bad.csv", "length,width,kind\n1,2,3\n4,x,6\n")
    found = fail(lambda: v1.TextLineReader(skip_header_lines=1), [bad], three)
    assert found.location.record == 3
    assert "column 1 ('width')" in found.text


def test_a_selected_column_is_named_by_its_place_in_the_file(fail, tmp_path):
    bad = rows(tmp_path / "bad.csv", "a,1,b,x\n")
    decode = lambda v: v1.decode_csv(v, [[0.0], [0.0]], select_cols=[1, 3])  # noqa: E731
    found = fail(v1.TextLineReader, [bad], decode)
    assert "column 3, tensor 1 of DecodeCSV" in found.text


def test_a_header_read_as_data_is_called_that(fail, tmp_path):
    bad = rows(tmp_path / "bad.csv", "length,width,kind\n1,2,3\n")
    found = fail(v1.TextLineReader, [bad], three)
    assert found.location.record == 1
    assert "skip_header_lines=1" in found.text


def test_a_bad_first_line_that_is_no_header_is_not_called_one(fail, tmp_path):
    bad = rows(tmp_path / "bad.csv", "1,x,2\n1,2,3\n")
    assert "skip_header_lines" not in fail(v1.TextLineReader, [bad], three).text


def test_several_bad_rows_are_counted(fail, tmp_path):
    bad = rows(tmp_path / "bad.csv", "1,x,2\n1,2,3\n1,x,2\n1,x,4\n")
    found = fail(v1.TextLineReader, [bad], three)
    assert found.location.record == 1
    assert "2 more records fail" in found.text


def test_too_few_fields_show_the_row(fail, tmp_path):
    bad = rows(tmp_path / "bad.csv", "1,2,3\n1,2\n")
    found = fail(v1.TextLineReader, [bad], three)
    assert found.location.record == 2
    assert "2 fields where record_defaults has 3" in found.text and "'1,2'" in found.text


def test_another_delimiter_is_suggested(fail, tmp_path):
    bad = rows(tmp_path / "bad.csv", "1;2;3\n")
    assert "field_delim=';'" in fail(v1.TextLineReader, [bad], three).text


def test_an_empty_line_is_called_empty(fail, tmp_path):
    bad = rows(tmp_path / "bad.csv", "1,2,3\n\n4,5,6\n")
    found = fail(v1.TextLineReader, [bad], three)
    assert found.location.record == 2
    assert "the line is empty" in found.text


def test_a_byte_order_mark_is_found_out(fail, tmp_path):
    bad = rows(tmp_path / "bad.csv", b"\xef\xbb\xbf1,2,3\n4,5,6\n")
    found = fail(v1.TextLineReader, [bad], three)
    assert found.location.record == 1
    assert "byte order mark" in found.text and "utf-8-sig" in found.text


def test_lone_carriage_returns_are_found_out(fail, tmp_path):
    bad = rows(tmp_path / "bad.csv", b"1,2,3\r4,5,6\r")
    assert "lone CR" in fail(v1.TextLineReader, [bad], three).text


def test_a_newline_within_quotes_is_explained(fail, tmp_path):
    bad = rows(tmp_path / "bad.csv", '1,2,3\n1,2,"3\n"\n')
    found = fail(v1.TextLineReader, [bad], three)
    assert found.location.record == 2
    assert "goes on in the next line" in found.text


def test_a_quote_within_a_field_is_explained(fail, tmp_path):
    bad = rows(tmp_path / "bad.csv", '1,2,3\n1,say "hi",3\n')
    found = fail(v1.TextLineReader, [bad], lambda v: v1.decode_csv(v, [[0.0], [""], [0]]))
    assert found.location.record == 2
    assert "double the quotes" in found.text


def test_a_fraction_and_a_large_number_in_an_int32_column_get_their_dtype(fail, tmp_path):
    fraction = rows(tmp_path / "fraction.csv", "1,2,3.5\n")
    large = rows(tmp_path / "large.csv", "1,2,99999999999\n")
    assert "float default" in fail(v1.TextLineReader, [fraction], three).text
    assert "tf.int64" in fail(v1.TextLineReader, [large], three).text


@pytest.mark.parametrize("value", ["1_000", "１２"])
def test_what_only_python_takes_for_a_number_gets_no_other_dtype(fail, tmp_path, value):
    bad = rows(tmp_path / "bad.csv", f"1,2,3\n4,5,{value}\n")
    text = fail(v1.TextLineReader, [bad], three).text
    assert "Correct the line" in text and "tf.int64" not in text and "float default" not in text


def test_a_number_beyond_64_bits_is_not_sent_to_int64(fail, tmp_path):
    bad = rows(tmp_path / "bad.csv", f"1,2,3\n4,5,{1 << 63}\n")
    text = fail(v1.TextLineReader, [bad], three).text
    assert "float default" in text and "tf.int64" not in text


def test_an_empty_field_without_default_says_so(fail, tmp_path):
    bad = rows(tmp_path / "bad.csv", "1,2,3\n4,,6\n")

    def required(value):
        return v1.decode_csv(value, [[0.0], tf.constant([], tf.float32), [0]])

    found = fail(v1.TextLineReader, [bad], required)
    assert found.location.record == 2
    assert "without default" in found.text


def test_a_row_is_found_behind_a_batch_queue(tmp_path):
    from queueio.forensics import locate

    bad = rows(tmp_path / "bad.csv", "1,2,3\n4,5,6\n7,abc,9\n1,1,1\n")
    with tf.Graph().as_default(), v1.Session() as session:
        queue = v1.train.string_input_producer([str(bad)], num_epochs=1)
        _, line = v1.TextLineReader().read(queue)
        lines = v1.train.batch([line], 4)
        columns = v1.decode_csv(lines, NUMBERS)
        session.run(v1.local_variables_initializer())
        session.run("input_producer/input_producer_EnqueueMany")
        for _ in range(4):
            session.run("batch/fifo_queue_enqueue")
        try:
            session.run(columns)
        except tf.errors.InvalidArgumentError as error:
            found = locate(error, columns[0].op, session)
    assert found.key == f"{bad}:3"
    assert "'abc'" in str(found)


def test_without_a_session_the_row_is_found_too(fail, tmp_path):
    bad = rows(tmp_path / "bad.csv", "1,2,3\n7,abc,9\n")
    assert fail(v1.TextLineReader, [bad], three, with_session=False).location.record == 2


def test_a_search_that_runs_out_of_time_says_so(fail, tmp_path):
    bad = rows(tmp_path / "bad.csv", "1,2,3\n" * 500 + "1,x,3\n")
    found = fail(v1.TextLineReader, [bad], three, seconds=0.0)
    assert found.location.record is None
    assert "not found: the search stopped after 0 s and 64 records" in found.text


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (gzip.compress(b"1,2,3\n" * 50, mtime=0), ["gzip data", "unpack it first"]),
        (b"<html>\n<p>404, not found</p>\n", ["an HTML page", "fetch the file again"]),
    ],
)
def test_a_file_that_is_no_text_is_called_what_it_is(fail, tmp_path, content, words):
    found = fail(v1.TextLineReader, [rows(tmp_path / "bad.csv", content)], three)
    assert all(word in found.text for word in words), found.text
    assert "field_delim" not in found.text and "Correct the line" not in found.text


def test_a_text_that_begins_like_a_bitmap_is_text(fail, tmp_path):
    found = fail(v1.TextLineReader, [rows(tmp_path / "bad.csv", "BMW,320,2016\n")], three)
    assert "image" not in found.text and "'BMW'" in found.text


def test_rows_within_a_tfrecord_file_are_no_reason_to_blame_the_file(fail, tmp_path):
    file = tmp_path / "rows.tfrecord"
    with tf.io.TFRecordWriter(str(file)) as writer:
        writer.write(b"1,x,3")
    found = fail(v1.TFRecordReader, [file], three)
    assert "'x'" in found.text and "Correct the line" in found.text


def test_a_delimiter_of_two_characters_is_shown_with_one_that_works(fail, tmp_path):
    bad = rows(tmp_path / "bad.csv", "1, 2, 3\n")
    decode = lambda v: v1.decode_csv(v, NUMBERS, field_delim=", ")  # noqa: E731
    text = fail(v1.TextLineReader, [bad], decode).text
    assert "field_delim should be only 1 char, and is ', '" in text
    assert "field_delim=','" in text and "quotes" not in text


@pytest.mark.parametrize("missing", ["NA", "?", "null", " ", "NA "])
def test_a_sign_for_what_is_missing_may_be_told_to_decode_csv(fail, tmp_path, missing):
    bad = rows(tmp_path / "bad.csv", f"1,2,3\n{missing},2,3\n")
    assert f"na_value={missing!r}" in fail(v1.TextLineReader, [bad], three).text
    decode = lambda v: v1.decode_csv(v, NUMBERS, na_value=missing)  # noqa: E731
    worse = rows(tmp_path / "worse.csv", f"{missing},2,3\n4,word,6\n")
    text = fail(v1.TextLineReader, [worse], decode).text  # the way out works: line 1 is read
    assert "line 2" in text and "na_value" not in text


def test_a_message_that_a_nul_of_the_data_cuts_off_is_told_of_its_record(tmp_path):
    bad = rows(tmp_path / "bad.csv", "1,2,3\n4,5,6\n".encode("utf-16"))
    with tf.Graph().as_default() as graph, v1.Session() as session:
        names = v1.train.string_input_producer([str(bad)], shuffle=False)
        column = three(v1.TextLineReader().read(names)[1])[0]
        # The latter where another test of this process has sessions watched.
        with pytest.raises((UnicodeDecodeError, tf.errors.InvalidArgumentError)) as caught:
            drive(session, names, column)
        told = readable(caught.value, graph)
        assert isinstance(told, tf.errors.InvalidArgumentError)
        text = str(locate(told, column, session))
    assert "bad.csv, line 1: column 0" in text and "save it as UTF-8" in text
