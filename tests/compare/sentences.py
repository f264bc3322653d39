"""All texts that findings and verdicts are made of, read from the code that makes them."""

from __future__ import annotations

import ast
import itertools
import re
from collections.abc import Iterator
from pathlib import Path

import queueio.compare.findings as findings

FOLDER = Path(findings.__file__).parent
MODULES = [
    *sorted(p for p in FOLDER.glob("*.py") if p.name not in ("__init__.py", "codes.py")),
    *(FOLDER.parent / f"{name}.py" for name in
      ("report/outcome", "report/summary", "report/result", "draws/relation", "draws/distribution",
       "draws/taken", "draws/together",
       "match/changes")),
]  # fmt: skip
HOLE = "\0"
NOT_SAID = {
    # what TensorFlow says, by which a compressed file is known
    "corrupted record at 0", "truncated record at 0", "incorrect header check", "not a gzip",
    "unknown compression", "invalid gzip",
    # names of figures, which are said in other words
    "mean of each, squared", "deviation of each",
    # levels
    "identical stream", "identical examples", "identical but for what is drawn",
    "identical but for what is ignored", "not compared",
}  # fmt: skip
Words = dict[str, ast.expr]
Chosen = dict[str, bool]


def sentences() -> dict[str, re.Pattern[str]]:
    """What each text looks like in a report, by the text with {} for what varies."""
    texts = {text for path in MODULES for text in _of(ast.parse(path.read_text()))}
    return {t.replace(HOLE, "{}"): _pattern(t) for t in sorted(texts) if t not in NOT_SAID}


def _pattern(text: str) -> re.Pattern[str]:
    start = r"\b" if text[0].isalnum() else ""
    end = r"\b" if text[-1].isalnum() else ""
    return re.compile(start + "(.+)".join(map(re.escape, text.split(HOLE))) + end, re.DOTALL)


def _of(tree: ast.Module) -> Iterator[str]:
    """The module's texts of two words at least, but for docstrings and errors' texts."""
    for function in (n for n in ast.walk(tree) if isinstance(n, ast.FunctionDef)):
        if function.name in ("__repr__", "_repr_html_"):
            continue  # a short form and markup, which no report contains
        words = _words(function)
        for node in _said(function):
            yield from (t for t in _texts(node, words) if _is_prose(t))
    for table in (s.value for s in tree.body if isinstance(s, ast.Assign)):
        for value in table.values if isinstance(table, ast.Dict) else [table]:
            yield from (t for t in _texts(value, {}) if _is_prose(t))


def _said(node: ast.AST) -> Iterator[ast.expr]:
    """The largest texts under a node."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, (ast.Constant, ast.JoinedStr)):
            yield child
        elif not isinstance(child, (ast.Raise, ast.FunctionDef, ast.Assert)) and not _is_doc(child):
            yield from _said(child)


def _is_doc(node: ast.AST) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def _words(function: ast.FunctionDef) -> Words:
    """The choices that have a name."""
    found: Words = {}
    for node in ast.walk(function):
        if not isinstance(node, ast.Assign) or not isinstance(node.value, ast.IfExp):
            continue
        if isinstance(node.targets[0], ast.Name):
            found[node.targets[0].id] = node.value
    return found


def _texts(node: ast.expr, words: Words) -> list[str]:
    """What an expression may say, for each outcome of the choices in it."""
    tests = sorted(_tests(node, words))
    outcomes = itertools.product([True, False], repeat=len(tests))
    return [_text(node, words, dict(zip(tests, outcome, strict=True))) for outcome in outcomes]


def _tests(node: ast.expr, words: Words) -> set[str]:
    if isinstance(node, ast.IfExp):
        both = _tests(node.body, words) | _tests(node.orelse, words)
        return both | {ast.dump(node.test)}
    if isinstance(node, ast.Name) and node.id in words:
        return _tests(words[node.id], words)
    if isinstance(node, ast.FormattedValue):
        return _tests(node.value, words)
    if isinstance(node, ast.JoinedStr):
        return set().union(*(_tests(value, words) for value in node.values))
    return set()


def _text(node: ast.expr, words: Words, chosen: Chosen) -> str:
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    if isinstance(node, ast.IfExp):
        return _text(node.body if chosen[ast.dump(node.test)] else node.orelse, words, chosen)
    if isinstance(node, ast.Name) and node.id in words:
        return _text(words[node.id], words, chosen)
    if isinstance(node, ast.FormattedValue):
        return _text(node.value, words, chosen)
    if isinstance(node, ast.JoinedStr):
        return "".join(_text(value, words, chosen) for value in node.values)
    return HOLE


def _is_prose(text: str) -> bool:
    bare = text.replace(HOLE, "x").strip()
    return bool(re.search(r"[A-Za-z]{2,}", text) and " " in bare)
