"""What the emitted module holds besides the steps of its stream."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from queueio.emit.facts.draws import Seeds
from queueio.emit.facts.names import Names
from queueio.emit.spelling import literal
from queueio.emit.spelling.code import Code, call, code, parsed
from queueio.emit.spelling.function import Function, Statement, Verbatim
from queueio.emit.spelling.stored import is_foreign, is_text
from queueio.graph.origin import Origin
from queueio.plan.node import Node
from queueio.plan.tree import PlanTree


@dataclass(frozen=True)
class Argument:
    """An argument of the emitted `input_fn`."""

    annotation: str
    default: Code | None
    doc: str
    last: bool = False
    """Whether it stands behind those of the data."""
    wanted: str = ""
    """Its name, where no other has that."""
    origin: Origin | None = None
    """Where the program gives it, if that is known."""


@dataclass
class Seed:
    """An argument: the seeds that it stands for, and what it shuffles.

    Attributes:
      name: the argument's.
      seeds: the program's, or None where it gave none.
      kinds: the kinds of stages that it serves.
      lists: for each list that it shuffles as a whole, its length, or None.
    """

    name: str
    seeds: Seeds | None
    kinds: set[type[Node]] = field(default_factory=set)
    lists: list[int | None] = field(default_factory=list)

    def serves(self, node: Any) -> bool:
        """Whether a stage may have this argument too."""
        if self.seeds is not None:
            return bool(self.seeds == node.seed)
        return node.seed is None and type(node) not in self.kinds


@dataclass
class Held:
    """The parts of a module around the body of its `input_fn`."""

    plan: PlanTree
    arguments: dict[str, Argument] = field(default_factory=dict)
    constants: dict[str, np.ndarray] = field(default_factory=dict)
    functions: list[Any] = field(default_factory=list)
    tops: list[Any] = field(default_factory=list)
    """Statements at the start of `input_fn`: tables."""
    names: Names = field(default_factory=Names)
    imports: set[str] = field(default_factory=set)
    packages: set[str] = field(default_factory=set)
    """What it imports of other packages than TensorFlow and NumPy."""
    uses_any: bool = False
    uses_iterator: bool = False
    uses_tables: bool = False
    seeds: list[Seed] = field(default_factory=list)
    """The arguments for seeds; see steps/seeds.py."""
    states: dict[str, Code] = field(default_factory=dict)
    """What is passed for a captured variable or table, by its name in the functions."""
    captured: dict[Any, str] = field(default_factory=dict)
    """These names, by the tensor and what stands for it; see state.py."""
    _verbatim: set[str] = field(default_factory=set)
    _defined: dict[str, str] = field(default_factory=dict)
    """What each function made by `define` says under the name that was wanted, and its name."""

    def verbatim(self, name: str, text: str) -> str:
        """A function of the module, given as finished text; once, however often it is asked for.

        Its name is one of `HELPERS`: nothing else of the module has that.
        """
        if name not in self._verbatim:
            self._verbatim.add(name)
            self.uses_any = self.uses_any or "Any" in text
            self.uses_iterator = self.uses_iterator or "Iterator[" in text
            self.functions.append(Verbatim(text.strip("\n").split("\n")))
        return name

    def define(
        self, name: str, parameters: Sequence[str], doc: str, *lines: tuple[str, str]
    ) -> str:
        """A function of the module that returns a dataset; `lines` are pairs of text before an
        expression and the expression. One that says the same serves; another name gets a number."""
        body = [Statement(before, parsed(value)) for before, value in lines]
        made = Function(name, list(map(Code, parameters)), "tf.data.Dataset", [doc], body)
        says = "\n".join(made.render())
        if says not in self._defined:
            self._defined[says] = made.name = self.names.fresh(name)
            self.functions.append(made)
        return self._defined[says]

    def argument(
        self,
        name: str,
        default: Any,
        annotation: str,
        doc: str,
        *,
        share: bool = False,
        last: bool = False,
        origin: Origin | None = None,
    ) -> Code:
        """An argument of `input_fn`, by the name that it got.

        Args:
          name: the wanted name.
          default: a Code or a Python value.
          annotation, doc: its type and one line about it.
          share: whether an argument of that name and default serves.
          last: whether it stands behind the others.
          origin: where the program gives it.
        """
        value = default if isinstance(default, Code) else code(default)
        if share and name in self.arguments and self.arguments[name].default == value:
            return Code(name)
        fresh = self.names.fresh(name)
        self.arguments[fresh] = Argument(annotation, value, doc, last, name, origin)
        return Code(fresh)

    def required(self, name: str, annotation: str, doc: str) -> Code:
        """An argument without a default."""
        self.arguments[name] = Argument(annotation, None, doc, wanted=name)
        return Code(name)

    def function(self, made: Function) -> Code:
        """A function of the module, above `input_fn`."""
        self.functions.append(made)
        return Code(made.name)

    def constant(self, value: Any, name: str, kind: Any) -> Code:
        """A large constant, from the file beside the module."""
        array, key, number = literal.exact(value), name, 2
        while key in self.constants and not _equal(self.constants[key], array):
            key, number = f"{name}_{number}", number + 1
        self.constants[key] = array
        found = Code(f"CONSTANTS[{literal.quoted(key)}]")
        if is_text(array):
            self.uses_any = True
            found = call("byte_strings", literal.quoted(key))
        elif is_foreign(array):
            found = call(f"{found}.view", Code(f"{literal.dtype(array.dtype)}.as_numpy_dtype"))
        return call("tf.constant", found, literal.dtype(kind))


def _equal(one: Any, other: Any) -> bool:
    if (one.dtype, one.shape) != (other.dtype, other.shape):
        return False
    if is_text(one):
        return bool(np.array_equal(one, other))
    same: bool = one.tobytes() == other.tobytes()  # by bits: -0.0 is no 0.0, a NaN is itself
    return same
