"""The statements of a script that made a pipeline, from the function of its batch call inwards."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from functools import cached_property
from pathlib import Path
from typing import Any

from queueio.convert.changes import Changes
from queueio.convert.conditions import is_guarded
from queueio.convert.flow import given
from queueio.convert.given_values import GivenValues
from queueio.convert.rewriting import rewriting
from queueio.convert.source import Script, last_part
from queueio.graph.origin import is_library
from queueio.graph.traversal import is_queue


class Making:
    """The statements that made one pipeline, and what of the script bears on them.

    Args:
      script: the script's file.
      line: that of its batch call.
      ops: all ops of the pipeline, as `ops_behind` finds them.
    """

    def __init__(self, script: Script, line: int, ops: Iterable[Any]) -> None:
        self.sources = {script.path: script}
        here = sorted(script.statements(line), key=lambda s: (not _batches(s), -s.col_offset))
        assert here
        at = here[0]
        self.script, self.call, self.home = script, at, script.function(at)
        self.outside: list[str] = []
        self._changes: dict[Script, Changes] = {}
        self._rewriting: dict[Script, ast.AST | None] = {}
        self.statements: dict[ast.stmt, Script] = {at: script}
        self.queueing: set[ast.stmt] = set()  # of these, those that made a queue
        for op in ops:
            self._note(op)

    def _note(self, op: Any) -> None:
        """The statements that made an op, from the home inwards."""
        frames = [f for f in op.traceback or () if not is_library(f.filename)]
        inside = False
        for frame in frames:
            source = self._source(frame.filename)
            for statement in source.statements(frame.lineno) if source else ():
                assert source is not None
                function = source.function(statement)
                inside = inside or (source is self.script and function is self.home)
                if inside:  # each on the line: which of them it was, no frame tells
                    self.statements[statement] = source
                    if is_queue(op):
                        self.queueing.add(statement)
        if frames and not inside:
            last = frames[-1]
            self.outside.append(f"{Path(last.filename).name}:{last.lineno}")

    def _source(self, path: str) -> Script | None:
        if path not in self.sources:
            try:
                self.sources[path] = Script(path)
            except (OSError, SyntaxError, UnicodeDecodeError):
                return None
        return self.sources[path]

    def deciding(self) -> dict[ast.stmt, Script]:
        """What decides which of the statements count: returns, jumps, the functions they are in.

        At home only the jumps of loops that make ops: the script keeps its other lines. Where the
        script goes on after an error, all that may raise decides.
        """
        found: dict[ast.stmt, Script] = {}
        guarded = any(
            is_guarded(source, statement, source.function(statement), self.call)
            for statement, source in self.statements.items()
        )
        for statement, source in self.statements.items():
            function = source.function(statement)
            if isinstance(function, ast.FunctionDef) and function is not self.home:
                found[function] = source
                kinds = ast.stmt if guarded else (ast.Return, ast.Break, ast.Continue)
                found |= {n: source for n in ast.walk(function) if isinstance(n, kinds)}
            above: ast.AST = statement
            while above is not function:
                if isinstance(above, (ast.For, ast.While)):
                    jumps = (n for n in ast.walk(above) if isinstance(n, (ast.Break, ast.Continue)))
                    found |= dict.fromkeys(jumps, source)
                above = source.above[above]
        return found

    def reads(self, attributes: Iterable[str]) -> bool:
        """Whether the pipeline may read what these names of attributes lead to."""
        by_name = {"getattr", "attrgetter", "vars", "__dict__"}  # any of them
        return self._read.issuperset(attributes) or not by_name.isdisjoint(self._read)

    @cached_property
    def _read(self) -> set[str]:
        """The attributes, methods and names that the pipeline reads, or what gives them."""
        places = {source.function(s): source for s, source in self.statements.items()}
        within = [*self.statements, *(f for f in places if not isinstance(f, ast.Module))]
        read, called = {"__init__", "__call__"}, set[str]()
        size = -1
        while size != len(read) + len(called):
            size = len(read) + len(called)
            for node in (n for each in within for n in ast.walk(each)):
                if isinstance(node, ast.Attribute):
                    read.add(node.attr)
                elif isinstance(node, ast.Name):
                    called.add(node.id)
            every = (n for source in self.sources.values() for n in ast.walk(source.tree))
            within = [part for n in every for part in _giving(n, read, called)]
        return read | (called & {"getattr", "vars"})

    def makes_ops(self, function: ast.AST) -> bool:
        """Whether a function makes any op of the pipeline."""
        return any(s in self.statements for s in ast.walk(function))

    def changes(self, source: Script) -> Changes:
        """What changes the objects of a file."""
        if source not in self._changes:
            self._changes[source] = Changes(source)
        return self._changes[source]

    @cached_property
    def around_home(self) -> list[ast.AST]:
        """The home, and the functions that it is defined in."""
        found = [self.home]
        while not isinstance(found[-1], ast.Module):
            found.append(self.script.function(found[-1]))
        return found

    @cached_property
    def given_values(self) -> GivenValues:
        """What the calls of the home give its parameters."""
        return GivenValues(self.home, self.script, self.changes(self.script))

    def rewriting(self, source: Script) -> ast.AST | None:
        """A place in a file that may give any of its names another value."""
        if source not in self._rewriting:
            self._rewriting[source] = rewriting(source)
        return self._rewriting[source]


def _batches(statement: ast.stmt) -> bool:
    """Whether a statement calls one of the batch functions."""
    calls = (n for n in ast.walk(statement) if isinstance(n, ast.Call))
    return any(last_part(n.func).endswith(("batch", "batch_join")) for n in calls)


def _giving(node: ast.AST, read: set[str], called: set[str]) -> list[ast.AST]:
    """What of a node gives attributes or names their values that are among those read."""
    if isinstance(node, ast.FunctionDef):
        gives = node.name != "__init__" and (node.name in read | called or is_implied(node.name))
        return [node] if gives else []
    found = []
    for target, value in given(node):
        stored = [n for n in ast.walk(target) if not isinstance(getattr(n, "ctx", None), ast.Load)]
        if any(getattr(n, "attr", "") in read or getattr(n, "id", "") in called for n in stored):
            found += [target, *([value] if value is not None else [])]
    return found


def is_implied(name: str) -> bool:
    """Whether Python itself calls a method of that name, as `__getattr__`."""
    special = name.startswith("__") and name.endswith("__")
    return special and name not in ("__init__", "__str__", "__repr__", "__del__")


def _fills(op: Any) -> bool:
    """Whether an op puts something into a queue or table, or a cond passes the handle on to it."""
    from queueio.graph.traits import row_of
    from queueio.graph.traversal import is_enqueue

    leads = op.type in ("Switch", "RefSwitch", "If", "StatelessIf")
    return leads or is_enqueue(op) or row_of(op.type).fills


def ops_behind(op: Any) -> list[Any]:
    """An op and all that its results are made of, through the queues and tables on the way."""
    waiting, seen = [op], {op}
    while waiting:
        current = waiting.pop()
        more = [tensor.op for tensor in current.inputs] + list(current.control_inputs)
        for tensor in current.outputs:
            if tensor.dtype.name == "resource" or tensor.dtype._is_ref_dtype:
                more += [c for c in tensor.consumers() if _fills(c)]
        for other in more:
            if other not in seen:
                seen.add(other)
                waiting.append(other)
    return list(seen)
