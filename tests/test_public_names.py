"""What is published is documented: its arguments, results and errors, and what TF1 called it."""

from __future__ import annotations

import ast
import importlib
import inspect
import re
import textwrap
from collections.abc import Callable, Iterator
from typing import Any

import pytest

MODULES = ("queueio", "queueio.train", "queueio.io", "queueio.testing")
CALLABLE_MODULES = {
    "queueio.compare": lambda: importlib.import_module("queueio.compare.run").compare,
    "queueio.engine": lambda: type(importlib.import_module("queueio.engine")).__call__,
}
OF_TF1 = ("queueio.train.", "queueio.io.")
TELLS_TENSORS = re.compile(
    r"\b(string|u?int\d+|float\d+|bool|dtypes?|TypeSpecs?|shapes?|scalars?|vectors?|dimension)\b"
)
ELSEWHERE = re.compile(r"Everything else as for `(\w+)`")


def published() -> dict[str, Any]:
    """The functions and classes that a user imports, by their names."""
    found = {f"{name}()": of() for name, of in CALLABLE_MODULES.items()}
    for name in MODULES:
        module = importlib.import_module(name)
        own = [n for n, v in vars(module).items() if getattr(v, "__module__", "") == name]
        for each in getattr(module, "__all__", own):
            value = getattr(module, each)
            if inspect.isclass(value) or inspect.isfunction(value):
                found.setdefault(f"{name}.{each}", value)
    return found


def functions() -> Iterator[tuple[str, Callable[..., Any]]]:
    """The published functions, and the methods and properties of published classes."""
    for name, value in published().items():
        if inspect.isfunction(value):
            yield name, value
        for base in value.__mro__ if inspect.isclass(value) else ():
            for part, member in vars(base).items() if base.__module__.startswith("queueio") else ():
                function = getattr(member, "__func__", member)
                generated = not hasattr(function, "__code__") or "<string>" in str(
                    function.__code__
                )
                if not generated and (part == "__init__" or not part.startswith("_")):
                    yield f"{name}.{part}", function


CASES = {
    name: function
    for name, function in functions()
    if "queueio" in inspect.getsourcefile(inspect.unwrap(function))  # type: ignore[operator]
    and "site-packages" not in inspect.getsourcefile(inspect.unwrap(function))  # type: ignore[operator]
}
every = pytest.mark.parametrize("name", CASES)


def section(text: str, title: str) -> str:
    """What stands under a heading of a docstring."""
    found = re.search(rf"^{title}:\n((?:[ ]+.*\n|\n)*)", f"{text}\n", re.MULTILINE)
    return found.group(1) if found else ""


def told(function: Callable[..., Any]) -> str:
    return inspect.cleandoc(function.__doc__ or "")


def code_of(function: Callable[..., Any]) -> ast.FunctionDef:
    found = ast.parse(textwrap.dedent(inspect.getsource(inspect.unwrap(function)))).body[0]
    assert isinstance(found, ast.FunctionDef)
    return found


def undescribed(function: Callable[..., Any]) -> set[str]:
    """The parameters that a docstring does not tell of, nor the one that it refers to."""
    args = section(told(function), "Args")
    if found := ELSEWHERE.search(args):
        args += section(told(CASES[f"queueio.train.{found.group(1)}"]), "Args")
    names = set(inspect.signature(function).parameters) - {"self", "cls"}
    return {
        name for name in names if not re.search(rf"^[\s*\w,]*\b{name}\b.*:", args, re.MULTILINE)
    }


@every
def test_each_argument_is_described(name: str) -> None:
    assert told(CASES[name]) or name.endswith("__init__")
    assert not undescribed(CASES[name])


@every
def test_what_is_returned_is_described(name: str) -> None:
    code = code_of(CASES[name])
    given = ast.unparse(code.returns) if code.returns else "None"
    is_property = any(ast.unparse(d) == "property" for d in code.decorator_list)
    if given != "None" and not is_property:  # a property's docstring says what it is
        assert section(told(CASES[name]), "Returns") or section(told(CASES[name]), "Yields")


@every
def test_what_is_raised_is_described(name: str) -> None:
    raises = [n for n in ast.walk(code_of(CASES[name])) if isinstance(n, ast.Raise)]
    assert section(told(CASES[name]), "Raises") or not raises


@pytest.mark.parametrize("name", [name for name in CASES if name.startswith(OF_TF1)])
def test_tensors_are_described_by_dtype_or_shape(name: str) -> None:
    returns = section(told(CASES[name]), "Returns")
    gives = inspect.signature(CASES[name]).return_annotation
    if gives == "Any" and not re.match(r"\s+The operation|\s+A `\w+`", returns):
        assert TELLS_TENSORS.search(returns), returns


@pytest.mark.parametrize("name", [name for name in published() if name.startswith(OF_TF1)])
def test_what_is_tf1s_says_so(name: str) -> None:
    value = published()[name]
    module = inspect.getmodule(value)
    assert module is not None
    if module.__name__.startswith("queueio"):
        assert re.search(r"tf\.\S+\s+of\s+TensorFlow\s+1\.15", module.__doc__ or ""), module


@pytest.mark.parametrize(
    ("law", "wrong"),
    [
        (test_each_argument_is_described, "def f(a):\n  '''Text.\n\n  Args:\n    b: it.\n  '''"),
        (test_what_is_returned_is_described, "def f() -> int:\n  '''Text.'''\n  return 1"),
        (test_what_is_raised_is_described, "def f():\n  '''Text.'''\n  raise ValueError"),
    ],
)
def test_a_gap_is_found(law: Any, wrong: str, tmp_path: Any, monkeypatch: Any) -> None:
    (tmp_path / "gap_queueio.py").write_text(wrong)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setitem(CASES, "f", importlib.import_module("gap_queueio").f)
    importlib.sys.modules.pop("gap_queueio")  # type: ignore[attr-defined]
    with pytest.raises(AssertionError):
        law("f")
