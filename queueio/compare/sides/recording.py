"""Reads a recording; the format is described in queueio/recorder.py."""

from __future__ import annotations

import json
import struct
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from queueio import recorder
from queueio.compare.sides.cost import Cost
from queueio.compare.sides.schema import Schema, component_of
from queueio.compare.sides.seeds import seeds_in_words
from queueio.compare.sides.side import CannotRun, Delivered, End, RunningSide, Side


def is_recording(path: str) -> bool:
    """Whether the file begins as a recording does."""
    try:
        with open(path, "rb") as file:
            return file.read(len(recorder.MAGIC)) == recorder.MAGIC
    except OSError:
        return False


def blocks(path: str) -> Iterator[tuple[str, bytes]]:
    """The blocks of a recording, each checked against its checksum. Raises CannotRun."""
    with open(path, "rb") as file:
        first = file.readline(64)
        version = first[len(recorder.MAGIC) :].strip()
        if not version.isdigit():
            raise CannotRun(f"{path} is not a recording: its first line is {first[:30]!r}.")
        if int(version) > recorder.VERSION:
            raise CannotRun(
                f"{path} is a recording of version {int(version)}; this queueio reads up to "
                f"{recorder.VERSION}. Update queueio, or record again with its own recorder.py."
            )
        while head := file.read(16):
            yield _block(path, file, head)


def _block(path: str, file: Any, head: bytes) -> tuple[str, bytes]:
    if len(head) < 16:
        raise CannotRun(f"{path} is cut off: record again.")
    length, crc = struct.unpack("<QI", head[4:])
    payload = file.read(length) if length < 1 << 40 else b""
    if len(payload) < length:
        raise CannotRun(f"{path} is cut off within a {_tag(head)} block: record again.")
    if zlib.crc32(payload) & 0xFFFFFFFF != crc:
        raise CannotRun(
            f"{path} is damaged: the checksum of a {_tag(head)} block is wrong. Copy it again."
        )
    return _tag(head), payload


def _tag(head: bytes) -> str:
    return head[:4].decode("ascii", "replace")


class RecordingStream(RunningSide):
    """The recorded digests, a block at a time, cut into the recorded batches."""

    def __init__(self, side: RecordingSide) -> None:
        self.side, self.schema = side, side.schema
        self.seeds = seeds_in_words(side.head.get("seeds"))
        self.expected = side.done["examples"]

    def batches(self) -> Iterator[Delivered]:
        width = len(self.schema.components)
        held: dict[str, Any] = {}
        for tag, payload in blocks(self.side.path):
            if tag == "SIZE":
                held = {"sizes": np.frombuffer(payload, "<u4")}
            elif tag == "DGST":
                raw = zlib.decompress(payload)
                held["digests"] = np.frombuffer(raw, "<u8").reshape(-1, width, 2)
            elif tag == "KEYS":
                held["keys"] = _keys(zlib.decompress(payload))
            elif tag == "TIME":
                yield from _cut(held)
        done = self.side.done
        self.end = End(done["end"], done["error"] or "", done["message"] or "")


def _keys(raw: bytes) -> list[bytes]:
    count = int(np.frombuffer(raw[:4], "<u4")[0])
    lengths = np.frombuffer(raw[4 : 4 + 4 * count], "<u4")
    ends = np.cumsum(lengths) + 4 + 4 * count
    return [raw[end - size : end] for end, size in zip(ends, lengths, strict=True)]


def _cut(held: dict[str, Any]) -> Iterator[Delivered]:
    start = 0
    for size in held["sizes"].tolist():
        keys = held["keys"][start : start + size] if "keys" in held else None
        yield Delivered(size, None, held["digests"][start : start + size], keys)
        start += size


class RecordingSide(Side):
    """A recording; its head and its last block are read at once, and checked."""

    kind = "recording"
    repeatable = False

    def __init__(self, path: str) -> None:
        super().__init__(path)
        self.path = path
        self.head: dict[str, Any] = {}
        self.done: dict[str, Any] = {}
        self.shapes: list[dict[str, int]] = []
        for tag, payload in blocks(path):
            if tag == "HEAD":
                self.head = json.loads(payload)
            elif tag == "SHAP":
                self.shapes = json.loads(payload)
            elif tag == "DONE":
                self.done = json.loads(payload)
        if not self.head or not self.done:
            raise CannotRun(f"{path} is incomplete: the recorder was stopped. Record again.")
        components = tuple(component_of(c) for c in self.head["components"])
        self.schema = Schema(components, self.head["structure"], self.head["batched"])

    @contextmanager
    def open(self, more: bool = False, same: bool = False) -> Iterator[RunningSide]:
        yield RecordingStream(self)

    def samples(self) -> Iterator[tuple[int, list[Any]]]:
        """The whole batches kept: the first example's position and the values."""
        for tag, payload in blocks(self.path):
            if tag == "SAMP":
                line, _, raw = payload.partition(b"\n")
                described = json.loads(line)
                yield described["first"], _values(described["values"], raw)

    def cost(self) -> Cost | None:
        """What it took where it was recorded; digesting is left out if the recorder timed it."""
        done, examples = self.done, self.done["examples"]
        if not examples:
            return None
        timed = "digest_seconds" in done
        seconds = done["seconds"] - done.get("digest_seconds", 0.0)
        cpu = done["run_cpu_seconds" if timed else "cpu_seconds"]
        return Cost(
            examples / max(seconds, 1e-9),
            done["first_batch_seconds"] or 0.0,
            1000 * cpu / examples,
            None,
            1,
            f"as recorded: {_what(timed)}; memory {(done['peak_bytes'] or 0) / 1e6:,.0f} MB in all",
        )

    def versions(self) -> dict[str, str]:
        return dict(self.head["versions"])


def _what(timed: bool) -> str:
    if timed:
        return "CPU with digests"
    return "rate and CPU with digests, CPU of the whole process"


def _values(described: list[dict[str, Any]], raw: bytes) -> list[Any]:
    values: list[Any] = []
    at = 0
    for entry in described:
        arrays = []
        for meta in entry["arrays"]:
            arrays.append(_array(meta, raw[at : at + meta["bytes"]]))
            at += meta["bytes"]
        if entry["kind"] == "sparse":
            values.append(recorder.Sparse(*arrays))
        elif entry["kind"] == "ragged":
            inner: Any = arrays[0]
            for splits in reversed(arrays[1:]):
                inner = recorder.Ragged(inner, splits)
            values.append(inner)
        else:
            values.append(arrays[0])
    return values


def _array(meta: dict[str, Any], raw: bytes) -> np.ndarray[Any, Any]:
    if meta["dtype"] != "string":
        return np.asarray(np.frombuffer(raw, np.dtype(meta["dtype"])).reshape(meta["shape"]))
    count = int(np.prod(meta["shape"], dtype=np.int64))
    lengths = np.frombuffer(raw[: 4 * count], "<u4")
    ends = np.cumsum(lengths, dtype=np.int64) + 4 * count
    array: np.ndarray[Any, Any] = np.empty(count, object)
    array[:] = [raw[end - size : end] for end, size in zip(ends, lengths, strict=True)]
    return np.asarray(array.reshape(meta["shape"]))
