"""Whether a written module delivers what the old pipeline delivers: both run, and are compared."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from queueio.convert.written import Written
from queueio.words import times

FORM = {"components", "component-missing", "component-order", "dict-keys", "dtype", "kind", "shape",
        "epochs", "tail-batch", "never-ends", "end", "compression", "torn"}  # fmt: skip
ROUNDING = 1e-6
DRAWS = "draws random numbers"


@dataclass(frozen=True)
class Checked:
    """`same` is False where the examples differ or a side does not run; `text` says what is so."""

    same: bool
    text: str
    ran: bool = True
    """Whether both sides could be run."""


def compared(found: Written, path: Path, most: int) -> Checked:
    """Compares one epoch of a script's pipeline with what `input_fn` of its module delivers.

    Args:
      found: the pipeline, in the graph that the script built.
      path: the module, written already.
      most: examples; a larger epoch is not compared, and the outcome says so.
    """
    from queueio.compare.sides.side import CannotRun

    try:
        return _compared(found, path, most)
    except (CannotRun, ValueError) as problem:
        said = f"{path.name} could not be compared with {found.name}: {problem}"
        return Checked(False, said, ran=False)


def _compared(found: Written, path: Path, most: int) -> Checked:
    from queueio.compare.run import compare
    from queueio.compare.sides.graph_side import BuiltSide, GraphSide

    with _module(path) as module:
        new = GraphSide(path.name, module.input_fn, None)
        limit = None
        if _examples(new, most) is None:
            limit = _examples(GraphSide(path.name, module.input_fn, 1), most)
            if limit is None:
                return Checked(True, _too_many(found, path, most))
        old = BuiltSide(found.name, found.given)
        draws = ["random"] if chance(found.plan) == DRAWS else []  # that only one side may do so
        result = compare(
            old, new, limit=limit, rtol=ROUNDING, ignore=draws, order=False, cost=False,
            stages=False,
        )  # fmt: skip
        return _outcome(result, found, path, endless=limit is not None)


def _outcome(result: Any, found: Written, path: Path, endless: bool) -> Checked:
    from queueio.compare.findings.case import DIFFERENT, UNKNOWN

    wrong = [f for f in result.findings if f.severity in (DIFFERENT, UNKNOWN)]
    same_form = result.old.examples == result.new.examples and not {f.code for f in wrong} & FORM
    drawn = chance(found.plan)
    if wrong and same_form and drawn:
        said = (
            f"{path.name} was run beside {found.name}: as many examples, of the same form."
            f" Their values could NOT be compared, because the pipeline {drawn}."
        )
        return Checked(True, f"{said} What was seen: {wrong[0].sentence}")
    raced = endless and joined(found.plan) and all(_of_how_often(f) for f in wrong)
    if wrong and same_form and raced:
        said = (
            f"{path.name} compared with {found.name}: the same examples, of the same form. How"
            " often each comes could NOT be compared: its producers are joined and never end, and"
            " threads decide whose turn it is."
        )
        return Checked(True, said)
    said = f"{path.name} compared with {found.name}: {result.verdict}"
    for each in (f for f in result.findings if f.code == "both-fail"):
        said += (
            f" {each.sentence} The changed script gets that error from the session call itself,"
            " where `except tf.errors.OutOfRangeError` does not catch it."
        )
    return Checked(not wrong and result.level != DIFFERENT, said)


def chance(plan: Any) -> str:
    """What makes an example come out differently in each run, beyond its place in the stream."""
    made = [node.fragments for node in plan.stages if not node.evaluates]
    ops = [op for node in plan.stages for fragment in node.fragments for op in fragment.ops]
    if any("seed2" in op.node_def.attr and op.type != "RandomShuffle" for op in ops):
        return DRAWS
    return "has producers that race" if any(len(fragments) > 1 for fragments in made) else ""


def joined(plan: Any) -> bool:
    """Whether producers of different examples race for a queue."""
    return any(node.races and len(node.inputs) > 1 for node in plan.stages)


def _of_how_often(finding: Any) -> bool:
    """Whether a finding tells how often examples come, or that this is not sure."""
    from queueio.compare.findings.often import UNSEEN

    return finding.code == "how-often" or str(finding.sentence).startswith(UNSEEN)


def _too_many(found: Written, path: Path, most: int) -> str:
    return (
        f"{path.name} was NOT compared with {found.name}: an epoch has more than "
        f"{times(most, 'example')}. Raise --examples, or record the old side"
        " and run `queueio compare`."
    )


@contextmanager
def _module(path: Path) -> Iterator[Any]:
    """The module, imported under a name of its own: autograph looks for the source of functions."""
    name = f"queueio_converted_{path.stem}"
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None and spec.loader is not None
    sys.modules[name] = module = importlib.util.module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
        yield module
    finally:
        del sys.modules[name]


def _examples(side: Any, most: int) -> int | None:
    """How many examples a side delivers, or None if they are more than `most`."""
    count = 0
    with side.open() as stream:
        for batch in stream.batches():
            count += batch.count
            if count > most:
                return None
    return count
