"""Runs scripts for some session calls, and writes down what their pipelines delivered to each.

`observers.Observers` starts the process. Each line of its input is an order, and is answered with
the exit status of the script's own process.

A pipeline delivers through the op that takes from its queue last, or through an iterator's
get_next: whenever a session call reaches one, its tensors are fetched in the same call, which takes
nothing more. The script runs as under `queueio run` and ends after so many calls; a pipeline may
then be read on, so that it is known what it can deliver at all.
"""

from __future__ import annotations

import hashlib
import json
import os
import signal
import sys
import threading
import time
import traceback
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np

from queueio.convert.own_saves import Saves
from queueio.graph.error_text import sentence
from queueio.graph.origin import Origin, origin

if TYPE_CHECKING:
    from queueio.convert.gone import Gone

FORKS = hasattr(os, "fork") and sys.platform != "darwin"
"""Whether a process that has imported TensorFlow, and done nothing with it, can be forked."""
_LOOKS_EVERY = 0.5


class Observer:
    """Counts session calls that take from a pipeline, and keeps what they took.

    Args:
      steps: how many such calls the script makes before it ends.
      most: how many examples of each pipeline are read on afterwards.
      out: the file to write.
      gone: where pipelines are made that a changed script has no more; see `place_of`.
      saves: a file for `own_saves.Saves`.
    """

    def __init__(
        self, steps: int, most: int, out: str, gone: Sequence[str] = (), saves: str = os.devnull
    ) -> None:
        self.steps, self.most, self.out, self.gone = steps, most, out, set(gone)
        self.missed: dict[str, None] = {}
        self.summaries: dict[tuple[str, str], None] = {}
        self.calls: list[dict[int, dict[str, Any]]] = []
        self.known: dict[int, list[Any]] = {}
        self.ended: dict[int, str] = {}
        self._graphs: dict[Any, tuple[int, list[tuple[Any, list[Any]]], Gone]] = {}
        self.made: dict[int, str] = {}
        self._order: dict[tuple[Any, str], int] = {}
        self._saves = Saves(saves)

    def install(self) -> None:
        """Has every session call pass through here."""
        from queueio.runtime import calls

        def around(stock: Any) -> Any:
            def run(session: Any, fetches: Any, *args: Any, **kwargs: Any) -> Any:
                return self.run(stock, session, fetches, *args, **kwargs)

            return run

        calls.wrap(run=around, make_callable=self._making)
        self._saves.install()

    def _making(self, stock: Any) -> Any:
        """Has a callable that takes from a pipeline go through `run`; threads' own ones do not."""

        def make_callable(
            session: Any, fetches: Any, feed_list: Any = None, accept_options: bool = False
        ) -> Any:
            fed = list(feed_list or ())
            if not self._reached(session.graph, fetches, fed, noted=False):
                return stock(session, fetches, feed_list, accept_options)

            def call(*values: Any, **options: Any) -> Any:
                return session.run(fetches, dict(zip(fed, values, strict=True)), **options)

            return call

        return make_callable

    def run(self, stock: Any, session: Any, fetches: Any, *args: Any, **kwargs: Any) -> Any:
        """One session call, with what its pipelines deliver to it."""
        feeds = args[0] if args else kwargs.get("feed_dict")
        reached = self._reached(session.graph, fetches, list(feeds or ()))
        if not reached:
            return stock(session, fetches, *args, **kwargs)
        places = [self._place(op) for op, _ in reached]
        try:
            result, *taken = stock(session, [fetches, *[t for _, t in reached]], *args, **kwargs)
        except Exception as error:
            self.ended.update(dict.fromkeys(places, type(error).__name__))
            raise
        found = zip(places, reached, taken, strict=True)
        self.calls.append({place: rows(values, t) for place, (_, t), values in found})
        if len(self.calls) >= self.steps:
            self._read_on(stock, session)
            self.write("stopped")
            os._exit(0)
        return result

    def write(self, status: str) -> None:
        """Writes what was seen, and ends what the next run would go on from."""
        from queueio.convert.gone import asking

        there = []
        for graph, (_, found, gone) in self._graphs.items():
            self.summaries |= dict.fromkeys(gone.merged())
            there += asking(graph, [op for op, _ in found if (op.graph, op.name) in self._order])
        told = {"calls": self.calls, "known": self.known, "ended": self.ended, "status": status,
                "made": self.made, "missed": list(self.missed),
                "summaries": list(self.summaries), "asking": there}  # fmt: skip
        with open(self.out, "w", encoding="utf-8") as file:
            json.dump(told, file)
        self._saves.take_back()

    def _place(self, op: Any) -> int:
        """The number of a pipeline; two graphs may have an op of the same name each."""
        place = self._order.setdefault((op.graph, op.name), len(self._order))
        self.made[place] = place_of(origin(op))
        return place

    def _reached(
        self, graph: Any, fetches: Any, feeds: Any, noted: bool = True
    ) -> list[tuple[Any, list[Any]]]:
        """What a session call takes from pipelines; notes what it takes from within them."""
        from queueio.convert.gone import Gone
        from queueio.graph.traversal import run_by

        version = graph.version
        if self._graphs.get(graph, (-1,))[0] != version:
            found = deliveries(graph)
            last = [op for op, _ in found if place_of(origin(op)) in self.gone]
            self._graphs[graph] = version, found, Gone(graph, last)
        _, found, gone = self._graphs[graph]
        ops, fed = _ops(graph, fetches), set(_ops(graph, feeds))
        if noted:
            missed, summaries = gone.missed(ops, fed)
            self.missed |= dict.fromkeys(missed)
            self.summaries |= dict.fromkeys(summaries)
        needed = set(run_by(ops, fed))
        return [(op, tensors) for op, tensors in found if op in needed]

    def _read_on(self, stock: Any, session: Any) -> None:
        import tensorflow as tf

        options = tf.compat.v1.RunOptions(timeout_in_ms=60_000)
        for op, tensors in self._graphs[session.graph][1] if session.graph in self._graphs else ():
            place = self._order.get((op.graph, op.name))
            if place is None or not self.most:
                continue
            more = self.known[place] = []
            while len(more) < self.most:
                try:
                    more += rows(stock(session, tensors, options=options), tensors)["rows"]
                except tf.errors.OpError:
                    self.ended.setdefault(place, "read on to its end")
                    break


def place_of(made: Origin) -> str:
    """Where an op was made, as text: `/home/me/train.py:7`."""
    return f"{made.filename}:{made.lineno}"


def deliveries(graph: Any) -> list[tuple[Any, list[Any]]]:
    """The ops that hand examples to the program, with their tensors, in the order of making."""
    import tensorflow as tf

    from queueio.lift.pipelines import pipelines

    found = [(each.op, list(each.fetches)) for each in pipelines(graph)]
    for op in graph.get_operations():
        if op.type == "IteratorGetNext":
            tensors = [_sparse(t) if t.dtype == tf.variant else t for t in op.outputs]
            found.append((op, [t for t in tensors if t is not None]))
    return sorted(found, key=lambda each: each[0]._id)


def _sparse(tensor: Any) -> Any:
    """The sparse tensor that an iterator hands over as a variant; None if nothing unpacks it."""
    import tensorflow as tf

    for op in tensor.consumers():
        if op.type == "DeserializeSparse":
            return tf.SparseTensor(*op.outputs)
    return None


def _ops(graph: Any, fetches: Any) -> list[Any]:
    found = []
    for item in _leaves(fetches):
        element = graph.as_graph_element(item, allow_tensor=True, allow_operation=True)
        found.append(getattr(element, "op", element))
    return found


def _leaves(fetches: Any) -> Iterator[Any]:
    """What a session call fetches; the keys of a dict need no order: hooks' fetches have none."""
    import tensorflow as tf

    if isinstance(fetches, Mapping):
        fetches = list(fetches.values())
    if isinstance(fetches, (list, tuple)):
        for each in fetches:
            yield from _leaves(each)
    else:
        yield from tf.nest.flatten(fetches, expand_composites=True)


def rows(values: Sequence[Any], tensors: Sequence[Any]) -> dict[str, Any]:
    """The examples of one batch, each as what tells it from others.

    Returns:
      `form`: dtype and shape of each component, without the batch, and without a shape where an
      example's own is not known; `rows`: for each example a digest of all but its floats, and three
      sums over each of its floats, as those may differ in their last bits between an optimised
      graph and a function. Of a sparse one that is where its values are, and what they are.
    """
    parts = [_by_example(value) for value in values]
    count = {len(part) for part in parts}
    if len(count) != 1 or None in count:
        parts, count = [[value] for value in values], {1}
    padded = [_is_padded(tensor) for tensor in tensors]
    form = [_form(value, pad) for value, pad in zip(values, padded, strict=True)]
    found = []
    for i in range(count.pop()):
        digest, sums = hashlib.blake2b(digest_size=8), []
        for part, pad in zip(parts, padded, strict=True):
            for array in part[i] if isinstance(part[i], tuple) else (part[i],):
                array = _unpadded(np.asarray(array)) if pad else np.asarray(array)
                if array.dtype.kind == "f":
                    sums += _sums(array)
                else:
                    digest.update(repr(array.tolist()).encode())
        found.append([digest.hexdigest(), sums])
    return {"form": form, "rows": found}


def _form(value: Any, padded: bool) -> list[Any]:
    if _is_sparse(value):
        return [f"sparse {value.values.dtype}", None]
    array = np.asarray(value)
    return [str(array.dtype), None if padded else list(array.shape)[1:]]


def _is_sparse(value: Any) -> bool:
    return hasattr(value, "dense_shape")


def _by_example(value: Any) -> Any:
    if _is_sparse(value):
        at = [np.flatnonzero(value.indices[:, 0] == i) for i in range(int(value.dense_shape[0]))]
        return [(value.indices[rows][:, 1:], value.values[rows]) for rows in at]
    array = np.asarray(value)
    return list(array) if array.ndim else [array]


def _is_padded(tensor: Any) -> bool:
    if _is_sparse(tensor):
        return False  # all that a sparse tensor says is its own
    shape = getattr(tensor, "shape", None)
    return shape is None or shape.rank is None or None in shape.as_list()[1:]


def _unpadded(array: np.ndarray) -> np.ndarray:
    flat = array.reshape(-1)
    full = np.flatnonzero(flat != (b"" if flat.dtype.kind in "OS" else 0))
    return flat[: full[-1] + 1] if len(full) else flat[:0]


def _sums(array: np.ndarray) -> list[float]:
    flat: Any = array.astype(np.float64).reshape(-1)
    flat = np.where(np.isfinite(flat), flat, 0.12345)
    return [
        float(flat.sum()),
        float(np.abs(flat).sum()),
        float(flat @ np.sin(np.arange(flat.size))),
    ]


def observe(order: dict[str, Any]) -> NoReturn:
    """Runs a script in this process, and ends it."""
    from queueio.script.program import run_file, run_module

    observer = Observer(
        order["steps"], order["most"], order["out"], order.get("gone", ()), order["saves"]
    )
    observer.install()
    sys.excepthook = _with_last_words(sys.excepthook)
    sys.path[:0] = order["path"]
    status: Any = "failed"
    try:
        run = run_module if order.get("as_module") else run_file
        status = run(order["script"], order["arguments"])
    except SystemExit as error:
        status = error.code or 0
    except BaseException:
        traceback.print_exc()
    finally:
        observer.write("ended" if status in (0, None) else f"failed: exit status {status}")
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(0)


def _with_last_words(shows: Any) -> Any:
    """Shows an error, and then what went wrong: TensorFlow's own words end in a stack trace."""

    def show(kind: type[BaseException], error: BaseException, trace: Any) -> None:
        shows(kind, error, trace)
        told = f"{kind.__name__}: {' '.join(sentence(error).split())}"
        print(told.rstrip(": "), file=sys.stderr)

    return show


def main() -> None:
    """Takes orders: {script, as_module, arguments, path, steps, most, out, said, gone, saves}.

    `as_module`: whether `script` is a module's name; `path`: folders to import from; `out`: where
    to write what was seen; `said`: where standard error goes. See `Observer` for the others.
    """
    import queueio.v1  # noqa: F401 - sessions get queueio's own wrapping first

    threading.Thread(target=_end_with, args=(os.getppid(),), daemon=True).start()
    answers = os.fdopen(os.dup(1), "w")
    for line in sys.stdin:
        order = json.loads(line)
        process = os.fork() if FORKS else 0
        if process == 0:
            _redirect(order["said"])
            observe(order)
        status = os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])
        print(status, file=answers, flush=True)


def _end_with(parent: int) -> None:
    """Ends this process, and the run that it was forked for, when the one that orders is gone."""
    while os.getppid() == parent:
        time.sleep(_LOOKS_EVERY)
    if hasattr(os, "killpg"):
        os.killpg(0, signal.SIGKILL)  # it was started as the leader of a session
    os._exit(1)


def _redirect(said: str) -> None:
    """No input, no output, and standard error into a file."""
    nothing = os.open(os.devnull, os.O_RDWR)
    os.dup2(nothing, 0)
    os.dup2(nothing, 1)
    os.dup2(os.open(said, os.O_WRONLY | os.O_CREAT), 2)
    sys.stdin = os.fdopen(0)
