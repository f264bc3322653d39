"""Saved graphs and notebooks in the place of a script: what is imported, or said of the others."""

from __future__ import annotations

import codecs
import os
import re

_META = ".meta"
# How the text form of a GraphDef, MetaGraphDef or SavedModel begins: no Python begins so.
_TEXT = re.compile(
    rb"(?:\s|#[^\n]*\n)*"
    rb"(?:(?:node|versions|library|meta_info_def|graph_def|meta_graphs)\s*:?\s*\{"
    rb"|saved_model_schema_version\s*:)"
)
_NOTEBOOK = ".ipynb"
_COMPILED = ".pyc"
_FIRST = 4096
_UTF_16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)  # UTF-32 begins as the first does


def is_meta_graph(path: str) -> bool:
    """Whether a file is a saved graph and no script, by its name."""
    return path.endswith(_META)


def why_no_script(path: str) -> str:
    """What is said of a file that is neither a script nor named as a MetaGraph.

    Python would say "invalid syntax", or, of no file, that source code cannot contain null bytes.

    Args:
      path: what was given as a script.

    Returns:
      A sentence about a checkpoint with a MetaGraph beside it, a graph under another name, a
      notebook, a compiled file, or another file that is no text; empty for all else, for a
      MetaGraph by its name, and for what cannot be read.
    """
    if is_meta_graph(path):
        return ""
    if not os.path.isfile(path):
        beside = path + _META
        found = os.path.isfile(beside)
        return f"{path} is a checkpoint; its graph is in {beside}: give that file" if found else ""
    if path.endswith(_NOTEBOOK):
        script = path.removesuffix(_NOTEBOOK) + ".py"
        return (
            f"{path} is a notebook, no script. `%load_ext queueio` in its first cell does there"
            f" what `queueio run` does; or make a script of it: `jupyter nbconvert --to script"
            f" {path}` writes {script}"
        )
    if path.endswith(_COMPILED):
        source = path.removesuffix(_COMPILED) + ".py"
        there = f": give {source}" if os.path.isfile(source) else ". Give the script itself"
        return f"{path} is compiled Python, of which queueio reads no lines{there}"
    try:
        with open(path, "rb") as file:
            content = file.read(None if path.endswith(".py") else _FIRST)
    except OSError:
        return ""
    if content.startswith(_UTF_16):
        return f"{path} is no Python source: it is UTF-16 or UTF-32. Save it as UTF-8"
    if b"\0" in content and path.endswith(".py"):
        line = content.partition(b"\0")[0].count(b"\n") + 1
        what = f"line {line} holds a NUL byte, so it is damaged, or no text"
        return f"{path} is no Python source: {what}. Copy it again, or give a script"
    if b"\0" not in content and not _TEXT.match(content):
        return ""
    return (
        f"{path} is no Python source but a saved graph, or another binary file. A MetaGraph is"
        f" imported where its name ends in {_META}. A GraphDef (write_graph, a frozen graph) does"
        " not hold the queue runners, so nobody can tell what fills its queues: save it with"
        " tf.train.export_meta_graph"
    )
