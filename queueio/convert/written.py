"""The pipelines of a script, each written down as a module, or why not."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from queueio.emit.module import Module
from queueio.errors import NoEquivalent, NotLifted
from queueio.lift.fetches import lift
from queueio.origin import Origin, origin
from queueio.plan.tree import Plan


@dataclass(frozen=True)
class Written:
    """One pipeline of a script.

    Attributes:
      name: its last dequeue, as the graph calls it.
      origin: the line of the script that made it.
      tensors: what it gives, in the order of its components.
      plan, module: its plan and source, or None where it was refused.
      refusal: why it was refused, or "".
    """

    name: str
    origin: Origin
    tensors: tuple[Any, ...]
    plan: Plan | None = None
    module: Module | None = None
    refusal: str = ""


def written(pipelines: list[Any], *, style: str, title: str) -> list[Written]:
    """Every pipeline as source; what cannot be written down says why."""
    return [_written(pipeline, style, title) for pipeline in pipelines]


def _written(pipeline: Any, style: str, title: str) -> Written:
    op = pipeline.op
    told = {"name": op.name, "origin": origin(op), "tensors": tuple(pipeline.fetches)}
    try:
        fetches = list(pipeline.fetches)
        plan = lift(fetches if len(fetches) > 1 else fetches[0], graph=op.graph)
        return Written(**told, plan=plan, module=plan.to_source(style=style, title=title))
    except (NotLifted, NoEquivalent) as error:
        return Written(**told, refusal=str(error))


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
    return lines + [f"  note: {note}" for note in notes(found.module.text)]


def notes(text: str) -> list[str]:
    """The comments of a module that say where its meaning differs."""
    body = text[text.index("def input_fn") :].splitlines()
    comments = [line.strip() for line in body]
    found: list[str] = []
    last = ""
    for line in comments:
        if not line.startswith("# "):
            last = ""
        elif ".py:" in line or "of the old graph" in line:
            last = "origin"
        elif last == "note":
            found[-1] += " " + line.removeprefix("# ")
        else:
            found.append(line.removeprefix("# "))
            last = "note"
    return list(dict.fromkeys(found))
