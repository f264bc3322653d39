"""Where the new modules are imported: behind TensorFlow, wherever the script then uses them."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping

from queueio.convert.file_text import lines_of
from queueio.convert.source import above

_Import = ast.Import | ast.ImportFrom
_SCOPES = (ast.Module, ast.FunctionDef, ast.AsyncFunctionDef)


def with_imports(text: str, modules: Mapping[str, str], package: str = "") -> str:
    """A script that imports the new modules as well.

    Args:
      text: the script, which uses them already.
      modules: their names in the script, and their own.
      package: that which the script and the modules are in, if they are in one.
    """
    beside = "from . " if package else ""
    named = [
        f"{beside}import {own}{f' as {name}' * (name != own)}" for name, own in modules.items()
    ]
    lines = lines_of(text)
    for at in sorted(_Places(text, modules).found, key=lambda node: -node.lineno):
        lines = _inserted(lines, at, named)
    return "".join(lines)


class _Places:
    """The statements behind which the modules are imported.

    A function that imports TensorFlow for itself has them from there: what another one imports
    is not seen in it.
    """

    def __init__(self, text: str, modules: Mapping[str, str]) -> None:
        tree = ast.parse(text)
        self._above = above(tree)
        every = [n for n in ast.walk(tree) if isinstance(n, _Import)]
        self._imports = [n for n in every if _of_tensorflow(n)] or every
        self._uses: list[ast.AST] = [
            n for n in ast.walk(tree) if isinstance(n, ast.Name) and n.id in modules
        ]
        self.found = {self._behind(self._seen_by(use)) for use in self._uses or [tree]}

    def _seen_by(self, use: ast.AST) -> _Import:
        around = set(self._chain(use))
        seen = [n for n in self._imports if self._scope(n) in around] or self._imports
        return min(seen, key=lambda node: node.lineno)

    def _behind(self, at: _Import) -> ast.stmt:
        """The import itself, or the whole `try` or `if` of which other branches import it, too."""
        chosen: ast.stmt = at
        for node in self._chain(at):
            if isinstance(node, _SCOPES):
                break
            if isinstance(node, (ast.Try, ast.If)) and self._has_branches(node):
                chosen = node
        return chosen

    def _has_branches(self, node: ast.Try | ast.If) -> bool:
        first, *others = (part for _, part in ast.iter_fields(node) if isinstance(part, list))
        imports = [n for part in others for each in part for n in ast.walk(each)]
        uses = (node in self._chain(use) for use in self._uses)
        return not set(self._imports).isdisjoint(imports) and bool(first) and not any(uses)

    def _scope(self, node: ast.AST) -> ast.AST:
        return next(each for each in self._chain(node) if isinstance(each, _SCOPES))

    def _chain(self, node: ast.AST) -> Iterator[ast.AST]:
        """A node, what it stands in, and so on up to the module."""
        while True:
            yield node
            if node not in self._above:
                return
            node = self._above[node]


def _inserted(lines: list[str], at: ast.stmt, named: list[str]) -> list[str]:
    """The lines with imports behind a statement."""
    end = at.end_lineno or at.lineno
    first = lines[at.lineno - 1]
    if _shares_its_line(at, first, lines[end - 1]):
        before = lines[end - 1].encode()[: at.end_col_offset].decode()
        behind = lines[end - 1][len(before) :]
        return [*lines[: end - 1], "; ".join([before, *named]), behind, *lines[end:]]
    indent, ends = first[: len(first) - len(first.lstrip())], lines[end - 1].rstrip("\r\n")
    newline = lines[end - 1][len(ends) :] or "\n"
    new = [f"{indent}{each}{newline}" for each in named]
    return [*lines[: end - 1], ends + newline, *new, *lines[end:]]


def _shares_its_line(at: ast.stmt, first: str, last: str) -> bool:
    """Whether a line behind a statement would come too late, or end what it stands in."""
    before = first.encode()[: at.col_offset].decode().strip().removesuffix(";")
    behind = last.encode()[at.end_col_offset :].decode().lstrip()
    try:
        ast.parse(before)
    except SyntaxError:  # `try:`, `if x:`
        return True
    return behind.startswith(";")


def _of_tensorflow(node: _Import) -> bool:
    names = [alias.name for alias in node.names]
    names += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
    return any(name == "queueio.v1" or name.split(".")[0] == "tensorflow" for name in names)
