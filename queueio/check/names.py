"""What a piece of code names: names of TensorFlow, and what stands for them in a program."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

LIBRARIES = ("tf_slim", "tensorflow_estimator")
"""Packages that carry a part of TF1 on; their names are checked like TensorFlow's."""
_ROOTS = ("tensorflow", "queueio", *LIBRARIES)


@dataclass(frozen=True, order=True)
class Name:
    """A dotted name: `tf.train.batch` is root "tensorflow", parts ("train", "batch")."""

    root: str
    parts: tuple[str, ...] = ()

    @staticmethod
    def of(dotted: str) -> Name | None:
        """The name that `import dotted` asks for; None where it is nothing of TF1's."""
        root, *parts = dotted.split(".")
        return Name(root).plus(tuple(parts)) if root in _ROOTS else None

    def plus(self, parts: tuple[str, ...]) -> Name:
        """The name below; `tf.compat.v1` is TF1's module again, and so is `queueio.v1`."""
        root, parts = self.root, self.parts + parts
        if root == "queueio" and parts[:1] == ("v1",):
            root, parts = "tensorflow", parts[1:]
        while root == "tensorflow" and parts[:2] == ("compat", "v1"):
            parts = parts[2:]
        return Name(root, parts)

    @property
    def is_told(self) -> bool:
        """Whether a report is about it: not `tf` alone, and not queueio's own names."""
        return self.root in LIBRARIES or (self.root == "tensorflow" and bool(self.parts))

    def __str__(self) -> str:
        return ".".join(["tf" if self.root == "tensorflow" else self.root, *self.parts])


@dataclass(frozen=True)
class OwnModule:
    """A module of the code that is checked, or a folder of such."""

    path: Path


@dataclass(frozen=True)
class Spelled:
    """An expression such as `slim.conv2d`: where it begins, and the attributes after that.

    Attributes:
      base: a variable of the scope that it stands in, or what an import names.
      parts: the attributes.
      is_asked: whether it is `getattr` with a default, which gives that where the name is gone.
    """

    base: str | Name | OwnModule
    parts: tuple[str, ...] = ()
    is_asked: bool = False

    def plus(self, *parts: str) -> Spelled:
        """The expression with attributes after it."""
        return Spelled(self.base, self.parts + parts, self.is_asked)


@dataclass(eq=False)
class NameScope:
    """A module, function or class body: what its names are bound to.

    Attributes:
      stars: what `from x import *` is asked for, at the top of a module.
    """

    parent: NameScope | None = None
    is_class: bool = False
    bindings: dict[str, list[Binding]] = field(default_factory=dict)
    outer: set[str] = field(default_factory=set)
    stars: list[Name | OwnModule] = field(default_factory=list)

    @property
    def module(self) -> NameScope:
        """The scope of the module that it is in."""
        return self.parent.module if self.parent else self

    def bind(self, name: str, binding: Binding) -> None:
        """Notes one more thing that the name may be."""
        scope = self.module if name in self.outer else self
        scope.bindings.setdefault(name, []).append(binding)

    def find(self, name: str) -> list[Binding]:
        """All that the name may be here: the innermost scope that binds it counts."""
        scope: NameScope | None = self
        while scope is not None:
            if name in scope.bindings and (scope is self or not scope.is_class):
                return scope.bindings[name]
            scope = scope.parent
        return []


@dataclass(frozen=True)
class Has:
    """A test by `hasattr`: what is below it runs where the answer is `wanted`."""

    spelled: Spelled
    scope: NameScope
    wanted: bool


@dataclass(frozen=True, eq=False)
class Tried:
    """A `try`: what follows it runs where the body `succeeds`, or where it fails.

    Attributes:
      uses: of names in the body.
      is_known: whether nothing else in the body can fail.
    """

    uses: tuple[NameUse, ...]
    succeeds: bool
    is_known: bool


@dataclass(frozen=True)
class Guards:
    """Under what a piece of code runs.

    Attributes:
      caught: the exceptions of a missing name that are caught around it.
      conditions: what must hold for it to run at all.
    """

    caught: frozenset[str] = frozenset()
    conditions: tuple[Has | Tried, ...] = ()


@dataclass(frozen=True, eq=False)
class Binding:
    """One thing that a name may be; `value` is None for all that is no name of TF1's."""

    value: Spelled | None
    scope: NameScope
    guards: Guards


@dataclass(frozen=True, eq=False)
class NameUse:
    """A place where a program asks for a name.

    Attributes:
      modules: how many parts of the name an import statement imports; None for an expression.
      body: which function's body it is in, as two of them run at different times.
    """

    line: int
    spelled: Spelled
    scope: NameScope
    guards: Guards
    modules: int | None = None
    body: int = 0
