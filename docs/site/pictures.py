"""Pictures of the lessons: their old code is run as far as its graph, and drawn as by `explain`."""

from __future__ import annotations

import contextlib
import linecache
import logging
import os
import runpy
import tempfile
import warnings
from collections.abc import Iterator
from pathlib import Path

from queueio.lesson import Lesson

_ASKED_FOR = ("a.txt", "a.examples")
"""Files that must exist for some lessons' graphs to be made; nothing is read from them."""


def picture(told: Lesson) -> str:
    """An SVG of what the lesson's old code builds; empty where that ends in no queue."""
    import queueio.v1 as tf
    from queueio.explain.account import accounts
    from queueio.explain.drawing import draw
    from queueio.lift.pipelines import pipelines

    graph = tf.Graph()
    with _elsewhere(), graph.as_default():
        for name in _ASKED_FOR:
            Path(name).touch()
        file = Path(f"{told.stage}.py")
        file.write_text(told.legacy)
        linecache.clearcache()  # the picture shows lines, and names of files come again
        runpy.run_path(str(file), {"tf": tf})
        found = pipelines(graph)
        return draw(accounts(found)) if found else ""


@contextlib.contextmanager
def _elsewhere() -> Iterator[None]:
    before, logger = Path.cwd(), logging.getLogger("tensorflow")
    logger.setLevel(logging.ERROR)
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        os.chdir(folder)
        try:
            yield
        finally:
            os.chdir(before)
