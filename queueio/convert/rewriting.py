"""Code that may give any name of a script another meaning: `exec`, `globals()[…] = …`, a function
put into TensorFlow."""

from __future__ import annotations

import ast

from queueio.convert.purity import reads_the_world
from queueio.convert.source import Script, last_part

_ANY = {"exec", "execfile", "__builtins__"}
_ANY_OF_MODULES = {"sys.modules", "sys._getframe", "inspect.currentframe"}
_NAMESPACES = {"globals", "locals", "vars"}
_ASKED = {"get", "keys", "items", "copy", "values"}
_SHOWING = {"print", "len", "dict", "sorted", "list", "set", "str", "repr", "format"}


def rewriting(source: Script) -> ast.AST | None:
    """The first such place in a file; None where there is none."""
    for node in ast.walk(source.tree):
        if _may_rewrite(node, source):
            return source.statement_of(node)
    return None


def _may_rewrite(node: ast.AST, source: Script) -> bool:
    if isinstance(node, ast.Name):
        return node.id in _ANY and node.id not in source.defined
    if isinstance(node, ast.Attribute):
        named = source.code(node) in _ANY_OF_MODULES
        if named and not _is_asked(node, source):
            return True
        return _patches(node, node.value, source) or _is_of_class(node)
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
        func = node.value.func  # of eval for what it does, not for what it gives
        return isinstance(func, ast.Name) and func.id == "eval"
    if isinstance(node, ast.Call):
        if last_part(node.func) == "setattr" and node.args:
            return _patches(node, node.args[0], source) or _gives_class(node.args[0])
        return _gives_namespace(node) and not _is_asked(node, source)
    if isinstance(node, (ast.Import, ast.ImportFrom)):
        return _is_main(node) or (isinstance(node, ast.ImportFrom) and _replaces(node, source))
    return False


def _gives_namespace(call: ast.Call) -> bool:
    return isinstance(call.func, ast.Name) and call.func.id in _NAMESPACES and not call.args


def _is_asked(call: ast.expr, source: Script) -> bool:
    """Whether the names are looked at only, as in `'x' in globals()` or `'%(x)s' % locals()`."""
    above = source.above[call]
    if isinstance(above, ast.Attribute):
        return above.attr in _ASKED
    if isinstance(above, ast.Subscript):
        return isinstance(above.ctx, ast.Load) and above.value is call
    if isinstance(above, (ast.Call, ast.keyword)):
        asks = above if isinstance(above, ast.Call) else source.above[above]
        return isinstance(asks, ast.Call) and last_part(asks.func) in _SHOWING
    return isinstance(above, (ast.Compare, ast.BinOp, ast.comprehension, ast.For, ast.Expr))


def _is_main(node: ast.Import | ast.ImportFrom) -> bool:
    return any(a.name in ("__main__", "builtins") for a in node.names) or (
        isinstance(node, ast.ImportFrom) and node.module in ("__main__", "builtins")
    )


def _replaces(star: ast.ImportFrom, source: Script) -> bool:
    """Whether it is `from x import *`, and names of the script have got values before it."""
    if star.names[0].name != "*" or not reads_the_world(str(star.module), ["*"]):
        return False
    return any(s.lineno < star.lineno for s in source.own(source.tree) if source.bound[s])


def _patches(node: ast.AST, owner: ast.AST, source: Script) -> bool:
    """Whether it gives an attribute of a module of TensorFlow or NumPy another value.

    Another name for what is there, as in `tf.mul = tf.multiply`, is none.
    """
    if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Load):
        return False
    statement = source.statement_of(node)
    value = statement.value if isinstance(statement, ast.Assign) else None
    if isinstance(value, (ast.Attribute, ast.Name)) and _root(value) not in source.rebound:
        return False
    parts = {n.attr for n in ast.walk(owner) if isinstance(n, ast.Attribute)}
    whole = source.imports.get(_root(owner), "")
    known = whole.split(".")[0] in ("tensorflow", "queueio", "numpy")
    return known and not {"FLAGS", "flags"} & {*parts, *whole.split(".")}


def _is_of_class(node: ast.Attribute) -> bool:
    """Whether it is given to the class of an object, whichever that is: `type(x).a = …`."""
    return not isinstance(node.ctx, ast.Load) and _gives_class(node.value)


def _gives_class(node: ast.expr) -> bool:
    return last_part(node.func if isinstance(node, ast.Call) else node) in ("type", "__class__")


def _root(node: ast.AST) -> str:
    while isinstance(node, ast.Attribute):
        node = node.value
    return node.id if isinstance(node, ast.Name) else ""
