"""Whatever the program computes between two queues: decoding, casts, augmentation.

Legacy:
    value = tf.train.range_input_producer(3, num_epochs=1, shuffle=False).dequeue()
    batch = tf.train.batch([tf.cast(value, tf.float32) / 10.0], batch_size=3)

Modern:
    numbers = tf.data.Dataset.range(3, output_type=tf.int32)
    dataset = numbers.map(lambda value: tf.cast(value, tf.float32) / 10.0).batch(3)

Emits:
    what the ops emit

Differs:
    The ops are the same; the threads of the queue runner become `num_parallel_calls`. A variable
    or a lookup table belongs to a session here and is captured by the function there.

Raises:
    whatever the ops raise: it stops the queue runner here, and is raised by the iterator there.
    OutOfRangeError, as of a py_func whose generator is used up, is the clean end of the thread
    that ran the op here; `map` makes it an InvalidArgumentError, `from_generator` ends.

Random ops keep their seeds. Two of one seed draw alike, as an image and its target are to be
flipped, only while each call draws for one example after the other: such a map gets no
`num_parallel_calls`. A Python function (py_func) runs in the same process in both forms
and is held back by the interpreter lock in both.

Source:
    the program itself
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any

import tensorflow as tf

from queueio.compile.columns import Columns
from queueio.compile.cut import cheapest_cut, row_bytes
from queueio.compile.ends import map_until_end
from queueio.compile.entry import enter
from queueio.compile.if_conversion import if_converted
from queueio.compile.in_session import in_session
from queueio.compile.kernels.as_written import mapped, unbatched
from queueio.compile.kernels.budget import at_most, at_once
from queueio.compile.kernels.keys import KeyForm
from queueio.compile.key_parts import bytes_with_name, with_key_put_off
from queueio.compile.known_shapes import with_known_shapes
from queueio.compile.lots import Lots, Whole, of_rows_alone
from queueio.compile.numbered_draws import by_number, numbered
from queueio.compile.parsed_reading import parsed_first
from queueio.compile.pipeline import map_chunks, map_each
from queueio.compile.placement import most_at_once
from queueio.compile.python_ends import called_alone
from queueio.compile.record_shuffle import record_shuffle
from queueio.compile.replay import guarded
from queueio.compile.slow import is_slow
from queueio.compile.stream import Stream, is_dense
from queueio.compile.vectorise import Chunked, alone, vectorise
from queueio.graph.bodies import ending_ops
from queueio.graph.origin import origin
from queueio.plan import Node, Role, Walk, lifts
from queueio.plan.components import gathered, shapes_of, spread
from queueio.plan.node import Captures, Slower

if TYPE_CHECKING:
    from queueio.emit.writer import Writer

NOISE = frozenset({"Const", "Identity", "Pack", "Shape", "NoOp", "StridedSlice"})
"""Kinds of ops that say little about what a fragment does."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Transform(Node):
    """The program's own ops, applied to each element."""

    input: Node
    fragment: Any
    takes: tuple[int, ...]
    """Which of the input's dense tensors the fragment takes, in its order."""
    threads: int = 1
    """How many threads run the ops, each of which stops where an op ends the stream."""

    hidden = Node.hidden | {"fragment", "takes", "threads"}
    maps = True
    work = "decode"

    @cached_property
    def _run(self) -> Any:
        shapes, sizes = shapes_of(self.input.elements), self.input.bytes_of_strings
        return with_known_shapes(
            in_session(self.fragment),
            [shapes[i] for i in self.takes],
            [sizes.get(i) for i in self.takes],
        )

    @property
    def parameters(self) -> dict[str, Any]:
        """The kinds of ops that it holds, in their order, without the trivial ones."""
        kinds = dict.fromkeys(op.type for op in self.fragment.ops if op.type not in NOISE)
        shown = [kind for kind, _ in zip(kinds, range(8), strict=False)]
        return {"ops": ", ".join(shown) + (", …" if len(kinds) > 8 else "") or "none"}

    @property
    def slower_than_queues(self) -> Slower | None:
        """Python functions of which one alone cannot be called for many rows."""
        told = called_alone(self.fragment, self.threads)
        return Slower(told, by_half=True) if told else None

    @property
    def in_large_chunks(self) -> bool:
        """As they come in, where it works on chunks."""
        quick = is_dense(self.elements) and not any(map(is_slow, self.fragment.ops))
        return bool(self.takes) and quick and self.input.in_large_chunks

    def to_dataset(self, *inputs: Any, captures: Captures = None) -> Any:
        """A map over single elements."""
        return self._mapped(inputs[0], captures, 1)

    def to_stream(self, *inputs: Any, captures: Captures = None) -> Any:
        """Chunks through those ops that can take a chunk, single examples through the rest."""
        stream = inputs[0].settled()
        if stream.rows is not None and not self._run.ops:
            rows = partial(self._rows, stream.rows, captures)
            return replace(self._each(stream.elements(), captures), rows=rows)
        if stream.lots is not None and self.takes and of_rows_alone(self._run):
            one_by_one = lambda: self._each(stream.elements(), captures).dataset  # noqa: E731
            rows = partial(self._of_lots, stream.lots, captures)
            return Stream(one_by_one, rows=rows, captures=captures)
        if not (stream.chunked and self.takes and is_dense(self.elements)):
            return self._unlike(stream, captures) or self._each(stream.elements(), captures)
        if self.threads > 1 and len(ending_ops(self._run.ops)) > 1:
            return self._each(stream.elements(), captures)  # one count of ends for all of them
        put_off = with_key_put_off(self._run) if stream.numbered and 0 in self.takes else None
        fragment, read = self._entered(stream, put_off)
        if not fragment.ops:
            return Stream(_selected(read(), fragment), chunked=True, captures=captures)
        drawing = by_number(fragment)
        if drawing is not fragment:
            undrawn, fragment = read, drawing
            read = lambda: numbered(undrawn())  # noqa: E731
        fragment = if_converted(fragment)
        name = fragment.inputs[:1] if put_off else ()
        before, after, columns = _cut(fragment, name)
        pieces = vectorise(before)
        piece = None if after.ops else alone(pieces)
        if piece is not None:
            each = map_each(unbatched(read()), [piece], captures, self.threads)
            return Stream(each, captures=captures)
        whole = before
        if stream.parses and self.takes == (1,) and len(before.inputs) == 1:
            whole, pieces, read = _parsed(stream.records, before, pieces, read)
        mapped = partial(map_chunks, read(), whole, captures, pieces=pieces, threads=self.threads)
        later = after if after.ops else None
        keys = KeyForm.PARTS if put_off else KeyForm.NONE
        alone_too = stream.singles if self.takes in ((1,), (0, 1)) else None
        single = record_shuffle(alone_too, keys, fragment, before, stream.pool)
        slow = any(piece.one_by_one for piece in pieces)
        behind = vectorise(after) if later else []
        singly = partial(mapped, pieces=[*pieces, *behind], gather=False)
        row = bytes_with_name(before.outputs, *name) if name else None
        given = Stream(
            mapped, chunked=True, later=later, record_shuffle=single,
            captures=captures, row=row,
            slow=stream.slow or slow, singly=singly if slow else None,
        )  # fmt: skip
        return given if columns is None or single or slow else _in_columns(given, columns)

    def _rows(self, of_lots: Any, captures: Captures) -> Any:
        """The rows of lots of which it takes some components as they are."""
        fragment, read = self._entered(of_lots())
        return Stream(_selected(read(), fragment), chunked=True, captures=captures)

    def _of_lots(self, lots: Lots, captures: Captures) -> Any:
        """The rows that it makes of lots, of many in one call."""
        piece = Whole(self._run)
        taken = _taken(lots.chunks(), self.takes)
        chunks = at_most(taken, piece.most(lots.size), None)
        rows = guarded(chunks, [piece], captures, lots.size)
        return Stream(rows, chunked=True, captures=captures, turn=lots.size)

    def _each(self, elements: Any, captures: Captures) -> Any:
        drawing = by_number(self._run)
        if drawing is self._run or ending_ops(self._run.ops):
            mapped = self._mapped(elements, captures, most_at_once(self._run, self.threads))
            return Stream(mapped, captures=captures)

        def run(number: Any, components: tuple[Any, ...]) -> Any:
            parts = spread(components)
            made = drawing.call(*(parts[i] for i in self.takes), number, captures=captures)
            return gathered(tuple(made), self.elements)

        together = at_once(most_at_once(drawing, self.threads))
        return Stream(elements.enumerate().map(run, **together), captures=captures)

    def _unlike(self, stream: Any, captures: Captures) -> Any:
        """Rows of what a batch makes its components of; None where that is not possible."""
        from queueio.compile.packed import Packed  # few pipelines need them
        from queueio.compile.parsed_twice import ParsedTwice
        from queueio.compile.sparse_rows import SparseCells, SparseRows

        if not (stream.chunked and self.takes) or ending_ops(self._run.ops):
            return None
        fragment, read = self._entered(stream)
        piece = ParsedTwice.of(fragment, self.elements) or Packed.of(fragment, self.elements)
        singly = lambda: self._each(stream.elements(), captures)  # noqa: E731
        if piece is None:
            pieces, form = SparseCells.pieces(fragment, self.elements), SparseRows.of(self.elements)
            if pieces is None or form is None:
                return None
            return Stream(
                lambda: guarded(read(), pieces, captures), chunked=True, captures=captures,
                batch=form.batch, unbatched=singly,
            )  # fmt: skip
        return Stream(
            lambda: guarded(read(), [piece], captures), chunked=True, captures=captures,
            batch=piece.batch, pads=piece.pads, packed=isinstance(piece, Packed), last=piece.last,
            unbatched=singly,
        )  # fmt: skip

    def _mapped(self, elements: Any, captures: Captures, most: int | None) -> Any:
        def flat(*parts: Any) -> tuple[Any, ...]:
            return tuple(self._run.call(*(parts[i] for i in self.takes), captures=captures))

        if not ending_ops(self._run.ops):
            return elements.map(
                lambda *components: gathered(flat(*spread(components)), self.elements),
                **at_once(most),
            )
        parts = elements.map(lambda *components: tuple(spread(components)))
        made = map_until_end(parts, flat, self.threads, most)
        return made.map(lambda *parts: gathered(parts, self.elements))

    def _entered(self, stream: Any, put_off: Any = None) -> tuple[Any, Any]:
        """The fragment, and what makes chunks of what it takes: of records, no more than it needs.

        `put_off` is the fragment on the parts of keys, where it shall take these.
        """
        if stream.records is None:
            return self._run, lambda: _taken(stream.dataset, self.takes)
        keys = KeyForm.PARTS if put_off else KeyForm.WHOLE if 0 in self.takes else KeyForm.NONE
        run = put_off or self._run
        if 1 in self.takes:
            return enter(run, lambda dtype: stream.records(keys, dtype))
        return run, lambda: _taken(stream.records(keys, tf.string), tuple(range(keys)))

    def to_source(self, writer: Writer, wanted: Any) -> str:
        """A function of the ops, and a `map`."""
        return writer.transform(self, wanted)


def _parsed(records: Any, fragment: Any, pieces: list[Any], read: Any) -> tuple[Any, Any, Any]:
    """The fragment, its pieces and what makes their chunks: parsed already, if reading can do it.

    Args:
      records: see `Stream`.
      fragment: takes a record and nothing else.
      pieces: its pieces.
      read: makes chunks of records.
    """
    first, *others = pieces
    found = parsed_first(first.fragment) if isinstance(first, Chunked) else None
    if found is None:
        return fragment, pieces, read
    parsed, rest = found

    def parsed_already() -> Any:
        chunks = records(KeyForm.NONE, parsed)
        # Nothing else would have a thread of its own, in which to read on meanwhile.
        return chunks.prefetch(1) if rest.only_selects and not others else chunks

    return fragment if others else rest, [Chunked(rest), *others], parsed_already


def _cut(fragment: Any, name: tuple[Any, ...]) -> tuple[Any, Any, Columns | None]:
    """What comes before the queue, what after it, and the rows that numbers stand in there.

    Many numbers stand in rows of their own only where nothing comes after: what a cut among them
    saves is less.
    """
    before, after = cheapest_cut(fragment, name)
    columns = None if name else Columns.of(fragment.outputs)
    if columns is None or not after.ops:
        return before, after, columns
    if 2 * row_bytes(before.outputs) < row_bytes(fragment.outputs):
        return before, after, None
    return fragment, replace(after, inputs=fragment.outputs, ops=()), columns


def _in_columns(stream: Any, columns: Columns) -> Any:
    """The same stream with many numbers of an example in one row."""
    return replace(
        stream, given=lambda: mapped(stream.dataset, columns.rows), row=None,
        batch=columns.components, unbatched=lambda: stream,
    )  # fmt: skip


def _taken(chunks: Any, takes: tuple[int, ...]) -> Any:
    return mapped(chunks, lambda *parts: tuple(parts[i] for i in takes))


def _selected(chunks: Any, fragment: Any) -> Any:
    """A fragment without ops: its outputs are inputs."""
    names = [tensor.name for tensor in fragment.inputs]
    order = tuple(names.index(tensor.name) for tensor in fragment.outputs)
    return _taken(chunks, order)


@lifts(Role.TRANSFORM)
def lift(
    walk: Walk,
    op: Any,
    stream: Node,
    fragment: Any,
    takes: tuple[int, ...],
    elements: tuple[Any, ...],
) -> Node:
    """Everything between a stream point and an enqueue, or after the last dequeue."""
    last = next((o for o in reversed(fragment.ops) if o.type not in NOISE), op)
    return Transform(
        name=last.name,
        origin=origin(last),
        elements=elements,
        input=stream,
        fragment=fragment,
        takes=takes,
        threads=walk.threads_of_producer(),
    )
