"""Reads files line by line.

Legacy:
    reader = tf.TextLineReader(skip_header_lines=1)
    key, line = reader.read(tf.train.string_input_producer(["a.txt"], num_epochs=1))

Modern:
    dataset = tf.data.TextLineDataset("a.txt").skip(1)

Emits:
    key: string, shape (), `file:line`; value: string, shape (), without its line end

Differs:
    Keys count lines from 1 and count the header lines. The header is skipped in each file, so
    with several files `skip` belongs to the dataset of each one (`interleave`, not `skip` on the
    whole).

Raises:
    NotFoundError for a missing file, once; the next read goes on with the next name.
    OutOfRangeError when the names are used up.

A carriage return before the line feed is dropped. `TextLineDataset` drops those within a line as
well: where they may occur, split what `tf.io.read_file` gives. Neither form knows of quotes: a CSV
field with a line break inside is two records.

Source:
    tf.TextLineReader of TensorFlow 1.15
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import tensorflow as tf

from queueio.compile.kernels import blocks
from queueio.compile.kernels.keys import KeyForm
from queueio.eager import refuse_eager_reader
from queueio.forensics.location import Budget
from queueio.forensics.records import FileRecord
from queueio.forensics.sniff import sniff
from queueio.plan import Walk, lifts
from queueio.stages.readers.reader import (
    ReaderBase,
    Records,
    check_not_negative,
    whole_number,
)

if TYPE_CHECKING:
    from queueio.emit.writer import Writer

_LINES = '''
def lines_of(file: tf.Tensor) -> tf.data.Dataset:
    """The lines of a file, which is read whole, byte for byte.

    TextLineDataset would drop every carriage return, not only those that end a line.
    """
    lines = tf.strings.split(tf.io.read_file(file), "\\n")
    nothing = tf.reduce_any(tf.equal(lines[-1], ["", "\\r"]))  # after the last line end
    count = tf.size(lines) - tf.cast(nothing, tf.int32)
    lines = tf.strings.regex_replace(lines[:count], "\\r$", "")
    return tf.data.Dataset.from_tensor_slices(lines)
'''
_NUMBERED_LINES = '''
def numbered_lines(file: tf.Tensor, header: int) -> tf.data.Dataset:
    """Pairs of `file:line` and the line, without the header lines."""
    lines = lines_of(file).enumerate(1).skip(header)
    return lines.map(
        lambda n, line: (tf.strings.join([file, ":", tf.strings.as_string(n)]), line)
    )
'''


_BLOCK = 1 << 20
_INSTEAD = {
    "a TFRecord file": "use tf.TFRecordReader",
    "UTF-16 text": "save it as UTF-8",
    "an HTML page": "the download got an error page, so fetch the file again",
    **dict.fromkeys(
        ["gzip data", "zlib data", "bzip2 data", "xz data", "zstandard data"], "unpack it first"
    ),
}


class TextLineReader(ReaderBase):
    """Gives the lines of text files, without their line ends; keys are `file:line` from 1."""

    def __init__(self, skip_header_lines: int | None = None, name: str | None = None) -> None:
        """Makes the reader.

        Args:
          skip_header_lines: how many lines to leave out at the start of every file.
          name: name of the op (default "TextLineReaderV2").

        Raises:
          RuntimeError: eager execution is on.
          ValueError: skip_header_lines is negative.
        """
        refuse_eager_reader("TextLineReader")
        check_not_negative("skip_header_lines", skip_header_lines, "lines")
        super().__init__(
            tf.raw_ops.TextLineReaderV2(skip_header_lines=skip_header_lines or 0, name=name)
        )


@dataclass(frozen=True)
class TextLines(Records):
    """The lines of text files."""

    unit: ClassVar[str] = "line"
    numbered: ClassVar[bool] = True
    skip_header_lines: int = 0

    def dataset(self, name: Any) -> Any:
        """Pairs (`file:line`, line)."""
        # TextLineDataset also drops carriage returns in the middle of a line.
        lines = tf.strings.split(tf.io.read_file(name), "\n")
        nothing = tf.reduce_any(tf.equal(lines[-1], ["", "\r"]))
        lines = lines[: tf.size(lines) - tf.cast(nothing, tf.int32)]
        lines = tf.strings.regex_replace(lines, "\r$", "")
        first = self.skip_header_lines
        numbered = tf.data.Dataset.from_tensor_slices(lines).skip(first).enumerate(first + 1)
        return numbered.map(
            lambda n, line: (tf.strings.join([name, ":", tf.strings.as_string(n)]), line)
        )

    def chunks(self, names: Any, keys: KeyForm, dtype: Any) -> Any:
        """Chunks of lines."""
        return (
            blocks.text_lines(names, self.skip_header_lines, keys)
            if dtype in (None, tf.string)
            else None
        )

    def small(self, keys: KeyForm, dtype: Any) -> Any:
        """All lines of light files, split at once."""
        return blocks.small_texts(self.skip_header_lines, keys) if dtype == tf.string else None

    def to_source(self, writer: Writer, keys: bool) -> tuple[str | None, str]:
        """`lines_of(file)`, with line numbers where keys are used."""
        first, lines = self.skip_header_lines, writer.verbatim("lines_of", _LINES)
        if keys:
            name = writer.verbatim("numbered_lines", _NUMBERED_LINES)
            return None, f"{name}(file, {first})"
        return None, f"{lines}(file).skip({first})" if first else lines

    def walk(self, file: str) -> Iterator[FileRecord]:
        """The lines that are no header."""
        with open(file, "rb") as raw:
            for number, line in enumerate(raw, 1):
                if number > self.skip_header_lines:
                    text = line.removesuffix(b"\n").removesuffix(b"\r")
                    yield FileRecord(file, number, text)

    def count(self, file: str, budget: Budget) -> int | None:
        """Line ends, and a last line without one."""
        if not self.is_plain(file):
            return None
        lines, last = 0, b"\n"
        with open(file, "rb") as raw:
            while not budget.spent() and (block := raw.read(_BLOCK)):
                lines, last = lines + block.count(b"\n"), block[-1:]
        return max(0, lines + (last != b"\n") - self.skip_header_lines)

    @property
    def header_lines(self) -> int:
        return self.skip_header_lines

    def misread(self, head: bytes) -> str:
        """What is known to be no text; bytes of an unknown kind may be text in an old encoding."""
        looks = sniff(head)
        if looks in ("empty", "XML", "unknown binary data") or looks.startswith("text"):
            return ""
        remedy = _INSTEAD.get(looks, "take it off the list (is the pattern too wide?)")
        return f"The file is {looks}, of which TextLineReader makes lines all the same: {remedy}"

    def torn(self, value: bytes) -> str:
        """At a carriage return that is no part of a line end."""
        if b"\r" not in value:
            return ""
        return (
            "The file's lines end in a lone CR, at which TextLineReader does not split: convert "
            "them to newlines"
        )


@lifts("TextLineReader", "TextLineReaderV2")
def lift(op: Any, walk: Walk) -> Records:
    """A text line reader."""
    return TextLines(skip_header_lines=whole_number(op, "skip_header_lines", walk))
