"""`tf.flags.FLAGS` as files from before TF 1.5 use it.

Since then FLAGS wraps absl's flags, and two habits of 2016 fail: `FLAGS._parse_flags()`, and
looking into `FLAGS.__dict__["__flags"]`. TF 1.15 had lost them, too; both are one line.
"""

from __future__ import annotations

import sys

import tensorflow.compat.v1 as tf


def serve_old_flags() -> None:
    """Adds `_parse_flags` and `__dict__["__flags"]` to TensorFlow's FLAGS object."""
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
