"""A slow Python function over many items, in several processes, as a dataset.

`Dataset.map(py_function, num_parallel_calls=8)` runs eight calls that wait for one another: they
share the interpreter's lock. Processes do not. joblib is built on for what is hard about them:
workers that start fresh (a fork of a process that runs TensorFlow may hang), functions of a
notebook, workers that die, results in order, and no more of them in flight than are asked for.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from queueio.errors import message


def parallel_generator(
    function: Callable[[Any], Any],
    items: Iterable[Any],
    *,
    output_signature: Any,
    processes: int | None = None,
) -> Any:
    """The results of `function(item)` for all items, in their order, as a dataset.

    Args:
      function: a Python function; it and the items are sent to other processes, so both must
        pickle. It needs no TensorFlow: workers then start in a fraction of the time.
      items: a list, range or other iterable that can be gone through again: once in each epoch.
      output_signature: the `tf.TypeSpec`s of a result, as for `Dataset.from_generator`.
      processes: how many; as many as there are cores if not given.

    Returns:
      A `tf.data.Dataset` of the results.

    Raises:
      ImportError: joblib is missing.
      ValueError: `items` is an iterator, which would be empty in the second epoch.
      tf.errors.OpError: at run time, with the function's own error in its text.
    """
    import tensorflow as tf

    try:
        import joblib
    except ImportError as error:
        need = "pip install 'tf-queueio[parallel]'"
        raise ImportError(message("parallel_generator needs joblib", do=f"Run {need}")) from error
    if isinstance(items, Iterator):
        raise ValueError(
            message(
                f"items is an iterator ({type(items).__name__})",
                "it would be used up after the first epoch",
                wrong="items=(n for n in names)",
                right="items=list(names)",
            )
        )
    count = processes or os.cpu_count() or 1

    def results() -> Iterator[Any]:
        pool = joblib.Parallel(n_jobs=count, return_as="generator", pre_dispatch="2*n_jobs")
        yield from pool(joblib.delayed(function)(item) for item in items)

    return tf.data.Dataset.from_generator(results, output_signature=output_signature)
