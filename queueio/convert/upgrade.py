"""The smaller step: the import line and renamed names; the code stays on its queues."""

from __future__ import annotations

from dataclasses import dataclass, field

import libcst as cst
from libcst import matchers as m
from libcst.metadata import MetadataWrapper, PositionProvider

from queueio.compat.missing import RENAMED

_ROOTS = ("tensorflow", "tensorflow.compat.v1")


@dataclass
class Rewrite:
    """A script's new text, and what was left as it was.

    Attributes:
      text: the text; the old one where nothing was sure.
      changes: what was changed, each as `line 3: …`.
      left: what was not, and why, each as `line 3: …`.
    """

    text: str
    changes: list[str] = field(default_factory=list)
    left: list[str] = field(default_factory=list)


def upgraded(text: str, module: str = "queueio.v1") -> Rewrite:
    """`import tensorflow as tf` becomes `import queueio.v1 as tf`, old names their new ones.

    Raises:
      libcst.ParserSyntaxError: the script is not Python 3.
    """
    wrapper = MetadataWrapper(cst.parse_module(text))
    visitor = _Upgrade(module)
    new = wrapper.visit(visitor)
    return Rewrite(new.code, visitor.changes, visitor.left)


class _Upgrade(cst.CSTTransformer):
    METADATA_DEPENDENCIES = (PositionProvider,)

    def __init__(self, module: str) -> None:
        super().__init__()
        self.module, self.alias = module, ""
        self.changes: list[str] = []
        self.left: list[str] = []

    def _line(self, node: cst.CSTNode) -> int:
        return int(self.get_metadata(PositionProvider, node).start.line)

    def leave_Import(self, original_node: cst.Import, updated_node: cst.Import) -> cst.Import:
        names = []
        for alias in updated_node.names:
            name = cst.Module([]).code_for_node(alias.name)
            if name in _ROOTS and alias.asname is not None:
                self.alias = cst.Module([]).code_for_node(alias.asname.name)
                self.changes.append(
                    f"line {self._line(original_node)}: import {self.module} as {self.alias}"
                )
                alias = alias.with_changes(name=cst.parse_expression(self.module))
            elif name.split(".")[0] == "tensorflow":
                self.left.append(
                    f"line {self._line(original_node)}: `import {name}` binds no short name;"
                    f" write `import {self.module} as tf`"
                )
            names.append(alias)
        return updated_node.with_changes(names=names)

    def leave_ImportFrom(
        self, original_node: cst.ImportFrom, updated_node: cst.ImportFrom
    ) -> cst.ImportFrom:
        if updated_node.module is None or updated_node.relative:
            return updated_node
        name = cst.Module([]).code_for_node(updated_node.module)
        if name.split(".")[0] == "tensorflow":
            self.left.append(
                f"line {self._line(original_node)}: `from {name} import …` is not rewritten;"
                " queueio run redirects it, or take the names from tf"
            )
        return updated_node

    def leave_Attribute(
        self, original_node: cst.Attribute, updated_node: cst.Attribute
    ) -> cst.BaseExpression:
        if not self.alias or not m.matches(updated_node.value, m.Name(self.alias)):
            return updated_node
        old = updated_node.attr.value
        new = RENAMED.get(old, "").removeprefix("tf.")
        if not new or not new.replace(".", "").replace("_", "").isalnum():
            return updated_node
        self.changes.append(
            f"line {self._line(original_node)}: {self.alias}.{old} -> {self.alias}.{new}"
        )
        return cst.parse_expression(f"{self.alias}.{new}")
