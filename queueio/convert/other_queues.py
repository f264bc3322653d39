"""Whether a script may make queues besides those of the pipelines that were found in it.

The script was run up to its first session call. A graph that it builds after that, or a queue of
its own, still needs queue runners.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

from queueio.compat.caller import is_written_by_queueio
from queueio.convert.dependence import BATCHES
from queueio.convert.source import last_part

_QUEUES = {"QueueRunner", "add_queue_runner", "FIFOQueue", "RandomShuffleQueue",
           "PaddingFIFOQueue", "PriorityQueue", "bucket", "bucket_by_sequence_length"}  # fmt: skip


def more_queues(text: str, folder: Path | None) -> str:
    """The first call that may make one, as ``line 7: `…` `` or with its file; "" where none does.

    Args:
      text: the script, without the calls that are replaced.
      folder: that of the script, whose modules it may import; None to look at none.
    """
    for name, tree in files_of(text, folder):
        for node in ast.walk(tree):
            if isinstance(node, ast.Call) and _makes_queue(node):
                shown = ast.unparse(node)
                shown = shown if len(shown) < 60 else f"{shown[:60]}…"
                return f"{name}, line {node.lineno}: `{shown}`".removeprefix(", ")
    return ""


def files_of(text: str, folder: Path | None) -> Iterator[tuple[str, ast.Module]]:
    """The tree of a script, its name as "", and of each file beside it that it imports.

    Args:
      text: the script.
      folder: where these files lie; None to look at none.
    """
    waiting, seen = [("", text)], set[Path]()
    for name, code in waiting:
        try:
            tree = ast.parse(code)
        except SyntaxError:
            continue
        yield name, tree
        for path in _imported(tree, folder) if folder is not None else ():
            if path not in seen:
                seen.add(path)
                waiting.append((path.name, path.read_text("utf-8-sig", "replace")))


def _imported(tree: ast.Module, folder: Path) -> Iterator[Path]:
    """The files of the user's that a module imports from the script's folder."""
    for node in ast.walk(tree):
        names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
        if isinstance(node, ast.ImportFrom):
            module = node.module or ""
            names = [module, *(f"{module}.{alias.name}" for alias in node.names)]
        for name in names:
            path = folder.joinpath(*name.strip(".").split(".")).with_suffix(".py")
            if name and path.is_file() and not is_written_by_queueio(str(path)):
                yield path


def _makes_queue(call: ast.Call) -> bool:
    name = last_part(call.func)
    if name in BATCHES and isinstance(call.func, ast.Attribute):  # of tf.train, not of a dataset
        return last_part(call.func.value) == "train"
    return name in BATCHES or name in _QUEUES
