"""Threads and coordinator, once no queue is left: removed where nothing else uses them."""

from __future__ import annotations

from typing import Any

import libcst as cst
from libcst import matchers as m
from libcst.metadata import MetadataWrapper, PositionProvider

from queueio.convert.upgrade import Rewrite

_KNOWN = ("should_stop", "request_stop", "join")
_START = m.Call(func=m.Attribute(attr=m.Name("start_queue_runners")))
_MAKE = m.Call(func=m.Attribute(attr=m.Name("Coordinator")))


def without_scaffold(rewrite: Rewrite) -> Rewrite:
    """The script without `start_queue_runners` and a coordinator that serves nothing else."""
    wrapper = MetadataWrapper(cst.parse_module(rewrite.text))
    uses = _Uses()
    wrapper.visit(uses)
    rewrite.left += dict.fromkeys(uses.left)
    removable = {name for name in uses.coordinators if name not in uses.needed}
    names = removable | {name for name in uses.threads if name not in uses.needed}
    if uses.needed & (uses.coordinators | uses.threads):
        return rewrite
    remover = _RemoveScaffold(names, removable)
    new = wrapper.visit(remover)
    rewrite.changes += [f"removed: {code}" for code in remover.removed]
    rewrite.text = new.code
    return rewrite


class _Uses(cst.CSTVisitor):
    """Which names hold coordinators and threads, and whether anything else uses them."""

    METADATA_DEPENDENCIES = (PositionProvider,)

    def __init__(self) -> None:
        super().__init__()
        self.coordinators: set[str] = set()
        self.threads: set[str] = set()
        self.needed: set[str] = set()
        self.left: list[str] = []
        self._harmless: set[int] = set()

    def visit_Assign(self, node: cst.Assign) -> None:
        target = node.targets[0].target
        for kind, names in ((_MAKE, self.coordinators), (_START, self.threads)):
            if m.matches(node.value, kind) and isinstance(target, cst.Name):
                names.add(target.value)
                self._harmless.add(id(target))

    def visit_Call(self, node: cst.Call) -> None:
        known = m.Attribute(value=m.Name(), attr=m.OneOf(*map(m.Name, _KNOWN)))
        if m.matches(node, _START):
            self._forget(node)
        elif m.matches(node.func, known):
            owner: Any = node.func
            if owner.value.value in self.coordinators:
                if owner.attr.value == "request_stop" and node.args:
                    return  # it hands on an error that somebody else raised
                self._harmless.add(id(owner.value))
                self._forget(node)

    def visit_Arg(self, node: cst.Arg) -> None:
        if node.keyword is not None:
            self._harmless.add(id(node.keyword))

    def visit_Name(self, node: cst.Name) -> None:
        if node.value in self.coordinators | self.threads and id(node) not in self._harmless:
            self.needed.add(node.value)
            self.left.append(
                f"line {self._line(node)}: {node.value!r} is used for more than the queues, so it"
                " stays"
            )

    def _forget(self, call: cst.Call) -> None:
        for arg in call.args:
            for name in m.findall(arg.value, m.Name()):
                self._harmless.add(id(name))

    def _line(self, node: cst.CSTNode) -> int:
        return int(self.get_metadata(PositionProvider, node).start.line)


class _RemoveScaffold(cst.CSTTransformer):
    def __init__(self, names: set[str], coordinators: set[str]) -> None:
        super().__init__()
        self._names, self._coordinators = names, coordinators
        self.removed: list[str] = []

    def leave_SimpleStatementLine(
        self, original_node: cst.SimpleStatementLine, updated_node: cst.SimpleStatementLine
    ) -> Any:
        kept = [each for each in updated_node.body if not self._goes(each)]
        if len(kept) == len(updated_node.body):
            return updated_node
        if not kept:
            return cst.RemoveFromParent()
        last = kept[-1].with_changes(semicolon=cst.MaybeSentinel.DEFAULT)
        return updated_node.with_changes(body=[*kept[:-1], last])

    def _goes(self, statement: cst.BaseSmallStatement) -> bool:
        value = getattr(statement, "value", None)
        goes = isinstance(value, cst.Call) and (
            m.matches(value, _START | _MAKE) or self._of_coordinator(value)
        )
        if goes:
            bare = statement.with_changes(semicolon=cst.MaybeSentinel.DEFAULT)
            self.removed.append(" ".join(cst.Module([]).code_for_node(bare).split()))
        return goes

    def leave_While(self, original_node: cst.While, updated_node: cst.While) -> cst.While:
        test = updated_node.test
        if (
            m.matches(test, m.UnaryOperation(operator=m.Not(), expression=m.Call()))
            and self._of_coordinator(test.expression)  # type: ignore[attr-defined]
        ):
            return updated_node.with_changes(test=cst.Name("True"))
        return updated_node

    def leave_IndentedBlock(
        self, original_node: cst.IndentedBlock, updated_node: cst.IndentedBlock
    ) -> cst.IndentedBlock:
        if updated_node.body or not original_node.body:
            return updated_node
        return updated_node.with_changes(body=[cst.parse_statement("pass\n")])

    def leave_Try(self, original_node: cst.Try, updated_node: cst.Try) -> Any:
        final = updated_node.finalbody
        nothing = m.Finally(body=m.IndentedBlock(
            body=[m.SimpleStatementLine(body=[m.Pass()])]))  # fmt: skip
        if final is None or not m.matches(final, nothing) or not updated_node.handlers:
            return updated_node
        return updated_node.with_changes(finalbody=None)

    def _of_coordinator(self, call: Any) -> bool:
        owner = call.func
        return (
            m.matches(owner, m.Attribute(value=m.Name(), attr=m.OneOf(*map(m.Name, _KNOWN))))
            and owner.value.value in self._coordinators
        )
