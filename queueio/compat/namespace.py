"""`tf.train`, `tf.io`, `tf.nn`, … of the drop-in: modules that look a name up where it is.

A name of the drop-in comes from the first of these that has it:

1. queueio itself (`tf.train.shuffle_batch`, `tf.TextLineReader`, …),
2. `tensorflow.compat.v1`,
3. an alias, or a few lines, for what compat.v1 lost (aliases.py, legacy_keras.py),
4. TensorFlow 2, for scripts that were half upgraded,

and otherwise an AttributeError says what to use instead (missing.py).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from types import ModuleType
from typing import Any

from queueio.compat import missing
from queueio.compat.aliases import ALIASES
from queueio.compat.legacy_keras import legacy_module

_API = ("tensorflow._api.", "keras.", "tf_keras.api._v1.")
_absent = object()


class Namespace(ModuleType):
    """A module of the TF1 interface.

    Attributes that were looked up once are kept, so that a loop over `tf.nn.relu` costs what it
    costs with any module.
    """

    def __init__(
        self,
        path: str,
        own: dict[str, Any],
        bases: Sequence[Any],
        own_of: Callable[[str], dict[str, Any]] = lambda path: {},
    ) -> None:
        """Args: dotted path below `tf`; queueio's names; modules in order; and its children's."""
        super().__init__(f"tensorflow.{path}" if path else "tensorflow", doc=_doc(bases))
        self.__dict__.update(own)
        self.__dict__["_lookup"] = Lookup(path, bases, own_of)

    def __getattr__(self, name: str) -> Any:
        value = self.__dict__["_lookup"].find(name)
        if not name.startswith("__"):
            self.__dict__[name] = value
        return value

    def __dir__(self) -> Iterable[str]:
        return sorted({*self.__dict__["_lookup"].names(), *_public(self.__dict__)})

    def __repr__(self) -> str:
        return f"<module {self.__name__!r} of queueio.v1>"


class Lookup:
    """Finds the names of one namespace; shared by Namespace and by the top level, v1.py."""

    def __init__(
        self, path: str, bases: Sequence[Any], own_of: Callable[[str], dict[str, Any]]
    ) -> None:
        self.path, self.bases, self.own_of = path, tuple(bases), own_of

    def find(self, name: str) -> Any:
        """The value of `name`, or AttributeError with what to use instead."""
        if name == "__all__":
            return self.names()
        dotted = f"{self.path}.{name}" if self.path else name
        if name.startswith("__"):
            raise AttributeError(f"module 'tensorflow.{self.path}' has no attribute {name!r}")
        value = self._from_first_base(name)
        if value is _absent and dotted in ALIASES:
            value = ALIASES[dotted]()
        if value is _absent:
            value = self._from_later_sources(dotted, name)
        if value is _absent:
            raise AttributeError(missing.attribute_error(dotted), name=name)
        return self._wrapped(dotted, name, value)

    def names(self) -> list[str]:
        """Public names of the namespace, without those that are only errors."""
        prefix = f"{self.path}." if self.path else ""
        extra = {n[len(prefix) :] for n in ALIASES if n.startswith(prefix)}
        found = {n for n in extra if "." not in n} | set(self.own_of(self.path))
        if self.bases:
            found |= set(_public(dir(self.bases[0])))
        return sorted(found)

    def _from_first_base(self, name: str) -> Any:
        return getattr(self.bases[0], name, _absent) if self.bases else _absent

    def _from_later_sources(self, dotted: str, name: str) -> Any:
        if dotted in missing.NAMES:
            return _absent
        stand_in = legacy_module(self.path)
        value = getattr(stand_in, name, _absent) if stand_in else _absent
        for base in self.bases[1:]:
            value = getattr(base, name, _absent) if value is _absent else value
        return value

    def _wrapped(self, dotted: str, name: str, value: Any) -> Any:
        if not isinstance(value, ModuleType) or isinstance(value, Namespace):
            return value
        if not _is_api(value):
            return value
        others = [getattr(base, name, None) for base in self.bases[1:]]
        bases = [value, *(other for other in others if other is not None)]
        return Namespace(dotted, self.own_of(dotted), bases, self.own_of)


def _is_api(module: ModuleType) -> bool:
    # The class first: asking TensorFlow's lazy Keras for its __name__ can raise.
    if type(module).__name__ == "KerasLazyLoader":
        return True
    return module.__name__.startswith(_API)


def _public(names: Iterable[str]) -> list[str]:
    return [name for name in names if not name.startswith("_")]


def _doc(bases: Sequence[Any]) -> str | None:
    if not bases or type(bases[0]).__name__ == "KerasLazyLoader":
        return None
    return getattr(bases[0], "__doc__", None)
