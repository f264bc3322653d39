"""Whether a name runs: asked of the namespace that a script gets under `queueio run`.

No list of names is kept here. What `queueio.v1` resolves, runs; what it does not, its own tables
give advice for.
"""

from __future__ import annotations

import importlib
import importlib.util
import logging
import re
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any

from queueio.check.names import Name
from queueio.compat import contrib_names, importing, legacy_keras, missing
from queueio.compat.quiet import tensorflow_import

RUNS, EXTRA, REFUSED, MISSING = "runs", "needs an extra", "refused", "missing"
KINDS = (RUNS, EXTRA, REFUSED, MISSING)
"""From best to worst."""

# Which line installs a package.
_INSTALLS = {
    "lmdb": "pip install 'tf-queueio[lmdb]'",
    "tensorflow_estimator": "pip install 'tf-queueio[estimator]'",
    "tf_keras": legacy_keras.ADVICE,
    "tf_slim": contrib_names.INSTALL,
}
# What is there without its package, and fails when it is called; by module, or by module:name.
_NEEDS = {
    "queueio.stages.readers.lmdb": "lmdb",
    "tf_slim.layers.layers:batch_norm": "tf_keras",
}
# The package that a line of advice installs, where that brings the very name back.
_EXTRA = re.compile(r"pip install '?(?:tf-queueio\[(\w+)\]|(tf_keras))")
_PACKAGES = {
    "estimator": "tensorflow_estimator",
    "keras2": "tf_keras",
    "lmdb": "lmdb",
    "slim": "tf_slim",
}


@dataclass(frozen=True)
class NameVerdict:
    """What becomes of a name.

    Attributes:
      kind: one of KINDS.
      advice: what to do; "" where it runs, and where nobody knows.
      reached: how many parts of the name exist, -1 where its package does not.
      exists: whether all do: a name may exist and need an extra all the same.
    """

    kind: str
    advice: str = ""
    reached: int = 0
    exists: bool = False


class Judge:
    """Resolves names as the checked code would.

    Args:
      file: one of the checked files. Some names are there for a script's own files only.
    """

    def __init__(self, file: Path) -> None:
        with tensorflow_import():
            self._v1: Any = importlib.import_module("queueio.v1")
            importing.install()
        self._get = _getter(file)
        self._known: dict[Name, NameVerdict] = {}

    def exists(self, name: Name) -> bool:
        """Whether a script finds the name."""
        return self.verdict(name).exists

    def verdict(self, name: Name) -> NameVerdict:
        """The verdict on a name."""
        if name not in self._known:
            with _without_warnings():
                self._known[name] = self._judged(name)
        return self._known[name]

    def _judged(self, name: Name) -> NameVerdict:
        if name.root == "queueio":
            return NameVerdict(RUNS, exists=True)
        try:
            value = self._v1 if name.root == "tensorflow" else importlib.import_module(name.root)
        except Exception as error:  # a library of that time fails in many ways
            return _not_importable(name.root, error)
        for reached, part in enumerate(name.parts):
            if not isinstance(value, (ModuleType, type)):
                # An object's attributes are no names of TensorFlow's.
                return _there(Name(name.root, name.parts[:reached]), value)
            try:
                value = self._below(value, name, reached)
            except Exception as error:  # AttributeError, or what a lazy module raises
                return _gone(name, reached, part, error)
        return _there(name, value)

    def _below(self, value: Any, name: Name, reached: int) -> Any:
        try:
            return self._get(value, name.parts[reached])
        except AttributeError:
            if name.root == "tensorflow" or not isinstance(value, ModuleType):
                raise
            # A module of a library, which is an attribute once it is imported.
            address = ".".join([name.root, *name.parts[: reached + 1]])
            if importlib.util.find_spec(address) is None:
                raise
            return importlib.import_module(address)


@contextmanager
def _without_warnings() -> Iterator[None]:
    """Old names are what is looked for: that TensorFlow calls one old is no news."""
    logger = logging.getLogger("tensorflow")
    before = logger.level
    logger.setLevel(logging.ERROR)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        logger.setLevel(before)


def _getter(file: Path) -> Callable[[Any, str], Any]:
    """`getattr`, as if the line stood in the file: queueio answers by the file that asks."""
    scope: dict[str, Any] = {}
    exec(compile("def get(value, name):\n    return getattr(value, name)", file, "exec"), scope)
    get: Callable[[Any, str], Any] = scope["get"]
    return get


def _there(name: Name, value: Any) -> NameVerdict:
    """The verdict on a name that exists."""
    reached = len(name.parts)
    if (
        name.root == "tensorflow"
        and name.parts[0:1] == ("keras",)
        and not _is_installed("tf_keras")
    ):
        advice = f"Keras 3 has no graph mode. {legacy_keras.ADVICE}"
        return NameVerdict(EXTRA, advice, reached, exists=True)
    package = _needed(value)
    if package and not _is_installed(package):
        return NameVerdict(EXTRA, _INSTALLS[package], reached, exists=True)
    if isinstance(value, (type, FunctionType)) and hasattr(value, "refuses"):
        return NameVerdict(REFUSED, value.refuses, reached, exists=True)
    return NameVerdict(RUNS, "", reached, exists=True)


def _needed(value: Any) -> str | None:
    """The package without which a function or class is there and fails."""
    if not isinstance(value, (type, FunctionType)):
        return None  # asked for an attribute, tf.app.flags.FLAGS would parse our command line
    found = _NEEDS.get(value.__module__)
    return found or _NEEDS.get(f"{value.__module__}:{value.__name__}")


def _is_installed(package: str) -> bool:
    return importlib.util.find_spec(package) is not None


def _not_importable(package: str, error: Exception) -> NameVerdict:
    if isinstance(error, ModuleNotFoundError) and error.name == package:
        return NameVerdict(EXTRA, _INSTALLS[package], -1)
    return NameVerdict(MISSING, f"{package} cannot be imported: {_in_a_line(error)}", -1)


def _gone(name: Name, reached: int, part: str, error: Exception) -> NameVerdict:
    if name.root != "tensorflow":
        return NameVerdict(MISSING, _in_a_line(error), reached)
    whole, first = ".".join(name.parts), ".".join(name.parts[: reached + 1])
    asked = whole if missing.instead(whole) else first
    why, do = missing.reason(asked)
    unknown = missing.instead(asked) is None or not why
    if unknown and _EXTRA.search(str(error)):
        return _advised(MISSING, _in_a_line(error), reached)
    if unknown:
        # The text of an error that only says that there is no such name helps nobody.
        own = "" if isinstance(error, AttributeError) and not why else _in_a_line(error)
        return _advised(MISSING, f"{why}. {do}" if why else own, reached)
    return _advised(REFUSED, f"{why}. {do}", reached)


def _advised(kind: str, advice: str, reached: int) -> NameVerdict:
    packages = [_PACKAGES.get(extra, package) for extra, package in _EXTRA.findall(advice)]
    is_extra = any(package and not _is_installed(package) for package in packages)
    return NameVerdict(EXTRA if is_extra else kind, advice, reached)


def _in_a_line(error: Exception) -> str:
    return " ".join(str(error).split())
