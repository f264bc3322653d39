"""Why a serialized Example or SequenceExample does not parse."""

from __future__ import annotations

import difflib
import re
from typing import Any

import tensorflow as tf
from google.protobuf.message import DecodeError

from queueio.forensics.records import FileKind, FileRecord
from queueio.forensics.search import Suspect
from queueio.forensics.sniff import HEAD, quote, sniff
from queueio.words import times

_MISSING = re.compile(r"[Ff]eature:? '?([^'(]+?)'? (?:\(data type: (\w+)\) )?is required but could")
_INCONSISTENT = re.compile(r"number of elements for feature (.+?): expected (\d+), but found (\d+)")
_LIST = re.compile(r"Feature list '(.+?)' is required")
_KEY = re.compile(r"(?:Key: |feature: |with key )(.+?)(?:\.  |, Index|: number|$)")
_KINDS = {"bytes_list": "tf.string", "float_list": "tf.float32", "int64_list": "tf.int64"}


def suspect(text: str, op: tf.Operation) -> Suspect | None:
    """A cheap test that every record passes which can have raised the error `text`."""
    if match := _MISSING.search(text) or _LIST.search(text):
        name = match[1].encode()
        key = b"\n" + bytes([len(name) & 127]) + name[:127]  # a map key as it is serialized
        return (lambda record: key not in record.value) if len(name) < 128 else None
    return None


def diagnose(text: str, op: tf.Operation, read_as: FileKind, record: FileRecord) -> tuple[str, str]:
    """What is wrong with a record that a Parse…Example op refused, and the way out."""
    value = record.value
    held = features(value)
    if held is None:
        what = sniff(value[:HEAD])
        detail = (
            f"not a serialized Example but {what}, {times(len(value), 'byte')}: {quote(value, 30)}"
        )
        return detail, "Write records with tf.train.Example(...).SerializeToString()"
    holds = "the record holds " + (", ".join(f"{k}: {v}" for k, v in held.items()) or "nothing")
    if match := _MISSING.search(text) or _INCONSISTENT.search(text):
        return _missing(match[1], held, holds)
    if match := _LIST.search(text):
        return f"the feature list {match[1]!r} is missing; {holds}", _near(match[1], held)
    if match := _KEY.search(text):
        return _unfit(match[1], text, held, holds)
    return f"{text}; {holds}", "Let the features argument say what the record holds"


def features(value: bytes) -> dict[str, str] | None:
    """The features of a serialized Example (or SequenceExample): name → type and length.

    Returns None if the bytes are neither. A SequenceExample's lists are marked as such.
    """
    try:
        message = tf.train.SequenceExample.FromString(value)
    except DecodeError:
        return None
    if message.feature_lists.feature_list:
        lists = message.feature_lists.feature_list
        held = {k: f"a list of {times(len(v.feature), 'step')}" for k, v in sorted(lists.items())}
        return {**_types(message.context), **held}
    try:
        return _types(tf.train.Example.FromString(value).features)
    except DecodeError:
        return None


def _types(held: Any) -> dict[str, str]:
    return {name: _type(feature) for name, feature in sorted(held.feature.items())}


def _type(feature: Any) -> str:
    kind = feature.WhichOneof("kind")
    if kind is None:
        return "empty"
    return f"{_KINDS[kind]}[{len(getattr(feature, kind).value)}]"


def _missing(name: str, held: dict[str, str], record: str) -> tuple[str, str]:
    if name in held:
        return f"the feature {name!r} has the wrong length; {record}", _lengths(name, held)
    return f"the feature {name!r} is missing; {record}", _near(name, held)


def _near(name: str, held: dict[str, str]) -> str:
    near = difflib.get_close_matches(name, held, 1)
    if near:
        return f"The nearest name in the record is {near[0]!r}"
    return "Correct the name, or give the feature a default_value"


def _unfit(name: str, text: str, held: dict[str, str], record: str) -> tuple[str, str]:
    if "types don't match" in text:
        kind = held.get(name, "").partition("[")[0]
        wanted = re.search(r"[Ee]xpected type: (\w+)", text)
        asked = f", not the {wanted[1]} asked for" if wanted else ""
        return f"the feature {name!r} is {kind}{asked}; {record}", f"Ask for {kind}"
    return f"the feature {name!r} has another length than asked for; {record}", _lengths(name, held)


def _lengths(name: str, held: dict[str, str]) -> str:
    kind, _, length = held.get(name, "").rstrip("]").partition("[")
    if not length:
        return "Let the features argument say what the record holds"
    return (
        f"Use tf.FixedLenFeature([{length}], {kind}) if all records have this length, "
        f"else tf.VarLenFeature({kind})"
    )
