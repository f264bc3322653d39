"""A dataset's graph in writing, and kept on disk: tracing its functions takes longer than a job.

What is kept was made of the same plan (its fingerprint), by the same files of this package, under
the same TensorFlow and numpy, with oneDNN's kernels or without, and for as many processors. It
holds constants of the program's graph, and nothing of what is in files: they are read when it runs.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import json
import os
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import tensorflow as tf
from tensorflow.python.util import _pywrap_util_port  # no public spelling

from queueio import settings
from queueio.compile.kernels import native
from queueio.compile.kernels.budget import calls
from queueio.compile.kernels.python_ops import home_of, token_of
from queueio.compile.marks import measured
from queueio.graph.traits import Effect, row_of

_RESULT = "result"
_SUFFIX = ".dataset"
_MOST_BYTES = 8 << 20
_MOST_FILES = 200
_CHECK_BYTES = 16


@dataclass(frozen=True)
class Definition:
    """A dataset in writing.

    Attributes:
      graph_def: a serialised GraphDef, as `DatasetFromGraph` takes it.
      asked: placeholders in it, by what they stand for.
      keeps: what has to live as long.
    """

    graph_def: bytes
    asked: Mapping[str, str]
    keeps: Any = field(default=None, repr=False)

    @classmethod
    def of(cls, dataset: tf.data.Dataset, graph: tf.Graph, asked: Mapping[str, str]) -> Definition:
        """Writes down a dataset that was made in `graph`, the default one."""
        variant = tf.data.experimental.to_variant(dataset)
        written = graph.as_graph_def()
        result = written.node.add(name=_RESULT, op="_Retval", input=[variant.name])
        result.attr["T"].type = variant.dtype.as_datatype_enum
        result.attr["index"].i = 0
        _name_apart(written)
        keeps = graph if any(_python_nodes(written)) else None
        return cls(written.SerializeToString(), asked, keeps)

    def dataset(self, element_spec: Any) -> tf.data.Dataset:
        """An eager dataset of it, which nothing of the program's graph enters."""
        read = tf.raw_ops.DatasetFromGraph(graph_def=self.graph_def)
        made = tf.data.experimental.from_variant(read, element_spec)
        made._queueio_source = self.keeps
        return made

    def with_values(self, values: Mapping[str, Any]) -> bytes:
        """The GraphDef with values in place of its placeholders."""
        if not values:
            return self.graph_def
        written = tf.compat.v1.GraphDef.FromString(self.graph_def)
        for node in written.node:
            if node.name in values:
                node.op = "Const"
                node.attr.pop("shape", None)
                node.attr["value"].tensor.CopyFrom(tf.make_tensor_proto(values[node.name]))
        text: bytes = written.SerializeToString()
        return text


def kept(name: str | None, made: Callable[[], Definition]) -> Definition:
    """What a run before, here or in another process, has kept; else what is made now, and kept.

    Args:
      name: the fingerprint of what makes it; None where it has none.
      made: makes it.
    """
    place = settings.current().cache
    if place is None or name is None:
        return made()
    path = Path(place) / f"{name}-{_surroundings()}{'-measured' * measured()}{_SUFFIX}"
    found = _read(path)
    if found is None:
        found = made()
        _keep(path, found)
    return found


def _read(path: Path) -> Definition | None:
    try:
        content = path.read_bytes()
        check, text = content[:_CHECK_BYTES], content[_CHECK_BYTES:]
        if check != _check(text):
            return None
    except OSError:
        return None
    with contextlib.suppress(OSError):  # another user's, or where nothing can be written
        os.utime(path)
    asked, _, graph_def = text.partition(b"\n")
    written = tf.compat.v1.GraphDef.FromString(graph_def)
    for node in _python_nodes(written):
        node.attr["token"].s = token_of(node.attr["token"].s.decode())
    return Definition(written.SerializeToString(), json.loads(asked))


def _keep(path: Path, definition: Definition) -> None:
    """Writes a definition to a file, unless it is very long or calls what no other process has."""
    if len(definition.graph_def) > _MOST_BYTES:
        return
    written = tf.compat.v1.GraphDef.FromString(definition.graph_def)
    for node in _python_nodes(written):
        home = home_of(node.attr["token"].s)
        if home is None:
            return
        node.attr["token"].s = home.encode()
    text = json.dumps(dict(definition.asked)).encode() + b"\n" + written.SerializeToString()
    with contextlib.suppress(OSError):
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        fresh = path.with_name(f"{path.name}.{os.getpid()}")
        try:
            fresh.write_bytes(_check(text) + text)
            fresh.replace(path)  # at once: nobody reads a file half written
        finally:
            fresh.unlink(missing_ok=True)  # of a full disk
        _clear(path.parent)


@functools.cache
def _surroundings() -> str:
    """What a definition depends on besides its plan, in 12 letters and digits."""
    said = repr((machine(), _own_files()))
    return hashlib.blake2b(said.encode(), digest_size=6).hexdigest()


def machine() -> tuple[Any, ...]:
    """What the dataset of a plan depends on where it is made."""
    versions = (sys.version, tf.version.VERSION, tf.version.GIT_VERSION, np.__version__)
    # Where there are ops of ours, asking for one adds it to TensorFlow, before a graph holds it.
    ours = (native.reads_tf_records(), native.parses_examples(), native.moves(),
            native.reads_examples(), native.has_a_pool())  # fmt: skip
    # What in_session.py has rewritten is so for the kernels of this machine and environment.
    return (*versions, calls(), *ours, _pywrap_util_port.IsMklEnabled())


def _own_files() -> list[tuple[str, int, int]]:
    """The files of this package, with sizes and times: who works on it gets no old dataset.

    Of one that was imported out of an archive it is that; of a frozen one, the program.
    """
    package = Path(__file__).resolve().parent.parent
    if not package.is_dir():
        archive = next((path for path in package.parents if path.is_file()), Path(sys.executable))
        return [(str(archive), archive.stat().st_size, archive.stat().st_mtime_ns)]
    waiting, files = [str(package)], []
    while waiting:
        with os.scandir(waiting.pop()) as entries:
            for entry in entries:
                if entry.is_dir():
                    waiting.append(entry.path)
                elif entry.name.endswith((".py", ".so")):
                    files.append((entry.path, entry.stat().st_size, entry.stat().st_mtime_ns))
    return sorted(files)


def _name_apart(written: Any) -> None:
    """Gives the functions names that nothing else in any process has.

    TensorFlow numbers functions from the start of a process. Where it puts the functions of two
    graphs together, as for several devices, it takes those of one name for one.
    """
    digest = hashlib.blake2b(written.SerializeToString(), digest_size=6).hexdigest()
    names = {f.signature.name: f"{f.signature.name}_{digest}" for f in written.library.function}
    for function in written.library.function:
        function.signature.name = names[function.signature.name]
    for node in _nodes(written):
        node.op = names.get(node.op, node.op)
        for value in node.attr.values():
            for called in [value.func] if value.HasField("func") else value.list.func:
                called.name = names.get(called.name, called.name)


def _nodes(written: Any) -> Iterator[Any]:
    yield from written.node
    for function in written.library.function:
        yield from function.node_def


def _python_nodes(written: Any) -> Iterator[Any]:
    return (node for node in _nodes(written) if row_of(node.op).effect is Effect.RUNS_PYTHON)


def _check(text: bytes) -> bytes:
    return hashlib.blake2b(text, digest_size=_CHECK_BYTES).digest()


def _clear(folder: Path) -> None:
    """Removes those that nobody has asked for the longest, and what a killed process left."""
    kept = sorted(folder.glob(f"*{_SUFFIX}*"), key=lambda path: path.stat().st_mtime)
    for path in kept[:-_MOST_FILES]:
        path.unlink(missing_ok=True)
