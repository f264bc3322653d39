"""Calls made ready once, whose ops run in the thread that makes them.

`session.run` finds out each time what its fetches are, and hands their ops to another thread. For
a batch that is only taken out of a queue both take several times longer than to take it.
"""

from __future__ import annotations

import weakref
from typing import Any

import tensorflow.compat.v1 as tf
from tensorflow.core.protobuf import config_pb2
from tensorflow.python.client import session as session_lib

HERE = tf.RunOptions(inter_op_thread_pool=-1)
"""Has the ops of a call run in the thread that makes it.

What computes may lose by it: its ops cannot run side by side, nor what an op itself splits up.
"""
_c = session_lib.tf_session


class Prepared:
    """Fetches of a session of this process, without feeds; it does not keep the session alive.

    Raises:
      tf.errors.OpError, TypeError, ValueError: the session cannot run them.
    """

    def __init__(self, session: Any, fetches: Any) -> None:
        self._handler = session_lib._FetchHandler(session.graph, fetches, {})
        options = config_pb2.CallableOptions(
            target=[op.name for op in self._handler.targets()],
            fetch=[tensor.name for tensor in self._handler.fetches()],
            run_options=HERE,
        )
        self._session = weakref.ref(session)
        self._version = session.graph.version
        session._extend_graph()
        buffer = _c.TF_NewBufferFromString(options.SerializeToString())
        try:
            self._handle = _c.TF_SessionMakeCallable(session._session, buffer)
        finally:
            _c.TF_DeleteBuffer(buffer)

    def __call__(self, session: Any) -> Any:
        """What `session.run(fetches)` returns, in the session that it was made for.

        Its errors are those of a callable: it is `session._do_call` that says where an op was made.
        """
        found = _c.TF_SessionRunCallable(session._session, self._handle, (), None)
        return self._handler.build_results(session, found)

    def run(self, session: Any) -> Any:
        """The same, after the session was told of what was changed in the graph."""
        if session.graph.version != self._version:
            session._extend_graph()
            self._version = session.graph.version
        return self(session)

    def __del__(self) -> None:
        session = self._session() if hasattr(self, "_handle") else None
        if session is not None and session._session is not None and not session._closed:
            _c.TF_SessionReleaseCallable(session._session, self._handle)
