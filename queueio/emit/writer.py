"""What a stage may ask for when it writes itself: blocks, arguments, functions, constants."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from queueio.emit import literal
from queueio.emit.code import Code, call, code, function, parsed, sequence
from queueio.emit.function import Blank, Comment, Function, Statement, Verbatim
from queueio.emit.names import Names
from queueio.emit.nest import structured
from queueio.emit.rows import write_rows
from queueio.emit.state import state_of
from queueio.emit.transform import write_by_turns, write_transform
from queueio.errors import NotLifted
from queueio.plan.node import Node
from queueio.plan.tree import Plan

AUTOTUNE = "tf.data.AUTOTUNE"


@dataclass(frozen=True)
class Argument:
    """An argument of the emitted `input_fn`."""

    annotation: str
    default: Code | None
    doc: str


@dataclass
class Writer:
    """The module in the making.

    A stage's `to_source(writer, wanted)` asks for what it is made from (`upstream`), adds its
    steps (`start`, `step`), and returns the variable that holds its dataset. `wanted` is the
    structure that the elements of that dataset shall have, with positions of components.
    """

    plan: Plan
    arguments: dict[str, Argument] = field(default_factory=dict)
    constants: dict[str, np.ndarray] = field(default_factory=dict)
    functions: list[Any] = field(default_factory=list)
    body: list[Any] = field(default_factory=list)
    tops: list[Any] = field(default_factory=list)
    """Statements at the start of `input_fn`: tables."""
    names: Names = field(default_factory=Names)
    uses_any: bool = False
    hint: str = ""
    purpose: str = "rows"
    """What the next source's rows are: "files" where a reader takes them."""
    imports: set[str] = field(default_factory=set)
    _verbatim: set[str] = field(default_factory=set)
    _notes: list[str] = field(default_factory=list)
    states: dict[str, Code] = field(default_factory=dict)
    """What is passed for a captured variable or table, by its name in the functions."""
    _last: str = ""

    def upstream(self, node: Node, wanted: Any) -> str:
        """The variable that holds the dataset of an input."""
        return node.to_source(self, wanted)

    def start(
        self, node: Node, value: Code, name: str = "dataset", notes: Sequence[str] = ()
    ) -> str:
        """`name = value`, with a comment on what it stands for."""
        variable = name if name == "dataset" and not self._streams() else self.names.fresh(name)
        self._comment(node, notes)
        self.body.append(Statement(f"{variable} = ", value))
        return variable

    def step(
        self,
        node: Node,
        stream: str,
        method: str,
        *args: Any,
        notes: Sequence[str] = (),
        **kwargs: Any,
    ) -> str:
        """`stream = stream.method(args)`, with a comment on what it stands for."""
        self._comment(node, notes)
        self.body.append(Statement(f"{stream} = ", call(f"{stream}.{method}", *args, **kwargs)))
        return stream

    def again(self, stream: str, method: str, *args: Any, **kwargs: Any) -> str:
        """One more step of the same stage."""
        self.body.append(Statement(f"{stream} = ", call(f"{stream}.{method}", *args, **kwargs)))
        return stream

    def rows(self, node: Any, wanted: Any) -> str:
        """The beginning of a stream; see rows.py."""
        return write_rows(self, node, wanted)

    def arranged(self, stream: str, names: Sequence[str], wanted: Any, leaf: Any = None) -> str:
        """A map that puts the parts of an element into the structure that is wanted.

        Args:
          stream: whose elements are tuples.
          names: names for the parts of an element.
          wanted: the structure.
          leaf: the expression for a position; by default the name at it.
        """
        result = structured(wanted, leaf or names.__getitem__)
        if result.flat == f"({', '.join(names)})":
            return stream
        parameters = [n if re.search(rf"\b{n}\b", result.flat) else "_" * (i + 1)
                      for i, n in enumerate(names)]  # fmt: skip
        return self.again(stream, "map", function(parameters, result))

    def joined(
        self, node: Node, streams: Sequence[str], how: str, *args: Any, tuples: bool = False,
        notes: Sequence[str] = (), **kwargs: Any,
    ) -> str:  # fmt: skip
        """`stream = how([stream, other], …)`."""
        self._comment(node, notes)
        many = sequence(streams, "()" if tuples else "[]")
        self.body.append(Statement(f"{streams[0]} = ", call(how, many, *args, **kwargs)))
        return streams[0]

    def shapes(self, elements: Sequence[Any], wanted: Any) -> Code:
        """The shapes of components, in the structure that is wanted."""
        for spec in elements:
            if type(spec).__name__ == "SparseTensorSpec":
                raise NotLifted(
                    "sparse tensors in a padding queue have no form in plain tf.data",
                    "Use plan.to_dataset(), or make them dense before the batch",
                )
        return structured(wanted, lambda i: literal.shape(elements[i].shape))

    def verbatim(self, name: str, text: str) -> str:
        """A function of the module, given as finished text; once, however often it is asked for."""
        if name not in self._verbatim:
            self._verbatim.add(name)
            self.uses_any = self.uses_any or "Any" in text
            self.functions.append(Verbatim(text.strip("\n").split("\n")))
        return name

    def define(
        self, name: str, parameters: Sequence[str], doc: str, *lines: tuple[str, str]
    ) -> str:
        """A function of the module that returns a dataset; `lines` are pairs of text before an
        expression and the expression."""
        if name not in self._verbatim:
            self._verbatim.add(name)
            body = [Statement(before, parsed(value)) for before, value in lines]
            made = Function(name, list(map(Code, parameters)), "tf.data.Dataset", [doc], body)
            self.functions.append(made)
        return name

    def note(self, text: str) -> None:
        """A comment for the next step."""
        self._notes.append(text)

    def argument(
        self, name: str, default: Any, annotation: str, doc: str, *, share: bool = False
    ) -> Code:
        """An argument of `input_fn`, by the name that it got.

        Args:
          name: the wanted name.
          default: a Code or a Python value.
          annotation, doc: its type and one line about it.
          share: whether an argument of that name and default serves.
        """
        value = default if isinstance(default, Code) else code(default)
        if share and name in self.arguments and self.arguments[name].default == value:
            return Code(name)
        fresh = self.names.fresh(name)
        self.arguments[fresh] = Argument(annotation, value, doc)
        return Code(fresh)

    def required(self, name: str, annotation: str, doc: str) -> Code:
        """An argument without a default."""
        self.arguments[name] = Argument(annotation, None, doc)
        return Code(name)

    def seed(self, given: Any) -> Code:
        """The argument `seed`, for everything that shuffles."""
        default = None if given is None else int(given[1] or given[0])
        doc = "seed of the shuffling; None for another order in each run."
        return self.argument("seed", default, "int | None", doc, share=True)

    def function(self, made: Function) -> Code:
        """A function of the module, above `input_fn`."""
        self.functions.append(made)
        return Code(made.name)

    def transform(self, node: Any, wanted: Any) -> str:
        """The map over a node's fragment; see transform.py."""
        return write_transform(self, node, wanted)

    def by_turns(
        self, node: Any, transforms: Sequence[Any], wanted: Any, notes: Sequence[str]
    ) -> str:
        """The map that gives each element one of several transforms; see transform.py."""
        return write_by_turns(self, node, transforms, wanted, notes)

    def capture(self, tensor: Any, kind: str, default: Any, names: Names) -> str:
        """The name under which a function gets a variable or table; see state.py."""
        name = names.fresh(tensor.op.name)
        while name in self.states:
            name = names.fresh(tensor.op.name)
        self.states[name] = state_of(self, tensor, kind, default, name)
        return name

    def constant(self, value: Any, name: str, kind: Any) -> Code:
        """A large constant, from the file beside the module."""
        key = name
        number = 2
        while key in self.constants and not np.array_equal(self.constants[key], value):
            key, number = f"{name}_{number}", number + 1
        self.constants[key] = _storable(value)
        found = Code(f"CONSTANTS[{literal.quoted(key)}]")
        return call("tf.constant", found, literal.dtype(kind))

    def _streams(self) -> bool:
        return any(isinstance(s, Statement) and s.before == "dataset = " for s in self.body)

    def _comment(self, node: Node, notes: Sequence[str]) -> None:
        where = str(node.origin) if node.origin.filename else f"{node.name} of the old graph"
        notes, self._notes = [*self._notes, *notes], []
        if where == self._last and not notes:
            return
        if self.body:
            self.body.append(Blank())
        if where != self._last:
            self.body.append(Comment(where, code=True))
        self._last = where
        self.body += [Comment(note) for note in notes]


def _storable(value: Any) -> np.ndarray:
    """An array that .npz holds without pickling."""
    array = np.asarray(value)
    if array.dtype != object:
        return array
    packed = array.astype(np.bytes_)
    if not np.array_equal(packed.astype(object), array):
        raise ValueError("strings that end in zero bytes cannot be stored beside the module")
    return packed
