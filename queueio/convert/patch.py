"""The script without its queues: the batch call gives way to the new module's iterator."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import libcst as cst
from libcst import matchers as m
from libcst.metadata import MetadataWrapper, PositionProvider

from queueio import io
from queueio.convert.dependence import BATCHES, Analysis, ops_behind
from queueio.convert.flags import other_arguments
from queueio.convert.leftovers import otherwise, producers_left, without_leftovers
from queueio.convert.scaffold import without_scaffold
from queueio.convert.source import Script
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
            made.append(Replacement(0, module, each, stays=f"{each.name} is made in {where}:{line},"
                        " not in the script itself"))  # fmt: skip
        elif lines[where, line] > 1:
            several = (
                f"line {line}: this call makes {lines[where, line]} pipelines, and one input_fn"
                " would serve them all; call the module of each where the function is called"
            )
            made.append(Replacement(line, module, each, stays=several))
        else:
            told = Analysis(source, line, ops_behind(each.op)).dependence(arguments_of(each))
            stays = "; ".join(told.reasons)
            made.append(Replacement(line, module, each, told.passed, stays))
    return made


def arguments_of(found: Written) -> list[str]:
    """The names of the arguments that the `input_fn` of a module has."""
    functions = [n for n in ast.parse(str(found.module)).body if isinstance(n, ast.FunctionDef)]
    made = next(f for f in functions if f.name == "input_fn")
    return [arg.arg for arg in [*made.args.args, *made.args.kwonlyargs]]


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


def patched(text: str, replacements: Sequence[Replacement], *, all_found: bool) -> Rewrite:
    """The script with its batch calls replaced, and the rest of the queues' code taken out.

    Args:
      text: the script.
      replacements: what was found in it.
      all_found: whether these are all its pipelines; else runners and coordinator must stay.
    """
    first = upgraded(text)
    wrapper = MetadataWrapper(cst.parse_module(first.text))
    visitor = _Replace(replacements)
    new = wrapper.visit(visitor)
    rewrite = Rewrite(new.code, first.changes + visitor.changes, first.left + visitor.left)
    if not visitor.modules:
        return Rewrite(text, [], rewrite.left)
    rewrite.text = _with_imports(rewrite.text, visitor.modules)
    rewrite = without_leftovers(rewrite, _MAKERS)
    if not all_found or len(visitor.modules) < len(replacements):
        rewrite.left.append("the coordinator and the queue runners: a pipeline still needs them")
        return rewrite
    rewrite.left += otherwise(rewrite.text)
    producers = producers_left(rewrite.text)
    reading = still_read(rewrite.text) if producers else ""
    if reading:
        rewrite.left += [
            f"{each}, the queue runners and the coordinator: {reading} may still read of it, and"
            " what it reads is in the batches as well"
            for each in producers
        ]
        return rewrite
    rewrite.left += [
        f"{each} feeds a queue that nothing reads now; remove it if the tensors made of it are not"
        " used otherwise"
        for each in producers
    ]
    return without_scaffold(rewrite)


class _Replace(cst.CSTTransformer):
    METADATA_DEPENDENCIES = (PositionProvider,)

    def __init__(self, replacements: Sequence[Replacement]) -> None:
        super().__init__()
        self._wanted = list(replacements)
        self.modules: list[str] = []
        self.changes: list[str] = []
        self.left: list[str] = []

    def leave_Call(self, original_node: cst.Call, updated_node: cst.Call) -> cst.BaseExpression:
        where = self.get_metadata(PositionProvider, original_node)
        for wanted in (each for each in self._wanted if not each.stays):
            if where.start.line <= wanted.line <= where.end.line and _is_batch(updated_node):
                return self._replaced(updated_node, wanted, where.start.line)
        return updated_node

    def leave_Module(self, original_node: cst.Module, updated_node: cst.Module) -> cst.Module:
        for wanted in self._wanted:
            if wanted.stays:
                self.left.append(wanted.stays)
            elif wanted.module not in self.modules:
                self.left.append(
                    f"line {wanted.line}: {wanted.found.name} is not made by a call of a batch"
                    " function there; take the tensors from the new module by hand"
                )
        return updated_node

    def _replaced(self, call: cst.Call, wanted: Replacement, line: int) -> cst.BaseExpression:
        if "lookup." in str(wanted.found.module):
            self.left.append(
                f"line {line}: its pipeline looks words up in a table, which a one-shot iterator"
                " cannot capture; use make_initializable_iterator and run its initializer"
            )
            return call
        passed = dict(wanted.passed)
        name = cst.ensure_type(call.func, cst.Attribute).attr.value
        size = _argument(call, BATCHES[name], ("batch_size",))
        if size is not None and not isinstance(size, cst.Integer):
            passed["batch_size"] = cst.Module([]).code_for_node(size)
        given = ", ".join(f"{name}={code}" for name, code in passed.items())
        root = cst.Module([]).code_for_node(call.func).split(".")[0]
        self.modules.append(wanted.module)
        self.changes.append(f"line {line}: {wanted.found.name} from {wanted.module}.input_fn()")
        return cst.parse_expression(
            f"{root}.data.make_one_shot_iterator({wanted.module}.input_fn({given})).get_next()"
        )


def _is_batch(call: cst.Call) -> bool:
    return m.matches(call.func, m.Attribute(attr=m.OneOf(*map(m.Name, BATCHES))))


def _argument(call: cst.Call, place: int, names: Sequence[str]) -> cst.BaseExpression | None:
    for i, arg in enumerate(call.args):
        if arg.keyword is None and i == place and not arg.star:
            return arg.value
        if arg.keyword is not None and arg.keyword.value in names:
            return arg.value
    return None


def _with_imports(text: str, modules: Sequence[str]) -> str:
    """The new modules imported right behind the line that imports TensorFlow."""
    lines = text.splitlines(keepends=True)
    at = next(i for i, line in enumerate(lines) if line.lstrip().startswith("import queueio.v1"))
    indent = lines[at][: len(lines[at]) - len(lines[at].lstrip())]
    return "".join([*lines[: at + 1], *(f"{indent}import {name}\n" for name in modules),
                    *lines[at + 1 :]])  # fmt: skip
