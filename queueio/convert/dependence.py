"""Which values of a pipeline are the script's to choose: parameters, flags, what is found on disk.

A module holds the values that the script had when it was converted. Where a batch call stands in a
function, or hangs on a flag, the next call or the next run may have others: those must be passed
as the script's own expressions, or the call must stay. So every statement that made an op of the
pipeline is read, from the function with the batch call (its home) inwards; what flows in from
outside of it comes through names that are resolved here. A name counts as fixed only if that can
be seen in the source.
"""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from queueio.convert.source import (
    Script,
    bindings,
    bound_by,
    changed_inside,
    functions,
    last_part,
    names,
    nodes,
    parameters,
    parts,
    reads_the_world,
    stored,
    targets,
    values,
)
from queueio.graph.origin import is_library

BATCHES = {"batch": 1, "batch_join": 1, "maybe_batch": 2, "maybe_batch_join": 2,
            "shuffle_batch": 1, "shuffle_batch_join": 1, "maybe_shuffle_batch": 1,
            "maybe_shuffle_batch_join": 1}  # fmt: skip
"""The batch functions, and the place of `batch_size` among their arguments."""
_CAPACITY = {"shuffle_batch": 2, "shuffle_batch_join": 2, "maybe_shuffle_batch": 2,
             "maybe_shuffle_batch_join": 2}  # fmt: skip
_WITHOUT_EFFECT = {"num_threads", "name", "shared_name", "capacity", "min_after_dequeue"}
"""Arguments that change no example: speed, names, and how much is mixed."""
_TAKES = {"next", "pop", "popleft", "popitem", "readline"}
"""Functions and methods that give something else at each call."""
_WORLD = {"open", "input", "eval", "exec", "globals", "locals", "vars", "__import__", "id", "hash"}


@dataclass
class Dependence:
    """What a batch call must be given, if it gives way to `input_fn`.

    Attributes:
      passed: for an argument of `input_fn`, the script's own expression.
      reasons: why the call cannot be replaced, each as `line 3: …`.
    """

    passed: dict[str, str] = field(default_factory=dict)
    reasons: list[str] = field(default_factory=list)


class Analysis:
    """Reads the statements that made one pipeline.

    Args:
      script: the script's file.
      line: that of its batch call.
      ops: all ops of the pipeline, as `ops_behind` finds them.
    """

    def __init__(self, script: Script, line: int, ops: Iterable[Any]) -> None:
        self._sources = {script.path: script}
        at = script.statement(line)
        assert at is not None
        self.script, self.call, self.home = script, at, script.function(at)
        self.outside: list[str] = []
        self.statements: dict[ast.stmt, Script] = {at: script}
        for op in ops:
            self._note(op)

    def _note(self, op: Any) -> None:
        """The statements that made an op, from the home inwards."""
        frames = [f for f in op.traceback or () if not is_library(f.filename)]
        inside = False
        for frame in frames:
            source = self._source(frame.filename)
            statement = source.statement(frame.lineno) if source else None
            if source is None or statement is None:
                continue
            function = source.function(statement)
            inside = inside or (source is self.script and function is self.home)
            if inside:
                self.statements[statement] = source
        if frames and not inside:
            last = frames[-1]
            self.outside.append(f"{Path(last.filename).name}:{last.lineno}")

    def _source(self, path: str) -> Script | None:
        if path not in self._sources:
            try:
                self._sources[path] = Script(path)
            except (OSError, SyntaxError, UnicodeDecodeError):
                return None
        return self._sources[path]

    def _deciding(self) -> dict[ast.stmt, Script]:
        """What decides which of the statements count: returns, jumps, the functions they are in.

        At home only the jumps of loops that make ops: the script keeps its other lines.
        """
        found: dict[ast.stmt, Script] = {}
        for statement, source in self.statements.items():
            function = source.function(statement)
            if isinstance(function, ast.FunctionDef) and function is not self.home:
                found[function] = source
                kinds = (ast.Return, ast.Break, ast.Continue)
                found |= {n: source for n in ast.walk(function) if isinstance(n, kinds)}
            above: ast.AST = statement
            while above is not function:
                if isinstance(above, (ast.For, ast.While)):
                    jumps = (n for n in ast.walk(above) if isinstance(n, (ast.Break, ast.Continue)))
                    found |= dict.fromkeys(jumps, source)
                above = source.above[above]
        return found

    @cached_property
    def attributes(self) -> set[str]:
        """The names of the attributes and methods that the pipeline reads."""
        places = {source.function(s): source for s, source in self.statements.items()}
        within = [*self.statements, *(f for f in places if not isinstance(f, ast.Module))]
        read = {n.attr for s in within for n in ast.walk(s) if isinstance(n, ast.Attribute)}
        return read | {"__init__", "__call__"}

    def dependence(self, arguments: Iterable[str]) -> Dependence:
        """What must be passed, and what stands in the way.

        Args:
          arguments: the names of the arguments that `input_fn` has.
        """
        found = Dependence()
        if self.outside:
            name = getattr(self.home, "name", "the module")
            found.reasons.append(
                f"line {self.call.lineno}: a part of the pipeline is made outside of {name!r}"
                f" ({sorted(set(self.outside))[0]}), so another call may batch something else"
            )
        known = set(arguments)
        statements = self.statements | self._deciding()
        for statement, source in sorted(statements.items(), key=lambda s: s[0].lineno):
            Reading(self, source, statement, known, found).read()
        found.reasons = list(dict.fromkeys(found.reasons))
        return found


class Reading:
    """Reads one statement, and resolves the names in it."""

    def __init__(
        self, analysis: Analysis, source: Script, statement: ast.stmt, known: set[str],
        found: Dependence,
    ) -> None:  # fmt: skip
        self._all, self._source, self._statement = analysis, source, statement
        self._known, self._found = known, found
        self._function = source.function(statement)
        self._at_home = source is analysis.script and self._function is analysis.home

    def read(self) -> None:
        """Notes what the statement passes, or why it stands in the way."""
        for header in self._source.headers(self._statement, self._function):
            self._demand_fixed(header)
        settled: set[ast.AST] = set()
        for node in nodes(self._statement):
            if isinstance(node, ast.Call):
                for place, argument in self._open_to(node):
                    settled.add(argument)
                    if place and self.varies(argument):
                        self._pass(place, argument)
        for part in parts(self._statement, settled):
            self._demand_fixed(part)

    def _open_to(self, call: ast.Call) -> Iterator[tuple[str, ast.expr]]:
        """(argument of input_fn or "", the script's expression) where values may vary."""
        name = call.func.attr if isinstance(call.func, ast.Attribute) else ""
        given = {k.arg: k.value for k in call.keywords if k.arg}
        places = list(enumerate(call.args))
        if name in BATCHES:
            sizes = {BATCHES[name]: "batch_size", _CAPACITY.get(name, -1): "shuffle_buffer"}
            named = {"batch_size": "batch_size"}
            named |= dict.fromkeys(_WITHOUT_EFFECT, "")
            if name in _CAPACITY:
                named["capacity"] = "shuffle_buffer"
                places = [(i, a) for i, a in places if i <= 3]
        elif name == "string_input_producer":
            sizes, named = {0: "files", 1: "num_epochs"}, {
                "string_tensor": "files", "num_epochs": "num_epochs", "capacity": "",
                "name": "", "shared_name": "",
            }  # fmt: skip
        elif name == "match_filenames_once":
            sizes, named = {0: "file_pattern"}, {"pattern": "file_pattern", "name": ""}
        else:
            return
        for i, value in places:
            if i in sizes and not isinstance(value, ast.Starred):
                yield sizes[i], value
            elif name in _CAPACITY and i == 3:
                yield "", value  # min_after_dequeue
        for key, value in given.items():
            if key in named:
                yield named[key], value

    def _pass(self, place: str, argument: ast.expr) -> None:
        code = self._source.code(argument)
        why = self._cannot_pass(place, argument)
        if why is None and self._found.passed.setdefault(place, code) == code:
            return
        self._stands(argument, why or f"two expressions are given for {place}")

    def _cannot_pass(self, place: str, argument: ast.expr) -> str | None:
        if place not in self._known:
            return f"input_fn() of the new module has no argument {place!r}"
        if not self._at_home:
            return "its names mean something else where the batch is made"
        between = range((self._statement.end_lineno or 0) + 1, self._all.call.lineno)
        for node in ast.walk(self._all.home):
            if isinstance(node, ast.stmt) and node.lineno in between:
                for name in sorted(bound_by(node) & names(argument)):
                    return f"{name!r} may be another value where the batch is made"
        return None

    def _demand_fixed(self, node: ast.AST) -> None:
        if self.varies(node):
            self._stands(node, "input_fn() of the new module has no argument for it")

    def _stands(self, node: ast.AST, why: str) -> None:
        on = self.varies(node)
        code = self._source.code(node)
        line = getattr(node, "lineno", self._statement.lineno)
        on = f" depends on {on}" if on and on != code else " is not fixed in the script"
        self._found.reasons.append(f"line {line}: `{code}`{on}, and {why}")

    def varies(self, node: ast.AST, seen: frozenset[Any] = frozenset()) -> str:
        """What in an expression another call or run may change; "" where nothing does."""
        return self._varies(node, self._function, seen)

    def _varies(self, node: ast.AST, function: ast.AST, seen: frozenset[Any]) -> str:
        own = {n for f in functions(node) for n in parameters(f)} | targets(node)
        for part in nodes(node):
            if isinstance(part, (ast.Attribute, ast.Name)):
                above = self._source.above.get(part)
                if isinstance(above, ast.Attribute):
                    continue  # the whole chain was or will be looked at
                found = self._chain(part, function, own, seen)
                if found:
                    return found
        return ""

    def _chain(self, node: ast.expr, function: ast.AST, own: set[str], seen: frozenset[Any]) -> str:
        parts: list[str] = []
        root: ast.AST = node
        while isinstance(root, ast.Attribute):
            parts.insert(0, root.attr)
            root = root.value
        if not isinstance(root, ast.Name) or not isinstance(root.ctx, ast.Load):
            return ""  # a method of something that is looked at by itself
        if root.id in own:
            return ""
        code = self._source.code(node)
        if root.id in self._source.imports:
            return code if reads_the_world(self._source.imports[root.id], parts) else ""
        return code if self._name(root.id, function, seen) else ""

    def _name(self, name: str, function: ast.AST, seen: frozenset[Any]) -> bool:
        """Whether a name may hold another value in another call or run."""
        if (name, function) in seen:
            return False
        seen = seen | {(name, function)}
        if self._turns(name, function):
            return True
        if not isinstance(function, ast.Module):
            if name in parameters(function):
                return self._source is self._all.script and function is self._all.home
            bound = bindings(name, function, self._source)
            if bound:
                return any(self._binding(b, function, seen) for b in bound)
            return self._name(name, self._source.function(function), seen)
        bound = bindings(name, function, self._source)
        if not bound:
            return not hasattr(builtins, name) or name in _WORLD
        inside = changed_inside(name, self._source)
        if len(bound) + len(inside) > 1 and function is not self._all.home:
            return True
        if any(isinstance(b, ast.Global) for b, _ in inside):
            return True
        return any(self._binding(b, f, seen) for b, f in [*((b, function) for b in bound), *inside])

    def _turns(self, name: str, function: ast.AST) -> bool:
        """Whether a loop around the batch call gives a name another value in each turn."""
        if self._source is not self._all.script or function is not self._all.home:
            return False
        around = [
            node
            for node in self._source.around(self._all.call)
            if isinstance(node, (ast.For, ast.While))
        ]
        for bound in bindings(name, function, self._source):
            if bound in around:
                return True
            if any(loop in self._source.around(bound) for loop in around):
                given = [node for value in values(bound) for node in ast.walk(value)]
                used = any(isinstance(n, ast.Name) and n.id == name for n in given)
                takes = any(isinstance(n, ast.Call) and last_part(n.func) in _TAKES for n in given)
                if used or takes or isinstance(bound, ast.AugAssign):
                    return True
        return False

    def _binding(self, statement: ast.stmt, function: ast.AST, seen: frozenset[Any]) -> bool:
        if statement in self._all.statements:
            return False  # it makes ops of the pipeline, and is read by itself
        for header in self._source.headers(statement, function):
            if self._varies(header, function, seen):
                return True
        if isinstance(statement, ast.FunctionDef):
            return self._function_varies(statement, function, seen)
        if isinstance(statement, ast.ClassDef):
            return self._class_varies(statement, function, seen)
        return any(self._varies(part, function, seen) for part in values(statement))

    def _makes_ops(self, function: ast.AST) -> bool:
        return any(s in self._all.statements for s in ast.walk(function))

    def _function_varies(
        self, made: ast.FunctionDef, around: ast.AST, seen: frozenset[Any]
    ) -> bool:
        """Whether a function gives another result; one that makes ops is read by itself."""
        if self._makes_ops(made):
            return False
        inside = (s for s in ast.walk(made) if isinstance(s, ast.stmt) and s is not made)
        return bool(self._varies(made, around, seen)) or any(
            self._varies(s, self._source.function(s), seen) for s in inside
        )

    def _class_varies(self, made: ast.ClassDef, around: ast.AST, seen: frozenset[Any]) -> bool:
        """Whether what the pipeline reads of a class, or of its objects, may be another thing."""
        if self._varies(made, around, seen):
            return True
        for part in made.body:
            if not isinstance(part, ast.FunctionDef):
                if self._varies(part, around, seen):
                    return True
                continue
            called = part.name in self._all.attributes and part.name != "__init__"
            if called and self._function_varies(part, around, seen):
                return True
            kept = (n for n in ast.walk(part) if isinstance(n, (ast.Assign, ast.AugAssign)))
            if any(self._keeps(n) and self._binding(n, part, seen) for n in kept):
                return True
        return False

    def _keeps(self, statement: ast.Assign | ast.AugAssign) -> bool:
        """Whether it gives an attribute that the pipeline reads its value."""
        every = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
        return any(
            isinstance(n, ast.Attribute) and n.attr in self._all.attributes and stored(n)
            for target in every
            for n in ast.walk(target)
        )


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
