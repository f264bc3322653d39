"""The smaller step: the import line and renamed names; the code stays on its queues."""

from __future__ import annotations

from dataclasses import dataclass, field

import libcst as cst
from libcst import matchers as m
from libcst.metadata import MetadataWrapper, PositionProvider

from queueio.compat.contrib import way_out
from queueio.compat.missing import RENAMED
from queueio.compat.rows import InWords
from queueio.convert.file_text import spaced_as
from queueio.convert.old_order import reordered

_OF_CONTRIB = "`python` finds no module of tensorflow.contrib; `queueio run` redirects the import"
_ROOTS = ("tensorflow", "tensorflow.compat.v1")


@dataclass
class Rewrite:
    """A script's new text, and what was left as it was.

    Attributes:
      text: the text; the old one where nothing was sure.
      changes: what was changed, each as `line 3: …`.
      left: what was not, and why, each as `line 3: …`.
      modules: those of pipelines that it calls now.
    """

    text: str
    changes: list[str] = field(default_factory=list)
    left: list[str] = field(default_factory=list)
    modules: list[str] = field(default_factory=list)


def upgraded(text: str, module: str = "queueio.v1") -> Rewrite:
    """`import tensorflow as tf` becomes `import queueio.v1 as tf`, old names their new ones.

    Raises:
      libcst.ParserSyntaxError: the script is not Python 3.
    """
    old = cst.parse_module(text)
    visitor = _Upgrade(module)
    new = MetadataWrapper(old).visit(visitor)
    return Rewrite(spaced_as(text, old.code, new.code), visitor.changes, visitor.left)


class _Upgrade(cst.CSTTransformer):
    METADATA_DEPENDENCIES = (PositionProvider,)

    def __init__(self, module: str) -> None:
        super().__init__()
        self.module, self.alias = module, ""
        self.changes: list[str] = []
        self.left: list[str] = []
        self._inner: set[cst.CSTNode] = set()
        self._bound_below = False  # by `import tensorflow.a.b`, which gives `tensorflow` a meaning

    def visit_Module(self, node: cst.Module) -> None:
        below = m.ImportAlias(name=m.Attribute(), asname=None)
        names = (cst.Module([]).code_for_node(each.name) for each in m.findall(node, below))  # type: ignore[attr-defined]
        self._bound_below = any(name.startswith("tensorflow.") for name in names)

    def visit_ImportAlias(self, node: cst.ImportAlias) -> bool:
        return False  # its dotted name is none of the code's

    def visit_ImportFrom(self, node: cst.ImportFrom) -> bool:
        return False

    def _line(self, node: cst.CSTNode) -> int:
        return int(self.get_metadata(PositionProvider, node).start.line)

    def leave_Import(self, original_node: cst.Import, updated_node: cst.Import) -> cst.Import:
        names = []
        for alias in updated_node.names:
            name = cst.Module([]).code_for_node(alias.name)
            if name in _ROOTS and (short := self._short(name, alias)):
                self.alias = short
                changed = f"import {self.module} as {short}"
                self.changes.append(f"line {self._line(original_node)}: {changed}")
                parsed: cst.Import = cst.parse_statement(changed).body[0]  # type: ignore
                alias = alias.with_changes(
                    name=parsed.names[0].name, asname=alias.asname or parsed.names[0].asname
                )
            elif name.split(".")[0] == "tensorflow":
                self.left.append(f"line {self._line(original_node)}: {self._import(name, alias)}")
            names.append(alias)
        return updated_node.with_changes(names=names)

    def _short(self, name: str, alias: cst.ImportAlias) -> str:
        """The name that an import of TensorFlow gives it; "" where that is not one of its own."""
        if alias.asname is not None:
            return cst.Module([]).code_for_node(alias.asname.name)
        return name if name == "tensorflow" and not self._bound_below else ""

    def _import(self, name: str, alias: cst.ImportAlias) -> str:
        """Why `import tensorflow.…` is left as it is."""
        if name in _ROOTS:
            return f"`import {name}` binds no short name; write `import {self.module} as tf`"
        short = f" as {cst.Module([]).code_for_node(alias.asname.name)}" if alias.asname else ""
        code = f"`import {name}{short}`"
        if name.startswith("tensorflow.contrib"):
            why, do = way_out(name.removeprefix("tensorflow."))
            return f"{code}: {why}. {do}. {_OF_CONTRIB}"
        return f"{code} is not rewritten; queueio run redirects it, or take the names from tf"

    def leave_ImportFrom(
        self, original_node: cst.ImportFrom, updated_node: cst.ImportFrom
    ) -> cst.ImportFrom:
        if updated_node.module is None or updated_node.relative:
            return updated_node
        name = cst.Module([]).code_for_node(updated_node.module)
        line = self._line(original_node)
        if name.startswith("tensorflow.contrib") and not isinstance(
            updated_node.names, cst.ImportStar
        ):
            for alias in updated_node.names:
                short = cst.Module([]).code_for_node(alias.name)
                why, do = way_out(f"{name}.{short}".removeprefix("tensorflow."))
                code = f"`from {name} import {short}`"
                self.left.append(f"line {line}: {code}: {why}. {do}. {_OF_CONTRIB}")
        elif name.split(".")[0] == "tensorflow":
            self.left.append(
                f"line {line}: `from {name} import …` is not rewritten;"
                " queueio run redirects it, or take the names from tf"
            )
        return updated_node

    def leave_Call(self, original_node: cst.Call, updated_node: cst.Call) -> cst.BaseExpression:
        name = ".".join(self._below_alias(original_node.func))
        new = reordered(name, updated_node) if name else None
        if new is None:
            return updated_node
        self.changes.append(
            f"line {self._line(original_node)}: {self.alias}.{name}: its arguments as in TF 1.0"
        )
        return new

    def leave_Attribute(
        self, original_node: cst.Attribute, updated_node: cst.Attribute
    ) -> cst.BaseExpression:
        parts = self._below_alias(original_node)
        if parts and parts[0] == "contrib":
            self._contrib(original_node, parts)
        old = ".".join(parts)
        advice = RENAMED.get(old, "")
        if not advice or isinstance(advice, InWords):
            return updated_node
        new, _, differs = advice.removeprefix("tf.").partition(", ")
        self.changes.append(
            f"line {self._line(original_node)}: {self.alias}.{old} -> {self.alias}.{new}"
            + (f", {differs}" if differs else "")
        )
        return cst.parse_expression(f"{self.alias}.{new}")

    def visit_Attribute(self, node: cst.Attribute) -> None:
        if isinstance(node.value, cst.Attribute):
            self._inner.add(node.value)

    def _below_alias(self, node: cst.BaseExpression) -> list[str]:
        """The names of `tf.a.b` below tf; [] for any other expression."""
        parts: list[str] = []
        while isinstance(node, cst.Attribute):
            parts.insert(0, node.attr.value)
            node = node.value
        found = bool(self.alias) and m.matches(node, m.Name(self.alias))
        return parts if found else []

    def _contrib(self, node: cst.Attribute, parts: list[str]) -> None:
        if node in self._inner:
            return  # told with the whole name
        why, do = way_out(".".join(parts))
        name = ".".join([self.alias, *parts])
        self.left.append(f"line {self._line(node)}: {name}: {why}. {do}")
