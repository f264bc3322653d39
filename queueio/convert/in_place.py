"""Which module takes the place of a script's batch call, or why the call must stay."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from queueio.convert.arguments import arguments_of, input_fn_of, required_by
from queueio.convert.batch_calls import Replacement
from queueio.convert.dependence import BATCHES, Analysis
from queueio.convert.making import ops_behind
from queueio.convert.observed import place_of
from queueio.convert.sizes import size_for
from queueio.convert.source import Script, last_part
from queueio.convert.written import Written

_LOOPS = (ast.For, ast.While, ast.ListComp, ast.DictComp, ast.SetComp, ast.GeneratorExp)


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
    count = Counter(place_of(each.origin) for each in found)
    at: dict[str, list[Written]] = {}
    for each in found:
        if id(each) in files:
            at.setdefault(place_of(each.origin), []).append(each)
    made = []
    for place, here in at.items():
        modules = [files[id(each)].stem for each in here]
        if here[0].origin.filename == str(path):
            made.append(_on_line(source, here, modules[0], count[place]))
            continue
        for each, module in zip(here, modules, strict=True):
            stays = (
                f"{each.name} is made in {place}, not in the script itself. Call input_fn() of"
                f" {module}.py there in its place"
            )
            made.append(Replacement(0, module, each, stays=stays))
    return made


def _on_line(source: Script, here: Sequence[Written], module: str, count: int) -> Replacement:
    """What becomes of the call on a line of the script.

    Args:
      source: the script.
      here: the pipelines that the line makes, as far as they could be written.
      module: the one that the first was written to.
      count: how many the line makes.
    """
    line, calls = here[0].origin.lineno, _batch_calls(source, here[0].origin.lineno)
    if count > 1 and len(calls) > 1:
        stays = (
            f"line {line}: {count} pipelines are made here, and it is not sure by which of the"
            f" {len(calls)} calls; give each call a line of its own"
        )
        return Replacement(line, module, here[0], stays=stays)
    every = [_alone(source, each, module) for each in here]
    first = every[0]
    reasons = list(dict.fromkeys(each.stays for each in every if each.stays))
    if count > 1 and not reasons and not (len(here) == count and _are_one(every)):
        reasons = [
            f"line {line}: this call makes {count} pipelines, which differ in more than input_fn()"
            " has arguments for"
        ]
    if count > 1 and reasons:
        reasons.append(f"call the module of each {_where(source, line, calls)}")
    return replace(first, stays="; ".join(reasons), also=tuple(here[1:]))


def _alone(source: Script, found: Written, module: str) -> Replacement:
    """What becomes of a call for the sake of one pipeline of it."""
    line = found.origin.lineno
    told = Analysis(source, line, ops_behind(found.op)).dependence(arguments_of(found))
    missing = [name for name in required_by(found) if name not in told.passed]
    if missing:
        told.reasons.append(
            f"line {line}: input_fn() needs {missing[0]!r}: the pipeline reads a variable, whose"
            " value is known only to a session"
        )
    told.reasons += named_in(source, found.op)
    if found.towers > 1:
        told.reasons.append(
            f"line {line}: {found.towers} dequeues take side by side in a step, as the towers of a"
            f" model do. Make `batches = tf.data.make_one_shot_iterator({module}.input_fn())"
            ".get_next()` once before them, and give each tower one of these"
        )
    size = size_for(found, told.passed)
    if size is None:
        told.reasons.append(
            f"line {line}: `{told.passed['batch_size']}` is a tensor, whose number may be"
            " another in the next run; input_fn() takes a number as its batch_size"
        )
    stays = "; ".join(told.reasons)
    return Replacement(line, module, found, told.passed, stays, size or "", told.relied_on)


def _are_one(every: Sequence[Replacement]) -> bool:
    """Whether one module, given what the script passes, gives what each pipeline's own does."""
    first, *others = every
    passed = {*first.passed, *(["batch_size"] if first.size else [])}
    return all(
        (each.passed, each.size, each.relied_on) == (first.passed, first.size, first.relied_on)
        and _alike(first.found, each.found, passed)
        for each in others
    )


def _alike(one: Written, other: Written, passed: Collection[str]) -> bool:
    """Whether two modules do the same, but for the defaults of arguments that are passed."""
    codes, constants = [], []
    for each in (one, other):
        assert each.module is not None
        tree = _without_words(ast.parse(each.module.text), passed)
        codes.append(ast.dump(tree))
        used = {n.value for n in ast.walk(tree) if isinstance(n, ast.Constant)}
        constants.append({k: v for k, v in each.module.constants.items() if k in used})
    return (
        codes[0] == codes[1]
        and constants[0].keys() == constants[1].keys()
        and all(_equal(value, constants[1][name]) for name, value in constants[0].items())
    )


def _equal(one: np.ndarray, other: np.ndarray) -> bool:
    if one.dtype != other.dtype or one.shape != other.shape:
        return False
    if one.dtype == object:
        return bool(one.tolist() == other.tolist())
    return one.tobytes() == other.tobytes()


def _without_words(module: ast.Module, passed: Collection[str]) -> ast.Module:
    """A module without its docstrings, and without the defaults of arguments that are passed."""
    for node in ast.walk(module):
        if isinstance(node, (ast.Module, ast.FunctionDef)) and ast.get_docstring(node) is not None:
            del node.body[0]
    args = input_fn_of(module).args
    placed = args.args[len(args.args) - len(args.defaults) :]
    nothing = ast.Constant(None)
    args.defaults = [
        nothing if arg.arg in passed else default
        for arg, default in zip(placed, args.defaults, strict=True)
    ]
    args.kw_defaults = [
        nothing if arg.arg in passed and default else default
        for arg, default in zip(args.kwonlyargs, args.kw_defaults, strict=True)
    ]
    return module


def _batch_calls(source: Script, line: int) -> list[ast.Call]:
    nodes = (n for statement in source.statements(line) for n in ast.walk(statement))
    return [n for n in nodes if isinstance(n, ast.Call) and last_part(n.func) in BATCHES]


def _where(source: Script, line: int, calls: Sequence[ast.AST]) -> str:
    """Where the script is to call the modules of a line that makes several pipelines."""
    places = calls or source.statements(line)
    looped = any(isinstance(n, _LOOPS) for place in places for n in source.around(place))
    return "in place of the loop" if looped else "where the function is called"


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
