"""Runs a script up to the point where its first session works: all graphs are built by then.

TF1 scripts build first and run later, so what a script does before its first `sess.run` is the
whole input pipeline, and nothing is read, trained or written to a log folder yet.
"""

from __future__ import annotations

import contextlib
import functools
import os
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from queueio import settings
from queueio.graph.origin import user_line
from queueio.script.saved_graphs import is_meta_graph, why_no_script

if TYPE_CHECKING:
    from queueio.lift.pipelines import Pipeline

_PATIENCE = 100
_TRAINED_OR_READ = ("queue", "reader", "variable", "iterator")


class ScriptFailed(Exception):
    """The script ended with an error before any session ran; its traceback is on stderr."""

    def __init__(self, path: str, status: object) -> None:
        # What sys.exit is given is a message unless it is a number; the status then is 1.
        how = f"exit status {status}" if isinstance(status, int) else f"the message {str(status)!r}"
        super().__init__(f"{path} ended with {how} while it built its graph")


class _Built(SystemExit):
    """Ends the script: `except Exception` lets it through."""


@dataclass
class BuildingPhase:
    """What a script had built.

    Attributes:
      graphs: every `tf.Graph` (not those of functions), in the order of their making.
      ended: the call that ended the phase, with its line, as `sess.run at train.py:70: …`; empty
        where the script came to its own end without any.
    """

    graphs: list[Any] = field(default_factory=list)
    ended: str = ""

    @property
    def pipelines(self) -> list[Pipeline]:
        """The queue pipelines of all graphs, in the order of their making."""
        from queueio.lift.pipelines import model_inputs

        return [found for graph in self.graphs for found in model_inputs(graph)]


_CUT = "it is cut off, or none. Copy it again, or save it anew with tf.train.export_meta_graph"


def building_phase(
    path: str, arguments: Sequence[str] = (), as_module: bool = False
) -> BuildingPhase:
    """Runs `python path arguments…` as `queueio run` would, until it has built its graphs.

    The phase ends at the first `sess.run`, at a queue runner's start, or at the making of a
    MonitoredSession or Supervisor, which write to log folders as they are made. Runs in a graph
    without variables, queues and iterators are let through: such a graph cannot train, and
    scripts prepare their data by it. What the script prints goes to stderr; its `finally` blocks
    run.

    Args:
      path: a Python source file, or a MetaGraph file (`.meta`), which is imported instead.
      arguments: what the script sees as `sys.argv[1:]`.
      as_module: whether `path` is a module's name, as in `python -m`.

    Returns:
      The graphs and their pipelines.

    Raises:
      ScriptFailed: the script failed, or ended with another exit status than 0, before.
      NotFoundError: the file cannot be opened, is no MetaGraph, or is a graph under another name.
    """
    import queueio.v1  # noqa: F401 - the sessions' own wrapping comes first
    from queueio.script.program import NotFoundError, run_file, run_module

    if not as_module and is_meta_graph(path):
        return BuildingPhase([_imported(path)])
    if not as_module and (graph := why_no_script(path)):
        raise NotFoundError(graph, 2)
    phase = BuildingPhase()
    with settings.override(engine="queue"), _watched(phase), contextlib.redirect_stdout(sys.stderr):
        try:
            status: object = (run_module if as_module else run_file)(path, arguments)
        except _Built:
            status = 0
        except SystemExit as error:  # the script's own, or out of its `finally`
            status = error.code
    if status not in (0, None) and not phase.ended:
        raise ScriptFailed(path, status)
    return phase


def _imported(path: str) -> Any:
    import tensorflow as tf

    from queueio.script.program import NotFoundError

    what = f"{path} cannot be imported as a MetaGraph"
    with tf.Graph().as_default() as graph:
        try:
            tf.compat.v1.train.import_meta_graph(path)
        except UnicodeDecodeError as error:  # tried as text when it is not one in binary form
            raise NotFoundError(f"{what}: {_CUT}", 2) from error
        except Exception as error:  # of the file system, the parsers, or an unknown op
            raise NotFoundError(f"{what}: {error}", 2) from error
    if not graph.get_operations():
        raise NotFoundError(f"{what}: no op is in it; {_CUT}", 2)
    return graph


@contextlib.contextmanager
def _watched(phase: BuildingPhase) -> Iterator[None]:
    """Graphs are noted and sessions do not run, within the `with` block."""
    import tensorflow as tf
    from tensorflow.python.training.monitored_session import _MonitoredSession  # its classes' base
    from tensorflow.python.util import tf_should_use

    from queueio.runtime import calls
    from queueio.runtime.threads.queue_runner import QueueRunner

    v1 = tf.compat.v1
    ends = [
        (QueueRunner, "create_threads", "queue runners start"),
        (v1.train.QueueRunner, "create_threads", "queue runners start"),
        (_MonitoredSession, "__init__", "a monitored session is made"),
        (v1.train.Supervisor, "__init__", "a Supervisor is made"),
    ]
    known = {id(v1.get_default_graph())}
    helper = tf_should_use._TFShouldUseHelper

    def note(graph: Any, *args: Any, **kwargs: Any) -> None:
        init(graph, *args, **kwargs)
        if not phase.ended and type(graph) is tf.Graph and id(graph) not in known:
            phase.graphs.append(graph)

    init = tf.Graph.__init__
    phase.graphs.append(v1.get_default_graph())
    with contextlib.ExitStack() as stack:
        stack.enter_context(_replaced(tf.Graph, "__init__", note))
        stack.enter_context(_replaced(helper, "__init__", _counted_as_used(helper.__init__)))
        for name in ("run", "make_callable", "partial_run_setup"):
            stack.callback(calls.wrap(**{name: functools.partial(_end, phase, f"sess.{name}")}))
        for owner, name, what in ends:
            stack.enter_context(_replaced(owner, name, _end(phase, what, getattr(owner, name))))
        stack.enter_context(_replaced(sys, "excepthook", _quiet_once_built(phase)))
        yield


def _counted_as_used(init: Callable[..., None]) -> Callable[..., None]:
    """TensorFlow tells of results that nothing used; the phase ends before the script uses them."""

    def made(helper: Any, *args: Any, **kwargs: Any) -> None:
        init(helper, *args, **kwargs)
        helper.sate()

    return made


def _end(phase: BuildingPhase, what: str, stock: Callable[..., Any]) -> Callable[..., Any]:
    """A stand-in that ends the phase; in a thread of the script's, only that thread."""
    calls: list[None] = []

    def end(*args: Any, **kwargs: Any) -> Any:
        if not phase.ended and what.startswith("sess.") and _only_computes(args[0].graph):
            return stock(*args, **kwargs)
        if threading.current_thread() is not threading.main_thread():
            raise SystemExit  # which threads end by in silence; by its subclasses they do not
        line = user_line()
        phase.ended = phase.ended or (f"{what} at {line}" if line else what)
        calls.append(None)
        if len(calls) > _PATIENCE:  # a bare `except:` in a loop catches even this
            sys.stderr.write(f"queueio: the script goes on whatever {what} raises; giving up.\n")
            sys.stderr.flush()
            os._exit(2)
        raise _Built(0)

    return end


def _only_computes(graph: Any) -> bool:
    from queueio.graph.traits import row_of

    return not any(row_of(op.type).makes in _TRAINED_OR_READ for op in graph.get_operations())


def _quiet_once_built(phase: BuildingPhase) -> Callable[..., None]:
    """Errors of `finally` blocks that miss what the rest of the script would have made."""
    show = sys.excepthook

    def hook(*error: Any) -> None:
        if not phase.ended:
            show(*error)

    return hook


@contextlib.contextmanager
def _replaced(owner: Any, name: str, value: Any) -> Iterator[None]:
    had, kept = name in vars(owner), getattr(owner, name)
    setattr(owner, name, value)
    try:
        yield
    finally:
        if had:
            setattr(owner, name, kept)
        else:
            delattr(owner, name)
