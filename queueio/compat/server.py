"""`tf.train.Server` with the local cluster that TF1 made."""

from __future__ import annotations

from typing import Any

import tensorflow.compat.v1 as tf


class Server(tf.train.Server):  # type: ignore[misc]
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
