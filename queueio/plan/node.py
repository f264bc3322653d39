"""The base of all plan nodes: a stream of elements, and what it is made from."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, TypeVar

from queueio.graph.origin import Origin

if TYPE_CHECKING:
    from queueio.emit.writer import Writer

if TYPE_CHECKING:
    from queueio.compile.stream import Stream

T = TypeVar("T")


class Slower(NamedTuple):
    """What tf.data does at a higher cost than TF1's threads.

    Attributes:
      what: for a sentence that begins with "it".
      by_half: whether at twice the cost or more; else not where a checkpoint would hold its place.
    """

    what: str
    by_half: bool = False


Captures = Mapping[str, Any] | None
Checked = Callable[["Node", Sequence[Any]], "Node"]


@dataclass(frozen=True, kw_only=True, eq=False)
class Node:
    """One stage of a pipeline: a stream whose elements are tuples of components.

    A node's own parameters are its further fields; a field that holds a node, or a tuple of
    nodes, is an input. Every subclass says what it becomes in tf.data (`to_dataset`).
    """

    name: str
    """Name of the op that this stage was lifted from, as TF1 named it."""
    origin: Origin
    """The line of the user's code that made that op."""
    elements: tuple[Any, ...]
    """One `tf.TensorSpec` or `tf.SparseTensorSpec` for each component of an element."""

    hidden: ClassVar[frozenset[str]] = frozenset({"name", "origin", "elements"})
    """Fields that `print(plan)` leaves out."""
    evaluates: ClassVar[bool] = False
    """Whether it begins a stream, with tensors that it evaluates epoch by epoch."""
    maps: ClassVar[bool] = False
    """Whether it runs a `fragment` on components of each element, those that it `takes`."""
    blind: ClassVar[bool] = False
    """Whether it is a queue that treats all elements alike, whatever is in them."""
    races: ClassVar[bool] = False
    """Whether threads decide which of several inputs comes next."""
    resumes: ClassVar[bool] = True
    """Whether a checkpoint can hold where it stands; False for what Python hands out."""
    work: ClassVar[str] = ""
    """What it does, for a table of times: read, decode, pool or batch."""
    padding: ClassVar[bool] = False
    """Whether it is a queue whose batches are padded to their longest element."""
    gives_rest: ClassVar[bool] = True
    """Whether a `dequeue_up_to` of it gives what is left at its end, fewer than asked for."""

    @property
    def room(self) -> int | None:
        """How many elements may wait in it, if it is a queue."""
        return None

    @property
    def kept_back(self) -> int:
        """How many elements stay in it until the end, to be mixed: `min_after_dequeue`."""
        return 0

    @property
    def slower_than_queues(self) -> Slower | None:
        """What in it tf.data does at a higher cost than TF1's threads, if anything."""
        return None

    @property
    def counts_with(self) -> Any:
        """The op of TF1's graph that counts its epochs or elements; None without an end."""
        return None

    @property
    def rows(self) -> int | None:
        """How many examples one of its elements holds at most, if it makes batches."""
        return None

    @property
    def in_large_chunks(self) -> bool:
        """Whether its chunks hold many elements, where there are many: as far as the plan tells."""
        return False

    @property
    def bytes_of_strings(self) -> Mapping[int, int]:
        """The size in bytes of those dense string components that have one size, by their place."""
        source = self.only_input if self.blind else None
        return source.bytes_of_strings if source else {}

    @property
    def only_input(self) -> Node | None:
        """The stream that it is made from, if that is one."""
        return self.inputs[0] if len(self.inputs) == 1 else None

    def threads_of_inputs(self, threads: int) -> list[int]:
        """How many threads ran each input in TF1, if `threads` ran this stage."""
        return [threads] * len(self.inputs)

    def taken_by(self, size: int) -> Node:
        """This stage, if `size` of its elements are taken at a time."""
        return self

    def with_shapes(self, shapes: Sequence[Any], checked: Checked) -> Node | None:
        """This stage with elements of these shapes, where `checked` makes sure of it upstream.

        Args:
          shapes: a shape for each component, at least as precise as its own.
          checked: gives a stream with shapes that are looked for in each of its elements.

        Returns:
          None where only its own elements can be looked at.
        """
        return None

    @property
    def inputs(self) -> tuple[Node, ...]:
        """The streams that this one is made from, in the order of the fields."""
        found: list[Node] = []
        for field in dataclasses.fields(self):
            value = getattr(self, field.name)
            for item in value if isinstance(value, tuple) else (value,):
                if isinstance(item, Node):
                    found.append(item)
        return tuple(found)

    @property
    def parameters(self) -> dict[str, Any]:
        """The node's own fields that are worth showing: neither inputs nor None."""
        inputs = set(map(id, self.inputs))
        shown: dict[str, Any] = {}
        for field in dataclasses.fields(self):
            value = getattr(self, field.name)
            items = value if isinstance(value, tuple) else (value,)
            if field.name in self.hidden or any(id(item) in inputs for item in items):
                continue
            if value is not None:
                shown[field.name] = value
        return shown

    @property
    def fragments(self) -> tuple[Any, ...]:
        """The parts of the program's graph that this stage runs."""
        named = {field.name: getattr(self, field.name) for field in dataclasses.fields(self)}
        return (named["fragment"],) if "fragment" in named else ()

    def calls(self, source: Node) -> str:
        """What one of `inputs` is to this stage, for a reader of its description: its kind."""
        return type(source).__name__

    def to_dataset(self, *inputs: Any, captures: Captures = None) -> Any:
        """This stage in tf.data, one example at a time: the exact reference form.

        Args:
          *inputs: a `tf.data.Dataset` for each of `self.inputs`; its elements are tuples, one
            item for each component.
          captures: what stands for the variables and tables of the plan's graph, by name; None
            where the dataset is made inside that graph.

        Returns:
          A `tf.data.Dataset` of tuples, one item for each of `self.elements`.
        """
        raise NotImplementedError(f"{type(self).__name__} has no tf.data form")

    def to_stream(self, *inputs: Stream, captures: Captures = None) -> Stream:
        """This stage in tf.data, on chunks of examples where that delivers the same.

        Args:
          *inputs: a `queueio.compile.stream.Stream` for each of `self.inputs`.
          captures: as for `to_dataset`.

        Returns:
          A `Stream`; by default `to_dataset` of single elements.
        """
        from queueio.compile.stream import Stream

        elements = [stream.elements() for stream in inputs]
        return Stream(self.to_dataset(*elements, captures=captures), captures=captures)

    def to_source(self, writer: Writer, wanted: Any) -> str:
        """Writes this stage as tf.data code, after those that it is made from.

        Args:
          writer: the `queueio.emit.writer.Writer` of the module.
          wanted: the structure of the elements, with positions of `self.elements`; it may leave
            components out and repeat them.

        Returns:
          The variable that holds this stage's dataset.

        Raises:
          NotLifted, NoEquivalent: it cannot be written down.
        """
        raise NotImplementedError(f"{type(self).__name__} has no source form")


def fold(node: Node, visit: Callable[..., T]) -> T:
    """Calls `visit(node, *results)` from the sources up, with the results of the node's inputs."""
    return visit(node, *(fold(source, visit) for source in node.inputs))


def with_inputs(node: Node, change: Callable[[Node], Node]) -> Node:
    """`node` on changed inputs; the node itself where none of them changes."""
    changes: dict[str, Any] = {}
    for item in dataclasses.fields(node):
        value = getattr(node, item.name)
        many = isinstance(value, tuple)
        parts = [change(v) if isinstance(v, Node) else v for v in (value if many else (value,))]
        if any(new is not old for new, old in zip(parts, value if many else (value,), strict=True)):
            changes[item.name] = tuple(parts) if many else parts[0]
    return dataclasses.replace(node, **changes) if changes else node
