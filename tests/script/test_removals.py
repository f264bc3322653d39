"""What NumPy removed is recognised by NumPy's own texts, and what to write instead exists."""

from __future__ import annotations

import builtins
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tensorflow as tf

from queueio.script.hidden_modules import hidden_module
from queueio.script.removals import (
    _FUNCTIONS,
    _LIB,
    _METHODS,
    _TYPES,
    add_advice,
    advice,
    of_numpy_2,
)

NAMES = {**_TYPES, **_FUNCTIONS}
NEW_IN_2 = ("byte_bounds", "trapezoid")


def error_text(owner: object, name: str) -> str:
    """NumPy's text for a name that it removed; skips where this NumPy still has it."""
    try:
        getattr(owner, name)
    except AttributeError as error:
        return str(error)
    pytest.skip(f"NumPy {np.__version__} still has {name}")


@pytest.mark.parametrize(
    "text",
    [
        "",
        "module 'numpy' has no attribute 'no_such_thing'",
        "'numpy.ndarray' object has no attribute 'no_such_method'",
        "'MyArray' object has no attribute 'tostring'",
        "module 'my_numpy' has no attribute 'float'",
    ],
)
def test_errors_about_something_else_get_no_advice(text: str) -> None:
    assert advice(text) is None
    error = AttributeError(text)
    add_advice(error)
    assert error.args == (text,) and not getattr(error, "__notes__", None)


@pytest.mark.parametrize("name", NAMES)
def test_a_removed_name_is_recognised_by_numpys_own_text(name: str) -> None:
    assert advice(error_text(np, name)) == (f"np.{name}", NAMES[name])


@pytest.mark.parametrize("name", _METHODS)
def test_a_removed_method_is_recognised_by_numpys_own_text(name: str) -> None:
    assert advice(error_text(np.zeros(2), name)) == (f"x.{name}", _METHODS[name])


@pytest.mark.parametrize("name", _LIB)
def test_names_of_np_lib_have_moved_to_the_top(name: str) -> None:
    assert advice(error_text(np.lib, name)) == (f"np.lib.{name}", f"np.{name}")


@pytest.mark.parametrize("new", sorted({*NAMES.values(), *_LIB.values()}))
def test_what_to_write_instead_exists(new: str) -> None:
    path = new.lstrip("-").partition("(")[0].split(".")
    if " " in new or path[0] not in ("np", *dir(builtins)):
        pytest.skip("advice in words, or about another module")
    value: object = np if path[0] == "np" else getattr(builtins, path[0])
    if path[-1] in NEW_IN_2 and np.lib.NumpyVersion(np.__version__) < "2.0.0":
        pytest.skip(f"NumPy {np.__version__} still has the old name, and not yet the new one")
    for part in path[1:]:
        value = getattr(value, part)


def told_by_tensorflow(function: Callable[[Any], Any], given: Any, said: tf.DType) -> str:
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        made = tf.compat.v1.py_func(function, [given], said)
        try:
            session.run(made)
        except tf.errors.InvalidArgumentError as error:
            return str(error)
    return ""


WIDENED: list[tuple[Any, Any, tf.DType, str]] = [
    (lambda x: x - np.mean([1, 2]), np.ones(3, np.float32), tf.float32, "float32"),
    (lambda x: x * np.int64(2), np.ones(3, np.float32), tf.float32, "float32"),
    (lambda x: x + np.int64(2), np.ones(3, np.int32), tf.int32, "int32"),
    (lambda x: x / np.float32(255), np.ones(3, np.float16), tf.float16, "float16"),
]


@pytest.mark.skipif(
    np.lib.NumpyVersion(np.__version__) < "2.0.0", reason="NumPy 1 keeps an array's dtype"
)
@pytest.mark.parametrize(("function", "given", "said", "name"), WIDENED)
def test_what_numpy_2_makes_wider_says_how_to_have_the_old_dtype(
    function: Any, given: Any, said: tf.DType, name: str
) -> None:
    """TF 1.15.5 with NumPy 1.18 returned each of these in the dtype that was said."""
    advised = of_numpy_2(told_by_tensorflow(function, given, said))
    assert advised is not None and f"Was it {name} on TF1?" in advised
    assert advised.endswith(f"Return np.asarray(result, np.{name}).")


@pytest.mark.skipif(np.lib.NumpyVersion(np.__version__) < "2.0.0", reason="nothing is advised")
def test_a_python_float_is_not_put_down_to_numpy_alone_and_the_advice_fits_it_as_well() -> None:
    """TF 1.15.5 refuses it in the same words, and a float has no `astype`."""
    text = told_by_tensorflow(lambda x: 2 * float(x), np.float32(1), tf.float32)
    assert "is double, but expects float" in text
    advised = of_numpy_2(text)
    assert advised is not None and "A Python float was float64 on TF1, too." in advised
    assert "result.astype" not in advised


@pytest.mark.parametrize(
    ("made", "said"),
    [(np.float32(1), tf.float64), (np.int64(1), tf.float32), (b"a", tf.int64), (1.5, tf.string),
     (np.uint8(1), tf.int64), (True, tf.int32)],
)  # fmt: skip
def test_other_wrong_dtypes_are_not_put_down_to_numpy(made: Any, said: tf.DType) -> None:
    text = told_by_tensorflow(lambda x: made, 1, said)
    assert "but expects" in text and of_numpy_2(text) is None


def test_a_module_that_python_has_already_is_told_from_the_file_beside_the_script(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "json.py").write_text("")
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    for code in ("from json import nosuch", "import json; json.nosuch", "import json.nosuch"):
        with pytest.raises((ImportError, AttributeError)) as caught:
            exec(code, {})
        said = str(hidden_module(caught.value))
        assert said.startswith(
            f"`json` is Python's own module, which was loaded first, and not {tmp_path}"
        )
    with pytest.raises(ImportError) as caught:
        exec("from csv import nosuch", {})
    assert hidden_module(caught.value) is None
