"""The script without its queues: the batch call gives way to the new module's iterator."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import libcst as cst
from libcst.metadata import MetadataWrapper

from queueio import io
from queueio.convert.arguments import own_functions
from queueio.convert.batch_calls import ReplaceBatches, Replacement
from queueio.convert.by_name import read_by_name
from queueio.convert.comments import lost_comments
from queueio.convert.file_text import spaced_as
from queueio.convert.flags import other_arguments
from queueio.convert.leftovers import otherwise, producers_left, without_leftovers
from queueio.convert.new_imports import with_imports
from queueio.convert.other_queues import more_queues
from queueio.convert.plain_modules import asking_version_1, hidden_from_tensorflow
from queueio.convert.scaffold import without_scaffold
from queueio.convert.source import Script, names_in
from queueio.convert.still_read import still_read
from queueio.convert.upgrade import Rewrite, upgraded

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
    changes, left = first.changes + visitor.changes, visitor.left + first.left
    rewrite = Rewrite(new.code, changes, left, visitor.modules)
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
