"""Batch calls of a script, each replaced by the iterator of the new module."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import libcst as cst
from libcst import matchers as m
from libcst.metadata import ParentNodeProvider, PositionProvider

from queueio.convert.arguments import argument, binding, called, given
from queueio.convert.container import as_list
from queueio.convert.dependence import BATCHES
from queueio.convert.value_checks import told as told_values
from queueio.convert.value_checks import value_check
from queueio.convert.written import Written

_WIDTH = 88 - len("[*]")
"""Columns of a line, of which a list may take some; code of the script's own may be longer."""
_ENDLESS = 10_000


@dataclass(frozen=True)
class Replacement:
    """One batch call of the script, by the lines that it covers, and the module in its place."""

    line: int
    module: str
    found: Written
    passed: Mapping[str, str] = field(default_factory=dict)
    """For arguments of input_fn the script's own expressions, where its values may change."""
    stays: str = ""
    """Why the call must stay; "" where it may go."""
    size: str = ""
    """The batch size as a number, where the call is given a tensor."""
    relied_on: Mapping[str, str] = field(default_factory=dict)
    """Parameters of its function, and the `repr` of the value that the module was written for."""
    also: tuple[Written, ...] = ()
    """More pipelines that the call makes, of which the module gives each what it is passed."""

    @property
    def names(self) -> str:
        """The names of its pipelines."""
        *most, last = [each.name for each in (self.found, *self.also)]
        return f"{', '.join(most)} and {last}" if most else last


class ReplaceBatches(cst.CSTTransformer):
    METADATA_DEPENDENCIES = (PositionProvider, ParentNodeProvider)

    def __init__(self, replacements: Sequence[Replacement], taken: set[str], own: set[str]) -> None:
        super().__init__()
        self._wanted, self._taken, self._own = list(replacements), taken, own
        self.modules: list[str] = []
        self._kept: set[str] = set()
        self._checks: list[Mapping[str, str]] = []  # to stand before the line that is visited
        self.names: dict[str, str] = {}
        self.changes: list[str] = []
        self.left: list[str] = []

    def leave_Call(self, original_node: cst.Call, updated_node: cst.Call) -> cst.BaseExpression:
        where = self.get_metadata(PositionProvider, original_node)
        for wanted in (each for each in self._wanted if not each.stays):
            if where.start.line <= wanted.line <= where.end.line and _is_batch(updated_node):
                new = self._replaced(original_node, updated_node, wanted, where.start.line)
                parent = self.get_metadata(ParentNodeProvider, original_node)
                if new is updated_node:
                    self._kept.add(wanted.module)
                    return new
                return as_list(new, wanted.found.given, parent)
        return updated_node

    def visit_Module(self, node: cst.Module) -> None:
        self._config = node.config_for_parsing

    def leave_SimpleStatementLine(
        self, original_node: cst.SimpleStatementLine, updated_node: cst.SimpleStatementLine
    ) -> cst.BaseStatement | cst.FlattenSentinel[cst.BaseStatement]:
        checks = [value_check(each, self._config) for each in self._checks]
        self._checks = []
        return cst.FlattenSentinel([*checks, updated_node]) if checks else updated_node

    def leave_Module(self, original_node: cst.Module, updated_node: cst.Module) -> cst.Module:
        for wanted in self._wanted:
            if wanted.stays:
                self.left.append(wanted.stays)
            elif wanted.module not in {*self.modules, *self._kept}:
                self.left.append(
                    f"line {wanted.line}: {wanted.names} is not made by a call of a batch"
                    " function there; take the tensors from the new module by hand"
                )
        return updated_node

    def _statement(self, node: cst.CSTNode) -> cst.CSTNode:
        """What a node stands in: a line, or the suite or statement that it is on the line of."""
        while not isinstance(node, (cst.BaseStatement, cst.BaseSuite, cst.Module)):
            node = self.get_metadata(ParentNodeProvider, node)
        return node

    def _replaced(
        self, node: cst.Call, call: cst.Call, wanted: Replacement, line: int
    ) -> cst.BaseExpression:
        dotted = _dotted(call.func)
        name = dotted.rpartition(".")[2]
        if not dotted.endswith(f".train.{name}"):
            self.left.append(
                f"line {line}: `{dotted}` does not name TensorFlow, whose iterator is to take its"
                f" place; write `tf.train.{name}` under `import tensorflow as tf`"
            )
            return call
        passed = {**wanted.passed, **self._size(call, BATCHES[name], wanted)}
        more = binding(call, passed.values())
        if more:
            self.left.append(
                f"line {line}: `{more}` within the call does more than give it a value, and would"
                " go with it; give it a line of its own before the call"
            )
            return call
        if wanted.relied_on:
            told = told_values(wanted.relied_on)
            if not isinstance(self._statement(node), cst.SimpleStatementLine):
                self.left.append(
                    f"line {line}: input_fn() is for {told} alone, which a line before the call is"
                    " to check, and there is no room for one; give the call a line of its own"
                )
                return call
            self._checks.append(wanted.relied_on)
            self.changes.append(f"line {line}: a check that it is called for {told}")
        self.changes += [
            f"line {line}: `{each}` is not called there any more, so what it does besides giving"
            " tensors (what it prints, keeps or adds to the summaries) is not done"
            for each in called(call, passed.values(), self._own)
        ]
        root = dotted.removesuffix(f".train.{name}")
        self.modules.append(wanted.module)
        module = _free_name(wanted.module, self._taken)
        self.names[module] = wanted.module
        self.changes.append(f"line {line}: {wanted.names} from {wanted.module}.input_fn()")
        given_to = (f"{module}.input_fn", [f"{name}={code}" for name, code in passed.items()])
        if wanted.found.module and wanted.found.module.uses_tables:
            return self._laid_out(node, [(f"{module}.next_batch", []), given_to])
        return self._laid_out(
            node, [(f"{root}.data.make_one_shot_iterator", []), given_to], ".get_next()"
        )

    def _laid_out(
        self, node: cst.Call, calls: list[tuple[str, list[str]]], end: str = ""
    ) -> cst.BaseExpression:
        """Calls within one another, each with its arguments, in lines that are not too long.

        Args:
          node: the call in whose place they stand.
          calls: each call and its arguments, without the last one, which is the next call.
          end: what follows them.
        """
        newline, indent = str(self._config.default_newline), str(self._config.default_indent)
        start = self.get_metadata(PositionProvider, node).start.column
        begin = self.get_metadata(PositionProvider, self._statement(node)).start.column
        width = _WIDTH - len(indent.expandtabs(4) * begin) // len(indent) + begin  # of tabs

        def code(left: list[tuple[str, list[str]]], depth: int, room: int) -> str:
            (name, arguments), *more = left
            flat = ", ".join([*arguments, *([code(more, 0, _ENDLESS)] if more else [])])
            if len(name) + len(flat) + len(end) + 2 <= room:
                return f"{name}({flat})"
            below = newline + indent * (depth + 1)
            inner = width - begin - len((indent * (depth + 1)).expandtabs(4))
            parts = [*arguments, *([code(more, depth + 1, inner)] if more else [])]
            comma = "," * (len(parts) > 1)
            return f"{name}({below}{f',{below}'.join(parts)}{comma}{newline}{indent * depth})"

        return cst.parse_expression(code(calls, 0, width - start) + end, self._config)

    def _size(self, call: cst.Call, place: int, wanted: Replacement) -> dict[str, str]:
        """The batch size as the call has it, unless it is a plain number."""
        size = argument(call, place, ("batch_size",))
        if wanted.size:
            return {"batch_size": wanted.size}
        is_code = size is not None and not isinstance(size, cst.Integer)
        return {"batch_size": given(size)} if is_code else {}  # type: ignore[arg-type]


def _dotted(node: cst.BaseExpression) -> str:
    """A name with its attributes, however its code is laid out: `(tf.train  # …\\n .batch)`."""
    if isinstance(node, cst.Attribute):
        return f"{_dotted(node.value)}.{node.attr.value}"
    return cst.Module([]).code_for_node(node)


def _is_batch(call: cst.Call) -> bool:
    name = m.OneOf(*map(m.Name, BATCHES))
    return m.matches(call.func, m.Attribute(attr=name) | name)


def _free_name(module: str, taken: set[str]) -> str:
    """The name that a module shall have in a script, where `taken` mean something else."""
    name = module if module not in taken else f"{module}_module"
    while name in taken:
        name += "_"
    return name
