"""The script without its queues: the batch call gives way to the new module's iterator."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import libcst as cst
from libcst.metadata import MetadataWrapper

from queueio import io
from queueio.convert.arguments import (
    arguments_of,
    own_functions,
    required_by,
)
from queueio.convert.batch_calls import ReplaceBatches, Replacement
from queueio.convert.by_name import read_by_name
from queueio.convert.comments import lost_comments
from queueio.convert.dependence import BATCHES, Analysis
from queueio.convert.file_text import spaced_as
from queueio.convert.flags import other_arguments
from queueio.convert.leftovers import otherwise, producers_left, without_leftovers
from queueio.convert.making import ops_behind
from queueio.convert.new_imports import with_imports
from queueio.convert.other_queues import more_queues
from queueio.convert.plain_modules import asking_version_1, hidden_from_tensorflow
from queueio.convert.scaffold import without_scaffold
from queueio.convert.sizes import size_for
from queueio.convert.source import Script, last_part, names_in
from queueio.convert.still_read import still_read
from queueio.convert.upgrade import Rewrite, upgraded
from queueio.convert.written import Written

# Functions of TensorFlow that make readers and tensors of a pipeline, and do nothing else.
_MAKERS = frozenset({
    "string_input_producer", "input_producer", "range_input_producer", "slice_input_producer",
    "match_filenames_once", "read", "read_up_to", "dequeue", "decode_csv", "decode_raw",
    "decode_jpeg", "decode_png", "decode_image", "parse_single_example",
    "parse_single_sequence_example", "FixedLenFeature", "VarLenFeature",
    "FixedLenSequenceFeature", "cast", "reshape", "stack", "pack", "strided_slice", "slice",
    "transpose", "equal", "constant", "to_float", "to_int32", "to_int64", "one_hot", "div",
    "expand_dims", "squeeze", "concat", "subtract", "multiply", "add",
    "index_table_from_tensor", "index_table_from_file", "HashTable", "StaticHashTable",
    "StaticVocabularyTable", "KeyValueTensorInitializer", "TextFileInitializer",
    "TextFileIdTableInitializer", "TextFileStringTableInitializer", "lookup", "string_split",
    "string_to_number",
    *(name for name in io.__all__ if name.endswith("Reader")),
})  # fmt: skip


def replacements(
    path: Path, text: str, found: Sequence[Written], files: Mapping[int, Path]
) -> list[Replacement]:
    """What of the pipelines found is to be replaced in the script, or why it must stay there.

    Args:
      path: the script.
      text: what it says.
      found: its pipelines.
      files: the modules that were written, by the `id` of their pipeline.
    """
    try:
        source = Script(str(path))
    except SyntaxError:  # told with its line by who parses it next
        return []
    lines = Counter((each.origin.filename, each.origin.lineno) for each in found)
    made = []
    for each in found:
        if id(each) not in files:
            continue
        module, line = files[id(each)].stem, each.origin.lineno
        where = each.origin.filename
        if where != str(path):
            do = f"Call input_fn() of {module}.py there in its place"
            made.append(Replacement(0, module, each, stays=f"{each.name} is made in {where}:{line},"
                        f" not in the script itself. {do}"))  # fmt: skip
        elif lines[where, line] > 1:
            several = _several(source, line, lines[where, line])
            made.append(Replacement(line, module, each, stays=several))
        else:
            told = Analysis(source, line, ops_behind(each.op)).dependence(arguments_of(each))
            missing = [name for name in required_by(each) if name not in told.passed]
            if missing:
                told.reasons.append(
                    f"line {line}: input_fn() needs {missing[0]!r}: the pipeline reads a variable,"
                    " whose value is known only to a session"
                )
            told.reasons += named_in(source, each.op)
            size = size_for(each, told.passed)
            if size is None:
                told.reasons.append(
                    f"line {line}: `{told.passed['batch_size']}` is a tensor, whose number may be"
                    " another in the next run; input_fn() takes a number as its batch_size"
                )
            stays = "; ".join(told.reasons)
            made.append(Replacement(line, module, each, told.passed, stays, size or "",
                        told.relied_on))  # fmt: skip
    return made


def _several(source: Script, line: int, count: int) -> str:
    """Why a line stays on which several pipelines are made."""
    nodes = (n for statement in source.statements(line) for n in ast.walk(statement))
    calls = [n for n in nodes if isinstance(n, ast.Call) and last_part(n.func) in BATCHES]
    if len(calls) > 1:
        return (
            f"line {line}: {count} pipelines are made here, and it is not sure by which of the"
            f" {len(calls)} calls; give each call a line of its own"
        )
    loops = (ast.For, ast.While, ast.ListComp, ast.DictComp, ast.SetComp, ast.GeneratorExp)
    places = calls or source.statements(line)
    looped = any(isinstance(n, loops) for place in places for n in source.around(place))
    where = "in place of the loop" if looped else "where the function is called"
    return (
        f"line {line}: this call makes {count} pipelines, and one input_fn would serve them all;"
        f" call the module of each {where}"
    )


def named_in(source: Script, op: Any) -> list[str]:
    """Where a script names ops of a pipeline, as `input/batch:0`: they are not there any more, or
    nothing feeds them.

    Args:
      source: the script.
      op: the last op of the pipeline.
    """
    names = {each.name for each in ops_behind(op)}
    by_name = {"get_tensor_by_name", "get_operation_by_name", "as_graph_element"}
    asked = {
        argument
        for node in ast.walk(source.tree)
        if isinstance(node, ast.Call) and last_part(node.func) in by_name
        for argument in node.args
    }
    found = []
    for node in ast.walk(source.tree):
        if not (isinstance(node, ast.Constant) and isinstance(node.value, str)):
            continue
        name, _, output = node.value.removeprefix("^").partition(":")
        known = name in names or name.startswith(f"{op.name}/")
        if known and (output.isdigit() or node in asked):
            what = f"{node.value!r} is an op or tensor of the queues that are to go"
            found.append(f"line {node.lineno}: {what}")
    return found


def tries(
    path: Path, here: Sequence[Replacement], arguments: tuple[str, ...]
) -> list[tuple[str, ...]]:
    """Further arguments of the script to run it with: each flag that feeds a pipeline, changed."""
    source = Script(str(path))
    found: list[tuple[str, ...]] = []
    for each in here:
        at = source.statement(each.line)
        if at is not None and each.passed and not each.stays:
            home = source.function(at)
            found += other_arguments(source, home, each.passed.values(), arguments)
    return list(dict.fromkeys(found))


def patched(
    text: str, replacements: Sequence[Replacement], *, all_found: bool, folder: Path | None = None,
    package: str = "",
) -> Rewrite:  # fmt: skip
    """The script with its batch calls replaced, and the rest of the queues' code taken out.

    Args:
      text: the script.
      replacements: what was found in it.
      all_found: whether these are all its pipelines; else runners and coordinator must stay.
      folder: where modules lie that the script imports.
      package: the dotted name of the package in that folder which the script is in, if it is.
    """
    rewrite = _patched(text, replacements, all_found, folder, package)
    rewrite.text = spaced_as(text, cst.parse_module(text).code, rewrite.text)
    rewrite.changes += lost_comments(text, rewrite.text)
    if rewrite.text != text:
        rewrite.left += asking_version_1(rewrite.text, folder, package)
        rewrite.left += hidden_from_tensorflow(folder)
    return rewrite


def _patched(
    text: str, replacements: Sequence[Replacement], all_found: bool, folder: Path | None,
    package: str,
) -> Rewrite:  # fmt: skip
    first = upgraded(text)
    wrapper = MetadataWrapper(cst.parse_module(first.text))
    visitor = ReplaceBatches(replacements, names_in(text), own_functions(text))
    new = wrapper.visit(visitor)
    rewrite = Rewrite(new.code, first.changes + visitor.changes, visitor.left + first.left)
    if not visitor.modules:
        return Rewrite(text, [], rewrite.left)
    rewrite.text = with_imports(rewrite.text, visitor.names, package)
    places = read_by_name(rewrite.text, folder, package)
    unknown = [each.where for each in places if each.names is None]
    if unknown:
        rewrite.left += otherwise(rewrite.text)
        rewrite.left.append(
            "what fed the queues, the coordinator and the queue runners:"
            f" {unknown[0]} may read any variable of the script by its name"
        )
        return rewrite
    kept = {name for each in places for name in each.names or ()}
    rewrite = without_leftovers(rewrite, first.text, _MAKERS, kept)
    rewrite.left += otherwise(rewrite.text)
    if not all_found or len(visitor.modules) < len(replacements):
        rewrite.left.append("the coordinator and the queue runners: a pipeline still needs them")
        return rewrite
    return _without_runners(rewrite, folder, package)


def _without_runners(rewrite: Rewrite, folder: Path | None, package: str) -> Rewrite:
    """The script without its coordinator and queue runners, unless something may need them."""
    others = more_queues(rewrite.text, folder, package)
    if others:
        rewrite.left.append(
            f"the coordinator and the queue runners: {others} may make another queue"
        )
        return rewrite
    places = read_by_name(rewrite.text, folder, package)
    producers = producers_left(rewrite.text)
    reading = still_read(rewrite.text) or (places[0].where if places else "")
    if producers and reading:
        rewrite.left += [
            f"{each}, the queue runners and the coordinator: {reading} may still read of it, and"
            " what it reads is in the batches as well"
            for each in producers
        ]
        return rewrite
    rewrite.left += [
        f"{each} feeds a queue that nothing reads now; remove it, with the lines that are made of"
        " it, if nothing else uses these"
        for each in producers
    ]
    return without_scaffold(rewrite, places)
