# -*- coding: utf-8 -*-
"""Record what an old input pipeline delivers, to compare it elsewhere.

Copy this one file to where the old code runs (TensorFlow 1.4 to 1.15 or 2.x, Python 2.7 or
3.5 and later; nothing else but numpy is needed) and run it there:

    python recorder.py train.py:input_fn out.recording [--limit N] [--epochs N] [--force]

or call it with tensors and a session whose queue runners are started:

    import recorder
    recorder.record_session(session, [images, labels], "out.recording", limit=10000)

Then, where queueio is installed: `queueio compare out.recording new.py:input_fn`.

The format, version 1
---------------------
The first line is ``queueio-recording 1\\n`` in ASCII. Blocks follow: a tag of 4 ASCII letters, the
payload's length (uint64), the payload's CRC-32 (uint32), the payload. All numbers are
little-endian. Nothing is pickled.

HEAD  JSON: structure, components (name, kind, dtype, static shape), batched, versions, command,
      seeds (the graph's, and [name, graph seed, op seed] of the ops that have them).
SIZE  uint32 array: the number of examples of each batch.
DGST  zlib: uint64 array (examples, components, 2): a 128-bit digest of each component.
SHAP  JSON: per component, the example shapes seen with counts (the first 100 shapes).
KEYS  zlib: uint32 array of lengths (the count is in its first entry), then the keys' bytes; the
      keys belong to the examples of the DGST block before.
TIME  float64 array: seconds from the start to each batch of the SIZE block before.
SAMP  JSON line, then the arrays' bytes: one batch, whole, from a given first example on.
DONE  JSON: the end ("clean", "error", "limit"), error type and message, totals; the wall seconds
      and CPU seconds of the run, and those of the wall seconds that went into digests.
A file without DONE was cut off.

Digests are the functions below this text; two values that are equal after a cast to the recorded
dtype have equal digests: all NaN are one NaN, minus zero is zero, shapes count only as the
number of values.
"""

from __future__ import absolute_import, division, print_function

import json
import os
import platform
import struct
import sys
import time
import zlib

import numpy as np

MAGIC = b"queueio-recording "
VERSION = 1
SAMPLE_BYTES = 16 * 1024 * 1024
BLOCK_EXAMPLES = 65536

# ------------------------------------------------------------------ digests

_K1 = np.uint64(0xBF58476D1CE4E5B9)
_K2 = np.uint64(0x94D049BB133111EB)
_S32 = np.uint64(32)
_S29 = np.uint64(29)
_CHUNK_WORDS = 32768  # 256 KiB of words: stays in the second-level cache
_coefficients = {}  # type: dict


def mix(words):
    # type: (np.ndarray) -> np.ndarray
    """Scrambles a uint64 array in place: a bijection in which every bit moves every other."""
    shifted = np.right_shift(words, _S32)
    words ^= shifted
    words *= _K1
    np.right_shift(words, _S29, out=shifted)
    words ^= shifted
    words *= _K2
    np.right_shift(words, _S32, out=shifted)
    words ^= shifted
    return words


def _constants(width):
    # type: (int) -> tuple
    """Offsets (width,), factors of the high lane (width,), what zero words add to both (2,)."""
    size = 16
    while size < width:
        size *= 2
    if size not in _coefficients:
        ramp = np.arange(1, size + 1, dtype=np.uint64)
        offsets = mix(ramp * _K1)
        factors = mix(ramp * _K2) | np.uint64(1)
        zeros = mix(offsets.copy())
        sums = np.cumsum(np.stack([zeros, zeros * factors], 1), axis=0, dtype=np.uint64)
        _coefficients[size] = (offsets, factors, sums)
    offsets, factors, sums = _coefficients[size]
    return offsets[:width], factors[:width], sums[width - 1]


def digest_words(words, lengths):
    # type: (np.ndarray, np.ndarray) -> np.ndarray
    """128-bit digests (n, 2) of n rows of uint64 words; trailing zero words do not count.

    `lengths` (n or one number) tells rows apart that differ in trailing zeros only.
    """
    count, width = words.shape
    low = np.zeros(count, np.uint64)
    high = np.zeros(count, np.uint64)
    if width:
        offsets, factors, zeros = _constants(width)
        if width <= 8:  # a column at a time: rows this short would cost more than their words
            for column in range(width):
                part = mix(words[:, column] + offsets[column])
                low += part
                part *= factors[column]
                high += part
        else:
            step = max(1, _CHUNK_WORDS // width)
            for start in range(0, count, step):
                part = mix(words[start : start + step] + offsets)
                low[start : start + step] = part.sum(axis=1)
                high[start : start + step] = np.einsum("ij,j->i", part, factors)
        low -= zeros[0]
        high -= zeros[1]
    length = np.atleast_1d(lengths).astype(np.uint64) * _K2 + _K1
    return finish(low + length, high + length)


def finish(low, high):
    # type: (np.ndarray, np.ndarray) -> np.ndarray
    """Digests (n, 2) from sums, each lane made to depend on both."""
    low = mix(low + high * _K1)
    high = mix(high + low * _K2)
    out = np.empty((len(low), 2), np.uint64)
    out[:, 0] = low
    out[:, 1] = high
    return out


def join_digests(parts):
    # type: (np.ndarray) -> np.ndarray
    """One digest (n, 2) per example from its component digests (n, components, 2)."""
    count, components, _ = parts.shape
    return digest_words(parts.reshape(count, components * 2), components)


def digest_strings(flat):
    # type: (object) -> np.ndarray
    """Digests (n, 2) of a flat sequence of byte strings."""
    strings = [_as_bytes(s) for s in flat]
    lengths = np.array([len(s) for s in strings], np.int64)
    if not strings:
        return np.zeros((0, 2), np.uint64)
    longest = int(lengths.max())
    if longest * len(strings) <= 1 << 22:
        return digest_words(_string_words(strings, longest), lengths)
    # One row as long as the longest would waste memory: take strings of like length together.
    out = np.zeros((len(strings), 2), np.uint64)
    classes = np.ceil(np.log2(np.maximum(lengths, 1))).astype(np.int64)
    for size in np.unique(classes):
        members = np.nonzero(classes == size)[0]
        step = max(1, (1 << 22) >> int(size))
        for start in range(0, len(members), step):
            some = members[start : start + step]
            words = _string_words([strings[i] for i in some], int(lengths[some].max()))
            out[some] = digest_words(words, lengths[some])
    return out


def _as_bytes(text):
    # type: (object) -> bytes
    if isinstance(text, bytes):
        return text
    return text.encode("utf-8") if hasattr(text, "encode") else bytes(text)  # type: ignore


def _string_words(strings, longest):
    # type: (list, int) -> np.ndarray
    width = max(8, (longest + 7) // 8 * 8)
    array = np.array(strings, dtype="S%d" % width)
    return array.view(np.uint8).reshape(len(strings), width).view("<u8")


def canonical_dtype(dtype):
    # type: (str) -> str
    """The numpy dtype in which values of `dtype` are digested; "string" for strings."""
    if dtype in ("string", "object", "bytes"):
        return "string"
    if dtype in ("float16", "bfloat16", "half"):
        return "float32"
    return "uint8" if dtype == "bool" else dtype


def numeric_rows(array, dtype):
    # type: (np.ndarray, str) -> np.ndarray
    """Words (n, w) of an array whose first axis counts the examples, cast to `dtype`."""
    count = array.shape[0]
    if array.dtype.name != dtype or not array.flags.c_contiguous:
        array = np.ascontiguousarray(array.astype(dtype))
    if array.dtype.kind in "fc":
        array = array + 0  # minus zero becomes zero; a copy, so that NaN may be set
        missing = array != array
        if missing.any():
            array[missing] = np.nan
    width = array.size // count * array.dtype.itemsize if count else 0
    raw = array.reshape(-1).view(np.uint8).reshape(count, width)
    if width % 8:
        padded = np.zeros((count, (width + 7) // 8 * 8), np.uint8)
        padded[:, :width] = raw
        raw = padded
    return raw.view("<u8")


def digest_dense(array, dtype):
    # type: (np.ndarray, str) -> np.ndarray
    """Digests (n, 2) of the n examples of a dense array."""
    count = array.shape[0]
    inner = array.size // count if count else 0
    if dtype != "string":
        return digest_words(numeric_rows(array, dtype), inner)
    digests = digest_strings(array.reshape(-1).tolist())
    if array.ndim == 1:
        return digests
    return digest_words(digests.reshape(count, inner * 2), inner)


def _sum_rows(rows, count, words):
    # type: (np.ndarray, int, np.ndarray) -> np.ndarray
    """Digests of examples as unordered sums of their entries; `words` name each entry's place."""
    lanes = np.zeros((count, 2), np.uint64)
    entries = digest_words(words, 1)
    np.add.at(lanes, rows, entries)
    return digest_words(lanes, np.bincount(rows, minlength=count)[:count])


def digest_sparse(value, dtype):
    # type: (object, str) -> np.ndarray
    """Digests of the rows of a SparseTensorValue; its dense shape beyond the values is ignored."""
    indices = np.asarray(value.indices, np.int64)  # type: ignore
    count = int(value.dense_shape[0])  # type: ignore
    entries = digest_dense(as_array(value.values), dtype)  # type: ignore
    words = np.concatenate([indices[:, 1:].astype(np.uint64), entries], axis=1)
    return _sum_rows(indices[:, 0], count, words)


def digest_ragged(value, dtype):
    # type: (object, str) -> np.ndarray
    """Digests of the rows of a RaggedTensorValue of any ragged rank."""
    splits = np.asarray(value.row_splits, np.int64)  # type: ignore
    inner = value.values  # type: ignore
    nested = hasattr(inner, "row_splits")
    entries = digest_ragged(inner, dtype) if nested else digest_dense(as_array(inner), dtype)
    lengths = np.diff(splits)
    rows = np.repeat(np.arange(len(lengths)), lengths)
    places = np.arange(len(entries)) - np.repeat(splits[:-1], lengths)
    words = np.concatenate([places[:, None].astype(np.uint64), entries], axis=1)
    return _sum_rows(rows, len(lengths), words)


def digest_component(value, dtype):
    # type: (object, str) -> np.ndarray
    """Digests (n, 2) of one component of a batch: dense, sparse or ragged."""
    kind = kind_of(value)
    dtype = canonical_dtype(dtype)
    if kind == "sparse":
        return digest_sparse(value, dtype)
    if kind == "ragged":
        return digest_ragged(value, dtype)
    return digest_dense(value, dtype)  # type: ignore


# ------------------------------------------------------------------ values and structures


def kind_of(value):
    # type: (object) -> str
    if hasattr(value, "dense_shape"):
        return "sparse"
    return "ragged" if hasattr(value, "row_splits") else "dense"


def as_array(value):
    # type: (object) -> np.ndarray
    """A numpy array; byte strings become objects, as numpy's own would lose trailing NULs."""
    if isinstance(value, bytes):
        array = np.empty((), object)
        array[()] = value
        return array
    array = np.asarray(value)
    return array.astype(object) if array.dtype.kind in "SU" else array


def is_text(value):
    # type: (object) -> bool
    """Whether a value is a dense array of byte strings."""
    dtype = getattr(value, "dtype", None)
    return dtype is not None and np.dtype(object) == dtype


def rows_of(value):
    # type: (object) -> int
    """How many examples a batched component holds, or -1 for a scalar."""
    kind = kind_of(value)
    if kind == "sparse":
        return int(value.dense_shape[0]) if len(value.dense_shape) > 1 else -1  # type: ignore
    if kind == "ragged":
        return len(value.row_splits) - 1  # type: ignore
    return value.shape[0] if value.ndim else -1  # type: ignore


def looks_batched(values):
    # type: (list) -> bool
    counts = set(rows_of(v) for v in values)
    return len(counts) == 1 and counts != {-1}


def flatten(nest, path=""):
    # type: (object, str) -> list
    """Pairs (name, leaf) of nested dicts, lists and tuples; dicts by sorted key.

    The parts of a named tuple have its names, in its order.
    """
    leaf = hasattr(nest, "dense_shape") or hasattr(nest, "row_splits")
    if hasattr(nest, "items") and not leaf:
        keys = sorted(nest)  # type: ignore
        return [p for k in keys for p in flatten(nest[k], _join(path, k))]  # type: ignore
    if isinstance(nest, (list, tuple)) and not leaf:
        names = getattr(nest, "_fields", range(len(nest)))
        return [p for i, v in zip(names, nest) for p in flatten(v, _join(path, i))]
    return [(path or "0", nest)]


def _join(path, key):
    # type: (str, object) -> str
    return "%s/%s" % (path, key) if path else "%s" % (key,)


def structure_of(nest):
    # type: (object) -> object
    """The nest's form as JSON: {"dict": {…}}, {"tuple": […]} or "*" for a leaf."""
    leaf = hasattr(nest, "dense_shape") or hasattr(nest, "row_splits")
    if hasattr(nest, "items") and not leaf:
        return {"dict": dict((str(k), structure_of(v)) for k, v in nest.items())}  # type: ignore
    if isinstance(nest, (list, tuple)) and not leaf:
        return {"tuple": [structure_of(v) for v in nest]}
    return "*"


def describe(name, tensor):
    # type: (str, object) -> dict
    """The static description of one fetched tensor."""
    kind = kind_of(tensor)
    shape = getattr(tensor, "shape", None)
    if kind == "sparse" and hasattr(tensor, "get_shape"):
        shape = tensor.get_shape()  # type: ignore
    dims = (
        None
        if shape is None or getattr(shape, "ndims", 0) is None
        else [
            None if d is None or getattr(d, "value", d) is None else int(getattr(d, "value", d))
            for d in shape
        ]
    )
    dtype = tensor.dtype  # type: ignore
    dtype = getattr(dtype, "base_dtype", dtype)
    return {"name": name, "kind": kind, "dtype": str(dtype.name), "shape": dims}


def example_shapes(value, batched):
    # type: (object, bool) -> tuple
    kind = kind_of(value)
    if kind == "dense":
        return tuple(value.shape[1:] if batched else value.shape)  # type: ignore
    return ()


# ------------------------------------------------------------------ the file


class RecordingWriter(object):
    """Writes a recording; the name appears only when the recording is complete."""

    def __init__(self, path, force=False):
        # type: (str, bool) -> None
        if os.path.exists(path) and not force:
            raise IOError("%s exists: use --force to replace it" % path)
        self.path = path
        self.partial = path + ".partial"
        self.file = open(self.partial, "wb")
        self.file.write(MAGIC + str(VERSION).encode("ascii") + b"\n")

    def block(self, tag, payload):
        # type: (bytes, bytes) -> None
        crc = zlib.crc32(payload) & 0xFFFFFFFF
        self.file.write(tag + struct.pack("<QI", len(payload), crc))
        self.file.write(payload)

    def json(self, tag, data):
        # type: (bytes, object) -> None
        self.block(tag, json.dumps(data, sort_keys=True).encode("utf-8"))

    def close(self, complete=True):
        # type: (bool) -> None
        self.file.close()
        if not complete:
            os.remove(self.partial)
            return
        if os.path.exists(self.path):
            os.remove(self.path)
        os.rename(self.partial, self.path)


def sample_payload(first, values):
    # type: (int, list) -> bytes
    """One batch, whole: a JSON line that describes the arrays, then their bytes."""
    arrays = []
    described = []
    for value in values:
        kind = kind_of(value)
        parts = [value]
        if kind == "sparse":
            parts = [value.indices, as_array(value.values), value.dense_shape]
        elif kind == "ragged":
            splits, inner = [], value
            while hasattr(inner, "row_splits"):
                splits.append(np.asarray(inner.row_splits))
                inner = inner.values
            parts = [as_array(inner)] + splits
        entry = {"kind": kind, "arrays": []}
        for part in parts:
            raw, meta = _array_bytes(np.asarray(part))
            entry["arrays"].append(meta)  # type: ignore
            arrays.append(raw)
        described.append(entry)
    line = json.dumps({"first": first, "values": described}, sort_keys=True)
    return line.encode("utf-8") + b"\n" + b"".join(arrays)


def _array_bytes(array):
    # type: (np.ndarray) -> tuple
    shape = list(array.shape)
    if array.dtype == object:
        strings = [_as_bytes(s) for s in array.reshape(-1).tolist()]
        lengths = np.array([len(s) for s in strings], "<u4")
        raw = lengths.tobytes() + b"".join(strings)
        return raw, {"dtype": "string", "shape": shape, "bytes": len(raw)}
    if array.dtype.name == "bfloat16":
        array = array.astype(np.float32)
    raw = np.ascontiguousarray(array.astype(array.dtype.newbyteorder("<"))).tobytes()
    return raw, {"dtype": array.dtype.name, "shape": shape, "bytes": len(raw)}


class Recording(object):
    """Digests batches and writes them, a block at a time."""

    def __init__(self, writer, head, started):
        # type: (Writer, dict, tuple) -> None
        self.started, self.started_cpu = started
        self.digest_seconds = 0.0
        self.writer = writer
        self.components = head["components"]
        self.key = head.get("key")
        self.batched = head["batched"]
        self.examples = 0
        self.room = SAMPLE_BYTES
        self.shapes = [{} for _ in self.components]  # type: list
        self.first_batch = None  # type: object
        self._clear()
        writer.json(b"HEAD", head)

    def _clear(self):
        # type: () -> None
        self.sizes = []  # type: list
        self.digests = []  # type: list
        self.keys = []  # type: list
        self.times = []  # type: list
        self.held = 0

    def add(self, values):
        # type: (list) -> None
        """Adds one batch: a list of values in the order of the components."""
        now = time.time()
        self.times.append(now - self.started)
        if self.first_batch is None:
            self.first_batch = self.times[0]
        if not self.batched:
            values = [as_one_row(v) for v in values]
        count = rows_of(values[0])
        for seen, value in zip(self.shapes, values):
            shape = "x".join(str(d) for d in example_shapes(value, True))
            if shape in seen or len(seen) < 100:
                seen[shape] = seen.get(shape, 0) + count
        dtypes = [c["dtype"] for c in self.components]
        parts = [digest_component(v, d) for v, d in zip(values, dtypes)]
        self.digests.append(np.stack(parts, axis=1))
        if self.key is not None:
            self.keys.extend(_as_bytes(k) for k in values[self.key].reshape(-1).tolist())
        self._sample(values)
        self.sizes.append(count)
        self.examples += count
        self.held += count
        if self.held >= BLOCK_EXAMPLES:
            self.flush()
        self.digest_seconds += time.time() - now

    def _sample(self, values):
        # type: (list) -> None
        if self.room <= 0:
            return
        payload = sample_payload(self.examples, values)
        self.room -= len(payload)
        if self.room > 0 or self.examples == 0:
            self.writer.block(b"SAMP", payload)

    def flush(self):
        # type: () -> None
        if not self.sizes:
            return
        write = self.writer.block
        write(b"SIZE", np.array(self.sizes, "<u4").tobytes())
        digests = np.concatenate(self.digests).astype("<u8")
        write(b"DGST", zlib.compress(digests.tobytes(), 1))
        if self.key is not None:
            lengths = np.array([len(self.keys)] + [len(k) for k in self.keys], "<u4")
            write(b"KEYS", zlib.compress(lengths.tobytes() + b"".join(self.keys), 1))
        write(b"TIME", np.array(self.times, "<f8").tobytes())
        self._clear()

    def done(self, end, error=None, **more):
        # type: (str, object, object) -> None
        self.flush()
        self.writer.json(b"SHAP", self.shapes)
        data = {
            "end": end,
            "error": type(error).__name__ if error is not None else None,
            "message": str(error) if error is not None else None,
            "examples": self.examples,
            "seconds": time.time() - self.started,
            "first_batch_seconds": self.first_batch,
            "run_cpu_seconds": sum(os.times()[:2]) - self.started_cpu,
            "digest_seconds": self.digest_seconds,
            "peak_bytes": _peak_bytes(),
        }
        data.update(more)  # type: ignore
        self.writer.json(b"DONE", data)


def as_one_row(value):
    # type: (object) -> object
    """A single example as a batch of one."""
    kind = kind_of(value)
    if kind == "dense":
        return value[None]  # type: ignore
    if kind == "sparse":
        indices = np.asarray(value.indices, np.int64)  # type: ignore
        zeros = np.zeros((len(indices), 1), np.int64)
        shape = np.concatenate([[1], np.asarray(value.dense_shape, np.int64)])  # type: ignore
        return Sparse(np.concatenate([zeros, indices], 1), value.values, shape)  # type: ignore
    return Ragged(value, np.array([0, len(value.row_splits) - 1]))  # type: ignore


class Sparse(object):
    """indices (n, rank), values (n,), dense_shape (rank,), as in a SparseTensorValue."""

    def __init__(self, indices, values, dense_shape):
        # type: (object, object, object) -> None
        self.indices = np.asarray(indices, np.int64)
        self.values = as_array(values)
        self.dense_shape = np.asarray(dense_shape, np.int64)


class Ragged(object):
    """values, split into rows at row_splits, as in a RaggedTensorValue."""

    def __init__(self, values, row_splits):
        # type: (object, object) -> None
        self.values = values
        self.row_splits = np.asarray(row_splits, np.int64)


def _peak_bytes():
    # type: () -> object
    try:
        import resource
    except ImportError:  # not on Windows
        return None
    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit


# ------------------------------------------------------------------ running TensorFlow


def v1():
    # type: () -> object
    """TensorFlow's version 1 names, whatever version is installed."""
    import tensorflow as tf  # type: ignore

    compat = getattr(tf, "compat", None)
    return getattr(compat, "v1", tf)


def record_session(
    session, fetches, path, limit=None, force=False, command=None, key=None, coordinator=None
):
    # type: (object, object, str, object, bool, object, object, object) -> dict
    """Runs `fetches` until the end of the input, `limit` examples or an error; writes `path`.

    The session's variables must be initialised and its queue runners started. `key` is the index
    or the name of the component that holds the reader's keys, if they are fetched. A `coordinator` tells
    the end of the input from an error in a queue runner's thread.
    Returns what the recording's last block says.
    """
    tf = v1()
    pairs = flatten(fetches)
    if not pairs:
        raise ValueError("there are no tensors to record")
    writer = RecordingWriter(path, force)
    started = time.time(), sum(os.times()[:2])
    recording = None
    try:
        names = [name for name, _ in pairs]
        tensors = [tensor for _, tensor in pairs]
        end, error = "clean", None
        while True:
            try:
                got = session.run(tensors)  # type: ignore
            except tf.errors.OutOfRangeError:  # type: ignore
                error = hidden_error(coordinator)
                end = "clean" if error is None else "error"
                break
            except (tf.errors.OpError, ValueError, TypeError) as problem:  # type: ignore
                end, error = "error", problem
                break
            values = [v if kind_of(v) != "dense" else as_array(v) for v in got]
            if recording is None:
                head = _head(fetches, pairs, values, command, key, names)
                recording = Recording(writer, head, started)
            recording.add(values)
            if limit is not None and recording.examples >= limit:  # type: ignore
                end = "limit"
                break
        if recording is None:
            head = _head(fetches, pairs, None, command, key, names)
            recording = Recording(writer, head, started)
        recording.done(end, error)
    except BaseException:
        writer.close(complete=False)
        raise
    writer.close()
    return {"end": end, "examples": recording.examples, "error": error}


def hidden_error(coordinator):
    # type: (object) -> object
    """The error of a queue runner's thread, which session.run reports as a mere end of input."""
    try:
        if coordinator is not None:
            coordinator.raise_requested_exception()  # type: ignore
    except Exception as problem:
        return problem
    return None


def _head(fetches, pairs, values, command, key, names):
    # type: (object, list, object, object, object, list) -> dict
    import tensorflow as tf  # type: ignore

    return {
        "structure": structure_of(fetches),
        "components": [describe(name, tensor) for name, tensor in pairs],
        "batched": values is None or looks_batched(values),  # type: ignore
        "key": names.index(key) if key in names else key,
        "command": command,
        "seeds": seeds_of(getattr(pairs[0][1], "graph", None)),
        "versions": {
            "python": platform.python_version(),
            "numpy": np.__version__,
            "tensorflow": tf.__version__,
            "recorder": VERSION,
        },
    }


def seeds_of(graph):
    # type: (object) -> object
    """A graph's seed, and [name, graph seed, op seed] of each op that has them; 0 and 0: none."""
    if graph is None:
        return None
    ops = []
    for op in graph.get_operations():  # type: ignore
        attr = op.node_def.attr
        if "seed" in attr and "seed2" in attr:
            ops.append([op.name, attr["seed"].i, attr["seed2"].i])
    return {"graph": graph.seed, "ops": ops}  # type: ignore


def record(input_fn, path, limit=None, epochs=None, force=False, command=None, key=None):
    # type: (object, str, object, object, bool, object, object) -> dict
    """Builds a pipeline in a fresh graph by calling `input_fn`, runs it and records it."""
    tf = v1()
    if os.path.exists(path) and not force:
        raise IOError("%s exists: use --force to replace it" % path)
    with tf.Graph().as_default():  # type: ignore
        fetches = call_input_fn(input_fn, epochs)
        if hasattr(fetches, "make_initializable_iterator") or hasattr(fetches, "element_spec"):
            iterator = tf.data.make_initializable_iterator(fetches)  # type: ignore
            tf.add_to_collection(tf.GraphKeys.TABLE_INITIALIZERS, iterator.initializer)  # type: ignore
            fetches = iterator.get_next()
        _check_tensors(fetches)
        with tf.Session() as session:  # type: ignore
            session.run([tf.local_variables_initializer(), tf.global_variables_initializer()])  # type: ignore
            session.run(tf.tables_initializer())  # type: ignore
            coordinator = tf.train.Coordinator()  # type: ignore
            threads = tf.train.start_queue_runners(session, coordinator)  # type: ignore
            try:
                result = record_session(
                    session, fetches, path, limit, force, command, key, coordinator
                )
            finally:
                coordinator.request_stop()
                session.close()
                try:
                    coordinator.join(threads, stop_grace_period_secs=5)
                except Exception as problem:  # the recording is written; say it and go on
                    print("recorder: while stopping: %s" % problem, file=sys.stderr)
    return result


def call_input_fn(input_fn, epochs):
    # type: (object, object) -> object
    """Calls the function, with the number of epochs if it has an argument for it."""
    code = getattr(input_fn, "__code__", None)
    names = code.co_varnames[: code.co_argcount] if code is not None else ()
    for name in ("num_epochs", "epochs"):
        if epochs is not None and name in names:
            return input_fn(**{name: epochs})  # type: ignore
    return input_fn()  # type: ignore


def _check_tensors(fetches):
    # type: (object) -> None
    leaves = [leaf for _, leaf in flatten(fetches)] if fetches is not None else []
    bad = [leaf for leaf in leaves if not hasattr(leaf, "dtype")]
    if not leaves or bad:
        what = "nothing" if not leaves else "%r" % (bad[0],)
        raise ValueError("the input function returned %s: it must return tensors" % what)


def load(target):
    # type: (str) -> object
    """The function named by `script.py:name`."""
    import runpy

    path, _, name = target.rpartition(":")
    if not path or not os.path.exists(path):
        raise ValueError("%s: expected script.py:function, and the script must exist" % target)
    sys.path.insert(0, os.path.dirname(os.path.abspath(path)))
    names = runpy.run_path(path, run_name="recorded")
    if name not in names:
        raise ValueError("%s has no function %s" % (path, name))
    return names[name]


def _for_tf2(problem):
    # type: (BaseException) -> str
    """What to do about a name that TensorFlow 2 has not where TensorFlow 1 had it, or nothing."""
    if not isinstance(problem, AttributeError) or "'tensorflow" not in str(problem):
        return ""
    import tensorflow as tf

    if tf.__version__.startswith("1."):
        return ""
    return (
        ". This is TensorFlow %s: record where TensorFlow 1 is, or write in the script"
        " `import tensorflow.compat.v1 as tf`, with tf.disable_v2_behavior()" % tf.__version__
    )


def main(argv=None):
    # type: (object) -> int
    import argparse

    parser = argparse.ArgumentParser(description="Record what an input pipeline delivers.")
    parser.add_argument("target", help="script.py:function, which returns the pipeline's tensors")
    parser.add_argument("recording", help="the file to write")
    parser.add_argument("--limit", type=int, help="stop after this many examples")
    parser.add_argument("--epochs", type=int, help="passed on as num_epochs, if it is an argument")
    parser.add_argument("--key", help="name or index of the component that holds record keys")
    parser.add_argument("--force", action="store_true", help="replace an existing recording")
    arguments = parser.parse_args(argv)  # type: ignore
    key = int(arguments.key) if (arguments.key or "").isdigit() else arguments.key
    command = " ".join(sys.argv if argv is None else argv)  # type: ignore
    if argv is None:  # the script's own flags are parsed when it asks for one
        sys.argv[:] = [arguments.target.rpartition(":")[0]]
    try:
        function = load(arguments.target)
        limit, epochs = arguments.limit, arguments.epochs
        done = record(function, arguments.recording, limit, epochs, arguments.force, command, key)
    except (Exception, SystemExit) as problem:
        hint = _for_tf2(problem)
        print("recorder: %s: %s%s" % (type(problem).__name__, problem, hint), file=sys.stderr)
        return 2
    said = "%s: %d examples, end: %s" % (arguments.recording, done["examples"], done["end"])
    print(said + (" (%s)" % done["error"] if done["error"] is not None else ""))
    return 0


if __name__ == "__main__":
    sys.exit(main())
