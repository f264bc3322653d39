"""What fed the queues and feeds nothing now: removed where no name of it is used."""

from __future__ import annotations

from collections.abc import Container, Iterable
from typing import Any

import libcst as cst
from libcst import matchers as m

from queueio.convert.file_text import lines_of
from queueio.convert.lines import Line, told, without
from queueio.convert.reads import SHAPE, Place, Placed, Readers, ReadNoMore, targets
from queueio.convert.still_read import PRODUCERS
from queueio.convert.upgrade import Rewrite

BESIDES = m.OneOf(m.NamedExpr(), m.Yield(), m.Await())
"""What does something besides giving its value, wherever it stands."""


def without_leftovers(
    rewrite: Rewrite, before: str, calls: frozenset[str], kept: Iterable[str] = ()
) -> Rewrite:
    """Takes out assignments of pipeline calls whose names nobody reads now, until there are none.

    One whose names nobody read before, either, stays: it fed no queue.

    Args:
      rewrite: the script, its batch calls replaced already.
      before: the script with its batch calls.
      calls: the last parts of the names of functions that only make tensors of a pipeline.
      kept: names that are read all the same, in ways that no code shows.
    """
    tree = cst.parse_module(rewrite.text)
    made = made_by_tensorflow(tree)
    no_more = ReadNoMore(Readers(cst.parse_module(before)), Readers(tree))
    gone: dict[Any, tuple[Place, int]] = {}
    while True:
        unread = _Unread(tree, Readers(tree, gone), frozenset(kept), no_more, gone)
        tree.visit(unread)
        goes = {
            statement: where
            for statement, where in unread.found.items()
            if not m.findall(statement, BESIDES)
            and (isinstance(statement, cst.Expr) or _is_pure(statement.value, calls, made))
        }
        if not goes:
            break
        rewrite.changes += [f"removed: {told(statement)}" for statement in goes]
        for statement, (place, behind) in goes.items():
            no_more.add(statement, place, behind)
        gone |= goes
    rewrite.text = tree.visit(_Remove(gone)).code
    return rewrite


def producers_left(text: str) -> list[str]:
    """The lines of a script that still make a queue of file names or numbers: ``line 3: `…` ``."""
    return _lines_with(text, PRODUCERS)


def otherwise(text: str) -> list[str]:
    """What lines of the changed script do that they did otherwise, each told."""
    counts = _lines_with(text, ("num_records_produced", "num_work_units_completed"))
    seeds = _lines_with(text, ("set_random_seed", "set_seed"))
    return [
        *(f"{line} gives 0: the new module reads, and not this reader" for line in counts),
        *(f"{line}: an op without a seed of its own is given one by the number of ops before it,"
          " which is another one now; initial weights and dropout will differ" for line in seeds),
    ]  # fmt: skip


def _lines_with(text: str, names: Iterable[str]) -> list[str]:
    """The lines that call a function of one of these names."""
    return [
        f"line {number} of the new script: `{line.strip()}`"
        for number, line in enumerate(lines_of(text), 1)
        if any(f".{name}(" in line for name in names)
    ]


def made_by_tensorflow(tree: cst.Module) -> set[str]:
    """TensorFlow's name in a script, and names that only calls of it, or of such, were given to."""
    known, other = {"tensorflow"}, set[str]()
    for alias in m.findall(tree, m.ImportAlias(asname=m.AsName(name=m.Name()))):
        name = cst.Module([]).code_for_node(alias.name)  # type: ignore[attr-defined]
        if name == "queueio.v1" or name.split(".")[0] == "tensorflow":
            known.add(alias.asname.name.value)  # type: ignore[attr-defined]
    assigned: list[Any] = list(m.findall(tree, m.Assign()))
    for _ in assigned:  # until nothing is added, as often at most
        before = len(known)
        for each in assigned:
            if isinstance(each.value, cst.Call) and _root(each.value) in known:
                known |= {name for target in each.targets for name in targets(target.target)}
        if len(known) == before:
            break
    for each in assigned:
        if not (isinstance(each.value, cst.Call) and _root(each.value) in known):
            other |= {name for target in each.targets for name in targets(target.target)}
    return known - other


def _root(node: cst.BaseExpression) -> str:
    """The name that a chain of attributes, calls and indices begins with."""
    while not isinstance(node, cst.Name):
        if isinstance(node, cst.Call):
            node = node.func
        elif isinstance(node, (cst.Attribute, cst.Subscript)):
            node = node.value
        else:
            return ""
    return node.value


def _is_pure(value: cst.BaseExpression, calls: frozenset[str], made: set[str]) -> bool:
    """Whether an expression only makes tensors of a pipeline."""
    found: list[Any] = list(m.findall(value, m.Call()))
    return bool(found) and all(
        isinstance(call.func, cst.Attribute)
        and call.func.attr.value in calls
        and _root(call) in made
        for call in found
    )


class _Unread(Placed):
    """The assignments, and calls of set_shape, whose names nobody reads now, and somebody did."""

    def __init__(
        self, tree: cst.Module, readers: Readers, kept: frozenset[str], no_more: ReadNoMore,
        gone: Container[cst.CSTNode],
    ) -> None:  # fmt: skip
        super().__init__(tree, gone)
        self._readers, self._kept, self._no_more = readers, kept, no_more
        self.found: dict[Any, tuple[Place, int]] = {}
        self._fields: set[cst.CSTNode] = set()

    def visit_ClassDef(self, node: cst.ClassDef) -> None:
        """What a class keeps, `getattr` may read of it."""
        lines = [node.body, *node.body.body]
        self._fields.update(
            statement
            for line in lines
            if isinstance(line, (cst.SimpleStatementLine, cst.SimpleStatementSuite))
            for statement in line.body
        )

    def visit_Assign(self, node: cst.Assign) -> None:
        if len(node.targets) == 1:
            self._look_at(node, targets(node.targets[0].target))

    def visit_Expr(self, node: cst.Expr) -> None:
        if m.matches(node, SHAPE):
            self._look_at(node, [node.value.func.value.value])  # type: ignore[attr-defined]

    def _look_at(self, node: cst.BaseSmallStatement, names: list[str]) -> None:
        if node in self._fields or not self._kept.isdisjoint(names):
            return
        if any(self._readers.count(name, self.place) > 0 for name in names):
            return
        if self._no_more(names, self.place, self.behind):
            self.found[node] = (self.place, self.behind)


class _Remove(cst.CSTTransformer):
    def __init__(self, statements: Container[cst.CSTNode]) -> None:
        super().__init__()
        self._statements = statements

    def leave_SimpleStatementLine(
        self, original_node: cst.SimpleStatementLine, updated_node: cst.SimpleStatementLine
    ) -> Any:
        return self._without(original_node, updated_node) or cst.RemoveFromParent()

    def leave_SimpleStatementSuite(
        self, original_node: cst.SimpleStatementSuite, updated_node: cst.SimpleStatementSuite
    ) -> cst.SimpleStatementSuite:
        left = self._without(original_node, updated_node)
        return left or updated_node.with_changes(body=[cst.Pass()])

    def _without(self, original: Line, updated: Line) -> Line | None:
        pairs = zip(original.body, updated.body, strict=True)
        goes = {new for old, new in pairs if old in self._statements}
        return without(updated, goes.__contains__)
