"""Loads `script.py:name`."""

from __future__ import annotations

import os
import runpy
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from types import ModuleType
from typing import Any

from queueio.compare.sides.behaviour import TF1, TF2, Behaving, current, is_function, under
from queueio.compare.sides.side import CannotRun, of_tensorflow_1, said
from queueio.compare.sides.switching import switched_before
from queueio.compare.sides.untouched import is_untouched

USAGE = 2  # the exit code of argparse, where an argument is missing


@contextmanager
def _tensorflow_of(path: str) -> Iterator[None]:
    """What `import tensorflow` gives in the script, and the behaviour that it begins with: those
    of a program of its own, or, if it is TF1's, queueio.v1 as under `queueio run`."""
    from queueio.compat import importing

    untouched = is_untouched(path)
    if untouched:
        importing.install()
    try:
        with under(TF1 if untouched or switched_before(path) else TF2):
            yield
    finally:
        if untouched:
            importing.uninstall()


@contextmanager
def _no_arguments(path: str) -> Iterator[None]:
    """`sys.argv` is that of the script, which was given none; ours is not for its flags."""
    before, sys.argv = sys.argv, [path]
    try:
        yield
    finally:
        sys.argv = before


def _parse_flags(path: str) -> None:
    """Gives the script's flags their defaults: TF1's FLAGS parse `sys.argv` when first asked."""
    flags = sys.modules.get("absl.flags")
    if flags is not None and not flags.FLAGS.is_parsed():
        flags.FLAGS([path])


def load(target: str) -> Any:
    """What `name` is in the script, which is run as a module, not as the main program.

    Raises:
      CannotRun: there is no such script or name, or the script fails or exits.
    """
    path, _, name = target.rpartition(":")
    if not name:
        raise CannotRun(f"{target} names no function. Write {path}:input_fn, say.")
    if not os.path.isfile(path):
        raise CannotRun(f"{path}: no such script (asked for {target}).")
    sys.path.insert(0, os.path.dirname(os.path.abspath(path)))
    try:
        with _tensorflow_of(path), _no_arguments(path):
            names = runpy.run_path(path, run_name="compared")
            _parse_flags(path)
            left = current()
        # AutoGraph asks for the module of each function that it reads.
        sys.modules["compared"] = ModuleType("compared")
    except (Exception, SystemExit) as problem:
        told = said(problem) + of_tensorflow_1(problem)
        if isinstance(problem, SystemExit):
            told += (
                ". It is given no arguments: have those that it requires default to something"
                if problem.code == USAGE
                else '. Put what trains under `if __name__ == "__main__":`'
            )
        raise CannotRun(f"{path} failed when it was loaded: {told}") from problem
    finally:
        sys.path.pop(0)
    if name not in names:
        known = ", ".join(sorted(n for n, v in names.items() if callable(v) and n[0] != "_")[:8])
        raise CannotRun(f"{path} has no {name!r}; it defines {known or 'no function'}.")
    found = names[name]
    return Behaving(found, left) if is_function(found) else found
