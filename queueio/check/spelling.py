"""Which name an expression spells, as far as its text tells."""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import replace

from queueio.check.guarding import called
from queueio.check.names import LIBRARIES, Name, OwnModule, Spelled

Find = Callable[[str, int], OwnModule | None]
_IMPORTS = ("__import__", "importlib.import_module", "import_module")


class Spelling:
    """Reads the expressions of one file.

    Args:
      find: the module of the code base that `dotted` is, at `level` dots.
    """

    def __init__(self, find: Find) -> None:
        self._find = find

    def target(self, dotted: str, level: int = 0) -> Name | OwnModule | None:
        """What an import asks for; None where that is neither TF1's nor in the code base."""
        name = Name.of(dotted) if level == 0 else None
        if name is not None and name.root not in LIBRARIES:
            return name
        return self._find(dotted, level) or name  # tf_slim may be the code that is checked

    def module(self, dotted: str, level: int = 0) -> Spelled | None:
        """The same as an expression."""
        target = self.target(dotted, level)
        return None if target is None else Spelled(target)

    def of(self, node: ast.expr) -> Spelled | None:
        """The name that an expression spells; None where it is no dotted name."""
        if isinstance(node, ast.Name):
            return Spelled(node.id)
        if isinstance(node, ast.Attribute):
            owner = self.of(node.value)
            return owner and owner.plus(node.attr)
        if not isinstance(node, ast.Call):
            return None
        return self._got(node) if called(node, "getattr", 2, 3) else self._imported(node)

    def _got(self, node: ast.Call) -> Spelled | None:
        owner = self.of(node.args[0])
        if owner is None:
            return None
        found = owner.plus(node.args[1].value)  # type: ignore[attr-defined]
        return replace(found, is_asked=found.is_asked or len(node.args) == 3)

    def _imported(self, node: ast.Call) -> Spelled | None:
        """`importlib.import_module("tensorflow.contrib.slim")`, `__import__("tensorflow")`."""
        name = node.args[0] if len(node.args) == 1 else None
        if ast.unparse(node.func) not in _IMPORTS or not isinstance(name, ast.Constant):
            return None
        if not isinstance(name.value, str) or not name.value.strip("."):
            return None
        is_top = ast.unparse(node.func) == "__import__"
        return self.module(name.value.partition(".")[0] if is_top else name.value)
