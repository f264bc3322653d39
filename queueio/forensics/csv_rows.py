"""Why a row of a CSV file does not decode."""

from __future__ import annotations

import csv
import re
from dataclasses import dataclass

import tensorflow as tf

from queueio.forensics.records import FileKind, FileRecord, attr
from queueio.forensics.search import Suspect
from queueio.forensics.sniff import HEAD, quote
from queueio.graph.static_values import static_value

BOM = b"\xef\xbb\xbf"
_INVALID = re.compile(r"Field (\d+) in record \d+ is not a valid (\w+): (.*)", re.S)
_COUNT = re.compile(r"Expect (\d+) fields but have (\d+) in record")
_REQUIRED = re.compile(r"Field (\d+) is required but missing in record")
_MISSING = ("", "na", "n/a", "#n/a", "nan", "null", "none", "nil", "?", "-", ".")
"""How tables say that there is no value."""
_WHOLE = re.compile(r"\s*[+-]?[0-9]+\s*")


@dataclass(frozen=True)
class Row:
    """A record that a DecodeCSV op refused."""

    op: tf.Operation
    read_as: FileKind
    record: FileRecord

    @property
    def text(self) -> str:
        return self.record.value.decode("utf-8", "replace")

    def column(self, index: int) -> str:
        """A column's number and, if it is known from a skipped header line, its name."""
        chosen = attr(self.op, "select_cols", None)
        place = chosen[index] if chosen else index
        name = self._header_name(place)
        named = f" ({name!r})" if name else ""
        return f"column {place}{named}, tensor {index} of {self.op.name}{self._default(index)},"

    def _default(self, index: int) -> str:
        value = static_value(self.op.inputs[1 + index])
        if value is None:
            return ""
        if not value.size:
            return " without default"
        one = value.reshape(-1)[0]
        return f" with default {quote(one) if isinstance(one, bytes) else one}"

    def _header_name(self, place: int) -> str | None:
        if not self.read_as.header_lines:
            return None
        with open(self.record.file, encoding="utf-8-sig", errors="replace") as lines:
            names = next(csv.reader([lines.readline()], delimiter=delimiter(self.op)), [])
        return names[place] if place < len(names) else None


def delimiter(op: tf.Operation) -> str:
    return str(attr(op, "field_delim", ","))


def suspect(text: str, op: tf.Operation) -> Suspect | None:
    """A cheap test that every row passes which can have raised the error `text`."""
    if match := _INVALID.search(text):
        wanted = match[3].partition("\\x")[0].encode()  # up to the first byte that is no UTF-8
        return lambda record: wanted in record.value
    if match := _COUNT.search(text):
        commas, delim = int(match[1]) - 1, delimiter(op).encode()
        return lambda r: b'"' in r.value or not r.value or r.value.count(delim) != commas
    if "uote" in text:
        return lambda record: any(mark in record.value for mark in (b'"', b"\r", b"\n"))
    return None


def diagnose(text: str, op: tf.Operation, read_as: FileKind, record: FileRecord) -> tuple[str, str]:
    """What is wrong with a row, and the way out."""
    row = Row(op, read_as, record)
    shown = f"the row is {quote(record.value)}"
    if match := _INVALID.search(text):
        field, kind, value = int(match[1]), match[2], match[3]
        detail = f"{row.column(field)} holds {quote(value)}, not a valid {kind}; {shown}"
        return detail, _value_remedy(row, kind, value)
    if match := _COUNT.search(text):
        wanted, got = match[1], match[2]
        if not record.value.strip():
            return "the line is empty", "Remove empty lines from the file"
        fields = "1 field" if got == "1" else f"{got} fields"
        detail = f"{fields} where record_defaults has {wanted}; {shown}"
        return detail, _common(row) or _count_remedy(row)
    if match := _REQUIRED.search(text):
        detail = f"{row.column(int(match[1]))} is empty and must not be; {shown}"
        return detail, "Give the column a default in record_defaults, such as [0.0], or fill it in"
    if "field_delim" in text:
        given = delimiter(op)
        one = given.strip()[:1] or given[:1] or ","
        return f"{_lower(text)}, and is {given!r}", f"Use one character: field_delim={one!r}"
    return f"{_lower(text)}; {shown}", _common(row) or _quote_remedy(row)


def _lower(text: str) -> str:
    return text[:1].lower() + text[1:]


def _common(row: Row) -> str:
    """The causes that have to do with the file rather than with the row."""
    value = row.record.value
    if misread := row.read_as.misread(head_of(row.record.file)):
        return misread
    if value.startswith(BOM):
        return (
            "The file begins with a UTF-8 byte order mark, which is part of the first field: "
            'save it as UTF-8 without one (open(path, encoding="utf-8-sig") reads past it)'
        )
    if torn := row.read_as.torn(value):
        return torn
    if b"\r" in value:
        return "The lines end in CR LF: take the CR off, with tf.strings.strip, before decode_csv"
    return ""


def head_of(file: str) -> bytes:
    """The first bytes of a file, by which its format is known."""
    with open(file, "rb") as raw:
        return raw.read(HEAD)


def _is_header(row: Row) -> bool:
    """Whether the row is a file's first line and holds no numbers at all."""
    fields = next(csv.reader([row.text], delimiter=delimiter(row.op)), [])
    first = row.record.number == 1 and not row.read_as.header_lines
    return first and not any(map(_is_number, fields))


def _is_number(text: str) -> bool:
    """Whether TensorFlow reads a float there; Python also takes `1_000` and any script's digits."""
    try:
        return text.isascii() and "_" not in text and float(text) is not None
    except ValueError:
        return False


def _is_long(text: str) -> bool:
    """Whether TensorFlow reads a whole number of 64 bits there."""
    return bool(_WHOLE.fullmatch(text)) and -(1 << 63) <= int(text) < 1 << 63


def _value_remedy(row: Row, kind: str, value: str) -> str:
    if common := _common(row):
        return common
    if _is_header(row):
        return (
            "The first line is a header that is read as data: use "
            "tf.TextLineReader(skip_header_lines=1)"
        )
    if kind == "int32" and _is_long(value):
        return "The number needs 64 bits: use a tf.int64 default for the column"
    if kind.startswith("int") and _is_number(value):
        return f"No {kind} holds that number: use a float default, such as [0.0]"
    as_text = 'Correct the line, or read the column as text with the default [""]'
    if value.strip().lower() in _MISSING:
        return (
            f"{as_text}; or take the default for what is missing: decode_csv(…, na_value={value!r})"
        )
    return as_text


def _count_remedy(row: Row) -> str:
    if row.text.count('"') % 2:
        return _quote_remedy(row)
    found = delimiter(row.op)
    for other in "\t;|,":
        if other != found and row.text.count(other) and not row.text.count(found):
            return f"The fields seem to be separated by {other!r}: use field_delim={other!r}"
    return "Correct the line, or let record_defaults have one entry for each field of the file"


def _quote_remedy(row: Row) -> str:
    if row.text.count('"') % 2:
        return (
            "If the field goes on in the next line: TextLineReader splits at every newline, also "
            "within quotes, so take newlines out of the fields"
        )
    return (
        'Put the whole field in quotes and double the quotes in it ("say ""hi"""), or use '
        "decode_csv(..., use_quote_delim=False)"
    )
