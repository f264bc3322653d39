"""What may change an object of a script's, under whichever name or attribute it goes there."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterator
from dataclasses import dataclass

from queueio.convert.flow import KEEPING, Flow, given
from queueio.convert.source import Script, bindings, last_part

_ASKING = {
    "abs", "all", "any", "bool", "bytes", "callable", "chr", "dict", "divmod", "enumerate", "float",
    "format", "frozenset", "getattr", "hasattr", "hash", "id", "int", "isinstance", "issubclass",
    "iter", "len", "list", "max", "min", "open", "ord", "pow", "print", "range", "repr", "reversed",
    "round", "set", "sorted", "str", "sum", "super", "tuple", "type", "vars", "zip",
}  # fmt: skip
"""Builtins that change nothing of what they are given."""
_COPYING = {"dict", "enumerate", "frozenset", "list", "max", "min", "reversed", "set", "sorted",
            "sum", "tuple", "zip"}  # fmt: skip
"""Those that make something of their own of what a list holds."""
_NEW = {
    "abs", "all", "any", "bool", "bytes", "callable", "chr", "float", "format", "hasattr", "hash",
    "id", "int", "isinstance", "issubclass", "len", "open", "ord", "print", "range", "repr",
    "round", "str", "type",
}  # fmt: skip
"""Those whose result is none of it."""
_VIEWING = {"astype", "copy", "get", "items", "ravel", "reshape", "squeeze", "transpose", "values"}
"""Methods of lists, dicts and arrays that change nothing, and may give a part of it."""
_TELLING = {
    "all", "any", "argmax", "argmin", "argsort", "as_list", "count", "cumsum", "decode", "encode",
    "endswith", "eval", "find", "flatten", "format", "get_shape", "index", "isdigit", "join",
    "keys", "lower", "lstrip", "max", "mean", "min", "nonzero", "replace", "rsplit", "rstrip",
    "split", "splitlines", "startswith", "std", "strip", "sum", "title", "tobytes", "tolist",
    "upper", "var", "zfill",
    "dequeue", "dequeue_many", "dequeue_up_to", "is_closed", "num_records_produced",
    "num_work_units_completed", "read", "read_up_to", "serialize_state", "size",
}  # fmt: skip
"""Such as give something new; also those of readers and queues, whose work is in the graph."""
_READING = {"copy", "glob", "itertools", "json", "logging", "math", "matplotlib", "os", "pickle",
            "pprint", "queueio", "re", "string", "struct", "sys", "tensorflow", "time",
            "warnings"}  # fmt: skip
"""Modules that change nothing of what their functions are given."""
_IN_PLACE = {
    "at",
    "copyto",
    "fill_diagonal",
    "place",
    "put",
    "put_along_axis",
    "putmask",
    "shuffle",
}
"""Functions of NumPy, and of its generators, that change an array."""


@dataclass(frozen=True)
class Mutation:
    """A place that may change an object.

    Attributes:
      statement: where.
      function: the function that it is in, or the module.
      attributes: the attributes on the way from the object to what is changed.
      later: whether it is in a lambda, so that nobody can say when it is done.
    """

    statement: ast.stmt
    function: ast.AST
    attributes: frozenset[str]
    later: bool


class Changes(Flow):
    """What changes the objects of one file.

    Args:
      source: the file.
    """

    def __init__(self, source: Script) -> None:
        super().__init__(source.tree)
        self._source = source
        self._seed: tuple[ast.AST | None, str] = (None, "")
        self._flat = False
        made = [n for n in ast.walk(source.tree) if isinstance(n, ast.ClassDef)]
        self._classes = {n.name: {name for s in n.body for name in source.bound[s]} for n in made}
        self._found: dict[tuple[ast.AST, str], list[Mutation]] = {}
        self._places = [
            (changed, node, scope)
            for scope in self._scopes
            for node in self._own[scope]
            for changed in self._touched(node)
        ]

    def of(self, function: ast.AST, name: str) -> list[Mutation]:
        """All that may change what a name of a function, or of the module, stands for.

        Assignments to the name itself are not among it.
        """
        key = function, name
        if key not in self._found:
            found = self._follow(key, self._is_flat(function, name))
            # What is put into it may have parts that can be changed.
            self._found[key] = self._follow(key, flat=False) if found else found
        return self._found[key]

    def _follow(self, key: tuple[ast.AST, str], flat: bool) -> list[Mutation]:
        self._seed, self._flat, self._returning = key, flat, set()
        self._held = {key, *((None, own) for own in self._classes.get(key[1], ()))}
        self._settle()
        return [
            self._change(changed, node, scope)
            for changed, node, scope in self._places
            if self._is_seed(changed, scope) or self._holds(changed, scope)
            if not self._is_called(changed, node)
        ]

    def owner(self, name: str, scope: ast.AST) -> ast.AST:
        """The function in which a name is bound that is read in `scope`; or the module."""
        while not isinstance(scope, ast.Module) and name not in self._bound[scope]:
            scope = self._source.function(scope)
        return scope

    def _is_seed(self, node: ast.AST, scope: ast.AST) -> bool:
        """Whether an expression is the very name that is asked for."""
        function, name = self._seed
        return _is_name(node, name) and self.owner(name, scope) is function

    def _is_flat(self, function: ast.AST, name: str) -> bool:
        """Whether a name stands for a list or the like of numbers and texts: it has no parts."""
        bound = bindings(name, function, self._source)
        plain = [v for s in bound for target, v in given(s) if _is_name(target, name)]
        return len(plain) == len(bound) > 0 and all(map(_is_flat, plain))

    def _is_taken_apart(self, node: ast.AST) -> bool:
        """Whether what is around a name makes something new of what the list or dict holds."""
        above = self._source.above[node]
        if isinstance(above, ast.Call):
            func = above.func
            return node in above.args and isinstance(func, ast.Name) and func.id in _COPYING
        if isinstance(above, (ast.For, ast.comprehension)):
            return above.iter is node
        if isinstance(above, ast.Subscript):
            return above.value is node and isinstance(above.ctx, ast.Load)
        return isinstance(above, (ast.BinOp, ast.Starred))

    def is_constant(self, name: str, bound: list[ast.stmt]) -> bool:
        """Whether a name that these statements bind only ever holds what nothing can change."""
        given_ = [pair for statement in bound for pair in given(statement)]
        plain = [value for target, value in given_ if _is_name(target, name)]
        whole = {t for s in bound for t in ast.walk(s) if _is_name(t, name) and _stores(t)}
        each_known = len(plain) == len(whole) >= len(bound) > 0
        return each_known and all(map(_is_unchanging, plain))

    def _is_called(self, changed: ast.AST, node: ast.AST) -> bool:
        """Whether it is the very name asked for; what a call of that changes, its value says."""
        called = isinstance(node, ast.Call) and node.func is changed
        return called and isinstance(changed, ast.Name) and changed.id == self._seed[1]

    def _change(self, changed: ast.AST, node: ast.AST, scope: ast.AST) -> Mutation:
        chain = {node.attr} if isinstance(node, ast.Attribute) else set()
        while isinstance(changed, (ast.Attribute, ast.Subscript, ast.Call)):
            if isinstance(changed, ast.Call):
                changed = changed.func
                changed = changed.value if isinstance(changed, ast.Attribute) else changed
                continue
            if isinstance(changed, ast.Attribute):
                if (None, changed.attr) in self._held:
                    break
                chain.add(changed.attr)
            changed = changed.value
        plain = frozenset(name for name in chain if not name.startswith("__"))
        statement = self._source.statement_of(node)
        later = isinstance(scope, ast.Lambda)
        return Mutation(statement, self._source.function(statement), plain, later)

    def _touched(self, node: ast.AST) -> Iterator[ast.AST]:
        """The expressions whose objects a node itself may change."""
        if isinstance(node, (ast.Attribute, ast.Subscript)) and not isinstance(node.ctx, ast.Load):
            yield node.value
        elif isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name):
            yield node.target
        elif isinstance(node, ast.Call):
            yield from self._touched_by(node)

    def _touched_by(self, call: ast.Call) -> Iterator[ast.AST]:
        func, every = call.func, [*call.args, *(k.value for k in call.keywords)]
        own = bool(self._named[last_part(func)]) or last_part(func) in self._classes
        module = self._module(func)
        if module:
            yield from every if self._changes_arguments(call, module) else ()
        elif isinstance(func, ast.Attribute):
            if not own and func.attr not in _VIEWING | _TELLING:
                yield func.value
            if func.attr in _IN_PLACE or any(k.arg == "out" for k in call.keywords):
                yield from every
            elif isinstance(func.value, ast.Name) and hasattr(builtins, func.value.id):
                yield from every  # as type.__setattr__(box, …)
        elif isinstance(func, ast.Name):
            if not own and func.id not in _ASKING:
                yield from [func, *every]
        else:
            yield from [func, *every]

    def _module(self, func: ast.AST) -> str:
        """The dotted name of a function that is imported, or of a module; "" of any other."""
        parts: list[str] = []
        while isinstance(func, ast.Attribute):
            parts.insert(0, func.attr)
            func = func.value
        whole = self._source.imports.get(func.id, "") if isinstance(func, ast.Name) else ""
        return ".".join([whole, *parts]) if whole else ""

    def _changes_arguments(self, call: ast.Call, function: str) -> bool:
        root, name = function.split(".")[0], function.split(".")[-1]
        if root == "numpy":
            alone = isinstance(self._source.above[call], ast.Expr)
            out = any(k.arg in ("out", None) for k in call.keywords) or len(call.args) > 1
            return alone or out or name in _IN_PLACE
        return root not in _READING

    def _holds(self, node: ast.AST | None, scope: ast.AST) -> bool:
        """Whether an expression may give the object, a part of it, or something that keeps it."""
        if node is None or isinstance(node, (ast.Constant, ast.Compare, ast.JoinedStr)):
            return False
        if isinstance(node, ast.Name):
            if self._is_seed(node, scope):
                return not (self._flat and self._is_taken_apart(node))
            return self._holds_name(node, scope)
        if isinstance(node, ast.Attribute):
            return (None, node.attr) in self._held or self._holds(node.value, scope)
        if isinstance(node, ast.Call):
            return self._call_holds(node, scope)
        if isinstance(node, ast.Lambda):
            return self._holds(node.body, node)
        return any(self._holds(child, scope) for child in ast.iter_child_nodes(node))

    def _call_holds(self, call: ast.Call, scope: ast.AST) -> bool:
        func, every = call.func, [*call.args, *(k.value for k in call.keywords)]
        named = self._named[last_part(func)]
        if named:
            return any(function in self._returning for function in named)
        module = self._module(func)
        if module:
            of_tensorflow = module.split(".")[0] in ("tensorflow", "queueio")
            return not of_tensorflow and any(self._holds(e, scope) for e in every)
        if isinstance(func, ast.Attribute) and func.attr not in KEEPING | {"get", "pop"}:
            return func.attr not in _TELLING and self._holds(func.value, scope)
        if isinstance(func, ast.Name) and func.id in _NEW:
            return False
        asked = every if last_part(func) in self._classes else [func, *every]
        return any(self._holds(each, scope) for each in asked)

    def _hand_over(self, call: ast.Call, scope: ast.AST) -> None:
        super()._hand_over(call, scope)
        if isinstance(call.func, ast.Attribute) and self._holds(call.func.value, scope):
            for function in self._named[call.func.attr]:
                args = function.args  # type: ignore[attr-defined]
                for first in [*args.posonlyargs, *args.args][:1]:
                    self._held.add((function, first.arg))

    def _hold_changed(self, func: ast.expr, scope: ast.AST) -> None:
        if last_part(func) in KEEPING:
            super()._hold_changed(func, scope)


def _is_name(node: ast.AST, name: str) -> bool:
    return isinstance(node, ast.Name) and node.id == name


def _stores(node: ast.AST) -> bool:
    return isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load)


def _is_unchanging(value: ast.AST | None) -> bool:
    """Whether an expression gives a number, a text, or the like."""
    if isinstance(value, (ast.Constant, ast.JoinedStr, ast.Compare)):
        return True
    if isinstance(value, ast.UnaryOp):
        return _is_unchanging(value.operand)
    if isinstance(value, ast.BinOp):
        text = isinstance(value.left, ast.Constant) and isinstance(value.left.value, str)
        filled = text and isinstance(value.op, ast.Mod)
        return filled or (_is_unchanging(value.left) and _is_unchanging(value.right))
    if isinstance(value, ast.Tuple):
        return all(map(_is_unchanging, value.elts))
    return (
        isinstance(value, ast.Call)
        and _is_name(value.func, last_part(value.func))
        and (last_part(value.func) in {"bool", "float", "int", "len", "str"})
    )


def _is_flat(value: ast.AST | None) -> bool:
    """Whether an expression gives a list, dict or set of numbers and texts."""
    if isinstance(value, (ast.List, ast.Tuple, ast.Set)):
        return all(map(_is_unchanging, value.elts))
    if isinstance(value, ast.Dict):
        return None not in value.keys and all(map(_is_unchanging, value.values))
    if isinstance(value, ast.ListComp):
        return _is_unchanging(value.elt)
    if isinstance(value, ast.BinOp):
        parts = [_is_flat(value.left), _is_flat(value.right)]
        return any(parts) if isinstance(value.op, ast.Mult) else all(parts)
    return False
