"""What NumPy and Python 3 removed and 2016 had: the user's line, and what to write instead.

Most of it the script sees again (queueio/compat/moved.py). What cannot be had ends it with
NumPy's error, and where queueio is not asked, all of it does: the table below adds the line of the
user's file and the replacement below the error's own text.
"""

from __future__ import annotations

import re
from types import TracebackType

import numpy as np

from queueio.compat.rows import InWords
from queueio.graph.origin import Origin, is_user_code, line_at
from queueio.script.hidden_modules import hidden_module
from queueio.script.python2 import translation
from queueio.script.python2_names import replacement

# A pattern of the error's text: the spelling in the script, and what to write there.
_TYPES = {
    "bool": "bool",
    "int": "int",
    "float": "float",
    "complex": "complex",
    "object": "object",
    "str": "str",
    "long": "int",
    "unicode": "str",
    "float_": "np.float64",
    "complex_": "np.complex128",
    "string_": "np.bytes_",
    "unicode_": "np.str_",
}
_FUNCTIONS = {
    "Inf": "np.inf",
    "Infinity": "np.inf",
    "infty": "np.inf",
    "NaN": "np.nan",
    "NAN": "np.nan",
    "PINF": "np.inf",
    "NINF": "-np.inf",
    "alltrue": "np.all",
    "asfarray": "np.asarray(x, dtype=float)",
    "asscalar": "x.item()",
    "byte_bounds": "np.lib.array_utils.byte_bounds",
    "cast": "np.asarray(x).astype(dtype)",
    "cumproduct": "np.cumprod",
    "find_common_type": "np.result_type, with a Python number such as 0 for each scalar type",
    "in1d": "np.isin(x, values).ravel()",
    "issubclass_": "issubclass, which raises TypeError where the first is no class",
    "mat": "np.asmatrix",
    "msort": "np.sort(x, axis=0)",
    "product": "np.prod",
    "rank": "np.ndim",
    "round_": "np.round",
    "row_stack": "np.vstack",
    "safe_eval": "ast.literal_eval",
    "sctypes": InWords("the types by name, such as np.float32"),
    "sometrue": "np.any",
    "source": "print(inspect.getsource(x))",
    "trapz": "np.trapezoid",
    "typeDict": "np.dtype(name).type",
}
_METHODS = {
    "tostring": "x.tobytes()",
    "itemset": "x[row, column] = value, or x.flat[n] = value for a single index",
    "newbyteorder": "x.view(x.dtype.newbyteorder(…))",
    "ptp": "np.ptp(x)",
}
_LIB = {"pad": "np.pad", "unique": "np.unique"}
# A phrase of NumPy's text: the spelling in the script, and what to write there.
_CALLS = {
    "binary mode of fromstring is removed": (
        "np.fromstring(data, dtype)",
        "np.frombuffer(data, dtype).copy()",
    ),
    "Unable to avoid copy while creating an array": ("np.array(x, copy=False)", "np.asarray(x)"),
    "Object arrays cannot be loaded when allow_pickle=False": (
        "np.load(file)",
        "np.load(file, allow_pickle=True)",
    ),
}

_OTHER_DTYPE = re.compile(r"value returned by pyfunc_\d+ is (\w+), but expects (\w+)")
_WIDE_AND_NARROW = "float64 float32 float16 complex128 complex64 int64 int32 int16 int8"
_DTYPES = {name: np.dtype(name) for name in _WIDE_AND_NARROW.split()} | {
    "double": np.dtype(np.float64), "float": np.dtype(np.float32), "half": np.dtype(np.float16),
}  # fmt: skip
"""By TensorFlow's names."""

ROWS: dict[str, str] = {
    **{f"np.{name}": new for name, new in {**_TYPES, **_FUNCTIONS}.items()},
    **{f"x.{name}": new for name, new in _METHODS.items()},
    **{f"np.lib.{name}": new for name, new in _LIB.items()},
    **dict(_CALLS.values()),
}
"""Every spelling that NumPy removed, with what to write instead."""


def advice(text: str) -> tuple[str, str] | None:
    """The removed spelling that an error's text is about, and its replacement; or None.

    Args:
      text: the text of any exception, such as a TensorFlow error that quotes an AttributeError
        of a `tf.py_func`.
    """
    if found := re.search(r"module 'numpy' has no attribute '(\w+)'", text):
        return _pick(found[1], "np.", {**_TYPES, **_FUNCTIONS})
    if found := re.search(r"`np\.(\w+)` was removed in the NumPy 2\.0", text):
        return _pick(found[1], "np.", {**_TYPES, **_FUNCTIONS})
    if found := re.search(r"module 'numpy\.lib[\w.]*' has no attribute '(\w+)'", text):
        return f"np.lib.{found[1]}", _LIB.get(found[1], f"np.{found[1]}")
    if found := re.search(r"'numpy\.\w+' object has no attribute '(\w+)'", text):
        return _pick(found[1], "x.", _METHODS)
    return next((call for phrase, call in _CALLS.items() if phrase in text), None)


def of_numpy_2(text: str) -> str | None:
    """What to write where a `tf.py_func` may give a wider dtype than it did on NumPy 1; or None.

    Args:
      text: the text of any exception, such as TensorFlow's of a value of another dtype than was
        said.
    """
    found = _OTHER_DTYPE.search(text)
    if found is None or np.lib.NumpyVersion(np.__version__) < "2.0.0":
        return None
    given, said = (_DTYPES.get(name) for name in found.groups())
    if given is None or said is None or given.kind != said.kind or given <= said:
        return None
    return (
        f"Was it {said} on TF1? NumPy 1 kept the dtype of an array that met a NumPy scalar, as"
        f" np.mean(x) or np.int64(2) is one; NumPy 2 makes {given} of both."
        f"{_of_pythons_own(given)} Return np.asarray(result, np.{said})."
    )


def _of_pythons_own(given: np.dtype[np.generic]) -> str:
    """What is added where the value may be a number of Python's: no NumPy is to blame for it."""
    kinds = {"float64": "float", "int64": "int", "complex128": "complex"}
    kind = kinds.get(given.name)
    return f" A Python {kind} was {given} on TF1, too." if kind else ""


def _pick(name: str, prefix: str, table: dict[str, str]) -> tuple[str, str] | None:
    return (f"{prefix}{name}", table[name]) if name in table else None


def add_advice(error: BaseException) -> None:
    """Adds the user's line and the replacement to `error`, where it is about NumPy, Python 2 or
    a module that hides one of the script's.

    The type of the error and its own text stay; the advice is printed below them.
    """
    line = _users_line(error.__traceback__)
    if found := advice(str(error)):
        text = "This NumPy has no {}; write {} instead.".format(*found)
    elif found := replacement(str(error)):
        text = "Python 3 has no {}; write {} instead.".format(*found)
        if line and line.filename:
            text += f" Where all of the file is Python 2: {translation(line.filename)}"
    elif told := of_numpy_2(str(error)) or hidden_module(error):
        text = told
    else:
        return
    text += f"\n  {line}" if line else ""
    if hasattr(error, "add_note"):
        error.add_note(text)
    elif error.args and isinstance(error.args[0], str):  # Python 3.10
        error.args = (f"{error.args[0]}\n{text}", *error.args[1:])


def _users_line(traceback: TracebackType | None) -> Origin | None:
    line = None
    while traceback is not None:
        filename = traceback.tb_frame.f_code.co_filename
        if is_user_code(filename):
            line = line_at(filename, traceback.tb_lineno)
        traceback = traceback.tb_next
    return line
