"""Lists the files that match a pattern, once, when local variables are initialised.

Legacy:
    files = tf.train.match_filenames_once("data/*.txt")

Modern:
    dataset = tf.data.Dataset.list_files("data/*.txt", shuffle=False).batch(100).repeat()

Emits:
    string, shape unknown (one name per file)

Differs:
    The pattern is matched when `local_variables_initializer()` runs, and the list is kept in a
    local variable; `list_files` matches at once, when it is called, and raises when nothing
    matches: a file that comes later is in no epoch, however often the dataset is iterated. Both
    sort the names, `list_files` with `shuffle=False`.

Raises:
    At run time, "string_input_producer requires a non-null input tensor" when nothing matches;
    FailedPreconditionError when the local variables were not initialised.

The list is a variable and not a constant, so that a graph saved on one machine finds the files
of another.

Source:
    tf.train.match_filenames_once of TensorFlow 1.15
"""

from __future__ import annotations

from typing import Any

import tensorflow as tf

v1 = tf.compat.v1


def match_filenames_once(pattern: Any, name: str | None = None) -> Any:
    """Saves the list of files matching a pattern in a local variable.

    Args:
      pattern: a glob, or a 1-D string tensor of globs.
      name: the name of the variable (default "matching_filenames").

    Returns:
      A local variable of dtype string, shape [number of files]; it is filled by
      `tf.local_variables_initializer()`.
    """
    with v1.name_scope(name, "matching_filenames", [pattern]) as scope:
        return v1.Variable(
            name=scope,
            initial_value=tf.io.matching_files(pattern),
            trainable=False,
            validate_shape=False,
            collections=[v1.GraphKeys.LOCAL_VARIABLES],
        )
