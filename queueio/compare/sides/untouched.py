"""Scripts of TensorFlow 1's time that nobody has changed: their `tensorflow` has to be the drop-in.

What tells is the code, not its comments: names that only TensorFlow 1 has, of a TensorFlow that is
imported plainly. A script that binds `tensorflow.compat.v1` has chosen its TensorFlow itself. One
that asks it for some name (`tf.compat.v1.logging`), as warnings of TF 1.14 advise, has not, unless
that is the very name that it asks plainly for too (`tf.Session`, where there is one).
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from queueio.compare.sides.switching import tree_of

_TF1_ONLY = re.compile(
    r"tensorflow\.(contrib\.\w+|train\.(\w*input_producer|(maybe_)?(shuffle_)?batch(_join)?"
    r"|start_queue_runners|limit_epochs|match_filenames_once)|\w+Reader|Session|placeholder"
    r"|get_variable)"
)
_CHOSEN = {"tensorflow.compat.v1", "tensorflow.compat.v2"}


def is_untouched(path: str) -> bool:
    """Whether the script is TF1's own."""
    whole = dict(sorted(_names(tree_of(path))))  # True, where a name is whole anywhere
    if any(whole.get(name) for name in _CHOSEN):
        return False
    plain = filter(_TF1_ONLY.fullmatch, whole)
    return any(name.replace(".", ".compat.v1.", 1) not in whole for name in plain)


def _names(tree: ast.Module) -> Iterator[tuple[str, bool]]:
    """The names of TensorFlow's that a script spells, in full, and whether it ends there."""
    bound: dict[str, str] = {}
    for node in ast.walk(tree):
        for name, full in _imports(node):
            bound[name] = full
            yield full, True
    attributes = [node for node in ast.walk(tree) if isinstance(node, ast.Attribute)]
    parts = {id(node.value) for node in attributes}
    for node in attributes:
        root, _, rest = ast.unparse(node).partition(".")
        if root in bound:
            yield f"{bound[root]}.{rest}", id(node) not in parts


def _imports(node: ast.AST) -> Iterator[tuple[str, str]]:
    """Names that an import binds to TensorFlow or what is in it, and what they are."""
    if isinstance(node, ast.Import):
        for alias in node.names:
            if alias.name.partition(".")[0] == "tensorflow":
                yield (alias.asname, alias.name) if alias.asname else ("tensorflow", "tensorflow")
                if not alias.asname:
                    yield alias.name, alias.name
    elif isinstance(node, ast.ImportFrom) and not node.level:
        module = node.module or ""
        if module.partition(".")[0] == "tensorflow":
            for alias in node.names:
                yield alias.asname or alias.name, f"{module}.{alias.name}"
