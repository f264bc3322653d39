"""A variable that a script reads by its name only is not taken out of it."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from queueio.convert.batch_calls import Replacement
from queueio.convert.by_name import read_by_name
from queueio.convert.leftovers import without_leftovers
from queueio.convert.patch import patched
from queueio.convert.scaffold import without_scaffold
from queueio.convert.upgrade import Rewrite

SCRIPT = """
import sys, inspect, importlib
def f(name, where, what):
    step = 1
    {code}
"""
ANY = {
    "a name that varies": "globals()[name].dtype",
    "in a loop": "for each in globals().values(): print(each)",
    "a text that varies": "eval(what)",
    "a text that is mapped": "list(map(eval, what))",
    "a text that is executed": "exec(open('debug.py').read())",
    "a format that varies": "what.format(**globals())",
    "a name within a text": "eval('globals()[n]')",
    "the names themselves": "what(globals())",
    "the function of them": "g = globals",
    "the module": "getattr(sys.modules[__name__], name)",
    "the module by its name": "vars(sys.modules['__main__'])",
    "the module, imported": "getattr(importlib.import_module('__main__'), name)",
    "a frame": "inspect.currentframe().f_back.f_locals[name]",
    "a function's own": "f.__globals__[name]",
    "a frame by its name": "getattr(inspect.currentframe(), 'f_globals')",
    "a text for later": "timeit('key', 'from __main__ import key')",
}
KNOWN = {
    "a constant": ("globals()['key'].dtype.name", {"key"}),
    "one that is asked": ("'key' in globals()", {"key"}),
    "one that may be there": ("globals().get('key')", {"key"}),
    "a text": ("eval('key.op.type + coord')", {"key", "coord"}),
    "a text with a format": ("eval(\"f'{key.name}'\")", {"key"}),
    "a text that asks": ("eval('globals()[\"x\"]')", {"globals", "x"}),
    "a format": ("'{key.dtype.name} {x:{w}}'.format(**globals())", {"key", "x", "w"}),
    "a format of a mapping": ("'{key[0]}'.format_map(globals())", {"key"}),
    "a format of old": ("'%(key)s' % globals()", {"key"}),
    "those of a function": ("show(locals())", {"step", "name", "where", "what"}),
    "those of a function, asked for": ("vars()['step']", {"step"}),
    "an attribute of the module": ("sys.modules['__main__'].key", {"key"}),
    "one by its name": ("getattr(sys.modules[__name__], 'key')", {"key"}),
    "an import": ("from __main__ import key", {"key"}),
}  # fmt: skip
NONE = {
    "an object's": "vars(what)",
    "a value that is given": "globals()['new'] = 1",
    "a tensor's": "what.eval()",
    "another evaluation": "eval(what, {'x': 1}, {})",
    "another module": "sys.modules['numpy'].eval(name)",
    "a question for a module": "'numpy' in sys.modules",
    "how it was started": "__name__ == '__main__'",
    "how it may be started": "__name__ in ('__main__', 'train')",
    "a name that is its own": "dir = 'data'; print(dir)",
}


def places(code: str) -> list[object]:
    return [each.names for each in read_by_name(SCRIPT.replace("{code}", code), None)]


@pytest.mark.parametrize("how", ANY)
def test_where_only_the_run_tells_the_name_any_may_be_read(how: str) -> None:
    assert None in places(ANY[how])


@pytest.mark.parametrize("how", KNOWN)
def test_names_in_a_text_are_read(how: str) -> None:
    code, names = KNOWN[how]
    assert places(code) and set().union(*places(code)) >= names  # type: ignore[arg-type]
    assert None not in places(code)


@pytest.mark.parametrize("how", NONE)
def test_what_reads_no_variable_is_none(how: str) -> None:
    assert places(NONE[how]) == []


@pytest.mark.parametrize(
    ("code", "names"),
    [("import __main__\ndef show(): return __main__.key", {"key"}),
     ("import __main__ as m\ndef show(name): return getattr(m, name)", None),
     ("import sys\ndef show(name): return sys._getframe(1).f_locals[name]", None),
     ("def show(x): return eval(x), globals()[x]", set())],
)  # fmt: skip
def test_a_file_beside_the_script_reads_them_too(
    code: str, names: set[str] | None, tmp_path: Path
) -> None:
    (tmp_path / "helper.py").write_text(code)
    found = read_by_name("import helper\n", tmp_path)
    assert [each.names for each in found] == ([] if names == set() else [names])
    assert all(each.where.startswith("helper.py, line 2: `") for each in found)


def test_files_of_a_package_read_them_too(tmp_path: Path) -> None:
    inner = tmp_path / "tools" / "inner"
    inner.mkdir(parents=True)
    (tmp_path / "tools" / "__init__.py").write_text("from .inner import show")
    (inner / "__init__.py").write_text("from . import _show as show")
    (inner / "_show.py").write_text("from ..main import key")
    (tmp_path / "tools" / "main.py").write_text("import __main__\nkey = lambda: __main__.key")
    for code in ("from tools import show", "import tools.inner", "import tools"):
        (found,) = read_by_name(code, tmp_path)
        assert found.names == {"key"} and found.where.startswith("main.py, line 2: `")


@pytest.mark.parametrize(
    "how", ["globals()[name]", "'{coord.joined} {key.name}'.format(**locals())"]
)
def test_a_changed_script_still_has_what_it_may_ask_for(how: str) -> None:
    found: Any = SimpleNamespace(name="batch", module="", given=None)
    text = (
        "import tensorflow as tf\nqueue = tf.train.string_input_producer(['a'])\n"
        "key, line = tf.TextLineReader().read(queue)\nx = tf.decode_csv(line, [[0]])\n"
        "batch = tf.train.batch([x], 4)\ncoord = tf.train.Coordinator()\n"
        "threads = tf.train.start_queue_runners(coord=coord)\nprint({how})\n"
    )
    new = patched(text.replace("{how}", how), [Replacement(5, "m", found)], all_found=True)
    assert "m.input_fn(" in new.text and "coord = " in new.text and "key, line = " in new.text
    assert ("decode_csv" in new.text) == ("name]" in how)
    assert any("line 9 of" in left or "line 8 of" in left for left in new.left), new.left


def test_what_is_kept_stays_with_all_that_it_is_made_of() -> None:
    text = (
        "import queueio.v1 as tf\nreader = tf.TextLineReader()\nkey, line = reader.read(queue)\n"
        "x = tf.cast(line, tf.int32)\n"
    )
    before, names = f"{text}tf.train.batch([x], 2)\n", {"read", "cast", "TextLineReader"}
    kept = without_leftovers(Rewrite(text), before, frozenset(names), ["key"])
    assert kept.text == text[: text.index("x =")]


def test_a_coordinator_that_is_read_by_its_name_stays() -> None:
    text = (
        "coord = tf.train.Coordinator()\nthreads = tf.train.start_queue_runners(coord=coord)\n"
        "coord.request_stop()\ncoord.join(threads)\nprint('{coord.joined}'.format(**globals()))\n"
    )
    rewrite = without_scaffold(Rewrite(text), read_by_name(text, None))
    assert rewrite.text == text
    (left,) = rewrite.left
    assert left.startswith("line 5 of the new script: `print(") and "reads 'coord' by" in left


def test_what_a_class_keeps_stays_as_getattr_may_read_it() -> None:
    text = (
        "import queueio.v1 as tf\nclass Model:\n    key = tf.read(queue)\n"
        "    def f(self): x = tf.read(queue)\nprint(getattr(Model, name))\n"
    )
    before = text.replace("x = tf.read(queue)", "x = tf.read(queue); tf.train.batch([x, key], 2)")
    kept = without_leftovers(Rewrite(text), before, frozenset({"read"})).text
    assert kept == text.replace("x = tf.read(queue)", "pass")


@pytest.mark.parametrize(
    "line", ["x = tf.read(queue, (n := 3))", "def f():\n    x = tf.read((yield))"]
)
def test_a_line_that_does_something_besides_stays(line: str) -> None:
    text = f"import queueio.v1 as tf\n{line}\nprint(n)\n"
    before = text.replace("x =", "x = y =").replace("\nprint", "; tf.train.batch([x, y], 2)\nprint")
    assert without_leftovers(Rewrite(text), before, frozenset({"read"})).text == text
