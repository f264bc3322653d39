"""What a session's optimiser makes otherwise of the floats of a written function: measured.

    x / 255. - 0.1 - 0.3      a session computes as      x * 0.003921569 - 0.4

The module says the ops as the user wrote them, and an optimiser of sessions rewrites them, so last
bits may differ. The written ops and those of a session are run on made-up numbers, and the largest
difference becomes a note. Where none differs there is none.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import numpy as np
import tensorflow as tf
from tensorflow.python.eager.context import eager_mode  # no public spelling

from queueio.compile.in_session import in_session
from queueio.compile.vectorise import Chunked, vectorise
from queueio.emit.facts.names import Names
from queueio.emit.fragment.body import FunctionBody
from queueio.emit.fragment.branches import tensors
from queueio.emit.spelling.code import Code, code, sequence
from queueio.emit.spelling.function import Function, Statement, Verbatim
from queueio.emit.spelling.stored import READ, is_foreign, stored
from queueio.emit.steps.fast import FOR_ONE, traced
from queueio.emit.steps.floats import Floats, Unmeasurable, tries, usual, without_extremes
from queueio.emit.steps.lines import Lines
from queueio.graph.bodies import nodes_run_by
from queueio.graph.fragment import Fragment

_WHY = "In a session, where the queues ran, TensorFlow's optimiser rewrites some of these ops"
_UNMEASURED = "last bits may differ; by how much was not measured."
_LOOPS = ("NextIteration", "RefNextIteration", "StatelessWhile", "While")
_STEPS = (
    "Numbers that are rounded or compared on the way do differ so: for one that lies at a limit,"
    " the result may differ by a whole step."
)


def notes(writer: Lines, fragment: Any, names: Mapping[int, str]) -> list[str]:
    """What a reader should know of the last bits; nothing where they are the queues'.

    Args:
      writer: the module's writer.
      fragment: what is written.
      names: what its outputs are called that are wanted, by their numbers.
    """
    one = FOR_ONE.get(fragment.graph, fragment)
    if not any(t.dtype.is_floating or t.dtype.is_complex for op in one.ops for t in op.outputs):
        return []
    # In a thread of its own, so that nothing of the caller's graph is around.
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(_notes, writer, one, names, one is not fragment).result()


def _notes(writer: Lines, one: Any, names: Mapping[int, str], many: bool) -> list[str]:
    floats = Floats(one)
    made = floats.made()
    told = [names.get(i, "") for i in made]
    if not any(told):
        return []
    try:
        found = _measured(writer, floats, list(made.values()), many)
    except Exception:  # whatever ops there are: what cannot be run here may run in a session
        return [f"{_WHY}: {_UNMEASURED}"] if _may_differ(one, in_session(one)) else []
    results = zip(told, found, strict=False)
    differing = {name: each for name, each in results if name and each.bits}
    by_steps = [each for each in found[len(told) :] if each.bits]
    return [f"{_WHY}: {_told(differing, by_steps)}"] if differing or by_steps else []


def _told(differing: Mapping[str, LastBits], by_steps: list[LastBits]) -> str:
    """The largest differences, in words."""
    values = max(each.values for each in [*differing.values(), *by_steps])
    each = "; ".join(f"{name} {found}" for name, found in differing.items())
    text = f"last bits differ. The largest differences among {values:,} values: {each}."
    if not differing:
        text = f"no bit of {values:,} results differed, but last bits may."
    return " ".join([text, _STEPS] if by_steps else [text])


@dataclass(frozen=True)
class LastBits:
    """How far numbers are from those of a session.

    Attributes:
      bits: whether any bit differs.
      relative, absolute: the largest difference between finite numbers, of them and as it is.
      whole: whether texts or truths differ.
      finite: whether all numbers are finite on both sides, or on none.
      values: how many were compared.
      extreme: whether only extreme numbers gave other bits.
    """

    bits: bool
    relative: float = 0.0
    absolute: float = 0.0
    whole: bool = False
    finite: bool = True
    values: int = 0
    extreme: bool = False

    def __str__(self) -> str:
        if self.extreme:
            return "only where numbers are infinite, NaN or next to their limits"
        if self.whole:
            return "by a whole value"
        beyond = "" if self.finite else "where one is infinite or NaN and the other is not"
        if not self.absolute:
            return beyond or "in the sign of zeros"
        far = f"{self.relative:.1e} (relative), {self.absolute:.1e} (absolute)"
        return f"{far}, or {beyond}" if beyond else far


def _measured(writer: Lines, floats: Floats, made: list[Any], many: bool) -> list[LastBits]:
    """How what is made differs when written; then the same of what steps are made of."""
    # What is made is all that a session keeps: it may rewrite away what a step is made of.
    ends = [made, floats.stepped()]
    entering = floats.entering([*made, *ends[1]])
    sides = [Fragment.between(entering, each) for each in ends if each]
    runs = [in_session(side) for side in sides]
    if not entering or not any(map(_may_differ, sides, runs)):
        return []
    whole = Fragment.between(entering, [*made, *ends[1]])
    if any(node and node.op in _LOOPS for op in whole.ops for node in nodes_run_by(op)):
        raise Unmeasurable("on numbers that no data has, a loop may never end")
    written, rows = _function(writer, whole, many), _rows_that_run(whole)

    def compared(rows: list[np.ndarray]) -> list[LastBits]:
        pairs = zip(sides, runs, strict=True)
        wanted = [part for one, run in pairs for part in _as_queues(one, run, rows)]
        return list(map(_difference, wanted, _run(written, rows, many)))

    try:
        return compared(rows)
    except tf.errors.OpError:  # ops may refuse extreme numbers
        return compared(list(map(without_extremes, rows)))


def _may_differ(one: Fragment, run: Fragment) -> bool:
    return _calls(one) or not _alike(one, run)


def _calls(fragment: Fragment) -> bool:
    """Whether ops call functions, inside of which a session rewrites too."""
    attributes = (attr for op in fragment.ops for attr in op.node_def.attr.values())
    return any(attr.HasField("func") for attr in attributes)


def _as_queues(one: Fragment, run: Fragment, rows: list[np.ndarray]) -> list[np.ndarray]:
    """What the queues' ops make of the rows."""
    return _in_a_session(one, rows) if _calls(one) else _run(run.call, rows)


def _in_a_session(fragment: Fragment, rows: list[np.ndarray]) -> list[np.ndarray]:
    v1 = tf.compat.v1
    with tf.Graph().as_default(), v1.Session() as session:
        entering = [v1.placeholder(t.dtype.base_dtype, t.shape) for t in fragment.inputs]
        ends = fragment.call(*entering)
        steps = [session.run(ends, dict(zip(entering, row, strict=True)))
                 for row in zip(*rows, strict=True)]  # fmt: skip
    return [np.stack(part) for part in zip(*steps, strict=True)]


def _rows_that_run(part: Fragment) -> list[np.ndarray]:
    """Numbers of the first size that the ops take, where no shape says it."""
    first, *more = tries(part)
    for rows in [first, *more] if more else []:
        try:
            _run(part.call, [each[:1] for each in rows])
            return rows
        except (tf.errors.OpError, ValueError):
            continue
    return first


def _run(
    function: Callable[..., Any], rows: list[np.ndarray], many: bool = False
) -> list[np.ndarray]:
    """What `function` makes of the rows, one by one or of all, run as `Dataset.map` runs it."""
    plain = tf.autograph.experimental.do_not_convert(function)
    with eager_mode():
        dataset = tf.data.Dataset.from_tensor_slices(tuple(rows))
        dataset = dataset.batch(len(rows[0])) if many else dataset
        dataset = dataset.map(plain)
        (found,) = (dataset if many else dataset.batch(len(rows[0]))).as_numpy_iterator()
    return list(found)


def _function(writer: Lines, part: Fragment, many: bool) -> Callable[..., Any]:
    """The function that is written for a fragment."""
    pieces = vectorise(part) if many else []
    if len(pieces) == 1 and isinstance(pieces[0], Chunked):
        part = traced(pieces[0])
    elif many:
        raise Unmeasurable(part.outputs[0].name)
    apart = type(writer)(writer.plan)
    names = Names(apart.names)
    parameters = [names.fresh("given") for _ in part.inputs]
    given = {t.name: Code(name) for t, name in zip(part.inputs, parameters, strict=True)}
    body = FunctionBody(apart, names, given, fragment=part)
    ends = sequence(tensors(body, part.outputs))
    if body.captured:
        raise Unmeasurable(", ".join(name for name, _ in body.captured))
    lines = [*body.statements, Statement("return ", ends)]
    made = Function("made", [code(f"{p}: Any") for p in parameters], "Any", body=lines)
    return _executed(apart, [*apart.functions, made])


def _executed(apart: Any, functions: Iterable[Any]) -> Callable[..., Any]:
    lines = ["from __future__ import annotations"]
    for each in (Verbatim(READ.strip("\n").split("\n")), *functions):
        lines += each.render()
    known: dict[str, Any] = {name: importlib.import_module(name) for name in apart.imports}
    known |= {"tf": tf, "np": np, "CONSTANTS": stored(apart.constants)}
    exec(compile("\n".join(lines), "<written>", "exec"), known)
    made: Callable[..., Any] = known["made"]
    return made


def _alike(one: Fragment, other: Fragment) -> bool:
    """Whether two fragments say the same ops on the same inputs and constants."""
    return one is other or _spelled(one) == _spelled(other)


def _spelled(fragment: Fragment) -> list[int]:
    known = {t.name: i for i, t in enumerate(fragment.inputs)}
    for op in fragment.ops:
        attributes = sorted(op.node_def.attr.items())
        said = tuple((k, v.SerializeToString()) for k, v in attributes if k[0] != "_")
        taken = tuple(known.get(t.name) for t in op.inputs)
        for i, tensor in enumerate(op.outputs):
            known.setdefault(tensor.name, hash((op.type, said, taken, i)))
    return [known[t.name] for t in fragment.outputs]


def _difference(one: np.ndarray, other: np.ndarray) -> LastBits:
    """Of rows of the same numbers; those with extreme ones are the last."""
    if one.shape != other.shape or one.dtype != other.dtype:
        raise Unmeasurable(f"{one.dtype} {one.shape}, {other.dtype} {other.shape}")
    if is_foreign(one):  # a bfloat16, which is a float32 that is cut off
        one, other = one.astype(np.float32), other.astype(np.float32)
    differ = ~_same_bits(one, other)
    first = usual(len(one))
    if not differ[:first].any():
        return LastBits(bool(differ.any()), values=one.size, extreme=True)
    if one.dtype.kind not in "fciu":
        return LastBits(True, whole=True, values=one.size)
    return _far(one[:first], other[:first], one.size)


def _far(one: np.ndarray, other: np.ndarray, values: int) -> LastBits:
    kind = np.complex128 if one.dtype.kind == "c" else np.float64
    a, b = np.asarray(one, kind), np.asarray(other, kind)
    finite = np.isfinite(a) & np.isfinite(b)
    with np.errstate(all="ignore"):
        far = np.where(finite, np.abs(a - b), 0)
        relative = far / np.maximum(np.maximum(np.abs(a), np.abs(b)), 1e-300)
    alike = not (~_same_bits(one, other) & ~finite).any()
    largest = float(np.where(finite, relative, 0).max()), float(far.max())
    return LastBits(True, *largest, finite=alike, values=values)


def _same_bits(one: np.ndarray, other: np.ndarray) -> np.ndarray:
    """Where numbers are the same, zeros with their sign; NaNs are all alike."""
    if one.dtype.kind == "c":
        return np.asarray(_same_bits(one.real, other.real) & _same_bits(one.imag, other.imag))
    if one.dtype.kind != "f":
        return np.asarray(one == other)
    equal = (one == other) & (np.signbit(one) == np.signbit(other))
    return np.asarray(equal | (np.isnan(one) & np.isnan(other)))
