"""The script without its queues: the batch call gives way to the new module's iterator."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import libcst as cst
from libcst import matchers as m
from libcst.metadata import MetadataWrapper, ParentNodeProvider, PositionProvider

from queueio import io
from queueio.convert.arguments import (
    argument,
    arguments_of,
    binding,
    called,
    given,
    own_functions,
    required_by,
)
from queueio.convert.by_name import read_by_name
from queueio.convert.comments import lost_comments
from queueio.convert.container import as_list
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


@dataclass(frozen=True)
class Replacement:
    """One batch call of the script, by the lines that it covers, and the module in its place."""

    line: int
    module: str
    found: Written
    passed: Mapping[str, str] = field(default_factory=dict)
    """For arguments of input_fn the script's own expressions, where its values may change."""
    stays: str = ""
    """Why the call must stay; "" where it may go."""
    size: str = ""
    """The batch size as a number, where the call is given a tensor."""


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
            made.append(Replacement(line, module, each, told.passed, stays, size or ""))
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
    visitor = _Replace(replacements, names_in(text), own_functions(text))
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


class _Replace(cst.CSTTransformer):
    METADATA_DEPENDENCIES = (PositionProvider, ParentNodeProvider)

    def __init__(self, replacements: Sequence[Replacement], taken: set[str], own: set[str]) -> None:
        super().__init__()
        self._wanted, self._taken, self._own = list(replacements), taken, own
        self.modules: list[str] = []
        self._kept: set[str] = set()
        self.names: dict[str, str] = {}
        self.changes: list[str] = []
        self.left: list[str] = []

    def leave_Call(self, original_node: cst.Call, updated_node: cst.Call) -> cst.BaseExpression:
        where = self.get_metadata(PositionProvider, original_node)
        for wanted in (each for each in self._wanted if not each.stays):
            if where.start.line <= wanted.line <= where.end.line and _is_batch(updated_node):
                new = self._replaced(updated_node, wanted, where.start.line)
                parent = self.get_metadata(ParentNodeProvider, original_node)
                if new is updated_node:
                    self._kept.add(wanted.module)
                    return new
                return as_list(new, wanted.found.given, parent)
        return updated_node

    def leave_Module(self, original_node: cst.Module, updated_node: cst.Module) -> cst.Module:
        for wanted in self._wanted:
            if wanted.stays:
                self.left.append(wanted.stays)
            elif wanted.module not in {*self.modules, *self._kept}:
                self.left.append(
                    f"line {wanted.line}: {wanted.found.name} is not made by a call of a batch"
                    " function there; take the tensors from the new module by hand"
                )
        return updated_node

    def _replaced(self, call: cst.Call, wanted: Replacement, line: int) -> cst.BaseExpression:
        dotted = _dotted(call.func)
        name = dotted.rpartition(".")[2]
        if not dotted.endswith(f".train.{name}"):
            self.left.append(
                f"line {line}: `{dotted}` does not name TensorFlow, whose iterator is to take its"
                f" place; write `tf.train.{name}` under `import tensorflow as tf`"
            )
            return call
        passed = {**wanted.passed, **self._size(call, BATCHES[name], wanted)}
        more = binding(call, passed.values())
        if more:
            self.left.append(
                f"line {line}: `{more}` within the call does more than give it a value, and would"
                " go with it; give it a line of its own before the call"
            )
            return call
        self.changes += [
            f"line {line}: `{each}` is not called there any more, so what it does besides giving"
            " tensors (what it prints, keeps or adds to the summaries) is not done"
            for each in called(call, passed.values(), self._own)
        ]
        every = ", ".join(f"{name}={code}" for name, code in passed.items())
        root = dotted.removesuffix(f".train.{name}")
        self.modules.append(wanted.module)
        module = _free_name(wanted.module, self._taken)
        self.names[module] = wanted.module
        self.changes.append(f"line {line}: {wanted.found.name} from {wanted.module}.input_fn()")
        dataset = f"{module}.input_fn({every})"
        if wanted.found.module and wanted.found.module.uses_tables:
            return cst.parse_expression(f"{module}.next_batch({dataset})")
        return cst.parse_expression(f"{root}.data.make_one_shot_iterator({dataset}).get_next()")

    def _size(self, call: cst.Call, place: int, wanted: Replacement) -> dict[str, str]:
        """The batch size as the call has it, unless it is a plain number."""
        size = argument(call, place, ("batch_size",))
        if wanted.size:
            return {"batch_size": wanted.size}
        is_code = size is not None and not isinstance(size, cst.Integer)
        return {"batch_size": given(size)} if is_code else {}  # type: ignore[arg-type]


def _dotted(node: cst.BaseExpression) -> str:
    """A name with its attributes, however its code is laid out: `(tf.train  # …\\n .batch)`."""
    if isinstance(node, cst.Attribute):
        return f"{_dotted(node.value)}.{node.attr.value}"
    return cst.Module([]).code_for_node(node)


def _is_batch(call: cst.Call) -> bool:
    name = m.OneOf(*map(m.Name, BATCHES))
    return m.matches(call.func, m.Attribute(attr=name) | name)


def _free_name(module: str, taken: set[str]) -> str:
    """The name that a module shall have in a script, where `taken` mean something else."""
    name = module if module not in taken else f"{module}_module"
    while name in taken:
        name += "_"
    return name
