"""What fed the queues and feeds nothing now: removed where no name of it is used."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Any

import libcst as cst
from libcst import matchers as m

from queueio.convert.file_text import lines_of
from queueio.convert.lines import told, without
from queueio.convert.still_read import PRODUCERS
from queueio.convert.upgrade import Rewrite

_SHAPE = m.Expr(value=m.Call(func=m.Attribute(value=m.Name(), attr=m.Name("set_shape"))))


def without_leftovers(rewrite: Rewrite, calls: frozenset[str], kept: Iterable[str] = ()) -> Rewrite:
    """Takes out assignments of pipeline calls whose names nobody reads, until there are none.

    Args:
      rewrite: the script, its batch calls replaced already.
      calls: the last parts of the names of functions that only make tensors of a pipeline.
      kept: names that are read all the same, in ways that no code shows.
    """
    tree = cst.parse_module(rewrite.text)
    made = made_by_tensorflow(tree)
    while True:
        remover = _RemoveUnused(_reads(tree) + Counter(set(kept)), calls, made)
        new = tree.visit(remover)
        rewrite.changes += remover.changes
        if not remover.changes:
            break
        tree = new
    rewrite.text = tree.code
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


def _reads(tree: cst.Module) -> Counter[str]:
    """How often each name is read; set_shape on a name does not count."""
    found: Counter[str] = Counter()
    for node in m.findall(tree, m.Name()):
        found[node.value] += 1  # type: ignore[attr-defined]
    for target in m.findall(tree, m.AssignTarget()):
        for name in _targets(target.target):  # type: ignore[attr-defined]
            found[name] -= 1
    for shape in m.findall(tree, _SHAPE):
        found[shape.value.func.value.value] -= 1  # type: ignore[attr-defined]
    return found


def _targets(target: cst.BaseExpression) -> list[str]:
    if isinstance(target, cst.Name):
        return [target.value]
    if isinstance(target, (cst.Tuple, cst.List)):
        return [name for element in target.elements for name in _targets(element.value)]
    return []


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
                known |= {name for target in each.targets for name in _targets(target.target)}
        if len(known) == before:
            break
    for each in assigned:
        if not (isinstance(each.value, cst.Call) and _root(each.value) in known):
            other |= {name for target in each.targets for name in _targets(target.target)}
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


class _RemoveUnused(cst.CSTTransformer):
    def __init__(self, reads: Counter[str], calls: frozenset[str], made: set[str]) -> None:
        super().__init__()
        self._reads, self._calls, self._made = reads, calls, made
        self.changes: list[str] = []
        self._fields: set[cst.CSTNode] = set()

    def visit_ClassDef(self, node: cst.ClassDef) -> None:
        """What a class keeps, `getattr` may read of it."""
        self._fields |= {node.body, *node.body.body}

    def leave_SimpleStatementLine(
        self, original_node: cst.SimpleStatementLine, updated_node: cst.SimpleStatementLine
    ) -> Any:
        if original_node in self._fields:
            return updated_node
        return without(updated_node, self._goes) or cst.RemoveFromParent()

    def leave_SimpleStatementSuite(
        self, original_node: cst.SimpleStatementSuite, updated_node: cst.SimpleStatementSuite
    ) -> cst.SimpleStatementSuite:
        if original_node in self._fields:
            return updated_node
        return without(updated_node, self._goes) or updated_node.with_changes(body=[cst.Pass()])

    def _goes(self, statement: cst.BaseSmallStatement) -> bool:
        goes = self._unused(statement)
        if goes:
            self.changes.append(f"removed: {told(statement)}")
        return goes

    def _unused(self, statement: cst.BaseSmallStatement) -> bool:
        if m.matches(statement, _SHAPE):
            owner: Any = statement
            return self._reads[owner.value.func.value.value] <= 0
        if not isinstance(statement, cst.Assign) or len(statement.targets) != 1:
            return False
        names = _targets(statement.targets[0].target)
        if not names or any(self._reads[name] > 0 for name in names):
            return False
        return self._pure(statement.value)

    def _pure(self, value: cst.BaseExpression) -> bool:
        """Whether an expression only makes tensors of a pipeline."""
        calls = m.findall(value, m.Call())
        known = [c for c in calls if self._name(c) in self._calls and self._is_tensorflows(c)]
        return bool(calls) and len(known) == len(calls)

    def _is_tensorflows(self, call: Any) -> bool:
        return _root(call) in self._made

    def _name(self, call: Any) -> str:
        func = call.func
        return func.attr.value if isinstance(func, cst.Attribute) else ""
