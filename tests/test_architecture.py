"""The laws of the layout."""

from __future__ import annotations

import ast
import functools
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = ROOT / "queueio"
ROOMS = ("queueio.stages.", "queueio.contrib.")
EMIT = ["spelling", "facts", "calls", "ops", "fragment", "steps"]
FLOW = ["filenames", "readers", "decoders", "queues", "batching"]
_WATCH = ["watch", "interrupt", "fork", "at_exit", "mixed_elements"]
COMPARED = ["sides", "reading", "match", "draws", "mixing", "findings", "report"]


CIRCLES = {
    "a body has branches, and a branch is a body": "emit.fragment.body emit.fragment.branches",
    "a namespace knows its aliases, which are namespaces": "compat.aliases compat.namespace",
}
"""Files that import one another, and why: to be shrunk, not to be added to."""


def module_of(path: Path) -> str:
    return ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")


MODULES = {module_of(path): path for path in PACKAGE.rglob("*.py")}


@functools.cache
def imports(path: Path) -> frozenset[str]:
    """The modules that a file imports when it runs, in its functions too; not for types alone."""
    found: set[str] = set()
    tree = ast.parse(path.read_text())
    tree.body = [n for n in tree.body if not _is_for_types(n)]
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module:
            for name in (f"{node.module}.{alias.name}" for alias in node.names):
                found.add(name if name in MODULES else node.module)
        elif isinstance(node, ast.Import):
            found.update(alias.name for alias in node.names)
    return frozenset(found)


def _is_for_types(node: ast.stmt) -> bool:
    return isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"


LATER = {"stages": FLOW, "compare": COMPARED, "emit": EMIT}
"""The folders of a package from which none imports anything of a later one."""


@pytest.mark.parametrize(
    ("package", "folder"), [(package, folder) for package in LATER for folder in LATER[package]]
)
def test_a_folder_imports_nothing_of_a_later_one(package: str, folder: str) -> None:
    folders = LATER[package]
    later = tuple(f"queueio.{package}.{n}." for n in folders[folders.index(folder) + 1 :])
    for path in (PACKAGE / package / folder).glob("*.py"):
        named = {name for name in imports(path) if f"{name}.".startswith(later)}
        assert not named, f"{path.name} imports {sorted(named)}"


def test_threads_stand_on_the_diagnosis_and_the_watch_on_both() -> None:
    above = {
        "diagnosis": ["threads", *_WATCH],
        "threads": _WATCH,
        "": ["diagnosis", "threads", *_WATCH],
    }
    for room, later in above.items():
        for path in (PACKAGE / "runtime" / room).glob("*.py"):
            for name in imports(path) if path.stem not in _WATCH else ():
                assert name.removeprefix("queueio.runtime.").split(".")[0] not in later, (
                    f"{path.name} imports {name}"
                )


@pytest.mark.parametrize("layer", ["lift", "compile", "emit", "compare"])
def test_a_layer_names_no_stage(layer: str) -> None:
    for path in (PACKAGE / layer).rglob("*.py"):
        named = {name for name in imports(path) if name.startswith(ROOMS)}
        assert not named, f"{path.name} imports {sorted(named)}"


def test_the_package_is_imported_without_tensorflow() -> None:
    code = "import sys, queueio, queueio.cli; sys.exit('tensorflow' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=False).returncode == 0


def test_no_source_file_is_called_utils() -> None:
    assert not [p for p in PACKAGE.rglob("*.py") if p.stem in ("utils", "util", "helpers", "misc")]


def test_no_two_classes_have_one_name() -> None:
    found: dict[str, list[str]] = {}
    for path in PACKAGE.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.ClassDef):
                found.setdefault(node.name, []).append(f"{path.relative_to(ROOT)}:{node.lineno}")
    assert not {name: places for name, places in found.items() if len(places) > 1}


def test_the_ground_floor_stands_on_nothing_but_itself() -> None:
    allowed = ("queueio.graph", "queueio.errors")
    for path in (PACKAGE / "graph").rglob("*.py"):
        above = {name for name in imports(path) if name.startswith("queueio")}
        above = {name for name in above if not name.startswith(allowed)}
        assert not above, f"{path.name} imports {sorted(above)}"


@pytest.mark.parametrize(("layer", "other"), [("lift", "compile"), ("compile", "lift")])
def test_who_reads_a_graph_and_who_runs_a_plan_know_nothing_of_one_another(
    layer: str, other: str
) -> None:
    for path in (PACKAGE / layer).rglob("*.py"):
        named = {name for name in imports(path) if name.startswith(f"queueio.{other}.")}
        assert not named, f"{path.name} imports {sorted(named)}"


def test_kernels_know_chunks_and_no_fragment() -> None:
    for path in (PACKAGE / "compile" / "kernels").glob("*.py"):
        named = {name for name in imports(path) if name.startswith("queueio")}
        named = {name for name in named if not name.startswith("queueio.compile.kernels")}
        assert not named, f"{path.name} imports {sorted(named)}"


def import_circles() -> set[frozenset[str]]:
    """The modules that import one another, directly or by way of others."""
    graph = {module: imports(path) & MODULES.keys() for module, path in MODULES.items()}
    reached = {module: _reached(graph, module) for module in graph}
    circles = {frozenset(m for m in reached[one] if one in reached[m]) for one in graph}
    return set(filter(None, circles))


def _reached(graph: dict[str, set[str]], start: str) -> set[str]:
    found, waiting = set[str](), [start]
    while waiting:
        more = graph[waiting.pop()] - found
        found |= more
        waiting += more
    return found


def test_files_do_not_import_one_another_but_for_those_named_here() -> None:
    known = [{f"queueio.{name}" for name in names.split()} for names in CIRCLES.values()]
    for circle in import_circles():
        assert any(circle <= names for names in known), f"a circle: {sorted(circle)}"


def test_methods_of_sessions_are_replaced_in_one_place() -> None:
    for module, path in MODULES.items():
        if module == "queueio.runtime.calls":
            continue
        for node in ast.walk(ast.parse(path.read_text())):
            held = isinstance(node, (ast.Attribute, ast.alias)) and ast.unparse(node)
            assert "BaseSession" not in (held or ""), f"{path.name} takes hold of sessions' methods"
            for target in _replaced(node):
                assert "Session" not in target, f"{path.name}:{node.lineno} replaces {target}"


def _replaced(node: ast.AST) -> list[str]:
    """The attributes that a statement sets."""
    if isinstance(node, ast.Call) and ast.unparse(node.func) == "setattr":
        return [ast.unparse(node)]
    targets = node.targets if isinstance(node, ast.Assign) else []
    return [ast.unparse(target) for target in targets if isinstance(target, ast.Attribute)]


def fields_of_nodes() -> set[str]:
    """The names of the parameters that stages have, which only some of them have."""
    found: set[str] = set()
    for path in [*(PACKAGE / "stages").rglob("*.py"), *(PACKAGE / "contrib").rglob("*.py")]:
        for node in ast.walk(ast.parse(path.read_text())):
            bases = {ast.unparse(base) for base in getattr(node, "bases", [])}
            if isinstance(node, ast.ClassDef) and bases & {"Node", "ExampleQueue"}:
                own = (s.target for s in node.body if isinstance(s, ast.AnnAssign))
                found |= {target.id for target in own if isinstance(target, ast.Name)}
    return found


def test_a_stage_says_what_it_is_and_nobody_probes_it() -> None:
    names = fields_of_nodes() - {"input"}  # other things have an input, too
    assert {"batch_size", "num_epochs", "capacity", "takes"} <= names
    for path in PACKAGE.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            probes = isinstance(node, ast.Call) and ast.unparse(node.func) in ("hasattr", "getattr")
            asked = node.args[1] if probes and len(node.args) > 1 else None
            name = asked.value if isinstance(asked, ast.Constant) else ""
            assert name not in names, f"{path.name}:{node.lineno} probes for {name!r}"


PYTHON_VALUES = {"nest", "TensorShape", "TensorSpec", "dimension_value", "get_static_value"}
"""Functions of TensorFlow's that give no tensor, and modules of such."""


def made_by(node: ast.expr) -> list[str]:
    """The dotted name that a call calls: `tf.strings.length` as ["tf", "strings", "length"]."""
    names: list[str] = []
    called = node.func if isinstance(node, ast.Call) else None
    while isinstance(called, ast.Attribute):
        names.insert(0, called.attr)
        called = called.value
    return [called.id, *names] if isinstance(called, ast.Name) else []


def is_tensor(node: ast.expr, names: set[str]) -> bool:
    """Whether an expression is one of those names, a part or a sum of it, or a call of TF's."""
    if isinstance(node, ast.BinOp):
        return is_tensor(node.left, names) or is_tensor(node.right, names)
    if isinstance(node, ast.Subscript):
        return is_tensor(node.value, names)
    if isinstance(node, ast.Name):
        return node.id in names
    called = made_by(node)
    return called[:1] in (["tf"], ["ops"]) and PYTHON_VALUES.isdisjoint(called)


def tensors_of(function: ast.FunctionDef) -> set[str]:
    """The names in a function that its annotations or its assignments say are tensors."""
    names = {
        argument.arg
        for argument in function.args.args
        if argument.annotation is not None and ast.unparse(argument.annotation) == "tf.Tensor"
    }
    for node in ast.walk(function):
        if isinstance(node, ast.Assign) and is_tensor(node.value, set()):
            names.update(n.id for t in node.targets for n in ast.walk(t) if isinstance(n, ast.Name))
    return names


def compared_as_objects(code: str) -> list[str]:
    """Comparisons of tensors by `==` or `!=`."""
    found = []
    for function in ast.walk(ast.parse(code)):
        if not isinstance(function, ast.FunctionDef):
            continue
        names = tensors_of(function)
        for node in ast.walk(function):
            equal = isinstance(node, ast.Compare) and isinstance(node.ops[0], (ast.Eq, ast.NotEq))
            if equal and any(is_tensor(side, names) for side in (node.left, *node.comparators)):
                found.append(ast.unparse(node))
    return found


@pytest.mark.parametrize(
    "code",
    [
        "def f(stays, left):\n  return tf.where(stays != tf.range(left))",
        "def f(a: tf.Tensor, b):\n  return a[0] == b",
        "def f(a):\n  n = tf.size(a)\n  return n - 1 == 0",
    ],
)
def test_a_comparison_of_tensors_is_found(code: str) -> None:
    assert compared_as_objects(code)


def test_tensors_are_not_compared_as_python_objects() -> None:
    # Under TF1's behaviour, which `queueio.v1` sets, `==` asks whether they are the same object.
    found = {path.name: compared_as_objects(path.read_text()) for path in MODULES.values()}
    assert not {name: those for name, those in found.items() if those}, "use tf.equal"


REWRITTEN = {"map", "flat_map", "filter", "scan", "take_while", "interleave"}
"""Methods of datasets whose functions TensorFlow rewrites for every iterator."""


def rewritten_functions(code: str) -> set[int]:
    """The lines that call such a method with a function that is written there."""
    calls = (n for n in ast.walk(ast.parse(code)) if isinstance(n, ast.Call))
    return {
        call.lineno for call in calls
        if isinstance(call.func, ast.Attribute) and call.func.attr in REWRITTEN
    }  # fmt: skip


def test_a_function_that_tensorflow_rewrites_is_found() -> None:
    assert rewritten_functions("a = mapped(b, f)\nc = a.map(f)\nc.scan(0, g)") == {2, 3}


def test_what_moves_chunks_is_not_rewritten_for_every_iterator() -> None:
    kernels = {n: p for n, p in MODULES.items() if n.startswith("queueio.compile.kernels.")}
    found = {name: rewritten_functions(path.read_text()) for name, path in kernels.items()}
    assert not {n: lines for n, lines in found.items() if lines}, "see kernels/as_written.py"


NO_OP = {"None"}
"""Words that TensorFlow registers as op types, and that code means otherwise."""


def op_types_named(code: str) -> set[str]:
    """The op types that code names in strings: one type, or a list of types with blanks between.

    Docstrings and sentences are no names of types.
    """
    from tensorflow.python.framework import op_def_registry  # no public spelling

    found: set[str] = set()
    for node in ast.walk(ast.parse(code)):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            words = set(node.value.split()) - NO_OP
            if all(op_def_registry.get(word) is not None for word in words):
                found |= words
    return found


def test_an_op_type_is_found_among_words() -> None:
    code = "A = 'FIFOQueueV2 If'\nB = 'an Identity'\nC: None\nD = ''"
    assert op_types_named(code) == {"FIFOQueueV2", "If"}


SPELT_OR_RULED = ("queueio.compile.rules.", "queueio.emit.ops.")


def test_each_op_type_that_code_names_has_a_row_of_traits() -> None:
    from queueio.graph.traits import TRAITS

    for module, path in MODULES.items():
        if not module.startswith(SPELT_OR_RULED):
            missing = op_types_named(path.read_text()) - TRAITS.keys()
            assert not missing, f"{module} names {sorted(missing)}: what do they do besides?"


VERBS = {
    "explain": "explain.__init__ explain.command",
    "refuse": "graph.refusal",
    "measure": "compare.sides.cost compare.mixing.order",
    "draw": "explain.drawing compare.report.drawing",
    "compare": "compare.run compare.command",
    "locate": "forensics.locate runtime.diagnosis.root_cause",
    "describe": "recorder",
    "report": "forensics.audit",
}
"""One verb, one meaning: who is called so. A rule has the name of its op."""


@functools.cache
def functions(path: Path) -> frozenset[str]:
    """The names of the functions that a file has, outside of classes."""
    body = ast.parse(path.read_text()).body
    return frozenset(node.name for node in body if isinstance(node, ast.FunctionDef))


@pytest.mark.parametrize("verb", VERBS)
def test_a_verb_means_one_thing(verb: str) -> None:
    known = {f"queueio.{name.removesuffix('.__init__')}" for name in VERBS[verb].split()}
    found = set()
    for module, path in MODULES.items():
        has_it = verb in functions(path)
        found |= {module} if has_it and not module.startswith(SPELT_OR_RULED) else set()
    assert found == known
