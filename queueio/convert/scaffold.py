"""Threads and coordinator, once no queue is left: removed where nothing else uses them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import libcst as cst
from libcst import matchers as m
from libcst.metadata import MetadataWrapper, ParentNodeProvider, PositionProvider

from queueio.convert.by_name import ByName
from queueio.convert.lines import told, without
from queueio.convert.upgrade import Rewrite

_KNOWN = ("should_stop", "request_stop", "join")
_START = m.Call(func=m.Attribute(attr=m.Name("start_queue_runners")))
_OF_ONE = m.Call(func=m.Attribute(value=m.Name(), attr=m.OneOf(*map(m.Name, _KNOWN))))
_MAKE = m.Call(func=m.Attribute(attr=m.Name("Coordinator")))

_FEWER = "; the threads of the queues that went are no longer in it, so its length is another one"


def without_scaffold(rewrite: Rewrite, places: Sequence[ByName] = ()) -> Rewrite:
    """The script without `start_queue_runners` and a coordinator that serves nothing else.

    All of it stays, which does no harm, where one use of it is none of those that are known.

    Args:
      rewrite: the script, in which no queue is left.
      places: where its variables are read by their names, which are all known.
    """
    wrapper = MetadataWrapper(cst.parse_module(rewrite.text))
    uses = _Uses()
    wrapper.visit(uses)
    held = uses.coordinators | uses.threads
    uses.left += [
        f"{each.where} reads {name!r} by its name, so it stays"
        for each in places
        for name in sorted(held.intersection(each.names or ()))
    ]
    rewrite.left += dict.fromkeys(uses.left)
    if uses.left:
        return rewrite
    remover = _RemoveScaffold(held, uses.coordinators)
    new = wrapper.visit(remover)
    rewrite.changes += [f"removed: {code}" for code in remover.removed]
    rewrite.text = new.code
    return rewrite


class _Uses(cst.CSTVisitor):
    """Which names hold coordinators and threads, and whether anything else uses them.

    Known are `name = …` of either, starting the runners, `while not coord.should_stop():`,
    `coord.join(…)` of the runners' threads, and `coord.request_stop()` in the function that made it
    and outside of loops: within one it may be what ends the loop, as it may be where a loop is in
    another function. All but the second one are lines of their own.
    """

    METADATA_DEPENDENCIES = (PositionProvider, ParentNodeProvider)

    def __init__(self) -> None:
        super().__init__()
        self.coordinators: set[str] = set()
        self.threads: set[str] = set()
        self.left: list[str] = []
        self._known: set[int] = set()
        self._stops: list[cst.Call] = []
        self._joins: list[cst.Call] = []
        self._loops: list[cst.Call] = []
        self._scopes: set[tuple[str, int]] = set()
        self._names: list[cst.Name] = []

    def visit_Call(self, node: cst.Call) -> None:
        if m.matches(node, _MAKE | _START):
            self._started(node)
        elif m.matches(node, _OF_ONE):
            self._used(node)

    def visit_Name(self, node: cst.Name) -> None:
        self._names.append(node)

    def visit_Arg(self, node: cst.Arg) -> None:
        if node.keyword is not None:
            self._known.add(id(node.keyword))

    def leave_Module(self, original_node: cst.Module) -> None:
        """Says of what is not known that it stays."""
        for call in self._stops:
            if self._at_home(call) and all(map(self._at_home, self._loops)):
                self._know(call)
        for call in self._joins:
            given = [arg.value for arg in call.args if arg.keyword is None]
            owner = call.func.value.value  # type: ignore[attr-defined]
            threads = all(isinstance(n, cst.Name) and n.value in self.threads for n in given[:1])
            if threads and owner in self.coordinators:  # one that stays joins these threads
                self._know(call)
        held = self.coordinators | self.threads
        for name in self._names:
            if name.value in held and id(name) not in self._known:
                fewer = _FEWER if name.value in self.threads else ""
                self._stays(name, repr(name.value), fewer)

    def _started(self, node: cst.Call) -> None:
        statement = self._parent(node)
        target = _target(statement)
        alone = target is not None or isinstance(statement, cst.Expr)
        if not (alone and self._is_line(statement)):
            self._stays(node, "what holds the threads or their coordinator")
            return
        self._know(node)
        if target is not None:
            names = self.coordinators if m.matches(node, _MAKE) else self.threads
            names.add(target.value)
            self._known.add(id(target))
            self._scopes.add((target.value, self._scope(node)))

    def _used(self, node: cst.Call) -> None:
        what = node.func.attr.value  # type: ignore[attr-defined]
        above = self._parent(node)
        if what == "should_stop":
            whole = m.matches(above, m.UnaryOperation(operator=m.Not()))
            if whole and isinstance(self._parent(above), cst.While):
                self._know(node)
                self._loops.append(node)
        elif isinstance(above, cst.Expr) and self._is_line(above):
            if what == "join":
                self._joins.append(node)
            elif not node.args and not self._in_loop(node):  # arguments hand on an error
                self._stops.append(node)

    def _at_home(self, call: cst.Call) -> bool:
        """Whether a method of a coordinator is called in the function that made it."""
        owner = call.func.value  # type: ignore[attr-defined]
        return (owner.value, self._scope(call)) in self._scopes

    def _know(self, call: cst.Call) -> None:
        self._known |= {id(name) for name in m.findall(call, m.Name())}

    def _stays(self, node: cst.CSTNode, what: str, also: str = "") -> None:
        line = int(self.get_metadata(PositionProvider, node).start.line)
        stays = (
            f"line {line} of the new script: {what} is used for more than the queues, so it stays"
        )
        self.left.append(stays + also)

    def _parent(self, node: cst.CSTNode) -> cst.CSTNode:
        return self.get_metadata(ParentNodeProvider, node)

    def _is_line(self, statement: cst.CSTNode) -> bool:
        return isinstance(self._parent(statement), cst.SimpleStatementLine)

    def _above(self, node: cst.CSTNode) -> Iterator[cst.CSTNode]:
        while not isinstance(node, cst.Module):
            node = self._parent(node)
            yield node

    def _in_loop(self, node: cst.CSTNode) -> bool:
        return any(isinstance(each, (cst.While, cst.For)) for each in self._above(node))

    def _scope(self, node: cst.CSTNode) -> int:
        """The function, or the module, in which a node is."""
        functions = (cst.FunctionDef, cst.Lambda, cst.Module)
        return next(id(each) for each in self._above(node) if isinstance(each, functions))


def _target(statement: cst.CSTNode) -> cst.Name | None:
    """The one name to which a statement assigns."""
    if isinstance(statement, cst.Assign) and len(statement.targets) == 1:
        target = statement.targets[0].target
        return target if isinstance(target, cst.Name) else None
    return None


class _RemoveScaffold(cst.CSTTransformer):
    def __init__(self, names: set[str], coordinators: set[str]) -> None:
        super().__init__()
        self._names, self._coordinators = names, coordinators
        self.removed: list[str] = []

    def leave_SimpleStatementLine(
        self, original_node: cst.SimpleStatementLine, updated_node: cst.SimpleStatementLine
    ) -> Any:
        return without(updated_node, self._goes) or cst.RemoveFromParent()

    def _goes(self, statement: cst.BaseSmallStatement) -> bool:
        value = getattr(statement, "value", None)
        goes = isinstance(value, cst.Call) and (
            m.matches(value, _START | _MAKE) or self._of_coordinator(value)
        )
        if goes:
            self.removed.append(told(statement))
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
        return m.matches(call, _OF_ONE) and call.func.value.value in self._coordinators
