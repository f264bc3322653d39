"""Random modules that use a small stand-in for TensorFlow, and what running them does."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType, ModuleType
from typing import Any

from hypothesis import strategies as st

from queueio.check.names import Name
from queueio.check.verdicts import MISSING, RUNS, NameVerdict

EXISTING = [
    "Session",
    "add",
    "train.batch",
    "train.Saver",
    "nn.relu",
    "contrib.slim.conv2d",
    "contrib.slim.data.Dataset",
    "contrib.layers.flatten",
    "python.ops.control_flow_ops.cond",
]
MODULES = [
    "train",
    "nn",
    "contrib",
    "contrib.slim",
    "contrib.slim.data",
    "contrib.layers",
    "python",
    "python.ops",
    "python.ops.control_flow_ops",
]


def _modules() -> dict[str, ModuleType]:
    """`tensorflow` and what is below, by their addresses in `sys.modules`."""
    found = {"tensorflow": ModuleType("tensorflow")}
    for path in MODULES:
        found[f"tensorflow.{path}"] = ModuleType(f"tensorflow.{path}")
    for dotted in [*MODULES, *EXISTING]:
        owner, _, name = f"tensorflow.{dotted}".rpartition(".")
        setattr(found[owner], name, found.get(f"tensorflow.{dotted}", lambda *args: None))
    for module in found.values():
        module.__path__ = []
    return found


class SmallJudge:
    """Says of a name whether the stand-in has it."""

    def exists(self, name: Name) -> bool:
        return self.verdict(name).exists

    def verdict(self, name: Name) -> NameVerdict:
        value: Any = _modules()["tensorflow"]
        if name.root != "tensorflow":
            return NameVerdict(MISSING, "", -1)
        for reached, part in enumerate(name.parts):
            if not isinstance(value, ModuleType):
                return NameVerdict(RUNS, "", reached, exists=True)
            if not hasattr(value, part):
                return NameVerdict(MISSING, "", reached)
            value = getattr(value, part)
        return NameVerdict(RUNS, "", len(name.parts), exists=True)


@contextmanager
def _in_place() -> Iterator[None]:
    before = {n: m for n, m in sys.modules.items() if f"{n}.".startswith("tensorflow.")}
    for name in before:
        del sys.modules[name]
    sys.modules.update(_modules())
    try:
        yield
    finally:
        for name in [n for n in sys.modules if f"{n}.".startswith("tensorflow.")]:
            del sys.modules[name]
        sys.modules.update(before)


def run(code: str, file: str) -> tuple[set[int], int | None]:
    """The lines of a module that ran, and the one that a missing name ended it at, or None."""
    ran: set[int] = set()

    def trace(frame: FrameType, event: str, arg: object) -> Any:
        if frame.f_code.co_filename == file and event in ("line", "call"):
            ran.add(frame.f_lineno)
        return trace if frame.f_code.co_filename == file else None

    tracer = sys.gettrace()
    with _in_place():
        sys.settrace(trace)
        try:
            exec(compile(code, file, "exec"), {"__name__": "generated"})
        except (AttributeError, ImportError) as error:
            sys.settrace(tracer)
            return ran, _line(error, file)
        finally:
            sys.settrace(tracer)
    return ran, None


def _line(error: BaseException, file: str) -> int:
    lines, here = [], error.__traceback__
    while here is not None:
        if here.tb_frame.f_code.co_filename == file:
            lines.append(here.tb_lineno)
        here = here.tb_next
    return lines[-1]


# A name's ways to be imported, with what the variable then is.
_BINDINGS = [
    ("import tensorflow as {v}", ""),
    ("{v} = __import__('tensorflow')", ""),
    ("import importlib; {v} = importlib.import_module('tensorflow.contrib.slim')", "contrib.slim"),
    ("import tensorflow.contrib.slim as {v}", "contrib.slim"),
    ("import tensorflow.contrib.crf as {v}", "contrib.crf"),
    ("from tensorflow import contrib as {v}", "contrib"),
    ("from tensorflow.contrib import slim as {v}", "contrib.slim"),
    ("from tensorflow.contrib import crf as {v}", "contrib.crf"),
    ("from tensorflow.gone import crf as {v}", "gone.crf"),
    ("from tensorflow.python.ops import control_flow_ops as {v}", "python.ops.control_flow_ops"),
    ("import tensorflow; {v} = tensorflow.contrib.layers", "contrib.layers"),
    ("import tensorflow; {v}, _other = tensorflow.contrib, 1", "contrib"),
    ("import tensorflow; {v} = getattr(tensorflow, 'contrib')", "contrib"),
    ("import tensorflow; {v} = tensorflow.contrib.crf", "contrib.crf"),
]
_LEAVES = ["slim.conv2d", "slim.lost", "train.batch", "train.lost", "lost", "cond", "conv2d",
           "data.Dataset", "flatten", "contrib.slim.conv2d", "contrib.crf.lost"]  # fmt: skip
_GUARDS = ["ImportError", "AttributeError", "(ImportError, AttributeError)", "ModuleNotFoundError",
           "ValueError"]  # fmt: skip


@st.composite
def modules(draw: st.DrawFn) -> str:
    """The text of a module: imports under several names, then uses, some of them guarded."""
    names = [f"v{number}" for number in range(draw(st.integers(1, 3)))]
    lines = [line for name in names for line in draw(_bound(name))]
    for _ in range(draw(st.integers(1, 6))):
        lines += draw(_used(draw(st.sampled_from(names))))
    return "\n".join(lines) + "\n"


@st.composite
def _bound(draw: st.DrawFn, name: str) -> list[str]:
    form, _ = draw(st.sampled_from(_BINDINGS))
    line = form.format(v=name)
    if draw(st.booleans()):
        return [line]
    other = draw(st.sampled_from([each for each, _ in _BINDINGS])).format(v=name)
    return ["try:", f"    {line}", f"except {draw(st.sampled_from(_GUARDS))}:", f"    {other}"]


@st.composite
def _used(draw: st.DrawFn, name: str) -> list[str]:
    leaf = draw(st.sampled_from(_LEAVES))
    first, _, _ = leaf.partition(".")
    use = f"{name}.{leaf}"
    forms = [
        [use],
        [f"getattr({name}, {first!r})"],
        [f"getattr({name}, {first!r}, None)"],
        [f"if hasattr({name}, {first!r}):", f"    {use}", "else:", "    pass"],
        [f"if not hasattr({name}, {first!r}):", f"    {use}"],
        [f"if {first!r} in dir({name}) and len('x') == 1:", f"    {use}"],
        [f"hasattr({name}, {first!r}) and {use}"],
        ["try:", f"    {use}", f"except {draw(st.sampled_from(_GUARDS))}:", "    pass"],
        ["try:", f"    {use}", "except AttributeError:", "    raise"],
        ["def f():", f"    return {use}", "f()"],
        ["def never():", f"    return {use}"],
        [f"def f({name}):", f"    return str({name}.real)", "f(1)"],
        [f"def f(x={use}):", "    pass"],
        ["class C:", f"    x = {use}", "    def m(self):", f"        return {use}", "C().m()"],
        [f"[{name} for {name} in range(2)]", use],
        [f"(lambda: {use})()"],
        ["import contextlib", "with contextlib.suppress(AttributeError):", f"    {use}"],
        [f"{name}.mine = 1", f"{name}.mine"],
        ["try:", "    f = None", "    def f():", f"        {use}", "except AttributeError: pass",
         "f()"],
        [f"{name}_too = {name}", f"{name}_too.{leaf}"],
    ]  # fmt: skip
    return draw(st.sampled_from(forms))
