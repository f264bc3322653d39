"""What all calls of a function in its file give a parameter, and whether anybody may give more."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from queueio.convert.changes import Changes
from queueio.convert.given_values import GivenValues
from queueio.convert.source import Script

# A file with a function f and its parameter p, and the value that all calls give it.
GIVEN = {
    "by its place": ("def f(x, p): pass\nf(1, 4)", "4"),
    "by its name": ("def f(x, p): pass\nf(1, p=4)", "4"),
    "by its default": ("def f(x, p=4): pass\nf(1)", "4"),
    "by the default of the last of three": ("def f(x, y=3, p=4): pass\nf(1, 2)", "4"),
    "by a default that is a name of the module": ("H = 4\ndef f(p=H): pass\nf()", "4"),
    "by a name only": ("def f(*, p): pass\nf(p=True)", "True"),
    "by the default of one that has a name only": ("def f(*, q, p=None): pass\nf(q=1)", "None"),
    "by a place only": ("def f(p, /, q=2): pass\nf(-4.0)", "-4.0"),
    "behind a place only": ("def f(x, /, p): pass\nf(1, 'a b')", "'a b'"),
    "by two calls, the same": ("def f(p): pass\nf(4)\ndef g(): f(p=4)", "4"),
    "by a call of a loop": ("def f(x, p): pass\nfor x in range(3): f(x, (1, 2.0))", "(1, 2.0)"),
    "by a constant of the module": ("H = 4\ndef f(p): pass\ndef main(): f(p=H)", "4"),
    "by a constant of the caller": ("def f(p): pass\ndef main():\n    h = 4\n    f(h)", "4"),
    "by one of several constants": ("H, W = 4, 5\ndef f(p): pass\nf(W)", "5"),
    "by a constant of main": (
        "def f(p): pass\nif __name__ == '__main__':\n    SIZE = 4\n    f(SIZE)", "4"),
    "by the constant of its own name": ("p = 4\ndef f(p): print(p)\nf(p)", "4"),
    "by a sum": ("def f(p): pass\nf(2 + 2)", "4"),
    "by a product of names": ("H, W = 4, 5\ndef f(p): pass\nf(H * W * 3)", "60"),
    "by a name that stands for a product": ("H = 2 * 2\nW = H // 3\ndef f(p): pass\nf(W)", "1"),
    "by a default that is a product": ("H = 4\ndef f(p=H * H): pass\nf()", "16"),
    "by a division": ("def f(p): pass\nf(4 / 2)", "2.0"),
    "by a rest": ("def f(p): pass\nf(-7 % 4)", "1"),
    "by a text put together": ("D = 'data/'\ndef f(p): pass\nf(D + 'a.csv')", "'data/a.csv'"),
    "by bytes": ("def f(p): pass\nf(b'a')", "b'a'"),
    "by a list of names": ("H, W = 4, 5\ndef f(p): pass\nf([H, W, (1, H)])", "[4, 5, (1, 4)]"),
    "by two lists put together": ("L = ['a']\ndef f(p): pass\nf(L + ['b'])", "['a', 'b']"),
    "by the caller's parameter": ("H = 5\ndef f(p): pass\ndef main(H): f(H)\nmain(4)", "4"),
    "by the caller's caller": (
        "def f(p): pass\ndef g(x, q): f(q * 2)\ndef main(n=4): g(1, q=n)\nmain()\nmain(4)", "8"),
    "by the default of the caller": ("def f(p): pass\ndef main(h=4): f(h)\nmain()", "4"),
    "by a list": ("def f(p): print(p)\nf(['a', [1]])", "['a', [1]]"),
    "by a list of the module": ("FILES = ['a']\ndef f(p): return len(p)\nf(FILES)", "['a']"),
    "in a function of another one": ("def g():\n    def f(p): pass\n    f(4)", "4"),
    "beside a parameter of the function's name": (
        "def f(p): pass\nf(4)\ndef model(f): return f + 1\nk = lambda f: f\n[f for f in (1, 2)]",
        "4"),
    "beside a variable of the function's name": (
        "def f(p): pass\nf(4)\ndef model(x):\n    f = x\n    return f", "4"),
    "beside an attribute of its name": ("def f(p): pass\nf(4)\nclass A: pass\nA().f = 5", "4"),
}  # fmt: skip
UNKNOWN = {
    "a sum without an end": "def f(p): pass\nf(1e308 * 10)",
    "a division by zero": "def f(p): pass\nf(4 / 0)",
    "a sum of what cannot be added": "def f(p): pass\nf('a' + 4)",
    "a text said often": "def f(p): pass\nf('a' * 4)",
    "a sum with something else": "import sys\nH = 4\ndef f(p): pass\nf(H + len(sys.argv))",
    "a name that is made of itself": "from a import *\nH = H + 1\ndef f(p): pass\nf(H)",
    "names that are made of each other": "H, W = W, H\ndef f(p): pass\nf(H)",
    "a list with something else": "import sys\ndef f(p): pass\nf([4, sys.argv])",
    "NaN": "def f(p): pass\nf(float('nan'))",
    "no call": "def f(p=4): pass",
    "no value": "def f(p): pass\nf()",
    "one call with something else": "import sys\ndef f(p): pass\nf(4)\nf(len(sys.argv))",
    "a dict": "def f(p): pass\nf({'a': 1})",
    "a complex number": "def f(p): pass\nf(1 + 2j)",
    "arguments in a list": "def f(p): pass\nf(4)\nf(*[5])",
    "arguments in a dict": "def f(p=4): pass\nf(**{'p': 5})",
    "one of any number": "def f(*p): pass\nf(4)",
    "one of any name": "def f(**p): pass\nf(p=4)",
    "a callback": "import tensorflow as tf\ndef f(p=4): pass\nf(4)\ntf.app.run(f)",
    "a partial": "import functools\ndef f(p): pass\nf(4)\nfunctools.partial(f, 5)()",
    "a map": "def f(p): pass\nf(4)\nlist(map(f, [5]))",
    "another name of it": "def f(p): pass\nf(4)\ng = f\ng(5)",
    "its attribute": "def f(p): pass\nf(4)\nf.__defaults__ = (5,)",
    "a decorator": "def twice(g): return lambda p: g(2 * p)\n@twice\ndef f(p): pass\nf(4)",
    "two definitions": "if 1:\n    def f(p): pass\nelse:\n    def f(p): print(p)\nf(4)",
    "a name given anew": "def f(p): pass\nf(4)\nf = print",
    "a name given anew by a function": (
        "def f(p): pass\nf(4)\ndef g():\n    global f\n    f = print"),
    "a name that is imported too": "def f(p): pass\nf(4)\nfrom os import path as f",
    "a method": "class A:\n    def f(self, p): pass\nf = A().f\nf(4)",
    "a lambda": "f = lambda p: p\nf(4)",
    "a coroutine": "async def f(p): pass\nf(4)",
    "itself": "def f(p):\n    if p: f(p - 1)\nf(4)",
    "itself, by a name of the module": "def f(p):\n    if q: f(p)\np = q = 4\nf(4)",
    "a parameter given anew": "def f(p):\n    p = p or 4\nf(4)",
    "a parameter counted up": "def f(p):\n    p += 1\nf(4)",
    "a parameter of a loop": "def f(p):\n    for p in range(2): pass\nf(4)",
    "a parameter given anew within": "def f(p):\n    print(p := 5)\nf(4)",
    "a parameter that a with gives": "def f(p):\n    with open('a') as p: pass\nf(4)",
    "a parameter that an import gives": "def f(p):\n    import os as p\nf(4)",
    "a parameter that is deleted": "def f(p):\n    del p\nf(4)",
    "a parameter that an inner function sets": (
        "def f(p):\n    def g():\n        nonlocal p\n        p = 5\n    g()\nf(4)"),
    "a list that the function changes": "def f(p): p.append(1)\nf([4])",
    "a default that the function changes": "def f(p=[4]): p[0] = 5\nf()",
    "a list that another function changes": "def g(x): x.sort()\ndef f(p): g(p)\nf([4, 3])",
    "a list that the module changes": "L = [4]\ndef f(p): pass\nf(L)\nL[0] = 5",
    "a list that is changed by another name": "L = [4]\nK = L\nK.pop()\ndef f(p): pass\nf(L)",
    "a name bound twice": "H = 4\ndef f(p): pass\nf(H)\nH = 5",
    "a name bound in both branches": "if 1: H = 4\nelse: H = 5\ndef f(p): pass\nf(H)",
    "a name that is counted up": "H = 4\nH += 1\ndef f(p): pass\nf(H)",
    "a name that a function sets": (
        "H = 4\ndef f(p): pass\ndef g():\n    global H\n    H = 5\ng()\nf(H)"),
    "a name of a loop": "def f(p): pass\nfor H in (4,): f(H)",
    "a name of a comprehension": "H = 5\ndef f(p): pass\n[f(H) for H in (4,)]",
    "a name of a lambda": "H = 5\ndef f(p): pass\n(lambda H: f(H))(4)",
    "a parameter that the caller may be given by others": (
        "import tensorflow as tf\ndef f(p): pass\ndef g(H): f(H)\ng(4)\ntf.app.run(g)"),
    "a parameter that the caller changes": (
        "def f(p): pass\ndef main(H):\n    H += 1\n    f(H)\nmain(4)"),
    "a parameter that the caller is given by itself": (
        "def f(p): pass\ndef main(H):\n    f(H)\n    main(H)\nmain(4)"),
    "a parameter that goes round": (
        "def f(p): g(p)\ndef g(p):\n    if p: f(p)\ng(4)\nf(4)"),
    "a parameter to which the caller is given two": "def f(p): pass\ndef g(H): f(H)\ng(4)\ng(5)",
    "a default of the caller's": (
        "h = 4\ndef g():\n    h = 5\n    def f(p=h): pass\n    h = 6\n    f()"),
    "a name that is imported": "from os import sep\ndef f(p): pass\nf(sep)",
    "a name without a value": "H: int\ndef f(p): pass\nf(H)",
    "a builtin that means something else": "def repr(x): return ''\ndef f(p): pass\nf(4)",
}  # fmt: skip
UNEQUAL = {
    "two numbers": ("def f(p): pass\nf(4)\nf(p=5)",
                    "line 2: `f(4)` gives 4, line 3: `f(p=5)` gives 5"),
    "two kinds of one number": ("def f(p=4.0): pass\nf()\nf(4)",
                                "line 2: `f()` gives 4.0, line 3: `f(4)` gives 4"),
    "a number and a truth": ("def f(p): pass\nf(1); f(True)",
                             "line 2: `f(1)` gives 1, line 2: `f(True)` gives True"),
    "a list and a tuple": ("def f(p): pass\nf([])\nf(())",
                           "line 2: `f([])` gives [], line 3: `f(())` gives ()"),
    "two of three": ("def f(p): pass\nf(4)\nf(4)\nf(5)",
                     "line 2: `f(4)` gives 4, line 4: `f(5)` gives 5"),
}  # fmt: skip


@pytest.fixture
def given_values(tmp_path: Path):
    def of(text: str) -> GivenValues:
        (tmp_path / "script.py").write_text(text)
        source = Script(str(tmp_path / "script.py"))
        f = [n for n in ast.walk(source.tree) if getattr(n, "name", "") == "f"]
        lambdas = [n for n in ast.walk(source.tree) if isinstance(n, ast.Lambda)]
        return GivenValues([*f, *lambdas][0], source, Changes(source))

    return of


@pytest.mark.parametrize("case", GIVEN)
def test_a_parameter_is_known_that_all_calls_give_one_literal(case: str, given_values) -> None:
    text, value = GIVEN[case]
    assert (given_values(text).value("p"), given_values(text).differences("p")) == (value, "")


@pytest.mark.parametrize("case", UNKNOWN)
def test_a_parameter_is_not_known_where_a_call_may_give_something_else(
    case: str, given_values
) -> None:
    assert (
        given_values(UNKNOWN[case]).value("p"),
        given_values(UNKNOWN[case]).differences("p"),
    ) == ("", "")


@pytest.mark.parametrize("case", UNEQUAL)
def test_two_calls_that_give_different_values_are_named(case: str, given_values) -> None:
    text, told = UNEQUAL[case]
    assert (given_values(text).value("p"), given_values(text).differences("p")) == ("", told)
