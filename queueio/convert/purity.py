"""Whether what a script takes from a module, or asks of an object, is the same in each run."""

from __future__ import annotations

import ast
import builtins
import re

from queueio.convert.pure_names import BUILTINS, MODULES, PureNames
from queueio.convert.pure_tensorflow import ANYWHERE, TENSORFLOW
from queueio.convert.source import Script, last_part

ASKING = frozenset({
    "as_graph_def", "collections", "eval", "get_all_collection_keys", "get_collection",
    "get_collection_ref", "get_operations", "list_devices", "make_callable", "partial_run",
    "partial_run_setup", "run", "run_step_fn", "unique_name",
})  # fmt: skip
"""Methods of sessions, tensors and graphs: what they give hangs on files, variables and devices, or
on ops that other lines have made."""
_CLOCK = re.compile(r"[<>=|]?(M8|datetime64)(\[|$)")
"""Dtypes by which NumPy takes the texts `now` and `today` for the time."""


def reads_the_world(module: str, parts: list[str]) -> bool:
    """Whether `module.parts` may be another thing in another run; a module itself may not."""
    whole = ".".join([module, *parts]).replace("queueio.v1", "tensorflow", 1)
    if whole.split(".")[0] == "tensorflow":
        return _tensorflow_reads(whole.split(".")[1:])
    known, rest = _longest(MODULES, whole.split("."))
    if known is None:
        return True
    return bool(rest) and rest[0] != "*" and rest[0] not in known


def is_outside(node: ast.expr, module: str, parts: list[str], source: Script) -> bool:
    """Whether what a script takes from a module varies, or a module is given on as it is.

    Args:
      node: the script's expression for `module.parts`.
      module: what its first name stands for.
      parts: the attributes that follow it.
      source: the script's file.
    """
    if not _is_mixed(module, parts):
        return reads_the_world(module, parts)
    above = source.above[node]
    if isinstance(above, ast.Call) and node in above.args:
        given = getattr(above.args[-1], "value", None)
        known = last_part(above.func) == "getattr" and len(above.args) == 2
        if known and isinstance(given, str):
            return reads_the_world(module, [*parts, given])
        return last_part(above.func) != "hasattr"
    return not (  # of `layers = tf.contrib.layers` the names are looked at where `layers` stands
        isinstance(above, ast.Assign)
        and all(isinstance(t, ast.Name) and t.id in source.aliases for t in above.targets)
    )


def is_asked(node: ast.expr, source: Script) -> bool:
    """Whether a session, tensor or graph is asked for something, and no object of a class of the
    script's own, whose method is read."""
    if not isinstance(node, ast.Attribute):
        return False
    asked = node.attr in ASKING and not _is_own(node.value, source)
    return asked or is_asked(node.value, source)


def _is_own(node: ast.AST | None, source: Script) -> bool:
    """Whether an expression can only give an object of a class of the script's."""
    if isinstance(node, ast.Call):
        return isinstance(node.func, ast.Name) and node.func.id in source.classes
    if not isinstance(node, ast.Name):
        return False
    around = source.function(node)
    if isinstance(source.above.get(around), ast.ClassDef):
        args = around.args  # type: ignore[attr-defined]
        if node.id in [a.arg for a in [*args.posonlyargs, *args.args][:1]]:
            return True
    bound = [s for s, names in source.bound.items() if node.id in names]
    return bool(bound) and all(
        isinstance(s, ast.Assign) and isinstance(s.value, ast.Call) and _is_own(s.value, source)
        for s in bound
    )


def is_known(name: str) -> bool:
    """Whether a builtin of that name is pure."""
    return hasattr(builtins, name) and name in BUILTINS


def tells_the_time(node: ast.AST) -> bool:
    """Whether it is the name of a dtype in whose arrays a text may stand for the time."""
    text = node.value if isinstance(node, ast.Constant) else None
    return isinstance(text, str) and _CLOCK.match(text) is not None


def _is_mixed(module: str, parts: list[str]) -> bool:
    """Whether it is a module of which one part is pure and another is not."""
    dotted = ".".join([module, *parts]).replace("queueio.v1", "tensorflow", 1).split(".")
    if dotted[0] != "tensorflow":
        known = MODULES.get(".".join(dotted))
        return known is not None and not known.but
    inner = ".".join(_without_versions(dotted[1:]))
    known = TENSORFLOW.get(inner)
    return known is not None and not (known.but and inner)


def _tensorflow_reads(dotted: list[str]) -> bool:
    dotted = _without_versions(dotted)
    known, rest = _longest(TENSORFLOW, dotted)
    if not rest or rest[0] == "*" or known is None:
        return False
    if rest[0] not in known or (rest[0].startswith("_") and rest[0] != "__version__"):
        return True
    inner = dotted[0] in ("contrib", "python", "keras")
    return inner and not ANYWHERE.isdisjoint(dotted[1:])


def _without_versions(dotted: list[str]) -> list[str]:
    while dotted[:2] in (["compat", "v1"], ["compat", "v2"]):
        dotted = dotted[2:]
    return dotted


def _longest(table: dict[str, PureNames], dotted: list[str]) -> tuple[PureNames | None, list[str]]:
    """The names of the innermost module that a dotted name is in, and what follows it."""
    for end in range(len(dotted), -1, -1):
        known = table.get(".".join(dotted[:end]))
        if known is not None:
            return known, dotted[end:]
    return None, dotted
