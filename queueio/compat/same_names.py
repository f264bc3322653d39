"""What TensorFlow 2 has under the same name, as TF1 had it: behaviour, FLAGS, the local server."""

from __future__ import annotations

import sys
from typing import Any

import tensorflow.compat.v1 as tf


def switch_v2_behaviour_off() -> None:
    """Eager execution, resource variables, control flow v2 and TensorShape v2: all off.

    TensorFlow warns that this "is not supported in the long term" each time. The user chose it
    by importing `queueio.v1`; the warning would head every log of every script.
    """
    verbosity = tf.logging.get_verbosity()
    tf.logging.set_verbosity(tf.logging.ERROR)
    try:
        tf.disable_v2_behavior()
    finally:
        tf.logging.set_verbosity(verbosity)


def serve_old_flags() -> None:
    """Adds `_parse_flags` and `__dict__["__flags"]` to TensorFlow's FLAGS object.

    Since TF 1.5 FLAGS wraps absl's flags, and two habits of 2016 fail: `FLAGS._parse_flags()`, and
    looking into `FLAGS.__dict__["__flags"]`. TF 1.15 had lost them, too; both are one line.
    """
    wrapper = tf.flags.FLAGS.__dict__
    wrapped = wrapper.get("__wrapped")
    if wrapped is None:  # a later TensorFlow may not wrap absl's flags any more
        return
    # The dictionary itself, not a copy: flags defined later must be in it.
    wrapper["__flags"] = wrapped.__dict__["__flags"]
    # Unknown flags are left alone, as TF1's parser and tf.app.run do.
    wrapped.__dict__["_parse_flags"] = lambda args=None: wrapped(
        sys.argv if args is None else [sys.argv[0], *args], known_only=True
    )


class Server(tf.train.Server):
    """TensorFlow's server; only the job's name in `create_local_server` is TF1's again."""

    @staticmethod
    def create_local_server(config: Any = None, start: bool = True) -> Server:
        """A cluster of one process, on a free port of this machine.

        Its job is called "local", as in TF 1.15; TensorFlow 2 calls it "localhost", so that
        `tf.device("/job:local/task:0")` of a TF1 script names a device that does not exist.

        Args:
          config: a `tf.ConfigProto` for all its sessions, or None.
          start: whether to start it at once.
        """
        return Server({"local": ["localhost:0"]}, protocol="grpc", config=config, start=start)
