"""The pipelines of a script, each written down as a module, or why not."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from queueio.emit.module import Module, to_source
from queueio.errors import Refusal
from queueio.graph.origin import Origin, origin, place
from queueio.lift.behind import by_line
from queueio.plan.tree import PlanTree
from queueio.words import times

_SHOWN = 6  # lines of the program, and kinds of ops in one of them


@dataclass(frozen=True)
class Written:
    """One pipeline of a script.

    Attributes:
      op: its last dequeue.
      name: that op's name.
      origin: the line of the script that made it.
      given: what it gives, as the script got it: a dict, a list or one tensor; a list of such where
        it feeds towers.
      towers: how many dequeues it ends in, side by side.
      plan, module: its plan and source, or None where it was refused.
      refusal: why it was refused, or "".
    """

    op: Any
    name: str
    origin: Origin
    given: Any
    towers: int = 1
    plan: PlanTree | None = None
    module: Module | None = None
    refusal: str = ""


def written(
    pipelines: list[Any], *, style: str, title: str, allow: Sequence[str] = (),
    graph: bool = False,
) -> list[Written]:  # fmt: skip
    """Every pipeline as source; what cannot be written down says why."""
    return [_written(pipeline, allow, style=style, title=title, graph=graph)
            for pipeline in pipelines]  # fmt: skip


def _written(pipeline: Any, allow: Sequence[str], **how: Any) -> Written:
    op = pipeline.op
    told = {"op": op, "name": op.name, "origin": origin(op), "given": pipeline.given,
            "towers": 1 + len(pipeline.beside)}  # fmt: skip
    try:
        plan = pipeline.lift(allow=allow)
        module = to_source(plan, left=left(pipeline), **how)
        return Written(**told, plan=plan, module=module)
    except Refusal as error:
        return Written(**told, refusal=str(error))


def left(pipeline: Any) -> str:
    """What of the program's work on the examples is not in the module, or ""."""
    lines = by_line(pipeline.behind)
    places = []
    for where, kinds in list(lines.items())[:_SHOWN]:
        at = f" ({place(where.filename, where.lineno)})" if where.filename else ""
        places.append(", ".join(kinds[:_SHOWN]) + at)
    more = f", and {times(len(lines) - _SHOWN, 'more line')}" if len(lines) > _SHOWN else ""
    return ", ".join(places) + more


def paths(out: Path, count: int) -> list[Path]:
    """Where the modules go: `input_fn.py`, then `input_fn_2.py`, ….

    Args:
      out: the file for the first.
      count: how many there are.
    """
    more = [out.with_name(f"{out.stem}_{i}{out.suffix}") for i in range(2, count + 1)]
    return [out, *more][:count]


def summary(found: Written, path: Path | None) -> list[str]:
    """What the command prints of a pipeline: its stages, and what becomes different."""
    if found.plan is None or found.module is None:
        return [f"{found.name} ({found.origin}): not written.", f"  {found.refusal}"]
    lines = [f"{found.name} ({found.origin}) -> {path}"]
    for node in list(found.plan.stages)[::-1]:
        lines.append(f"  {type(node).__name__:<16} {node.origin}")
    return lines + [f"  note: {note}" for note in found.module.notes]
