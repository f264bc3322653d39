"""The stages as a tree for the terminal, the last one first: what `print(plan)` shows, and why."""

from __future__ import annotations

import io
from collections.abc import Iterator

from rich.console import Console, Group, RenderableType
from rich.table import Table
from rich.text import Text
from rich.tree import Tree

from queueio.explain.account import Account
from queueio.explain.stage import Stage

_WIDTH = 110


def console() -> Console:
    """The terminal; in a file, lines of a width that holds most of the user's."""
    plain = Console(highlight=False)
    return plain if plain.is_terminal else Console(highlight=False, width=_WIDTH)


def told(account: Account) -> RenderableType:
    """A pipeline for `console.print`."""
    head = Text(f"Pipeline {account.name}", style="bold cyan")
    if account.refusal is None:
        return Group(head, tree(account.last))
    why = Text(f"refused: {type(account.refusal).__name__}: {account.refusal}", style="red")
    known = Text("Its stages, as far as the graph shows them:", style="dim")
    return Group(head, why, known, tree(account.last, account.refusal.op_name))


def tree(stage: Stage, refused: str | None = None) -> Tree:
    """A stage with those that it takes from; the one named `refused` is marked."""
    label = _label(stage)
    if refused is not None and stage.name == refused:
        label.add_row(Text("refused here, see above", style="red"))
    branch = Tree(label, guide_style="dim")
    branch.children += [tree(source, refused) for source in stage.inputs]
    return branch


def text(stage: Stage) -> str:
    """The tree as plain text."""
    out = io.StringIO()
    Console(file=out, width=_WIDTH, color_system=None).print(tree(stage))
    return "\n".join(line.rstrip() for line in out.getvalue().splitlines())


def _label(stage: Stage) -> Table:
    table = Table.grid(padding=(0, 1))
    table.add_column(style="dim", no_wrap=True)
    table.add_column(overflow="fold")
    title = Text.assemble((stage.title, "bold green"), f" {stage.name}")
    for what, value in _rows(stage):
        table.add_row(what, value)
    label = Table.grid()
    label.add_row(title)
    label.add_row(table)
    return label


def _rows(stage: Stage) -> Iterator[tuple[str, Text]]:
    if stage.parameters:
        yield "with", Text(", ".join(stage.parameters))
    if stage.emits:
        yield "emits", Text(", ".join(stage.emits), style="yellow")
    yield "at", Text(str(stage.origin), style="blue")
    for does, differs in stage.teaching:
        yield "lesson", Text(f"{does}\n{differs}", style="italic")
    if stage.form:
        yield "tf.data", Text(stage.form, style="magenta")
