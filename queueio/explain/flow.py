"""The stages for the terminal, in the order in which the data flows through them: file to batch.

The drawing runs the same way. `print(plan)` shows a plan's nodes from the batch on.
"""

from __future__ import annotations

import io
import os
from collections.abc import Iterator

from rich.console import Console, Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from queueio.explain.account import Account
from queueio.explain.stage import ToldStage

_WIDTH = 110
_DOWN = Text("  ▼", style="dim")


def console() -> Console:
    """The terminal; in a file, lines of COLUMNS, or of a width that holds most of the user's."""
    plain = Console(highlight=False)
    if plain.width and (plain.is_terminal or os.environ.get("COLUMNS", "").isdigit()):
        return plain
    return Console(highlight=False, width=_WIDTH)


def picture(account: Account) -> RenderableType:
    """A pipeline for `console.print`."""
    head = Text(f"Pipeline {account.name}", style="bold cyan")
    if account.refusal is None:
        return Group(head, flow(account.last))
    why = Text(f"refused: {type(account.refusal).__name__}: {account.refusal}", style="red")
    known = Text("Its stages, as far as the graph shows them:", style="dim")
    return Group(head, why, known, flow(account.last, account.refusal.op_name))


def flow(stage: ToldStage, refused: str | None = None) -> Group:
    """What a stage takes from, then the stage itself; the one named `refused` is marked."""
    label = _label(stage)
    if refused is not None and stage.name == refused:
        label.add_row(Text("refused here, see above", style="red"))
    if not stage.inputs:
        return Group(label)
    if len(stage.inputs) == 1:
        return Group(flow(stage.inputs[0], refused), _DOWN, label)
    branches = [
        Group(
            Text(f"{number} of {len(stage.inputs)} into {stage.title} {stage.name}:", style="dim"),
            Padding(flow(source, refused), (0, 0, 0, 4)),
        )
        for number, source in enumerate(stage.inputs, 1)
    ]
    return Group(*branches, _DOWN, label)


def text(stage: ToldStage) -> str:
    """The stages as plain text."""
    out = io.StringIO()
    plain = Console(file=out, width=_WIDTH, color_system=None, force_jupyter=False)
    plain.print(flow(stage))
    return "\n".join(line.rstrip() for line in out.getvalue().splitlines())


def _label(stage: ToldStage) -> Table:
    table = Table.grid(padding=(0, 1))
    table.add_column(style="dim", no_wrap=True)
    table.add_column(overflow="fold")
    title = Text.assemble((stage.title, "bold green"), f" {stage.name}")
    for what, value in _rows(stage):
        table.add_row(what, value)
    label = Table.grid()
    label.add_column(overflow="fold")  # a name that is cut off is found nowhere
    label.add_row(title)
    label.add_row(Padding(table, (0, 0, 0, 2)))
    return label


def _rows(stage: ToldStage) -> Iterator[tuple[str, Text]]:
    if stage.parameters:
        yield "with", Text(", ".join(stage.parameters))
    if stage.emits:
        yield "emits", Text(", ".join(stage.emits), style="yellow")
    yield "at", Text(str(stage.origin), style="blue")
    for does, differs in stage.teaching:
        yield "lesson", Text(f"{does}\n{differs}", style="italic")
    if stage.form:
        yield "tf.data", Text(stage.form, style="magenta")
